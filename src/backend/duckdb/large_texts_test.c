#include "backend/duckdb/large_texts.h"

#include "base/test.h"

PT_TEST(large_texts_are_the_last_ones)
{
    pt__large_texts texts;
    pt__large_texts_init(&texts);
    PT_CHECK(!pt__large_texts_has(&texts, 1));
    for (uint64_t hash = 1; hash <= PT_LARGE_TEXTS + 1; hash++)
        pt__large_texts_add(&texts, hash);
    PT_CHECK(!pt__large_texts_has(&texts, 1));
    PT_CHECK(pt__large_texts_has(&texts, 2));
    PT_CHECK(pt__large_texts_has(&texts, PT_LARGE_TEXTS + 1));
    pt__large_texts_deinit(&texts);
}

PT_TEST(large_texts_have_one_place_each)
{
    pt__large_texts texts;
    pt__large_texts_init(&texts);
    pt__large_texts_add(&texts, 7);
    for (size_t i = 0; i < PT_LARGE_TEXTS; i++)
        pt__large_texts_add(&texts, 8);
    PT_CHECK(pt__large_texts_has(&texts, 7));
    pt__large_texts_deinit(&texts);
}
