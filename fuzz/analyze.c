/*
 * Analysis of whatever clients send. Input: a byte that says what follows: the text of a statement, a plan of Spark
 * Connect, or bytes that choose functions and their arguments, so that every function meets arguments that do not fit.
 * What is analyzed has a type everywhere and can be printed.
 */
#include "analyze/analyze.h"
#include "analyze/function.h"
#include "decode/spark_connect/decoder.h"
#include "decode/spark_sql/parser.h"
#include "plan/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 256 << 20, TEXT_MAX = 1 << 14, CALL_DEPTH_MAX = 4 };

static const pt__sql_options OPTIONS = {0};

static const char VIEW[] =
    "SELECT * FROM VALUES (1, 2L, 3S, 4Y, 1.5D, 1.5F, 2.50, 'a', X'00', true, DATE'2020-01-01', "
    "TIMESTAMP'2020-01-01 00:00:00', TIMESTAMP_NTZ'2020-01-01 00:00:00', array(1, 2), map('a', 1), "
    "named_struct('a', 1, 'b', 'x'), INTERVAL 1 DAY, INTERVAL 1 MONTH, NULL) "
    "AS v(i, l, h, y, d, f, c, s, b, o, e, p, n, a, m, r, dt, ym, u)";

static const char *const ARGUMENTS[] = {
    "i",      "l",    "d",   "f",    "c",      "s",       "b",           "o",   "e",          "p",
    "n",      "a",    "m",   "r",    "dt",     "ym",      "u",           "h",   "y",          "*",
    "1",      "-1",   "'a'", "NULL", "x -> x", "array()", "(x, y) -> x", "1.5", "(SELECT 1)", "CAST(NULL AS STRING)",
    "'HOUR'", "map()"};

/* ---- a catalog with the view t, and nothing else ---- */

static pt_status find_relation(pt__catalog *c, pt__arena *arena, const pt_name *name, pt__relation *out, pt_error *err)
{
    (void)c;
    if (strcmp(name->parts[name->count - 1], "t") != 0)
        return PT_NOT_FOUND;
    *out = (pt__relation){.origin = PT_RELATION_VIEW, .is_temporary = true, .name = *name};
    return pt__sql_parse_statement(arena, (pt_text_view){VIEW, strlen(VIEW)}, &OPTIONS, &out->view, err);
}

static pt_status find_function(pt__catalog *c, pt__arena *arena, const pt_name *name, const pt__user_function **out,
                               pt_error *err)
{
    (void)c, (void)arena, (void)name, (void)out, (void)err;
    return PT_NOT_FOUND;
}

static pt_status no_files(pt__catalog *c, pt__arena *arena, const pt_plan_scan_files *scan, const pt_file_set **out,
                          pt_error *err)
{
    (void)c, (void)arena, (void)scan, (void)out;
    return pt_error_set(err, PT_NOT_FOUND, "no files");
}

static pt_status no_local(pt__catalog *c, pt__arena *arena, const pt_plan_local *local, const pt_type **schema,
                          const pt_local_data **out, pt_error *err)
{
    (void)c, (void)arena, (void)local, (void)schema, (void)out;
    return pt_error_set(err, PT_NOT_FOUND, "no rows");
}

static pt_status no_cached(pt__catalog *c, pt__arena *arena, const char *id, const pt_cached_result **out,
                           pt_error *err)
{
    (void)c, (void)arena, (void)id, (void)out;
    return pt_error_set(err, PT_NOT_FOUND, "no result");
}

static pt_status no_rows(pt__catalog *c, pt__arena *arena, const pt_plan *plan, const pt_value **cells, size_t *count,
                         pt_error *err)
{
    (void)c, (void)arena, (void)plan, (void)cells, (void)count;
    return pt_error_set(err, PT_UNSUPPORTED, "nothing is run");
}

static pt_status no_text(pt__catalog *c, const pt_plan *plan,
                         pt_status (*take)(void *context, pt_text_view text, pt_error *err), void *context,
                         pt_error *err)
{
    (void)c, (void)plan, (void)take, (void)context;
    return pt_error_set(err, PT_UNSUPPORTED, "nothing is run");
}

static const char *conf(pt__catalog *c, const char *key)
{
    (void)c;
    return strcmp(key, "spark.sql.session.timeZone") == 0 ? "America/New_York" : NULL;
}

static const char *some_name(pt__catalog *c)
{
    (void)c;
    return "default";
}

static int64_t now_us(pt__catalog *c)
{
    (void)c;
    return 0;
}

static const pt__catalog_vtable CATALOG = {
    .find_relation = find_relation,
    .find_function = find_function,
    .find_files = no_files,
    .find_local = no_local,
    .find_cached = no_cached,
    .collect = no_rows,
    .each_text = no_text,
    .conf = conf,
    .current_catalog = some_name,
    .current_database = some_name,
    .current_user = some_name,
    .now_us = now_us,
};

/* ---- what is analyzed ---- */

typedef struct chooser {
    const uint8_t *at;
    size_t left;
} chooser;

static size_t choose(chooser *c, size_t count)
{
    if (c->left == 0)
        return 0;
    c->left--;
    return *c->at++ % count;
}

/* Two bytes choose a function, then each argument is a value or, rarely, another call. */
static void put_call(pt__buffer *sql, chooser *c, int depth)
{
    size_t count;
    const pt__function *table = pt__function_table(&count);
    size_t high = choose(c, 256);
    pt__buffer_printf(sql, "`%s`(", table[(high << 8 | choose(c, 256)) % count].name);
    size_t arguments = choose(c, 6);
    for (size_t i = 0; i < arguments; i++) {
        pt__buffer_append_string(sql, i == 0 ? "" : ", ");
        if (depth < CALL_DEPTH_MAX && choose(c, 8) == 7)
            put_call(sql, c, depth + 1);
        else
            pt__buffer_append_string(sql, ARGUMENTS[choose(c, sizeof(ARGUMENTS) / sizeof(ARGUMENTS[0]))]);
    }
    pt__buffer_append_byte(sql, ')');
}

static pt_status calls(pt__arena *arena, pt_bytes_view bytes, const pt_plan **out, pt_error *err)
{
    static const char *const BEHIND[] = {
        "", " OVER ()", " OVER (ORDER BY i)", " FILTER (WHERE o)", " WITHIN GROUP (ORDER BY i)", " AS z, z", " + 1"};
    chooser c = {bytes.data, bytes.size_bytes};
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, "SELECT ");
    put_call(&sql, &c, 0);
    pt__buffer_append_string(&sql, BEHIND[choose(&c, sizeof(BEHIND) / sizeof(BEHIND[0]))]);
    pt__buffer_append_string(&sql, choose(&c, 4) == 3 ? " FROM t GROUP BY i" : " FROM t");
    const char *text = pt__arena_copy_string(arena, pt__buffer_string(&sql));
    pt__buffer_deinit(&sql);
    return pt__sql_parse_statement(arena, (pt_text_view){text, strlen(text)}, &OPTIONS, out, err);
}

static pt_status connect_plan(pt__arena *arena, pt_bytes_view wire, const pt_plan **out, pt_error *err)
{
    ProtobufCMessage *message;
    pt__connect_operation operation;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__plan__descriptor, wire, &message, err));
    PT_TRY(pt__connect_decode_plan(arena, (Spark__Connect__Plan *)message, NULL, &operation, err));
    *out = operation.plan;
    return PT_OK;
}

static void analyze(pt__arena *arena, uint8_t what, pt_bytes_view bytes, pt_error *err)
{
    const pt_plan *plan = NULL;
    const pt_plan *analyzed = NULL;
    pt_status status;
    switch (what % 3) {
    case 0:
        status = pt__sql_parse_statement(arena, (pt_text_view){(const char *)bytes.data, bytes.size_bytes}, &OPTIONS,
                                         &plan, err);
        break;
    case 1: status = connect_plan(arena, bytes, &plan, err); break;
    default: status = calls(arena, bytes, &plan, err); break;
    }
    pt__catalog catalog = {&CATALOG};
    if (status != PT_OK || plan == NULL || pt__analyze(arena, &catalog, plan, &analyzed, err) != PT_OK)
        return;
    for (size_t i = 0; i < analyzed->column_count; i++) {
        if (analyzed->columns[i].type == NULL || analyzed->columns[i].name == NULL)
            __builtin_trap();
    }
    (void)pt__plan_text(arena, analyzed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > TEXT_MAX)
        return -1;
    pt__arena *arena = pt__arena_new(MEMORY_MAX);
    pt_error err = PT_ERROR_INIT;
    if (!PT_ARENA_GUARD(arena))
        analyze(arena, data[0], (pt_bytes_view){data + 1, size - 1}, &err);
    pt_error_clear(&err);
    pt__arena_free(arena);
    return 0;
}
