#include "backend/duckdb/native/native.h"
#include "base/test.h"

#include <string.h>

PT_TEST(literal_rows_are_told_from_other_texts)
{
    static const char *const yes[] = {"select 1", "SELECT 1", " select\t-15 , 0,null ,TRUE,false\n", "select NULL"};
    static const char *const no[] = {"",
                                     "select",
                                     "select ",
                                     "select1",
                                     "select 1,",
                                     "select ,1",
                                     "select 1 2",
                                     "select 1 as a",
                                     "select 1 a",
                                     "select 1e5",
                                     "select 1.5",
                                     "select 1.",
                                     "select 'a'",
                                     "select 1_000",
                                     "select 0x1f",
                                     "select .5",
                                     "select - 1",
                                     "select 1 + 1",
                                     "select date '2020-01-01'",
                                     "select '1'::int",
                                     "select nullable",
                                     "select true_",
                                     "select localtimestamp",
                                     "select 1;",
                                     "select 1 -- one",
                                     "select distinct 1",
                                     "select ?",
                                     "values (1)"};
    char large[300];
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        PT_CHECK_STR(pt__native_is_literal_row(yes[i]) ? yes[i] : "", yes[i]);
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        PT_CHECK_STR(pt__native_is_literal_row(no[i]) ? no[i] : "", "");
    memset(large, '1', sizeof(large));
    memcpy(large, "select ", 7);
    large[sizeof(large) - 1] = '\0';
    PT_CHECK(!pt__native_is_literal_row(large));
    large[200] = '\0';
    PT_CHECK(pt__native_is_literal_row(large));
}
