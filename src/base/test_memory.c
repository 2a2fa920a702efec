#include "base/test_memory.h"

#include <stddef.h>

static _Thread_local struct {
    long left; /* allocations until the one that fails; negative: none does */
    bool watching;
    bool failed;
} state = {.left = -1};

void pt__test_memory_fail(long index)
{
    state.left = index;
    state.failed = false;
}

void pt__test_memory_watch(bool on)
{
    state.watching = on;
}

bool pt__test_memory_has_failed(void)
{
    return state.failed;
}

static bool fails(void)
{
    if (!state.watching || state.left < 0 || state.left-- > 0)
        return false;
    state.failed = true;
    return true;
}

/* What the linker's --wrap makes of the names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}
