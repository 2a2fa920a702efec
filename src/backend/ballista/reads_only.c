#include "backend/ballista/reads_only.h"

#include "wire/proto.h"

#include <stddef.h>

enum { DEPTH_MAX = 100 };

/* Nodes that only read, by their number in LogicalPlanNode, and which of their fields are plans. */
typedef struct reading_node {
    uint32_t number;
    uint32_t inputs[2]; /* 0: none */
} reading_node;

static const reading_node READING[] = {
    {1, {0, 0}} /* listing_scan */,
    {3, {1, 0}} /* projection */,
    {4, {1, 0}} /* selection */,
    {5, {1, 0}} /* limit */,
    {6, {1, 0}} /* aggregate */,
    {7, {1, 2}} /* join */,
    {8, {1, 0}} /* sort */,
    {9, {1, 0}} /* repartition */,
    {10, {0, 0}} /* empty_relation */,
    {12, {1, 0}} /* explain */,
    {13, {1, 0}} /* window */,
    {14, {1, 0}} /* analyze */,
    {15, {1, 2}} /* cross_join */,
    {16, {0, 0}} /* values */,
    {19, {1, 0}} /* union_all */,
    {21, {1, 0}} /* subquery_alias */,
    {23, {1, 0}} /* distinct */,
    {28, {4, 0}} /* distinct_on */,
    {30, {1, 0}} /* unnest */,
};

static const reading_node *find_node(uint32_t number)
{
    for (size_t i = 0; i < sizeof(READING) / sizeof(READING[0]); i++)
        if (READING[i].number == number)
            return &READING[i];
    return NULL;
}

static bool plan_reads(pt_bytes_view plan, int depth);

static bool inputs_read(const reading_node *node, pt_bytes_view rest, int depth)
{
    for (;;) {
        pt__proto_field field;
        pt__proto_state state = pt__proto_next(&rest, &field);
        if (state != PT_PROTO_FIELD)
            return state == PT_PROTO_END;
        bool is_input = field.number == node->inputs[0] || field.number == node->inputs[1];
        if (is_input && (field.wire_type != PT_PROTO_BYTES || !plan_reads(field.bytes, depth + 1)))
            return false;
    }
}

/* Of several nodes in one message the last counts, so that all of them have to read. */
static bool plan_reads(pt_bytes_view plan, int depth)
{
    bool any = false;
    if (depth > DEPTH_MAX)
        return false;
    for (;;) {
        pt__proto_field field;
        pt__proto_state state = pt__proto_next(&plan, &field);
        if (state != PT_PROTO_FIELD)
            return any && state == PT_PROTO_END;
        const reading_node *node = find_node(field.number);
        if (node == NULL || field.wire_type != PT_PROTO_BYTES || !inputs_read(node, field.bytes, depth))
            return false;
        any = true;
    }
}

bool pt__datafusion_reads_only(pt_bytes_view plan)
{
    return plan_reads(plan, 0);
}
