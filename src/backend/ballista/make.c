#include "backend/ballista/make.h"

#include "backend/ballista/lower.h"
#include "base/unconst.h"

#include <string.h>

void *pt__bmessage(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor)
{
    void *message = pt__arena_alloc(arena, descriptor->sizeof_message);
    protobuf_c_message_init(descriptor, message);
    return message;
}

Datafusion__LogicalExprNode *pt__bx_node(const pt__bx *expr)
{
    return pt__unconst(&expr->node);
}

static pt__bx *make(pt__arena *arena, Datafusion__LogicalExprNode__ExprTypeCase kind)
{
    pt__bx *made = pt__arena_make(arena, pt__bx);
    datafusion__logical_expr_node__init(&made->node);
    made->node.expr_type_case = kind;
    made->depth = 2;
    made->weight = 2;
    return made;
}

static Datafusion__LogicalExprNode *hold(pt__bx *parent, const pt__bx *child, uint32_t levels)
{
    if (parent->depth < child->depth + levels)
        parent->depth = child->depth + levels;
    parent->weight += child->weight;
    parent->varies = parent->varies || child->varies;
    return pt__bx_node(child);
}

#define MAKE(arena, ID) make((arena), DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_##ID)

/* A message of the arena, initialised. */
#define MESSAGE(type, init) (type *)initialised(pt__arena_alloc(arena, sizeof(type)), &(const type)init, sizeof(type))

/* ---- columns ---- */

const pt__bx *pt__bx_column(pt__arena *arena, const char *name)
{
    pt__bx *made = MAKE(arena, COLUMN);
    made->node.column = pt__bmessage(arena, &datafusion_common__column__descriptor);
    made->node.column->name = pt__unconst(name);
    made->varies = true;
    return made;
}

const pt__bx *pt__bx_qualified(pt__arena *arena, const char *relation, const char *name)
{
    const pt__bx *column = pt__bx_column(arena, name);
    DatafusionCommon__ColumnRelation *qualifier = pt__bmessage(arena, &datafusion_common__column_relation__descriptor);
    qualifier->relation = pt__unconst(relation);
    pt__bx_node(column)->column->relation = qualifier;
    ((pt__bx *)pt__unconst(column))->depth = 3;
    return column;
}

/* ---- literals ---- */

const pt__bx *pt__bx_scalar(pt__arena *arena, DatafusionCommon__ScalarValue *value)
{
    pt__bx *made = MAKE(arena, LITERAL);
    made->node.literal = value;
    made->depth = 4;
    return made;
}

static DatafusionCommon__ScalarValue *scalar(pt__arena *arena, DatafusionCommon__ScalarValue__ValueCase kind)
{
    DatafusionCommon__ScalarValue *value = pt__bmessage(arena, &datafusion_common__scalar_value__descriptor);
    value->value_case = kind;
    return value;
}

#define SCALAR(arena, ID) scalar((arena), DATAFUSION_COMMON__SCALAR_VALUE__VALUE_##ID)

const pt__bx *pt__bx_null(pt__arena *arena, pt__btype *type)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, NULL_VALUE);
    value->null_value = type;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_bool(pt__arena *arena, bool given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, BOOL_VALUE);
    value->bool_value = given;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_int32(pt__arena *arena, int32_t given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, INT32_VALUE);
    value->int32_value = given;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_int64(pt__arena *arena, int64_t given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, INT64_VALUE);
    value->int64_value = given;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_double(pt__arena *arena, double given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, FLOAT64_VALUE);
    value->float64_value = given;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_text(pt__arena *arena, const char *given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, UTF8_VALUE);
    /* A copy: protobuf-c takes its own empty string for absent. */
    value->utf8_value = pt__arena_copy_string(arena, given);
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_decimal(pt__arena *arena, pt_int128 given, int32_t precision, int32_t scale)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, DECIMAL128_VALUE);
    DatafusionCommon__Decimal128 *decimal = pt__bmessage(arena, &datafusion_common__decimal128__descriptor);
    uint8_t *bytes = pt__arena_alloc(arena, 16);
    for (int i = 0; i < 16; i++)
        bytes[15 - i] = (uint8_t)(given >> (8 * i));
    decimal->value = (ProtobufCBinaryData){16, bytes};
    decimal->p = precision;
    decimal->s = scale;
    value->decimal128_value = decimal;
    return pt__bx_scalar(arena, value);
}

static const pt__bx *timestamp(pt__arena *arena, int64_t microseconds, const char *zone)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, TIMESTAMP_VALUE);
    DatafusionCommon__ScalarTimestampValue *stamp =
        pt__bmessage(arena, &datafusion_common__scalar_timestamp_value__descriptor);
    stamp->value_case = DATAFUSION_COMMON__SCALAR_TIMESTAMP_VALUE__VALUE_TIME_MICROSECOND_VALUE;
    stamp->time_microsecond_value = microseconds;
    if (zone != NULL)
        stamp->timezone = pt__unconst(zone);
    value->timestamp_value = stamp;
    return pt__bx_scalar(arena, value);
}

static const pt__bx *binary_literal(pt__arena *arena, pt_text_view bytes)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, BINARY_VALUE);
    value->binary_value = (ProtobufCBinaryData){bytes.size_bytes, pt__unconst(bytes.data)};
    return pt__bx_scalar(arena, value);
}

static const pt__bx *text_literal(pt__arena *arena, pt_text_view text)
{
    if (text.size_bytes > 0 && memchr(text.data, '\0', text.size_bytes) != NULL)
        return NULL; /* protobuf-c's strings end at NUL */
    return pt__bx_text(arena, pt__arena_copy_text(arena, text.data, text.size_bytes));
}

static const pt__bx *small_integer(pt__arena *arena, const pt_type *type, int64_t given)
{
    DatafusionCommon__ScalarValue *value =
        type->id == PT_TYPE_BYTE ? SCALAR(arena, INT8_VALUE) : SCALAR(arena, INT16_VALUE);
    if (type->id == PT_TYPE_BYTE)
        value->int8_value = (int32_t)given;
    else
        value->int16_value = (int32_t)given;
    return pt__bx_scalar(arena, value);
}

static const pt__bx *date(pt__arena *arena, int64_t days)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, DATE_32_VALUE);
    value->date_32_value = (int32_t)days;
    return pt__bx_scalar(arena, value);
}

static const pt__bx *float32(pt__arena *arena, double given)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, FLOAT32_VALUE);
    value->float32_value = (float)given;
    return pt__bx_scalar(arena, value);
}

const pt__bx *pt__bx_literal(pt__arena *arena, const pt_type *type, const pt_value *value)
{
    if (value->is_null) {
        pt__btype *arrow = pt__btype_of(arena, type);
        return arrow == NULL ? NULL : pt__bx_null(arena, arrow);
    }
    switch (type->id) {
    case PT_TYPE_BOOLEAN: return pt__bx_bool(arena, value->as.boolean);
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT: return small_integer(arena, type, value->as.integer);
    case PT_TYPE_INT:
    case PT_TYPE_INTERVAL_YEAR_MONTH: return pt__bx_int32(arena, (int32_t)value->as.integer);
    case PT_TYPE_LONG:
    case PT_TYPE_INTERVAL_DAY_TIME: return pt__bx_int64(arena, value->as.integer);
    case PT_TYPE_FLOAT: return float32(arena, value->as.real);
    case PT_TYPE_DOUBLE: return pt__bx_double(arena, value->as.real);
    case PT_TYPE_DECIMAL: return pt__bx_decimal(arena, value->as.decimal, type->precision, type->scale);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return text_literal(arena, value->as.text);
    case PT_TYPE_BINARY: return binary_literal(arena, value->as.text);
    case PT_TYPE_DATE: return date(arena, value->as.integer);
    case PT_TYPE_TIMESTAMP: return timestamp(arena, value->as.integer, "UTC");
    case PT_TYPE_TIMESTAMP_NTZ: return timestamp(arena, value->as.integer, NULL);
    default: return NULL;
    }
}

const pt__bx *pt__bx_interval(pt__arena *arena, int32_t months, int32_t days)
{
    DatafusionCommon__ScalarValue *value = SCALAR(arena, INTERVAL_MONTH_DAY_NANO);
    value->interval_month_day_nano = pt__bmessage(arena, &datafusion_common__interval_month_day_nano_value__descriptor);
    value->interval_month_day_nano->months = months;
    value->interval_month_day_nano->days = days;
    return pt__bx_scalar(arena, value);
}

/* ---- operators ---- */

static const pt__bx *operation(pt__arena *arena, const char *op, const pt__bx *const *items, size_t count)
{
    pt__bx *made = MAKE(arena, BINARY_EXPR);
    Datafusion__BinaryExprNode *node = pt__bmessage(arena, &datafusion__binary_expr_node__descriptor);
    node->op = pt__unconst(op);
    node->n_operands = count;
    node->operands = pt__arena_array(arena, Datafusion__LogicalExprNode *, count);
    for (size_t i = 0; i < count; i++)
        node->operands[i] = hold(made, items[i], 2);
    made->node.binary_expr = node;
    return made;
}

const pt__bx *pt__bx_binary(pt__arena *arena, const char *op, const pt__bx *a, const pt__bx *b)
{
    const pt__bx *both[] = {a, b};
    return operation(arena, op, both, 2);
}

/* Long chains become a tree: DataFusion makes them left-deep and walks them by recursion. */
const pt__bx *pt__bx_chain(pt__arena *arena, const char *op, const pt__bx *const *items, size_t count)
{
    if (count == 1)
        return items[0];
    if (count <= PT_BALLISTA_CHAIN_MAX)
        return operation(arena, op, items, count);
    size_t parts = (count + PT_BALLISTA_CHAIN_MAX - 1) / PT_BALLISTA_CHAIN_MAX;
    const pt__bx **made = pt__arena_array(arena, const pt__bx *, parts);
    for (size_t i = 0; i < parts; i++) {
        size_t first = i * PT_BALLISTA_CHAIN_MAX;
        size_t size = count - first < PT_BALLISTA_CHAIN_MAX ? count - first : PT_BALLISTA_CHAIN_MAX;
        made[i] = pt__bx_chain(arena, op, items + first, size);
    }
    return pt__bx_chain(arena, op, made, parts);
}

const pt__bx *pt__bx_and(pt__arena *arena, const pt__bx *a, const pt__bx *b)
{
    return a == NULL ? b : b == NULL ? a : pt__bx_binary(arena, "And", a, b);
}

const pt__bx *pt__bx_or(pt__arena *arena, const pt__bx *a, const pt__bx *b)
{
    return a == NULL ? b : b == NULL ? a : pt__bx_binary(arena, "Or", a, b);
}

const pt__bx *pt__bx_not(pt__arena *arena, const pt__bx *x)
{
    pt__bx *made = MAKE(arena, NOT_EXPR);
    made->node.not_expr = pt__bmessage(arena, &datafusion__not__descriptor);
    made->node.not_expr->expr = hold(made, x, 2);
    return made;
}

const pt__bx *pt__bx_is_null(pt__arena *arena, const pt__bx *x)
{
    pt__bx *made = MAKE(arena, IS_NULL_EXPR);
    made->node.is_null_expr = pt__bmessage(arena, &datafusion__is_null__descriptor);
    made->node.is_null_expr->expr = hold(made, x, 2);
    return made;
}

const pt__bx *pt__bx_is_not_null(pt__arena *arena, const pt__bx *x)
{
    pt__bx *made = MAKE(arena, IS_NOT_NULL_EXPR);
    made->node.is_not_null_expr = pt__bmessage(arena, &datafusion__is_not_null__descriptor);
    made->node.is_not_null_expr->expr = hold(made, x, 2);
    return made;
}

const pt__bx *pt__bx_negative(pt__arena *arena, const pt__bx *x)
{
    pt__bx *made = MAKE(arena, NEGATIVE);
    made->node.negative = pt__bmessage(arena, &datafusion__negative_node__descriptor);
    made->node.negative->expr = hold(made, x, 2);
    return made;
}

const pt__bx *pt__bx_cast(pt__arena *arena, const pt__bx *x, pt__btype *type)
{
    pt__bx *made = MAKE(arena, CAST);
    made->node.cast = pt__bmessage(arena, &datafusion__cast_node__descriptor);
    made->node.cast->arrow_type = type;
    made->node.cast->expr = hold(made, x, 2);
    made->depth = made->depth < 4 ? 4 : made->depth;
    return made;
}

const pt__bx *pt__bx_try_cast(pt__arena *arena, const pt__bx *x, pt__btype *type)
{
    pt__bx *made = MAKE(arena, TRY_CAST);
    made->node.try_cast = pt__bmessage(arena, &datafusion__try_cast_node__descriptor);
    made->node.try_cast->arrow_type = type;
    made->node.try_cast->expr = hold(made, x, 2);
    made->depth = made->depth < 4 ? 4 : made->depth;
    return made;
}

const pt__bx *pt__bx_case(pt__arena *arena, const pt__bx *const *pairs, size_t pair_count, const pt__bx *otherwise)
{
    pt__bx *made = MAKE(arena, CASE_EXPR);
    Datafusion__CaseNode *node = pt__bmessage(arena, &datafusion__case_node__descriptor);
    node->n_when_then_expr = pair_count;
    node->when_then_expr = pt__arena_array(arena, Datafusion__WhenThen *, pair_count);
    for (size_t i = 0; i < pair_count; i++) {
        Datafusion__WhenThen *branch = pt__bmessage(arena, &datafusion__when_then__descriptor);
        branch->when_expr = hold(made, pairs[2 * i], 3);
        branch->then_expr = hold(made, pairs[2 * i + 1], 3);
        node->when_then_expr[i] = branch;
    }
    if (otherwise != NULL)
        node->else_expr = hold(made, otherwise, 2);
    made->node.case_expr = node;
    return made;
}

const pt__bx *pt__bx_if(pt__arena *arena, const pt__bx *condition, const pt__bx *value, const pt__bx *otherwise)
{
    const pt__bx *pair[] = {condition, value};
    return pt__bx_case(arena, pair, 1, otherwise);
}

const pt__bx *pt__bx_in(pt__arena *arena, const pt__bx *x, const pt__bx *const *items, size_t count, bool negated)
{
    pt__bx *made = MAKE(arena, IN_LIST);
    Datafusion__InListNode *node = pt__bmessage(arena, &datafusion__in_list_node__descriptor);
    node->expr = hold(made, x, 2);
    node->negated = negated;
    node->n_list = count;
    node->list = pt__arena_array(arena, Datafusion__LogicalExprNode *, count);
    for (size_t i = 0; i < count; i++)
        node->list[i] = hold(made, items[i], 2);
    made->node.in_list = node;
    return made;
}

const pt__bx *pt__bx_like(pt__arena *arena, const pt__bx *x, const pt__bx *pattern, const char *escape,
                          bool ignores_case)
{
    pt__bx *made = ignores_case ? MAKE(arena, ILIKE) : MAKE(arena, LIKE);
    Datafusion__LikeNode like = DATAFUSION__LIKE_NODE__INIT;
    like.expr = hold(made, x, 2);
    like.pattern = hold(made, pattern, 2);
    like.escape_char = pt__unconst(escape);
    if (ignores_case) {
        Datafusion__ILikeNode *node = pt__bmessage(arena, &datafusion__ilike_node__descriptor);
        node->expr = like.expr;
        node->pattern = like.pattern;
        node->escape_char = like.escape_char;
        made->node.ilike = node;
    } else {
        made->node.like = pt__arena_copy(arena, &like, sizeof(like));
    }
    return made;
}

const pt__bx *pt__bx_call(pt__arena *arena, const char *name, const pt__bx *const *arguments, size_t count)
{
    pt__bx *made = MAKE(arena, SCALAR_UDF_EXPR);
    Datafusion__ScalarUDFExprNode *node = pt__bmessage(arena, &datafusion__scalar_udfexpr_node__descriptor);
    node->fun_name = pt__unconst(name);
    node->n_args = count;
    node->args = pt__arena_array(arena, Datafusion__LogicalExprNode *, count + 1);
    for (size_t i = 0; i < count; i++)
        node->args[i] = hold(made, arguments[i], 2);
    made->node.scalar_udf_expr = node;
    return made;
}

const pt__bx *pt__bx_call1(pt__arena *arena, const char *name, const pt__bx *a)
{
    return pt__bx_call(arena, name, &a, 1);
}

const pt__bx *pt__bx_call2(pt__arena *arena, const char *name, const pt__bx *a, const pt__bx *b)
{
    const pt__bx *both[] = {a, b};
    return pt__bx_call(arena, name, both, 2);
}

const pt__bx *pt__bx_alias(pt__arena *arena, const pt__bx *x, const char *name)
{
    pt__bx *made = MAKE(arena, ALIAS);
    made->node.alias = pt__bmessage(arena, &datafusion__alias_node__descriptor);
    made->node.alias->alias = pt__unconst(name);
    made->node.alias->expr = hold(made, x, 2);
    return made;
}

/* ---- errors ---- */

/* Reading the text as a number fails. Date32 is made of Int32, all else of Int64; Binary of text. */
static const pt__bx *fail(pt__arena *arena, const pt__bx *message, pt__btype *type)
{
    bool is_date = type->arrow_type_enum_case == DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_DATE32_TYPE;
    bool is_binary = type->arrow_type_enum_case == DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_BINARY_TYPE;
    const pt__bx *failing = pt__bx_cast(arena, message, pt__btype_named(arena, is_date ? "int32" : "int64"));
    if (is_binary)
        failing = pt__bx_cast(arena, failing, pt__btype_named(arena, "utf8"));
    return pt__bx_cast(arena, failing, type);
}

/* What is behind the message's end is not looked at. */
static const pt__bx *varying_tail(pt__arena *arena, const pt__bx *row)
{
    if (row == NULL || !row->varies)
        row = pt__bx_call(arena, "random", NULL, 0);
    return pt__bx_cast(arena, row, pt__btype_named(arena, "utf8"));
}

const pt__bx *pt__bx_raise(pt__arena *arena, const char *condition, const char *parameters_json, const pt__bx *row,
                           pt__btype *type)
{
    const char *text = pt__arena_printf(arena, PT_BALLISTA_RAISED "%s:%s]", condition, parameters_json);
    return fail(arena, pt__bx_call2(arena, "concat", pt__bx_text(arena, text), varying_tail(arena, row)), type);
}

static const pt__bx *replaced(pt__arena *arena, const pt__bx *x, const char *from, const char *to)
{
    const pt__bx *arguments[] = {x, pt__bx_text(arena, from), pt__bx_text(arena, to)};
    return pt__bx_call(arena, "replace", arguments, 3);
}

const pt__bx *pt__bx_raise_text(pt__arena *arena, const char *prefix, const pt__bx *text, const char *suffix,
                                pt__btype *type)
{
    const pt__bx *quoted = replaced(arena, replaced(arena, text, "\\", "\\\\"), "\"", "\\\"");
    const pt__bx *parts[] = {pt__bx_text(arena, prefix), quoted, pt__bx_text(arena, suffix), varying_tail(arena, NULL)};
    return fail(arena, pt__bx_call(arena, "concat", parts, text->varies ? 3 : 4), type);
}
