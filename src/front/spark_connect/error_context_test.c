#include "front/spark_connect/error_context.h"

#include "base/test.h"

static void check(const pt_error_context *context, const char *want)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__connect_append_context(&out, context);
    PT_CHECK_STR(pt__buffer_string(&out), want);
    pt__buffer_deinit(&out);
}

PT_TEST(error_context_marks_the_fragment)
{
    pt_error_context c = {
        .is_sql = true, .start = 7, .stop = 9, .fragment = "1/0", .call_site = "", .sql = "select 1/0"};
    check(&c, "== SQL (line 1, position 8) ==\nselect 1/0\n       ^^^\n");
    c = (pt_error_context){.is_sql = true,
                           .start = 11,
                           .stop = 13,
                           .fragment = "1/0",
                           .call_site = "",
                           .sql = "select 2,\n 1/0 as x\nfrom t"};
    check(&c, "== SQL (line 2, position 2) ==\n 1/0 as x\n ^^^\n");
    c = (pt_error_context){
        .is_sql = true, .start = 7, .stop = 10, .fragment = "1\n/0", .call_site = "", .sql = "select 1\n/0"};
    check(&c, "== SQL (line 1, position 8) ==\nselect 1\n       ^\n/0\n^^\n");
}

PT_TEST(error_context_cuts_long_lines)
{
    pt_error_context c = {
        .is_sql = true,
        .start = 51,
        .stop = 53,
        .fragment = "1/0",
        .call_site = "",
        .sql = "select aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,1/0,bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
    check(&c,
          "== SQL (line 1, position 52) ==\n...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,1/0,bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...\n"
          "                                   ^^^\n");
}

PT_TEST(error_context_of_a_dataframe_names_the_call)
{
    pt_error_context c = {.is_sql = false, .fragment = "__truediv__", .call_site = "a.py:3", .sql = ""};
    check(&c, "== DataFrame ==\n\"__truediv__\" was called from\na.py:3\n");
}

PT_TEST(error_context_of_a_syntax_error_shows_the_statement)
{
    pt_error_context c = {
        .is_sql = true, .start = 9, .stop = 9, .fragment = "", .call_site = "", .sql = "select 1\nfrm t\nx"};
    pt__buffer out = PT_BUFFER_INIT;
    pt__connect_append_syntax_place(&out, &c);
    PT_CHECK_STR(pt__buffer_string(&out), " (line 2, pos 0)\n\n== SQL ==\nselect 1\nfrm t\n^^^\nx\n");
    pt__buffer_deinit(&out);
}
