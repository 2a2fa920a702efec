/** Kernels of catalog.def, declared from it; each family defines its own in a file of its own. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_KERNELS_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_KERNELS_H

#include "backend/duckdb/functions/call.h"

#define PT__FUNCTION(name, arguments, result, kernel, flags, option) void pt__fn_##kernel(pt__fn_call *call);
#define PT__FUNCTION_MODES(name, arguments, result, kernel, flags, option) void pt__fn_##kernel(pt__fn_call *call);
#include "backend/duckdb/functions/catalog.def"
#undef PT__FUNCTION
#undef PT__FUNCTION_MODES

/* Options of kernels that serve several rows. */

typedef enum pt__decimal_operation {
    PT__DECIMAL_ADD,
    PT__DECIMAL_SUBTRACT,
    PT__DECIMAL_MULTIPLY,
    PT__DECIMAL_DIVIDE,
    PT__DECIMAL_DIVIDE_DOWN,
    PT__DECIMAL_REMAINDER,
    PT__DECIMAL_PMOD
} pt__decimal_operation;

typedef enum pt__math_function {
#define PT__MATH(name, function) PT__MATH_##name,
#include "backend/duckdb/functions/math.def"
#undef PT__MATH
    PT__MATH_COUNT
} pt__math_function;

typedef enum pt__date_field {
    PT__DATE_YEAR,
    PT__DATE_QUARTER,
    PT__DATE_MONTH,
    PT__DATE_DAY,
    PT__DATE_DAY_OF_YEAR,
    PT__DATE_DAY_OF_WEEK,
    PT__DATE_WEEKDAY,
    PT__DATE_WEEK,
    PT__DATE_WEEK_YEAR
} pt__date_field;

#endif
