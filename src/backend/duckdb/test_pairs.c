#include "backend/duckdb/test_pairs.h"

#include "base/test.h"

#include <string.h>

static bool fits(const char *got, const char *want)
{
    return want[0] == '!' ? strncmp(got, want, strlen(want)) == 0 : strcmp(got, want) == 0;
}

void pt__test_pairs(pt__test_engine *engine, const pt__test_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *rows = pt__test_engine_run(engine, pairs[i].sql);
        if (fits(rows, pairs[i].rows))
            continue;
        pt__test_check_string(__FILE__, __LINE__, pairs[i].sql, rows, pairs[i].rows);
        pt__test_fail(__FILE__, __LINE__, pt__test_engine_lower(engine, pairs[i].sql));
    }
}

void pt__test_pairs_alone(const pt__test_pair *pairs, size_t count)
{
    pt__test_engine engine;
    if (!pt__test_engine_open(&engine, NULL))
        return;
    pt__test_pairs(&engine, pairs, count);
    pt__test_engine_close(&engine);
}
