#include "backend/ballista/plan_guard.h"
#include "base/buffer.h"
#include "base/test.h"
#include "wire/proto.h"

/* The message around `inner`, as the field `number`; `inner` is freed. */
static pt__buffer wrapped(uint32_t number, pt__buffer inner)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__proto_append_bytes(&out, number, pt__buffer_view(&inner));
    pt__buffer_deinit(&inner);
    return out;
}

static void check(pt__buffer take_plan, pt_status status)
{
    PT_CHECK_EQ(pt__datafusion_check_plan(pt__buffer_view(&take_plan), NULL), status);
    pt__buffer_deinit(&take_plan);
}

enum { DISTINCT = 23, INPUT = 1, EMPTY_RELATION = 10, SELECTION = 4, EXPR = 2, BINARY = 4, OPERANDS = 1, LISTING = 1 };

static pt__buffer nested(int levels)
{
    pt__buffer plan = wrapped(EMPTY_RELATION, (pt__buffer)PT_BUFFER_INIT);
    for (int i = 0; i < levels; i++)
        plan = wrapped(DISTINCT, wrapped(INPUT, plan));
    return plan;
}

PT_TEST(plan_guard_bounds_nesting)
{
    check(nested(10), PT_OK);
    check(nested(49), PT_OK);
    check(nested(50), PT_LIMIT);
    check(nested(20000), PT_LIMIT);
}

static pt__buffer chain(int operands)
{
    pt__buffer node = PT_BUFFER_INIT;
    for (int i = 0; i < operands; i++)
        pt__proto_append_bytes(&node, OPERANDS, (pt_bytes_view){NULL, 0});
    return wrapped(SELECTION, wrapped(EXPR, wrapped(BINARY, node)));
}

PT_TEST(plan_guard_bounds_chains)
{
    check(chain(1000), PT_OK);
    check(chain(1001), PT_LIMIT);
}

PT_TEST(plan_guard_wants_partitions)
{
    pt__buffer scan = PT_BUFFER_INIT;
    check(wrapped(LISTING, scan), PT_BAD_PLAN);
    pt__proto_append_integer(&scan, 9, 2);
    check(wrapped(LISTING, scan), PT_OK);
}

PT_TEST(plan_guard_refuses_what_is_malformed)
{
    static const uint8_t cut[] = {0x1a, 0x05, 0x0a};
    PT_CHECK_EQ(pt__datafusion_check_plan((pt_bytes_view){cut, sizeof(cut)}, NULL), PT_BAD_MESSAGE);
    PT_CHECK_EQ(pt__datafusion_check_plan((pt_bytes_view){cut, 0}, NULL), PT_OK);
}
