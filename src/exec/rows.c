#include "exec/rows.h"

#include "base/condition.h"
#include "plan/arrow_schema.h"

#include <nanoarrow/nanoarrow.h>

#include <string.h>

struct pt__rows {
    pt__arena *arena;
    pt_column *columns;
    size_t column_count;
    size_t next; /* column of the next cell */
    struct ArrowSchema schema;
    struct ArrowArray array;
    bool failed;
};

static void end_rows(void *object)
{
    pt__rows *rows = object;
    if (rows->array.release != NULL)
        rows->array.release(&rows->array);
    if (rows->schema.release != NULL)
        rows->schema.release(&rows->schema);
}

pt__rows *pt__rows_new(pt__arena *arena, const pt__row_column *columns, size_t column_count)
{
    pt__rows *rows = pt__arena_make(arena, pt__rows);
    rows->arena = arena;
    rows->column_count = column_count;
    rows->columns = pt__arena_array(arena, pt_column, column_count + 1);
    for (size_t i = 0; i < column_count; i++)
        rows->columns[i] = (pt_column){
            .id = (uint32_t)i + 1,
            .name = pt__arena_copy_string(arena, columns[i].name),
            .type = columns[i].type,
            .nullable = columns[i].nullable,
        };
    pt__arena_defer(arena, end_rows, rows);
    rows->failed = pt__arrow_schema(rows->columns, column_count, "UTC", &rows->schema, NULL) != PT_OK ||
                   ArrowArrayInitFromSchema(&rows->array, &rows->schema, NULL) != NANOARROW_OK ||
                   ArrowArrayStartAppending(&rows->array) != NANOARROW_OK;
    return rows;
}

static void step(pt__rows *rows, ArrowErrorCode code)
{
    rows->failed = rows->failed || code != NANOARROW_OK;
    rows->next = (rows->next + 1) % rows->column_count;
    if (rows->next == 0 && !rows->failed)
        rows->failed = ArrowArrayFinishElement(&rows->array) != NANOARROW_OK;
}

void pt__rows_null(pt__rows *rows)
{
    step(rows, rows->failed ? NANOARROW_OK : ArrowArrayAppendNull(rows->array.children[rows->next], 1));
}

void pt__rows_text(pt__rows *rows, const char *text)
{
    if (text == NULL || rows->failed)
        pt__rows_null(rows);
    else
        step(rows, ArrowArrayAppendString(rows->array.children[rows->next], ArrowCharView(text)));
}

void pt__rows_boolean(pt__rows *rows, bool value)
{
    pt__rows_integer(rows, value);
}

void pt__rows_integer(pt__rows *rows, int64_t value)
{
    step(rows, rows->failed ? NANOARROW_OK : ArrowArrayAppendInt(rows->array.children[rows->next], value));
}

void pt__rows_texts(pt__rows *rows, const char *const *texts, size_t count)
{
    if (rows->failed) {
        pt__rows_null(rows);
        return;
    }
    struct ArrowArray *list = rows->array.children[rows->next];
    ArrowErrorCode code = NANOARROW_OK;
    for (size_t i = 0; i < count && code == NANOARROW_OK; i++)
        code = ArrowArrayAppendString(list->children[0], ArrowCharView(texts[i]));
    step(rows, code == NANOARROW_OK ? ArrowArrayFinishElement(list) : code);
}

static const pt_type *struct_of(pt__rows *rows)
{
    pt_field *fields = pt__arena_array(rows->arena, pt_field, rows->column_count + 1);
    for (size_t i = 0; i < rows->column_count; i++)
        fields[i] = (pt_field){rows->columns[i].name, rows->columns[i].type, rows->columns[i].nullable, NULL};
    return pt__type_struct(rows->arena, fields, rows->column_count);
}

pt_status pt__rows_plan(pt__rows *rows, const pt_plan **out, pt_error *err)
{
    if (rows->failed || ArrowArrayFinishBuildingDefault(&rows->array, NULL) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a command's result");
    pt_local_data *data = pt__arena_make(rows->arena, pt_local_data);
    const struct ArrowArray **batches = pt__arena_array(rows->arena, const struct ArrowArray *, 1);
    batches[0] = &rows->array;
    *data = (pt_local_data){&rows->schema, batches, 1, rows->array.length};
    pt_plan_local *local = pt__plan_make(rows->arena, LOCAL, local, NULL);
    local->base.columns = rows->columns;
    local->base.column_count = rows->column_count;
    local->schema = struct_of(rows);
    local->rows = data;
    *out = &local->base;
    return PT_OK;
}

pt_status pt__rows_none(pt__arena *arena, const pt_plan **out, pt_error *err)
{
    return pt__rows_plan(pt__rows_new(arena, NULL, 0), out, err);
}
