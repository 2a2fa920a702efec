#include "base/map.h"

#include "base/test.h"

#include <stdio.h>

PT_TEST(map_keeps_many_keys_through_removal)
{
    pt__map map = PT_MAP_INIT;
    static int values[1000];
    char key[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        PT_REQUIRE(pt__map_set(&map, key, &values[i], NULL));
    }
    for (int i = 0; i < 1000; i += 2) {
        snprintf(key, sizeof(key), "k%d", i);
        PT_CHECK(pt__map_remove(&map, key) == &values[i]);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        PT_CHECK(pt__map_get(&map, key) == (i % 2 ? &values[i] : NULL));
    }
    PT_CHECK_EQ(map.live_count, 500);
    pt__map_deinit(&map);
}
