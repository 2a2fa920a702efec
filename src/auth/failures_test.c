#include "auth/failures.h"

#include "base/test.h"

static const pt__auth_limits limits = {.failure_delay_ms = 250, .max_failure_delay_ms = 1000};

PT_TEST(failures_of_one_address_cost_more_each_time)
{
    pt__failures failures = {PT_MAP_INIT};
    pt__failure *one = pt__failures_use(&failures, "10.0.0.1:1000", NULL, 0);
    PT_CHECK_EQ(pt__failures_count(one, &limits, 0), 250);
    PT_CHECK_EQ(pt__failures_count(one, &limits, 0), 500);
    PT_CHECK_EQ(pt__failures_count(one, &limits, 0), 1000);
    PT_CHECK_EQ(pt__failures_count(one, &limits, 5000), 1000);
    PT_CHECK_EQ(one->free_at_ms, 6000);
    PT_CHECK(pt__failures_use(&failures, "10.0.0.1:2000", NULL, 0) == one);
    PT_CHECK(pt__failures_use(&failures, "10.0.0.2:1000", NULL, 0) != one);
    PT_CHECK(pt__failures_use(&failures, "10.0.0.1:2000", "ann", 0) != one);
    PT_CHECK_EQ(pt__failures_count(NULL, &limits, 0), 250);
    pt__failures_deinit(&failures);
}

PT_TEST(failures_of_neighbours_in_ipv6_count_together)
{
    pt__failures failures = {PT_MAP_INIT};
    pt__failure *one = pt__failures_use(&failures, "2001:db8:1:2::1:443", NULL, 0);
    PT_CHECK(pt__failures_use(&failures, "2001:db8:1:2:ffff::9:443", NULL, 0) == one);
    PT_CHECK(pt__failures_use(&failures, "2001:db8:1:3::1:443", NULL, 0) != one);
    PT_CHECK(pt__failures_use(&failures, "::ffff:10.0.0.1:443", NULL, 0) !=
             pt__failures_use(&failures, "::ffff:10.0.0.2:443", NULL, 0));
    pt__failures_deinit(&failures);
}

PT_TEST(failures_are_forgotten_when_nobody_waits_for_them)
{
    pt__failures failures = {PT_MAP_INIT};
    pt__failure *one = pt__failures_use(&failures, "10.0.0.1:1000", NULL, 1000);
    pt__failures_count(one, &limits, 1000);
    PT_CHECK_EQ(pt__failures_use(&failures, "10.0.0.1:1000", NULL, 700000)->count, 1);
    pt__failures_release(one);
    pt__failures_release(one);
    PT_CHECK_EQ(pt__failures_use(&failures, "10.0.0.1:1000", NULL, 700000)->count, 0);
    pt__failures_deinit(&failures);
}
