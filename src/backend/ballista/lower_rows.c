/* Rows out of nothing: VALUES, range(), rows that the client sent. */
#include "backend/ballista/lowering.h"

#include "base/unconst.h"

#include <nanoarrow/nanoarrow.h>

#include <string.h>

enum { VALUES_MAX = 100000, RANGE_STEP = 1000 };

/* ---- values ---- */

static pt__bplan *values_node(pt__bl *bl, const pt__bx *const *cells, size_t width, size_t row_count)
{
    pt__bplan *made = pt__bplan_new(bl->arena);
    Datafusion__ValuesNode *node = pt__arena_make(bl->arena, Datafusion__ValuesNode);
    datafusion__values_node__init(node);
    node->n_cols = width;
    node->n_values_list = width * row_count;
    node->values_list = pt__arena_array(bl->arena, Datafusion__LogicalExprNode *, width * row_count + 1);
    for (size_t i = 0; i < width * row_count; i++) {
        pt__bplan_holds_expr(made, cells[i], 2);
        node->values_list[i] = pt__bx_node(cells[i]);
    }
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_VALUES;
    made->node.values = node;
    return made;
}

/* DataFusion calls them column1, column2, … */
pt_status pt__bl_rows(pt__bl *bl, const pt_column *columns, size_t width, const pt__bx *const *cells, size_t row_count,
                      const pt__bplan **out, pt_error *err)
{
    const pt__bplan *values = values_node(bl, cells, width, row_count);
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, width);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, width);
    for (size_t i = 0; i < width; i++) {
        pt__btype *type;
        PT_TRY(pt__bl_type(bl, columns[i].type, NULL, &type, err));
        const pt__bx *column = pt__bx_column(bl->arena, pt__arena_printf(bl->arena, "column%zu", i + 1));
        items[i] = pt__bx_cast(bl->arena, column, type);
        names[i] = (pt__bname){pt__bl_bind_own(bl, &columns[i]), columns[i].type};
    }
    *out = pt__bplan_project(bl->arena, values, items, names, width);
    return PT_OK;
}

pt_status pt__bl_no_rows(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err)
{
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, plan->column_count + 1);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, plan->column_count + 1);
    size_t count = plan->column_count;
    for (size_t i = 0; i < count; i++) {
        pt__btype *type;
        PT_TRY(pt__bl_type(bl, plan->columns[i].type, plan->origin, &type, err));
        items[i] = pt__bx_null(bl->arena, type);
        names[i] = (pt__bname){pt__bl_bind_own(bl, &plan->columns[i]), plan->columns[i].type};
    }
    if (count == 0) {
        items[0] = pt__bx_int32(bl->arena, 0);
        names[0] = (pt__bname){pt__bl_new_name(bl), PT_T(INT)};
        count = 1;
    }
    pt__bplan *one = pt__bplan_project(bl->arena, pt__bplan_one_row(bl->arena), items, names, count);
    *out = pt__bplan_limit(bl->arena, one, 0, 0);
    return PT_OK;
}

/* Rows of one column of our own. */
static pt_status own_rows(pt__bl *bl, const pt_type *type, const pt__bx *const *cells, size_t row_count,
                          const char **name, const pt__bplan **out, pt_error *err)
{
    pt_column column = {.id = 0, .name = "", .type = type, .nullable = true};
    const char *before = pt__bl_bound(bl, 0);
    pt__bl_bind(bl, 0, ""); /* taken: a new name is made */
    pt_status status = pt__bl_rows(bl, &column, 1, cells, row_count, out, err);
    *name = pt__bl_bound(bl, 0);
    pt__bl_bind(bl, 0, before);
    return status;
}

/* Rows without columns: as many of a column of our own. */
static pt_status bare_rows(pt__bl *bl, size_t row_count, const pt__bplan **out, pt_error *err)
{
    const pt__bx **cells = pt__arena_array(bl->arena, const pt__bx *, row_count + 1);
    const char *name;
    for (size_t i = 0; i < row_count; i++)
        cells[i] = pt__bx_int32(bl->arena, 0);
    return own_rows(bl, PT_T(INT), cells, row_count, &name, out, err);
}

static size_t values_max(const pt__bl *bl)
{
    return bl->options->values_max == 0 ? VALUES_MAX : bl->options->values_max;
}

pt_status pt__bl_values(pt__bl *bl, const pt_plan_values *values, const pt__bplan **out, pt_error *err)
{
    if (values->row_count == 0)
        return pt__bl_no_rows(bl, &values->base, out, err);
    if (values->row_count * (values->width + 1) > values_max(bl))
        return pt__bl_refuse(err, values->base.origin, "VALUES of that many rows");
    if (values->width == 0)
        return bare_rows(bl, values->row_count, out, err);
    size_t count = values->row_count * values->width;
    const pt__bx **cells = pt__arena_array(bl->arena, const pt__bx *, count);
    const pt__bplan **before = bl->input;
    bl->input = NULL;
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__bl_expr(bl, values->cells[i], &cells[i], err));
    bl->input = before;
    return pt__bl_rows(bl, values->base.columns, values->width, cells, values->row_count, out, err);
}

/* ---- range ---- */

static uint64_t range_size(const pt_plan_range *range)
{
    __extension__ typedef __int128 wide;
    wide span = range->step > 0 ? (wide)range->end - range->start : (wide)range->start - range->end;
    wide step = range->step > 0 ? (wide)range->step : -(wide)range->step;
    return span <= 0 ? 0 : (uint64_t)((span + step - 1) / step);
}

static pt_status short_range(pt__bl *bl, const pt_plan_range *range, uint64_t size, const pt__bplan **out,
                             pt_error *err)
{
    const pt__bx **cells = pt__arena_array(bl->arena, const pt__bx *, size + 1);
    for (uint64_t i = 0; i < size; i++)
        cells[i] = pt__bx_int64(bl->arena, (int64_t)((uint64_t)range->start + i * (uint64_t)range->step));
    return pt__bl_rows(bl, range->base.columns, 1, cells, size, out, err);
}

static pt_status digits(pt__bl *bl, uint64_t count, const char **name, const pt__bplan **out, pt_error *err)
{
    const pt__bx **cells = pt__arena_array(bl->arena, const pt__bx *, count);
    for (uint64_t i = 0; i < count; i++)
        cells[i] = pt__bx_int64(bl->arena, (int64_t)i);
    return own_rows(bl, PT_T(LONG), cells, count, name, out, err);
}

/* Long ones: all pairs of a step and a number within it. */
static pt_status long_range(pt__bl *bl, const pt_plan_range *range, uint64_t size, const pt__bplan **out, pt_error *err)
{
    pt__arena *arena = bl->arena;
    const pt__bplan *high;
    const pt__bplan *low;
    const char *high_name;
    const char *low_name;
    PT_TRY(digits(bl, (size + RANGE_STEP - 1) / RANGE_STEP, &high_name, &high, err));
    PT_TRY(digits(bl, RANGE_STEP, &low_name, &low, err));
    const pt__bx *thousands =
        pt__bx_binary(arena, "Multiply", pt__bx_column(arena, high_name), pt__bx_int64(arena, RANGE_STEP));
    const pt__bx *index = pt__bx_binary(arena, "Plus", thousands, pt__bx_column(arena, low_name));
    const pt__bplan *all = pt__bplan_cross(arena, high, low);
    all = pt__bplan_filter(arena, all, pt__bx_binary(arena, "Lt", index, pt__bx_int64(arena, (int64_t)size)));
    const pt__bx *value = pt__bx_binary(arena, "Plus", pt__bx_int64(arena, range->start),
                                        pt__bx_binary(arena, "Multiply", index, pt__bx_int64(arena, range->step)));
    pt__bname *name = pt__arena_make(arena, pt__bname);
    *name = (pt__bname){pt__bl_bind_own(bl, &range->base.columns[0]), PT_T(LONG)};
    *out = pt__bplan_project(arena, all, &value, name, 1);
    return PT_OK;
}

pt_status pt__bl_range(pt__bl *bl, const pt_plan_range *range, const pt__bplan **out, pt_error *err)
{
    uint64_t size = range->step == 0 ? 0 : range_size(range);
    if (size == 0)
        return pt__bl_no_rows(bl, &range->base, out, err);
    if (size <= RANGE_STEP)
        return short_range(bl, range, size, out, err);
    if (size / RANGE_STEP > values_max(bl))
        return pt__bl_refuse(err, range->base.origin, "a range of that many rows");
    return long_range(bl, range, size, out, err);
}

/* ---- rows of a client ---- */

static int64_t divide_down(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

static int64_t in_microseconds(int64_t value, enum ArrowTimeUnit unit)
{
    switch (unit) {
    case NANOARROW_TIME_UNIT_SECOND: return value * 1000000;
    case NANOARROW_TIME_UNIT_MILLI: return value * 1000;
    case NANOARROW_TIME_UNIT_NANO: return divide_down(value, 1000);
    case NANOARROW_TIME_UNIT_MICRO: break;
    }
    return value;
}

static pt_int128 decimal_of(const struct ArrowArrayView *view, int64_t row)
{
    pt_int128 value;
    memcpy(&value, view->buffer_views[1].data.as_uint8 + 16 * (row + view->offset), sizeof(value));
    return value;
}

static pt_text_view text_of(struct ArrowBufferView view)
{
    return (pt_text_view){view.data.as_char, (size_t)view.size_bytes};
}

/* One cell as a value of the plan; false: of a type that is not written. */
static bool read_cell(const struct ArrowArrayView *view, const struct ArrowSchemaView *schema, int64_t row,
                      const pt_type *type, pt_value *out)
{
    *out = (pt_value){.is_null = ArrowArrayViewIsNull(view, row) != 0};
    if (out->is_null)
        return true;
    switch (type->id) {
    case PT_TYPE_BOOLEAN: out->as.boolean = ArrowArrayViewGetIntUnsafe(view, row) != 0; return true;
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT:
    case PT_TYPE_INT:
    case PT_TYPE_LONG:
    case PT_TYPE_DATE: out->as.integer = ArrowArrayViewGetIntUnsafe(view, row); return true;
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ:
    case PT_TYPE_INTERVAL_DAY_TIME:
        out->as.integer = in_microseconds(ArrowArrayViewGetIntUnsafe(view, row), schema->time_unit);
        return true;
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: out->as.real = ArrowArrayViewGetDoubleUnsafe(view, row); return true;
    case PT_TYPE_DECIMAL: out->as.decimal = decimal_of(view, row); return true;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_BINARY: {
        struct ArrowBufferView bytes = ArrowArrayViewGetBytesUnsafe(view, row);
        out->as.text = text_of(bytes);
        return true;
    }
    default: return false;
    }
}

/* Whether the storage is one that read_cell() knows for the type. */
static bool is_readable(const struct ArrowSchemaView *schema, const pt_type *type)
{
    switch (schema->type) {
    case NANOARROW_TYPE_BOOL: return type->id == PT_TYPE_BOOLEAN;
    case NANOARROW_TYPE_INT8: return type->id == PT_TYPE_BYTE;
    case NANOARROW_TYPE_INT16: return type->id == PT_TYPE_SHORT;
    case NANOARROW_TYPE_INT32: return type->id == PT_TYPE_INT;
    case NANOARROW_TYPE_INT64: return type->id == PT_TYPE_LONG;
    case NANOARROW_TYPE_FLOAT: return type->id == PT_TYPE_FLOAT || type->id == PT_TYPE_DOUBLE;
    case NANOARROW_TYPE_DOUBLE: return type->id == PT_TYPE_DOUBLE;
    case NANOARROW_TYPE_STRING:
    case NANOARROW_TYPE_LARGE_STRING: return pt__type_is_string(type) && type->collation == NULL;
    case NANOARROW_TYPE_BINARY:
    case NANOARROW_TYPE_LARGE_BINARY: return type->id == PT_TYPE_BINARY;
    case NANOARROW_TYPE_DATE32: return type->id == PT_TYPE_DATE;
    case NANOARROW_TYPE_TIMESTAMP: return type->id == PT_TYPE_TIMESTAMP || type->id == PT_TYPE_TIMESTAMP_NTZ;
    case NANOARROW_TYPE_DURATION: return type->id == PT_TYPE_INTERVAL_DAY_TIME;
    case NANOARROW_TYPE_DECIMAL128:
        return type->id == PT_TYPE_DECIMAL && schema->decimal_scale == type->scale &&
               schema->decimal_precision <= type->precision;
    default: return false;
    }
}

typedef struct local_rows {
    pt__bl *bl;
    const pt_plan_local *node;
    const pt__bx **cells;
    int64_t row; /* of all batches, at the moment */
} local_rows;

static pt_status read_column(local_rows *r, const struct ArrowArray *batch, size_t index, pt_error *err)
{
    const pt_column *column = &r->node->base.columns[index];
    const struct ArrowSchema *schema = r->node->rows->schema->children[index];
    struct ArrowSchemaView view_of_schema;
    struct ArrowArrayView *view = pt__arena_make(r->bl->arena, struct ArrowArrayView);
    size_t width = r->node->base.column_count;
    if (ArrowSchemaViewInit(&view_of_schema, schema, NULL) != NANOARROW_OK ||
        !is_readable(&view_of_schema, column->type))
        return pt__bl_refuse(err, r->node->base.origin,
                             pt__arena_printf(r->bl->arena, "local rows with a column of the type %s",
                                              pt__type_simple_string(r->bl->arena, column->type)));
    if (ArrowArrayViewInitFromSchema(view, schema, NULL) != NANOARROW_OK ||
        ArrowArrayViewSetArray(view, batch->children[index], NULL) != NANOARROW_OK) {
        ArrowArrayViewReset(view);
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the local rows are malformed");
    }
    pt_status status = PT_OK;
    for (int64_t row = 0; row < batch->length && status == PT_OK; row++) {
        pt_value value;
        const pt__bx *cell = read_cell(view, &view_of_schema, row + batch->offset, column->type, &value)
                                 ? pt__bx_literal(r->bl->arena, column->type, &value)
                                 : NULL;
        r->cells[(size_t)(r->row + row) * width + index] = cell;
        if (cell == NULL)
            status = pt__bl_refuse(err, r->node->base.origin, "a value of the local rows");
    }
    ArrowArrayViewReset(view);
    return status;
}

pt_status pt__bl_local(pt__bl *bl, const pt_plan_local *node, const pt__bplan **out, pt_error *err)
{
    if (node->rows == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of local rows has not been analyzed");
    if (node->rows->row_count == 0)
        return pt__bl_no_rows(bl, &node->base, out, err);
    size_t width = node->base.column_count;
    size_t row_count = (size_t)node->rows->row_count;
    if (row_count * (width + 1) > values_max(bl))
        return pt__bl_stage(bl, &node->base, "local relations of that many rows", out, err);
    if (width == 0)
        return bare_rows(bl, row_count, out, err);
    local_rows rows = {bl, node, pt__arena_array(bl->arena, const pt__bx *, row_count *width), 0};
    for (size_t b = 0; b < node->rows->batch_count; b++) {
        for (size_t i = 0; i < width; i++)
            PT_TRY(read_column(&rows, node->rows->batches[b], i, err));
        rows.row += node->rows->batches[b]->length;
    }
    return pt__bl_rows(bl, node->base.columns, width, rows.cells, row_count, out, err);
}
