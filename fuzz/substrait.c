/* A Substrait plan: checked, unpacked, decoded, copied and written as text. */
#include "decode/substrait/decoder.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <string.h>

enum { MEMORY_LIMIT = 256 << 20 };

/* The copy says what the original said. */
static void check_copy(pt__arena *arena, const pt_plan *plan)
{
    const pt_plan *copy = pt__plan_copy(arena, plan);
    if (strcmp(pt__plan_text(arena, plan), pt__plan_text(arena, copy)) != 0)
        __builtin_trap();
}

static void decode(pt__arena *arena, pt_bytes_view wire, pt_error *err)
{
    const pt_plan *plan = NULL;
    if (pt__substrait_decode(arena, wire, NULL, &plan, err) == PT_OK)
        check_copy(arena, plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pt__arena *arena = pt__arena_new(MEMORY_LIMIT);
    pt_error err = PT_ERROR_INIT;
    if (!PT_ARENA_GUARD(arena))
        decode(arena, (pt_bytes_view){data, size}, &err);
    pt_error_clear(&err);
    pt__arena_free(arena);
    return 0;
}
