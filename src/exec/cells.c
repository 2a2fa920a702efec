/* Single values out of Arrow arrays. */
#include "exec/run.h"
#include "exec/session_catalog.h"

#include <nanoarrow/nanoarrow.h>

#include <string.h>

static bool is_null(const struct ArrowArray *array, int64_t at)
{
    return array->n_buffers > 0 && array->buffers[0] != NULL && !ArrowBitGet(array->buffers[0], at);
}

static pt_text_view text_at(pt__arena *arena, const struct ArrowArray *array, int64_t at)
{
    const int32_t *offsets = array->buffers[1];
    size_t size = (size_t)(offsets[at + 1] - offsets[at]);
    const char *start = size == 0 ? "" : (const char *)array->buffers[2] + offsets[at];
    return (pt_text_view){pt__arena_copy_text(arena, start, size), size};
}

static int64_t integer_at(const struct ArrowArray *array, int bytes, int64_t at)
{
    const void *values = array->buffers[1];
    switch (bytes) {
    case 1: return ((const int8_t *)values)[at];
    case 2: return ((const int16_t *)values)[at];
    case 4: return ((const int32_t *)values)[at];
    default: return ((const int64_t *)values)[at];
    }
}

static pt_interval interval_at(const struct ArrowArray *array, int64_t at)
{
    struct {
        int32_t months;
        int32_t days;
        int64_t nanoseconds;
    } raw;
    memcpy(&raw, (const uint8_t *)array->buffers[1] + at * 16, sizeof(raw));
    return (pt_interval){raw.months, raw.days, raw.nanoseconds / 1000};
}

/* Elements `first` to `first + count` of a list's child. */
static pt_value list_at(pt__arena *arena, const pt_type *element, const struct ArrowArray *child, int64_t first,
                        int64_t count)
{
    pt_value *items = pt__arena_array(arena, pt_value, count);
    for (int64_t i = 0; i < count; i++)
        items[i] = pt__cell(arena, element, child, first + i);
    return (pt_value){.as.list = {items, (size_t)count}};
}

static pt_value map_at(pt__arena *arena, const pt_type *type, const struct ArrowArray *entries, int64_t first,
                       int64_t count)
{
    pt_value *items = pt__arena_array(arena, pt_value, count * 2);
    for (int64_t i = 0; i < count; i++) {
        items[2 * i] = pt__cell(arena, type->key, entries->children[0], entries->offset + first + i);
        items[2 * i + 1] = pt__cell(arena, type->element, entries->children[1], entries->offset + first + i);
    }
    return (pt_value){.as.list = {items, (size_t)count * 2}};
}

static pt_value struct_at(pt__arena *arena, const pt_type *type, const struct ArrowArray *array, int64_t at)
{
    pt_value *items = pt__arena_array(arena, pt_value, type->field_count);
    for (size_t i = 0; i < type->field_count; i++)
        items[i] = pt__cell(arena, type->fields[i].type, array->children[i], at);
    return (pt_value){.as.list = {items, type->field_count}};
}

/* `at` counts from the start of the buffers. */
static pt_value value_at(pt__arena *arena, const pt_type *type, const struct ArrowArray *array, int64_t at)
{
    pt_value value = {0};
    const int32_t *offsets = array->n_buffers > 1 ? array->buffers[1] : NULL;
    switch (type->id) {
    case PT_TYPE_BOOLEAN: value.as.boolean = ArrowBitGet(array->buffers[1], at); break;
    case PT_TYPE_BYTE: value.as.integer = integer_at(array, 1, at); break;
    case PT_TYPE_SHORT: value.as.integer = integer_at(array, 2, at); break;
    case PT_TYPE_INT:
    case PT_TYPE_DATE:
    case PT_TYPE_INTERVAL_YEAR_MONTH: value.as.integer = integer_at(array, 4, at); break;
    case PT_TYPE_LONG:
    case PT_TYPE_TIME:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ:
    case PT_TYPE_INTERVAL_DAY_TIME: value.as.integer = integer_at(array, 8, at); break;
    case PT_TYPE_FLOAT: value.as.real = (double)((const float *)array->buffers[1])[at]; break;
    case PT_TYPE_DOUBLE: value.as.real = ((const double *)array->buffers[1])[at]; break;
    case PT_TYPE_DECIMAL: memcpy(&value.as.decimal, (const uint8_t *)array->buffers[1] + at * 16, 16); break;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_BINARY: value.as.text = text_at(arena, array, at); break;
    case PT_TYPE_INTERVAL_CALENDAR: value.as.interval = interval_at(array, at); break;
    case PT_TYPE_ARRAY:
        return list_at(arena, type->element, array->children[0], array->children[0]->offset + offsets[at],
                       offsets[at + 1] - offsets[at]);
    case PT_TYPE_MAP: return map_at(arena, type, array->children[0], offsets[at], offsets[at + 1] - offsets[at]);
    case PT_TYPE_STRUCT: return struct_at(arena, type, array, at);
    case PT_TYPE_UDT: return value_at(arena, type->element, array, at);
    case PT_TYPE_VOID:
    case PT_TYPE_VARIANT:
    case PT_TYPE_COUNT: value.is_null = true; break;
    }
    return value;
}

pt_value pt__cell(pt__arena *arena, const pt_type *type, const struct ArrowArray *column, int64_t row)
{
    if (type->id == PT_TYPE_VOID || is_null(column, row))
        return (pt_value){.is_null = true};
    return value_at(arena, type, column, row);
}

/* ---- whole results ---- */

typedef struct cell_collector {
    pt__arena *arena;
    const pt_plan *relation;
    size_t max_rows;
    size_t row_count;
    pt__list(pt_value) cells;
} cell_collector;

static pt_status begin_cells(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    (void)context;
    (void)schema;
    (void)err;
    return PT_OK;
}

static void release_copy(void *object)
{
    struct ArrowArray *array = object;
    if (array->release != NULL)
        array->release(array);
}

static pt_status take_cells(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    cell_collector *c = context;
    struct ArrowArray *kept = pt__arena_make(c->arena, struct ArrowArray); /* the arena releases it, even by a jump */
    *kept = *batch;
    if (is_borrowed)
        kept->release = NULL;
    pt__arena_defer(c->arena, release_copy, kept);
    c->row_count += (size_t)kept->length;
    if (c->row_count > c->max_rows)
        return pt_error_set(err, PT_LIMIT, "more than %zu rows are needed at once", c->max_rows);
    for (int64_t row = 0; row < kept->length; row++) {
        for (size_t i = 0; i < c->relation->column_count; i++) {
            const struct ArrowArray *column = kept->children[i];
            pt_value value =
                pt__cell(c->arena, c->relation->columns[i].type, column, column->offset + kept->offset + row);
            pt__list_push(c->arena, &c->cells, value);
        }
    }
    return PT_OK;
}

pt_status pt__collect_cells(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *relation,
                            size_t max_rows, const pt_value **cells, size_t *row_count, pt_error *err)
{
    cell_collector c = {.arena = arena, .relation = relation, .max_rows = max_rows};
    const pt__row_sink sink = {begin_cells, take_cells, NULL, &c};
    PT_TRY(pt__run_relation(session, job, relation, &sink, err));
    *cells = c.cells.items;
    *row_count = c.row_count;
    return PT_OK;
}

/* ---- one column of text ---- */

typedef struct text_walk {
    pt_status (*take)(void *context, pt_text_view text, pt_error *err);
    void *context;
} text_walk;

static pt_status take_texts(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    const text_walk *walk = context;
    const struct ArrowArray *column = batch->children[0];
    const int32_t *offsets = column->buffers[1];
    pt_status status = PT_OK;
    for (int64_t row = 0; row < batch->length && status == PT_OK; row++) {
        int64_t at = column->offset + batch->offset + row;
        pt_text_view text = {NULL, 0};
        if (!is_null(column, at)) {
            text.size_bytes = (size_t)(offsets[at + 1] - offsets[at]);
            text.data = text.size_bytes == 0 ? "" : (const char *)column->buffers[2] + offsets[at];
        }
        status = walk->take(walk->context, text, err);
    }
    if (!is_borrowed)
        batch->release(batch);
    return status;
}

pt_status pt__each_text(pt_session *session, pt_job *job, const pt_plan *relation,
                        pt_status (*take)(void *context, pt_text_view text, pt_error *err), void *context,
                        pt_error *err)
{
    text_walk walk = {take, context};
    const pt__row_sink sink = {begin_cells, take_texts, NULL, &walk};
    return pt__run_relation(session, job, relation, &sink, err);
}
