/**
 * Unit tests: a test registers itself and runs in the one program of all tests.
 *
 *     PT_TEST(name_states_the_behaviour) { PT_CHECK_EQ(1 + 1, 2); }
 *
 * A failed check is reported and the test goes on; PT_REQUIRE leaves it.
 */
#ifndef PT_BASE_TEST_H
#define PT_BASE_TEST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pt__test {
    const char *name;
    const char *file;
    void (*run)(void);
    struct pt__test *next;
} pt__test;

void pt__test_register(pt__test *test);
void pt__test_fail(const char *file, int line, const char *text);
bool pt__test_check_equal(const char *file, int line, const char *text, int64_t got, int64_t want);
bool pt__test_check_string(const char *file, int line, const char *text, const char *got, const char *want);

#define PT_TEST(test_name)                                                                                             \
    static void test_##test_name(void);                                                                                \
    static pt__test entry_##test_name = {#test_name, __FILE__, test_##test_name, 0};                                   \
    __attribute__((constructor)) static void register_##test_name(void)                                                \
    {                                                                                                                  \
        pt__test_register(&entry_##test_name);                                                                         \
    }                                                                                                                  \
    static void test_##test_name(void)

#define PT_CHECK(condition)                                                                                            \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            pt__test_fail(__FILE__, __LINE__, #condition);                                                             \
    } while (0)
#define PT_REQUIRE(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            pt__test_fail(__FILE__, __LINE__, #condition);                                                             \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)
#define PT_CHECK_EQ(got, want) pt__test_check_equal(__FILE__, __LINE__, #got, (int64_t)(got), (int64_t)(want))
#define PT_CHECK_STR(got, want) pt__test_check_string(__FILE__, __LINE__, #got, (got), (want))

#endif
