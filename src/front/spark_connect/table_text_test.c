#include "front/spark_connect/table_text.h"

#include "base/test.h"

#include <string.h>

typedef void (*append_table)(pt__buffer *out, const pt__table_text *table);

static void check(append_table append, const pt__table_text *table, const char *want)
{
    pt__buffer out = PT_BUFFER_INIT;
    append(&out, table);
    PT_CHECK_STR(pt__buffer_string(&out), want);
    pt__buffer_deinit(&out);
}

#define VIEW(text) ((pt_text_view){(text), strlen(text)})

PT_TEST(table_text_counts_wide_characters_twice)
{
    const char *headers[] = {"id", "名前"};
    pt_text_view cells[] = {VIEW("1"), VIEW("ab"), VIEW("3"), VIEW("서울시"), VIEW("4"), VIEW("NULL")};
    pt__table_text table = {headers, 2, cells, 3, 20, 20, false};
    check(pt__table_text_append, &table,
          "+---+------+\n| id|  名前|\n+---+------+\n|  1|    ab|\n|  3|서울시|\n|  4|  NULL|\n+---+------+\n");
    table.truncate = 0;
    table.has_more = true;
    table.shown_limit = 1;
    table.row_count = 1;
    check(pt__table_text_append, &table,
          "+---+----+\n|id |名前|\n+---+----+\n|1  |ab  |\n+---+----+\nonly showing top 1 row");
}

PT_TEST(table_text_without_columns_or_rows)
{
    pt__table_text table = {NULL, 0, NULL, 1, 20, 20, false};
    check(pt__table_text_append, &table, "++\n||\n++\n||\n++\n");
    const char *headers[] = {"id"};
    table = (pt__table_text){headers, 1, NULL, 0, 20, 20, false};
    check(pt__table_text_append_vertical, &table, "(0 rows)");
}

PT_TEST(table_text_vertical)
{
    const char *headers[] = {"id"};
    pt_text_view cells[] = {VIEW("0"), VIEW("1")};
    pt__table_text table = {headers, 1, cells, 2, 20, 2, true};
    check(pt__table_text_append_vertical, &table,
          "-RECORD 0--\n id  | 0   \n-RECORD 1--\n id  | 1   \nonly showing top 2 rows");
}

PT_TEST(table_text_html_escapes)
{
    const char *headers[] = {"a<b"};
    pt_text_view cells[] = {VIEW("é<&>\"'東")};
    pt__table_text table = {headers, 1, cells, 1, 20, 20, true};
    check(pt__table_text_append_html, &table,
          "<table border='1'>\n<tr><th>a&lt;b</th></tr>\n<tr><td>&eacute;&lt;&amp;&gt;&quot;'東</td></tr>\n</table>\n"
          "only showing top 20 rows\n");
}

static void check_cell(const char *raw, int32_t truncate, const char *want)
{
    pt__arena *arena = pt__arena_new(0);
    pt_text_view cell = pt__table_text_cell(arena, VIEW(raw), truncate);
    PT_CHECK_STR(pt__arena_copy_text(arena, cell.data, cell.size_bytes), want);
    pt__arena_free(arena);
}

PT_TEST(table_text_cells_are_escaped_and_cut)
{
    check_cell("abcdefghijklmnopqrstuvwxyz", 20, "abcdefghijklmnopq...");
    check_cell("abcdefghijklmnopqrstuvwxyz", 3, "abc");
    check_cell("a\tb\nc", 20, "a\\tb\\nc");
    check_cell("😀😀😀", 4, "?...");
    check_cell("ab😀cd", 6, "ab😀cd");
    check_cell("東京東京", 4, "東京東京");
}
