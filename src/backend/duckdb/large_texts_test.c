#include "backend/duckdb/large_texts.h"

#include "base/test.h"

static bool has(pt__large_texts *texts, uint64_t hash)
{
    pt__large_text text;
    return pt__large_texts_find(texts, hash, &text);
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
    pt__large_text text;
    pt__large_texts_init(&texts);
    pt__large_texts_add(&texts, 7);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &text));
    PT_CHECK(pt__column_set_has(&text.packed, 0));
    PT_CHECK(pt__column_set_has(&text.packed, PT_LARGE_COLUMNS - 1));
    PT_CHECK(!pt__column_set_has(&text.packed, PT_LARGE_COLUMNS));
    pt__column_set_remove(&text.packed, 65);
    pt__column_set_remove(&text.packed, PT_LARGE_COLUMNS);
    pt__large_texts_learn(&texts, 7, &text.packed, false);
    pt__large_texts_learn(&texts, 8, &text.packed, false);
    pt__large_texts_add(&texts, 7);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &text));
    PT_CHECK(pt__column_set_has(&text.packed, 64));
    PT_CHECK(!pt__column_set_has(&text.packed, 65));
    PT_CHECK(!has(&texts, 8));
    pt__large_texts_deinit(&texts);
}

PT_TEST(large_texts_that_were_slow_stay_so)
{
    pt__large_texts texts;
    pt__large_text text;
    pt__column_set all = pt__column_set_of_all();
    pt__large_texts_init(&texts);
    pt__large_texts_add(&texts, 7);
    pt__large_texts_learn(&texts, 7, &all, false);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &text));
    PT_CHECK(!text.is_slow);
    pt__large_texts_learn(&texts, 7, &all, true);
    pt__large_texts_learn(&texts, 7, &all, false);
    PT_REQUIRE(pt__large_texts_find(&texts, 7, &text));
    PT_CHECK(text.is_slow);
    pt__large_texts_deinit(&texts);
}
