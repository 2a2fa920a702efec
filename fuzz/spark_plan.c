/* A plan of a Spark Connect client: checked, unpacked, decoded, copied and written as text. */
#include "decode/spark_connect/decoder.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <assert.h>
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
    ProtobufCMessage *message;
    pt__connect_operation operation;
    if (pt__connect_unpack(arena, &spark__connect__plan__descriptor, wire, &message, err) != PT_OK)
        return;
    if (pt__connect_decode_plan(arena, (Spark__Connect__Plan *)message, NULL, &operation, err) != PT_OK)
        return;
    if (operation.plan != NULL)
        check_copy(arena, operation.plan);
    if (operation.function != NULL)
        (void)pt__expr_text(arena, &operation.function->base);
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
