#include "base/arena.h"

#include "base/test.h"

static void count_close(void *object)
{
    ++*(int *)object;
}

PT_TEST(arena_runs_deferred_calls_on_reset)
{
    int closed = 0;
    pt__arena *arena = pt__arena_new(0);
    pt__arena_defer(arena, count_close, &closed);
    pt__arena_reset(arena);
    PT_CHECK_EQ(closed, 1);
    pt__arena_free(arena);
    PT_CHECK_EQ(closed, 1);
}

PT_TEST(arena_jumps_to_its_guard_at_the_limit)
{
    pt__arena *arena = pt__arena_new(64 * 1024);
    volatile int allocations = 0;
    if (!PT_ARENA_GUARD(arena)) {
        for (;;) {
            pt__arena_alloc(arena, 1000);
            allocations++;
        }
    }
    PT_CHECK(allocations > 10 && allocations < 66);
    pt__arena_free(arena);
}

PT_TEST(arena_text_is_terminated)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_STR(pt__arena_copy_text(arena, "abcdef", 3), "abc");
    PT_CHECK_STR(pt__arena_printf(arena, "%d-%s", 7, "x"), "7-x");
    pt__arena_free(arena);
}
