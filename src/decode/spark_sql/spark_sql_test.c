/*
 * Pairs of text: SQL and the plan it stands for, in tests/sql/.
 *
 * A file holds cases of the form "SQL, a line ---, the plan, a line ===". expressions*.txt are read as select items,
 * types*.txt as data types, names*.txt as column names, all others as statements. What fails has "error: …" for a
 * plan. PORTICO_REWRITE=1 in the environment writes what was found instead of comparing.
 */
#include "decode/spark_sql/parser.h"

#include "base/test.h"
#include "base/test_memory.h"
#include "plan/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    if (text != NULL)
        text[fread(text, 1, *size, file)] = '\0';
    fclose(file);
    return text;
}

static void append_error(pt__buffer *out, const pt_error *err)
{
    pt_error_context context;
    pt__buffer_printf(out, "error: %s\n", pt_error_full_message(err));
    for (size_t i = 0; pt_error_context_at(err, i, &context); i++)
        pt__buffer_printf(out, "at %d to %d: %s\n", context.start, context.stop, context.fragment);
}

static void append_name(pt__buffer *out, pt_name name)
{
    for (size_t i = 0; i < name.count; i++)
        pt__buffer_printf(out, "[%s]", name.parts[i]);
    pt__buffer_append_byte(out, '\n');
}

static void decode(const char *kind, pt__arena *arena, pt_text_view sql, pt__buffer *out)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    if (strncmp(kind, "expressions", 11) == 0) {
        const pt_expr *expr = NULL;
        status = pt__sql_parse_expression(arena, sql, NULL, &expr, &err);
        if (status == PT_OK)
            pt__expr_append_text(out, expr);
        pt__buffer_append_string(out, status == PT_OK ? "\n" : "");
    } else if (strncmp(kind, "types", 5) == 0) {
        const pt_type *type = NULL;
        status = pt__sql_parse_type(arena, sql, NULL, &type, &err);
        if (status == PT_OK)
            pt__type_append_json(out, type);
        pt__buffer_append_string(out, status == PT_OK ? "\n" : "");
    } else if (strncmp(kind, "names", 5) == 0) {
        pt_name name = {0};
        status = pt__sql_parse_column_name(arena, sql, &name, &err);
        if (status == PT_OK)
            append_name(out, name);
    } else {
        const pt_plan *plan = NULL;
        status = pt__sql_parse_statement(arena, sql, NULL, &plan, &err);
        if (status == PT_OK)
            pt__plan_append_text(out, plan);
    }
    if (status != PT_OK)
        append_error(out, &err);
    pt_error_clear(&err);
}

/* One case at `text`; returns what follows it, or NULL at the end of the file. */
static const char *run_case(const char *kind, const char *text, pt__buffer *found, bool compare)
{
    const char *line = strstr(text, "\n---\n");
    const char *end = line == NULL ? NULL : strstr(line + 4, "\n===\n");
    if (end == NULL)
        return NULL;
    pt__arena *arena = pt__arena_new(0);
    pt__buffer plan = PT_BUFFER_INIT;
    decode(kind, arena, (pt_text_view){text, (size_t)(line - text)}, &plan);
    size_t want_size = line + 5 <= end ? (size_t)(end + 1 - (line + 5)) : 0;
    char *want = strndup(line + 5, want_size);
    if (compare && !PT_CHECK_STR(pt__buffer_string(&plan), want))
        printf("    of %s: %.*s\n", kind, (int)(line - text), text);
    pt__buffer_append(found, text, (size_t)(line - text));
    pt__buffer_append_string(found, "\n---\n");
    pt__buffer_append_string(found, pt__buffer_string(&plan));
    pt__buffer_append_string(found, "===\n");
    free(want);
    pt__buffer_deinit(&plan);
    pt__arena_free(arena);
    return end + 5;
}

static void run_file(const char *name)
{
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof(path), "%s/tests/sql/%s", PT_SOURCE_DIR, name);
    char *text = read_file(path, &size);
    PT_REQUIRE(text != NULL);
    bool rewrite = getenv("PORTICO_REWRITE") != NULL;
    pt__buffer found = PT_BUFFER_INIT;
    for (const char *at = text; at != NULL && *at != '\0';)
        at = run_case(name, at, &found, !rewrite);
    FILE *file = rewrite ? fopen(path, "wb") : NULL;
    if (file != NULL) {
        fwrite(found.data, 1, found.size_bytes, file);
        fclose(file);
    }
    pt__buffer_deinit(&found);
    free(text);
}

PT_TEST(spark_sql_texts_stand_for_their_plans)
{
    DIR *directory = opendir(PT_SOURCE_DIR "/tests/sql");
    PT_REQUIRE(directory != NULL);
    size_t count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0) {
            run_file(entry->d_name);
            count++;
        }
    }
    closedir(directory);
    PT_CHECK(count > 0);
}

/* ---- long and deep text ---- */

static pt_status parse_repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, head);
    for (size_t i = 0; i < count; i++)
        pt__buffer_append_string(&sql, piece);
    pt__buffer_append_string(&sql, tail);
    pt__arena *arena = pt__arena_new(0);
    const pt_plan *plan = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_text_view text = {(const char *)sql.data, sql.size_bytes};
    pt_status status = pt__sql_parse_statement(arena, text, NULL, &plan, &err);
    pt_error_clear(&err);
    pt__arena_free(arena);
    pt__buffer_deinit(&sql);
    return status;
}

PT_TEST(spark_sql_chains_of_any_length_parse)
{
    PT_CHECK_EQ(parse_repeated("select 1", "+1", 20000, ""), PT_OK);
    PT_CHECK_EQ(parse_repeated("select a", " and a", 5000, ""), PT_OK);
    PT_CHECK_EQ(parse_repeated("select a", " or b = 1", 5000, ""), PT_OK);
    PT_CHECK_EQ(parse_repeated("select 1", " union all select 1", 5000, ""), PT_OK);
    PT_CHECK_EQ(parse_repeated("select ", "not ", 5000, "a"), PT_OK);
    PT_CHECK_EQ(parse_repeated("select ", "- ", 5000, "a"), PT_OK);
    PT_CHECK_EQ(parse_repeated("select a", ".b", 5000, ""), PT_OK);
    PT_CHECK_EQ(parse_repeated("select 1 from t", ", t", 5000, ""), PT_OK);
}

PT_TEST(spark_sql_nested_too_deeply_is_refused)
{
    PT_CHECK_EQ(parse_repeated("select ", "(", 900, "1") == PT_BAD_SQL, true);
    PT_CHECK_EQ(parse_repeated("select ", "(", 100000, "1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select ", "f(", 100000, "1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select ", "a[", 100000, "1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select ", "case when ", 100000, "1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select ", "x -> ", 100000, "1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select cast(a as ", "array<", 100000, "int"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select * from ", "(select * from ", 100000, "t"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select * from ", "(", 100000, "t"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("", "(", 100000, "select 1"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("select a group by ", "grouping sets (", 100000, "a"), PT_LIMIT);
    PT_CHECK_EQ(parse_repeated("", "with a as (", 100000, "select 1"), PT_LIMIT);
}

/* ---- without memory ---- */

static const char STATEMENT[] =
    "with a as (select x, 'text' as y, 1.5 as z from t where x in (1, 2) group by x having count(*) > 1) "
    "select a.*, sum(z) over w, case when y like '%x' then interval 1 day end from a "
    "window w as (partition by y order by z desc) order by 1 limit 10";
static const char TABLE[] = "create table t (a int not null comment 'a \"comment\"', b struct<c: int>) using parquet";

/* One run; whether there was an allocation of that index. Running out ends in the guard, with nothing leaked. */
static bool parse_without_memory(const char *sql, long index)
{
    pt_error err = PT_ERROR_INIT;
    const pt_plan *plan = NULL;
    pt_text_view text = {sql, strlen(sql)};
    pt__test_memory_fail(index);
    pt__test_memory_watch(true);
    pt__arena *arena = pt__arena_new(0);
    if (arena != NULL && !PT_ARENA_GUARD(arena))
        PT_CHECK(pt__sql_parse_statement(arena, text, NULL, &plan, &err) == PT_OK || err.status == PT_NO_MEMORY);
    pt__arena_free(arena);
    pt_error_clear(&err);
    pt__test_memory_watch(false);
    bool failed = pt__test_memory_has_failed();
    pt__test_memory_fail(-1);
    return failed;
}

PT_TEST(spark_sql_survives_each_failing_allocation)
{
    long index = 0;
    while (parse_without_memory(STATEMENT, index))
        index++;
    PT_CHECK(index > 1);
    for (index = 0; parse_without_memory(TABLE, index);)
        index++;
    PT_CHECK(index > 1);
}

PT_TEST(spark_sql_stops_at_the_limit_of_its_arena)
{
    pt__arena *arena = pt__arena_new(4096);
    pt_text_view text = {STATEMENT, strlen(STATEMENT)};
    const pt_plan *plan = NULL;
    bool stopped = PT_ARENA_GUARD(arena);
    if (!stopped)
        PT_CHECK(pt__sql_parse_statement(arena, text, NULL, &plan, NULL) != PT_OK);
    PT_CHECK(stopped);
    pt__arena_free(arena);
}
