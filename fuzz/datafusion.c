/* A logical plan of a DataFusion client: checked, unpacked, decoded and written as text. */
#include "decode/datafusion/decoder.h"
#include "plan/text.h"

enum { MEMORY_LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pt__arena *arena = pt__arena_new(MEMORY_LIMIT);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *plan;
    if (!PT_ARENA_GUARD(arena) && pt__datafusion_decode(arena, (pt_bytes_view){data, size}, NULL, &plan, &err) == PT_OK)
        (void)pt__plan_text(arena, plan);
    pt_error_clear(&err);
    pt__arena_free(arena);
    return 0;
}
