#include "decode/datafusion/decoder.h"

#include "base/test.h"
#include "plan/text.h"

#include <datafusion/plan.pb-c.h>

#include <string.h>

typedef Datafusion__LogicalPlanNode plan_node;
typedef Datafusion__LogicalExprNode expr_node;

/* ---- small plans ---- */

#define PLAN_CASE(name) DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_##name
#define EXPR_CASE(name) DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_##name

/* The message of a kind in `arena`, initialised. */
#define MAKE(arena, type, init) init_##init((type *)pt__arena_alloc((arena), sizeof(type)))
#define INITIALISER(type, init)                                                                                        \
    static type *init_##init(type *message)                                                                            \
    {                                                                                                                  \
        init##__init(message);                                                                                         \
        return message;                                                                                                \
    }
INITIALISER(plan_node, datafusion__logical_plan_node)
INITIALISER(expr_node, datafusion__logical_expr_node)
INITIALISER(Datafusion__ValuesNode, datafusion__values_node)
INITIALISER(Datafusion__ProjectionNode, datafusion__projection_node)
INITIALISER(Datafusion__SelectionNode, datafusion__selection_node)
INITIALISER(Datafusion__BinaryExprNode, datafusion__binary_expr_node)
INITIALISER(Datafusion__ScalarUDFExprNode, datafusion__scalar_udfexpr_node)
INITIALISER(Datafusion__PrepareNode, datafusion__prepare_node)
INITIALISER(Datafusion__LogicalExtensionNode, datafusion__logical_extension_node)
INITIALISER(Datafusion__CustomTableScanNode, datafusion__custom_table_scan_node)
INITIALISER(Datafusion__TableReference, datafusion__table_reference)
INITIALISER(Datafusion__BareTableReference, datafusion__bare_table_reference)
INITIALISER(DatafusionCommon__Schema, datafusion_common__schema)
INITIALISER(DatafusionCommon__Column, datafusion_common__column)
INITIALISER(DatafusionCommon__ScalarValue, datafusion_common__scalar_value)

static expr_node *number(pt__arena *arena, int64_t value)
{
    expr_node *e = MAKE(arena, expr_node, datafusion__logical_expr_node);
    e->expr_type_case = EXPR_CASE(LITERAL);
    e->literal = MAKE(arena, DatafusionCommon__ScalarValue, datafusion_common__scalar_value);
    e->literal->value_case = DATAFUSION_COMMON__SCALAR_VALUE__VALUE_INT64_VALUE;
    e->literal->int64_value = value;
    return e;
}

static expr_node *column(pt__arena *arena, const char *name)
{
    expr_node *e = MAKE(arena, expr_node, datafusion__logical_expr_node);
    e->expr_type_case = EXPR_CASE(COLUMN);
    e->column = MAKE(arena, DatafusionCommon__Column, datafusion_common__column);
    e->column->name = pt__arena_copy_string(arena, name);
    return e;
}

static expr_node **list_of(pt__arena *arena, size_t count, expr_node *a, expr_node *b)
{
    expr_node **items = pt__arena_array(arena, expr_node *, count);
    items[0] = a;
    if (count > 1)
        items[1] = b;
    return items;
}

static expr_node *binary(pt__arena *arena, const char *op, expr_node *a, expr_node *b)
{
    expr_node *e = MAKE(arena, expr_node, datafusion__logical_expr_node);
    e->expr_type_case = EXPR_CASE(BINARY_EXPR);
    e->binary_expr = MAKE(arena, Datafusion__BinaryExprNode, datafusion__binary_expr_node);
    e->binary_expr->op = pt__arena_copy_string(arena, op);
    e->binary_expr->operands = list_of(arena, 2, a, b);
    e->binary_expr->n_operands = 2;
    return e;
}

static expr_node *function(pt__arena *arena, const char *name, expr_node *argument)
{
    expr_node *e = MAKE(arena, expr_node, datafusion__logical_expr_node);
    e->expr_type_case = EXPR_CASE(SCALAR_UDF_EXPR);
    e->scalar_udf_expr = MAKE(arena, Datafusion__ScalarUDFExprNode, datafusion__scalar_udfexpr_node);
    e->scalar_udf_expr->fun_name = pt__arena_copy_string(arena, name);
    e->scalar_udf_expr->args = list_of(arena, 1, argument, NULL);
    e->scalar_udf_expr->n_args = 1;
    return e;
}

/* VALUES (7) */
static plan_node *seven(pt__arena *arena)
{
    plan_node *p = MAKE(arena, plan_node, datafusion__logical_plan_node);
    p->logical_plan_type_case = PLAN_CASE(VALUES);
    p->values = MAKE(arena, Datafusion__ValuesNode, datafusion__values_node);
    p->values->n_cols = 1;
    p->values->values_list = list_of(arena, 1, number(arena, 7), NULL);
    p->values->n_values_list = 1;
    return p;
}

static plan_node *project(pt__arena *arena, plan_node *input, expr_node *expr)
{
    plan_node *p = MAKE(arena, plan_node, datafusion__logical_plan_node);
    p->logical_plan_type_case = PLAN_CASE(PROJECTION);
    p->projection = MAKE(arena, Datafusion__ProjectionNode, datafusion__projection_node);
    p->projection->input = input;
    p->projection->expr = list_of(arena, 1, expr, NULL);
    p->projection->n_expr = 1;
    return p;
}

static plan_node *filter(pt__arena *arena, plan_node *input, expr_node *condition)
{
    plan_node *p = MAKE(arena, plan_node, datafusion__logical_plan_node);
    p->logical_plan_type_case = PLAN_CASE(SELECTION);
    p->selection = MAKE(arena, Datafusion__SelectionNode, datafusion__selection_node);
    p->selection->input = input;
    p->selection->expr = condition;
    return p;
}

/* ---- decoding ---- */

static const char *decode_bytes(pt__arena *arena, pt_bytes_view bytes, pt_status *status)
{
    pt_error err = PT_ERROR_INIT;
    const pt_plan *plan;
    *status = pt__datafusion_decode(arena, bytes, NULL, &plan, &err);
    const char *text =
        *status == PT_OK ? pt__plan_text(arena, plan) : pt__arena_copy_string(arena, pt_error_full_message(&err));
    pt_error_clear(&err);
    return text;
}

static const char *decode(pt__arena *arena, const plan_node *plan, pt_status *status)
{
    size_t size = protobuf_c_message_get_packed_size(&plan->base);
    uint8_t *bytes = pt__arena_alloc(arena, size);
    protobuf_c_message_pack(&plan->base, bytes);
    return decode_bytes(arena, (pt_bytes_view){bytes, size}, status);
}

static bool holds(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

PT_TEST(datafusion_expression_is_named_after_its_text)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    const char *text =
        decode(arena, project(arena, seven(arena), binary(arena, "Divide", column(arena, "column1"), number(arena, 2))),
               &status);
    PT_CHECK_EQ(status, PT_OK);
    PT_CHECK(holds(text, "as `column1 / Int64(2)`"));
    PT_CHECK(holds(text, "div(c1, 2L)")); /* of integers: whole */
    pt__arena_free(arena);
}

PT_TEST(datafusion_names_are_exact)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    const char *text = decode(arena, project(arena, seven(arena), column(arena, "COLUMN1")), &status);
    PT_CHECK_EQ(status, PT_BAD_PLAN);
    PT_CHECK(holds(text, "there is no column \"COLUMN1\"; there are: column1"));
    pt__arena_free(arena);
}

PT_TEST(datafusion_refuses_by_name)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    const char *text =
        decode(arena, project(arena, seven(arena), function(arena, "array_sort", column(arena, "column1"))), &status);
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "the function array_sort of DataFusion"));
    text = decode(arena, filter(arena, seven(arena), binary(arena, "AtArrow", number(arena, 1), number(arena, 2))),
                  &status);
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "the operator AtArrow"));
    plan_node *prepare = MAKE(arena, plan_node, datafusion__logical_plan_node);
    prepare->logical_plan_type_case = PLAN_CASE(PREPARE);
    prepare->prepare = MAKE(arena, Datafusion__PrepareNode, datafusion__prepare_node);
    text = decode(arena, prepare, &status);
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "datafusion.LogicalPlanNode.prepare"));
    pt__arena_free(arena);
}

PT_TEST(datafusion_missing_members_are_named)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    const char *text = decode(arena, filter(arena, seven(arena), NULL), &status);
    PT_CHECK_EQ(status, PT_BAD_PLAN);
    PT_CHECK(holds(text, "SelectionNode.expr is missing"));
    text = decode(arena, filter(arena, NULL, number(arena, 1)), &status);
    PT_CHECK(holds(text, "SelectionNode.input is missing"));
    text = decode_bytes(arena, (pt_bytes_view){NULL, 0}, &status);
    PT_CHECK_EQ(status, PT_BAD_PLAN);
    PT_CHECK(holds(text, "datafusion.LogicalPlanNode"));
    text = decode_bytes(arena, (pt_bytes_view){(const uint8_t *)"\x1A\x7F", 2}, &status);
    PT_CHECK_EQ(status, PT_BAD_MESSAGE);
    text = decode_bytes(arena, (pt_bytes_view){(const uint8_t *)"\xA2\x1F\x00", 3}, &status); /* member 500 */
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "500"));
    pt__arena_free(arena);
}

PT_TEST(datafusion_depth_is_limited)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    plan_node *plan = seven(arena);
    for (int i = 0; i < 2 * PT_DATAFUSION_DEPTH_MAX; i++)
        plan = project(arena, plan, column(arena, "column1"));
    const char *text = decode(arena, plan, &status);
    PT_CHECK_EQ(status, PT_LIMIT);
    PT_CHECK(holds(text, "nests deeper than 200 nodes"));
    expr_node *chain = number(arena, 1);
    for (int i = 0; i < 150; i++)
        chain = binary(arena, "Plus", chain, number(arena, 1));
    decode(arena, project(arena, seven(arena), chain), &status);
    PT_CHECK_EQ(status, PT_OK);
    pt__arena_free(arena);
}

PT_TEST(datafusion_long_chains_make_flat_trees_or_are_refused)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    expr_node *chain = binary(arena, "Or", NULL, NULL);
    enum { COUNT = 20000 };
    chain->binary_expr->n_operands = COUNT;
    chain->binary_expr->operands = pt__arena_array(arena, expr_node *, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        chain->binary_expr->operands[i] = binary(arena, "Eq", column(arena, "column1"), number(arena, (int64_t)i));
    decode(arena, filter(arena, seven(arena), chain), &status);
    PT_CHECK_EQ(status, PT_OK);
    chain->binary_expr->op = pt__arena_copy_string(arena, "Plus");
    const char *text = decode(arena, filter(arena, seven(arena), chain), &status);
    PT_CHECK_EQ(status, PT_LIMIT);
    PT_CHECK(holds(text, "BinaryExprNode.operands"));
    pt__arena_free(arena);
}

/* ---- extensions ---- */

/* LogicalExtensionNode { node: "rows" } over VALUES (7) */
static plan_node *extension(pt__arena *arena)
{
    plan_node *p = MAKE(arena, plan_node, datafusion__logical_plan_node);
    plan_node **inputs = pt__arena_array(arena, plan_node *, 1);
    inputs[0] = seven(arena);
    p->logical_plan_type_case = PLAN_CASE(EXTENSION);
    p->extension = MAKE(arena, Datafusion__LogicalExtensionNode, datafusion__logical_extension_node);
    p->extension->node = (ProtobufCBinaryData){4, (uint8_t *)pt__arena_copy_string(arena, "rows")};
    p->extension->inputs = inputs;
    p->extension->n_inputs = 1;
    return p;
}

static plan_node *custom_scan(pt__arena *arena)
{
    plan_node *p = MAKE(arena, plan_node, datafusion__logical_plan_node);
    p->logical_plan_type_case = PLAN_CASE(CUSTOM_SCAN);
    p->custom_scan = MAKE(arena, Datafusion__CustomTableScanNode, datafusion__custom_table_scan_node);
    p->custom_scan->schema = MAKE(arena, DatafusionCommon__Schema, datafusion_common__schema);
    Datafusion__TableReference *table = MAKE(arena, Datafusion__TableReference, datafusion__table_reference);
    table->table_reference_enum_case = DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_BARE;
    table->bare = MAKE(arena, Datafusion__BareTableReference, datafusion__bare_table_reference);
    table->bare->table = pt__arena_copy_string(arena, "orders");
    p->custom_scan->table_name = table;
    return p;
}

/* The node's only input, as it is. */
static pt_status pass(void *context, pt__arena *arena, const pt__datafusion_extension *given, const pt_plan **plan,
                      const pt_type **schema, pt_error *err)
{
    (void)arena;
    (void)err;
    *(bool *)context = given->payload.size_bytes == 4 && memcmp(given->payload.data, "rows", 4) == 0;
    *plan = given->inputs[0];
    *schema = given->input_schemas[0];
    return PT_OK;
}

PT_TEST(datafusion_extensions_have_translators)
{
    pt__arena *arena = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    bool was_given = false;
    pt__datafusion_options options = {pass, &was_given};
    const pt_plan *plan = NULL;
    const plan_node *node =
        filter(arena, extension(arena), binary(arena, "Gt", column(arena, "column1"), number(arena, 1)));
    size_t size = protobuf_c_message_get_packed_size(&node->base);
    uint8_t *bytes = pt__arena_alloc(arena, size);
    protobuf_c_message_pack(&node->base, bytes);
    PT_CHECK_EQ(pt__datafusion_decode(arena, (pt_bytes_view){bytes, size}, &options, &plan, &err), PT_OK);
    PT_CHECK(was_given);
    PT_CHECK(plan != NULL && holds(pt__plan_text(arena, plan), "filter condition=>("));
    pt_error_clear(&err);
    pt__arena_free(arena);
}

PT_TEST(datafusion_extensions_without_translator_are_refused)
{
    pt__arena *arena = pt__arena_new(0);
    pt_status status;
    const char *text = decode(arena, extension(arena), &status);
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "LogicalExtensionNode"));
    text = decode(arena, custom_scan(arena), &status);
    PT_CHECK_EQ(status, PT_UNSUPPORTED);
    PT_CHECK(holds(text, "the table orders of a provider"));
    pt__arena_free(arena);
}
