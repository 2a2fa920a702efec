/* bit_get. */
#include "backend/duckdb/functions/kernels.h"

#include <inttypes.h>
#include <stdio.h>

static bool raise_position(pt__fn_call *call, int32_t position, int bits)
{
    char upper[16];
    char value[16];
    snprintf(upper, sizeof(upper), "%d", bits);
    snprintf(value, sizeof(value), "%" PRId32, position);
    return pt__fn_raise(call, PT_COND_INVALID_PARAMETER_VALUE_BIT_POSITION_RANGE, "parameter", "`pos`", "functionName",
                        "`bit_get`", "upper", upper, "invalidValue", value, NULL);
}

/** Option: the bits of the argument's type. */
static bool bit_get(pt__fn_call *call, idx_t row)
{
    int bits = call->row->option;
    int32_t position = PT__FN_IN(call, 1, int32_t)[row];
    if (position < 0 || position >= bits)
        return raise_position(call, position, bits);
    PT__FN_OUT(call, int8_t)[row] = (int8_t)(pt__fn_integer(&call->columns[0], row) >> position & 1);
    return true;
}

void pt__fn_bit_get(pt__fn_call *call)
{
    PT__FN_EACH(call, r, bit_get(call, r));
}
