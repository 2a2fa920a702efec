#include "analyze/function.h"

#include "base/test.h"

#include <strings.h>

PT_TEST(function_table_is_sorted_by_name)
{
    size_t count;
    const pt__function *rows = pt__function_table(&count);
    for (size_t i = 1; i < count; i++) {
        if (strcasecmp(rows[i - 1].name, rows[i].name) > 0)
            pt__test_fail(__FILE__, __LINE__, rows[i].name);
    }
}

PT_TEST(function_is_found_in_any_case_with_its_overloads)
{
    size_t count = 0;
    const pt__function *rows = pt__function_find("SUM", &count);
    PT_REQUIRE(rows != NULL);
    PT_CHECK_EQ(count, 5);
    PT_CHECK_STR(rows[0].name, "sum");
    PT_CHECK(pt__function_find("no_such_function", &count) == NULL);
}
