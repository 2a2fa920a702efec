#include "backend/duckdb/literal_row.h"

#include <stdlib.h>
#include <string.h>

static const pt_expr *without_alias(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_ALIAS)
        expr = pt__expr_as_alias(expr)->child;
    return expr;
}

static bool is_nested(const pt_type *type)
{
    return type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_MAP || type->id == PT_TYPE_STRUCT ||
           type->id == PT_TYPE_VARIANT || type->id == PT_TYPE_UDT;
}

bool pt__is_literal_row(const pt_plan *plan)
{
    if (plan->kind != PT_PLAN_PROJECT || pt__plan_as_project(plan)->input != NULL)
        return false;
    const pt_plan_project *project = pt__plan_as_project(plan);
    for (size_t i = 0; i < project->expression_count; i++) {
        const pt_expr *expr = without_alias(project->expressions[i]);
        if (expr->kind != PT_EXPR_LITERAL || is_nested(expr->type) || plan->columns[i].is_hidden)
            return false;
    }
    return project->expression_count > 0;
}

/* ---- arrays of one value ---- */

/* Buffers of one value lie in the block itself, but for the bytes of text. */
typedef struct cell {
    struct ArrowArray array;
    const void *buffers[3];
    uint8_t validity;
    int32_t offsets[2];
    _Alignas(16) uint8_t value[16];
    char text[];
} cell;

typedef struct row {
    const void *buffers[1];
    size_t count;
    struct ArrowArray *children[];
} row;

static void release_cell(struct ArrowArray *array)
{
    array->release = NULL; /* the block goes with the row */
}

static void release_row(struct ArrowArray *array)
{
    row *own = array->private_data;
    for (size_t i = 0; i < own->count; i++) {
        if (own->children[i] != NULL && own->children[i]->release != NULL)
            own->children[i]->release(own->children[i]);
        free(own->children[i]);
    }
    free(own);
    array->release = NULL;
}

static void put_integer(cell *out, int64_t value, size_t width_bytes)
{
    memcpy(out->value, &value, width_bytes); /* little-endian */
}

static void put_float(cell *out, double value)
{
    float narrow = (float)value;
    memcpy(out->value, &narrow, sizeof(narrow));
}

static void put_interval(cell *out, pt_interval value)
{
    int64_t nanoseconds = (int64_t)((uint64_t)value.microseconds * 1000);
    memcpy(out->value, &value.months, 4);
    memcpy(out->value + 4, &value.days, 4);
    memcpy(out->value + 8, &nanoseconds, 8);
}

static bool is_text(const pt_type *type)
{
    return pt__type_is_string(type) || type->id == PT_TYPE_BINARY;
}

static void put_value(cell *out, const pt_type *type, const pt_value *value)
{
    switch (type->id) {
    case PT_TYPE_BOOLEAN: put_integer(out, value->as.boolean, 1); return;
    case PT_TYPE_BYTE: put_integer(out, value->as.integer, 1); return;
    case PT_TYPE_SHORT: put_integer(out, value->as.integer, 2); return;
    case PT_TYPE_INT:
    case PT_TYPE_DATE:
    case PT_TYPE_INTERVAL_YEAR_MONTH: put_integer(out, value->as.integer, 4); return;
    case PT_TYPE_FLOAT: put_float(out, value->as.real); return;
    case PT_TYPE_DOUBLE: memcpy(out->value, &value->as.real, 8); return;
    case PT_TYPE_DECIMAL: memcpy(out->value, &value->as.decimal, 16); return;
    case PT_TYPE_INTERVAL_CALENDAR: put_interval(out, value->as.interval); return;
    default: put_integer(out, value->as.integer, 8); return;
    }
}

static struct ArrowArray *make_cell(const pt_expr_literal *literal)
{
    const pt_type *type = literal->base.type;
    bool is_null = literal->value.is_null || type->id == PT_TYPE_VOID;
    size_t text_bytes = is_text(type) && !is_null ? literal->value.as.text.size_bytes : 0;
    cell *made = calloc(1, sizeof(*made) + text_bytes + 1);
    if (made == NULL)
        return NULL;
    made->array = (struct ArrowArray){
        .length = 1, .null_count = is_null, .n_buffers = 2, .buffers = made->buffers, .release = release_cell};
    made->buffers[0] = is_null ? &made->validity : NULL;
    made->buffers[1] = made->value;
    if (type->id == PT_TYPE_VOID)
        made->array.n_buffers = 0;
    if (!is_null && !is_text(type))
        put_value(made, type, &literal->value);
    if (!is_text(type))
        return &made->array;
    if (text_bytes > 0)
        memcpy(made->text, literal->value.as.text.data, text_bytes);
    made->offsets[1] = (int32_t)text_bytes;
    made->array.n_buffers = 3;
    made->buffers[1] = made->offsets;
    made->buffers[2] = made->text;
    return &made->array;
}

/* NULL without memory; the cells are still to be made. */
static row *new_row(size_t count, struct ArrowArray *out)
{
    row *own = calloc(1, sizeof(*own) + count * sizeof(*own->children));
    if (own == NULL)
        return NULL;
    own->count = count;
    *out = (struct ArrowArray){.length = 1,
                               .n_buffers = 1,
                               .buffers = own->buffers,
                               .n_children = (int64_t)count,
                               .children = own->children,
                               .release = release_row,
                               .private_data = own};
    return own;
}

bool pt__literal_row_make(const pt_plan *plan, struct ArrowArray *out)
{
    const pt_plan_project *project = pt__plan_as_project(plan);
    size_t count = project->expression_count;
    row *own = new_row(count, out);
    if (own == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        own->children[i] = make_cell(pt__expr_as_literal(without_alias(project->expressions[i])));
        if (own->children[i] == NULL) {
            release_row(out);
            return false;
        }
    }
    return true;
}

bool pt__count_row_make(int64_t count, struct ArrowArray *out)
{
    const pt_expr_literal literal = {.base.type = PT_T(LONG), .value.as.integer = count};
    row *own = new_row(1, out);
    if (own == NULL)
        return false;
    own->children[0] = make_cell(&literal);
    if (own->children[0] == NULL)
        release_row(out);
    return out->release != NULL;
}
