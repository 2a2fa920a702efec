#include "backend/duckdb/large_texts.h"

#include "base/test.h"

static bool has(pt__large_texts *texts, uint64_t hash)
{
    pt__column_set columns;
    return pt__large_texts_find(texts, hash, &columns);
}

PT_TEST(large_texts_are_the_last_ones)
{
    pt__large_texts texts;
    pt__large_texts_init(&texts);
    PT_CHECK(!has(&texts, 1));
    for (uint64_t hash = 1; hash <= PT_LARGE_TEXTS + 1; hash++)
        pt__large_texts_add(&texts, hash);
    PT_CHECK(!has(&texts, 1));
    PT_CHECK(has(&texts, 2));
    PT_CHECK(has(&texts, PT_LARGE_TEXTS + 1));
    pt__large_texts_deinit(&texts);
}

PT_TEST(large_texts_have_one_place_each)
{
    pt__large_texts texts;
    pt__large_texts_init(&texts);
    pt__large_texts_add(&texts, 7);
    for (size_t i = 0; i < PT_LARGE_TEXTS; i++)
        pt__large_texts_add(&texts, 8);
    PT_CHECK(has(&texts, 7));
    pt__large_texts_deinit(&texts);
}

PT_TEST(large_texts_lose_columns)
{
    pt__large_texts texts;
    pt__column_set columns;
    pt__large_texts_init(&texts);
    pt__large_texts_add(&texts, 7);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &columns));
    PT_CHECK(pt__column_set_has(&columns, 0));
    PT_CHECK(pt__column_set_has(&columns, PT_LARGE_COLUMNS - 1));
    PT_CHECK(!pt__column_set_has(&columns, PT_LARGE_COLUMNS));
    pt__column_set_remove(&columns, 65);
    pt__column_set_remove(&columns, PT_LARGE_COLUMNS);
    pt__large_texts_limit(&texts, 7, &columns);
    pt__large_texts_limit(&texts, 8, &columns);
    pt__large_texts_add(&texts, 7);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &columns));
    PT_CHECK(pt__column_set_has(&columns, 64));
    PT_CHECK(!pt__column_set_has(&columns, 65));
    PT_CHECK(!has(&texts, 8));
    pt__large_texts_deinit(&texts);
}
