/**
 * Lets a chosen allocation of the code under test fail. The unit program is linked so that malloc, calloc, realloc,
 * strdup and strndup of our own code come through here; other libraries keep theirs.
 *
 *     for (long index = 0; run_with_failing_allocation(index); index++)
 *         continue;
 *
 * where the run calls pt__test_memory_fail(index) at its start and returns pt__test_memory_has_failed() at its end,
 * and has pt__test_memory_watch(true) around what is under test.
 *
 * Threads: counts on the thread that watches.
 */
#ifndef PT_BASE_TEST_MEMORY_H
#define PT_BASE_TEST_MEMORY_H

#include <stdbool.h>

/** The `index`-th allocation from here on that is watched fails, once; negative: none. */
void pt__test_memory_fail(long index);

void pt__test_memory_watch(bool on);

/** Whether the chosen allocation came. */
bool pt__test_memory_has_failed(void);

#endif
