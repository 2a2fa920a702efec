#include "base/condition.h"

#include "base/test.h"

#include <string.h>

PT_TEST(raise_fills_parameters_into_the_text)
{
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__raise(&err, PT_COND_UNRESOLVED_ROUTINE, "routineName", "`f`", "searchPath", "[`a`]", NULL),
                PT_ANALYSIS);
    PT_CHECK_STR(err.condition, "UNRESOLVED_ROUTINE");
    PT_CHECK_STR(err.sqlstate, "42883");
    PT_CHECK_STR(err.message,
                 "[UNRESOLVED_ROUTINE] There is no function `f` on the search path [`a`]. SQLSTATE: 42883");
    const char *name;
    const char *value;
    PT_REQUIRE(pt_error_parameter(&err, 1, &name, &value));
    PT_CHECK_STR(name, "searchPath");
    PT_CHECK_STR(value, "[`a`]");
    pt_error_clear(&err);
}

PT_TEST(error_keeps_a_long_message_whole)
{
    static char text[5001];
    memset(text, 'x', sizeof(text) - 1);
    pt_error err = PT_ERROR_INIT;
    pt_error_set(&err, PT_EXECUTION, "%s", text);
    PT_CHECK_EQ(strlen(err.message), PT_ERROR_MESSAGE_MAX);
    PT_CHECK_STR(pt_error_full_message(&err), text);
    pt_error copy = PT_ERROR_INIT;
    pt_error_copy(&copy, &err);
    pt_error_clear(&err);
    PT_CHECK_STR(pt_error_full_message(&copy), text);
    pt_error_clear(&copy);
}

PT_TEST(error_may_be_set_from_its_own_message)
{
    pt_error err = PT_ERROR_INIT;
    pt_error_set(&err, PT_IO, "inner");
    pt_error_set(&err, PT_INTERNAL, "outer: %s", err.message);
    PT_CHECK_STR(err.message, "outer: inner");
    pt_error_clear(&err);
}
