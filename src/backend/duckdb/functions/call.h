/**
 * What a function's kernel sees of a call: columns of values, validity, a place for the result, errors, caches.
 *
 * A kernel is called for up to 2048 rows at a time. It walks the rows with one of the PT__FN_EACH_* macros, which
 * skip rows that are NULL already, and fills call->out.
 *
 * Threads: a call belongs to one thread; its state (caches, scratch) is never shared.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_CALL_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_CALL_H

#include "base/buffer.h"
#include "base/condition.h"
#include "base/int128.h"

#include <duckdb.h>
#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 pt__uint128;

/** A DuckDB type unpacked; lives as long as the bound call. */
typedef struct pt__fn_type {
    duckdb_type id;
    duckdb_type physical; /* decimals: how a value is stored; else `id` */
    uint8_t width;        /* decimals */
    uint8_t scale;
    size_t child_count; /* list 1, map 2 (key, value), struct its fields */
    struct pt__fn_type *children;
} pt__fn_type;

typedef enum pt__fn_mode { PT__FN_ANSI, PT__FN_TRY, PT__FN_LEGACY } pt__fn_mode;

struct pt__zones;

typedef struct pt__fn_call pt__fn_call;
typedef void (*pt__fn_kernel)(pt__fn_call *call);

enum {
    PT__FN_NULLS = 1,    /* the kernel looks at NULL arguments itself */
    PT__FN_VOLATILE = 2, /* evaluated for every row */
    PT__FN_VARIADIC = 4, /* any number of arguments of the last type, at least none */
    PT__FN_DECIMAL = 8   /* one function per decimal result type, NAME_precision_scale, registered on demand */
};

/** One function: a row of catalog.def. */
typedef struct pt__fn_row {
    const char *name;
    const char *arguments; /* DuckDB types, comma-separated; ANY for any */
    const char *result;
    pt__fn_kernel kernel;
    pt__fn_mode mode;
    unsigned flags;
    int option; /* means what the kernel says */
} pt__fn_row;

typedef struct pt__fn_column {
    duckdb_vector vector;
    void *data;
    uint64_t *validity; /* NULL: no row is NULL */
    const pt__fn_type *type;
} pt__fn_column;

enum { PT__FN_CACHES = 4 };

/** Something made from a text argument that rarely changes: a pattern, a time zone. */
typedef struct pt__fn_cache {
    char *key;
    size_t key_bytes;
    void *value;
    void (*free_value)(void *value);
} pt__fn_cache;

/** Kept from call to call, per thread and place in the query. */
typedef struct pt__fn_state {
    pt__fn_column *columns;
    size_t column_capacity;
    pt__fn_cache caches[PT__FN_CACHES];
    pt__buffer scratch; /* a kernel's own use */
    pt__buffer scratch2;
    void *extra; /* a kernel's own use: freed by `free_extra` */
    void (*free_extra)(void *extra);
    size_t partition; /* 0 for the first thread that runs this place in the query, 1 for the next … */
} pt__fn_state;

struct pt__fn_call {
    duckdb_function_info info;
    const pt__fn_row *row;
    int precision; /* of a decimal result */
    int scale;
    pt__fn_mode mode;
    idx_t row_count;
    size_t column_count;
    pt__fn_column *columns;
    duckdb_vector output;
    void *out;
    uint64_t *out_validity; /* NULL: no row is NULL so far */
    pt__fn_state *state;
    struct pt__zones *zones;
    uint64_t made_bytes;       /* by this call so far */
    uint64_t made_limit_bytes; /* see made.c */
    bool failed;
};

/* Rows. */

static inline bool pt__fn_bit(const uint64_t *validity, idx_t row)
{
    return validity == NULL || (validity[row / 64] >> (row % 64) & 1) != 0;
}

/** False: the result of this row is NULL already. */
static inline bool pt__fn_live(const pt__fn_call *call, idx_t row)
{
    return pt__fn_bit(call->out_validity, row);
}

void pt__fn_set_null(pt__fn_call *call, idx_t row);

// NOLINTBEGIN(bugprone-macro-parentheses): names and types
/** Runs `expression`, a bool, for each live row `r`; false makes the row NULL or, after an error, ends the call. */
#define PT__FN_EACH(call, r, expression)                                                                               \
    for (idx_t r = 0; r < (call)->row_count; r++) {                                                                    \
        if (pt__fn_live((call), r) && !(expression)) {                                                                 \
            if ((call)->failed)                                                                                        \
                return;                                                                                                \
            pt__fn_set_null((call), r);                                                                                \
        }                                                                                                              \
    }

/* Values. */

#define PT__FN_IN(call, column, type) ((const type *)(call)->columns[column].data)
#define PT__FN_OUT(call, type) ((type *)(call)->out)

// NOLINTEND(bugprone-macro-parentheses)

/** Borrowed text or bytes; valid during the call. */
static inline pt_text_view pt__fn_string(const duckdb_string_t *string)
{
    uint32_t length = string->value.inlined.length;
    return (pt_text_view){length <= 12 ? string->value.inlined.inlined : string->value.pointer.ptr, length};
}

static inline pt_text_view pt__fn_text(const pt__fn_call *call, size_t column, idx_t row)
{
    return pt__fn_string(PT__FN_IN(call, column, duckdb_string_t) + row);
}

/** Copies; the text must be UTF-8 where the result is text. */
static inline void pt__fn_put_text(pt__fn_call *call, idx_t row, const char *data, size_t size_bytes)
{
    duckdb_unsafe_vector_assign_string_element_len(call->output, row, data, size_bytes);
}

void pt__fn_put_string(pt__fn_call *call, idx_t row, const char *string);
/** Fails the call when the buffer has failed, or the results of the call are too large. */
bool pt__fn_put_buffer(pt__fn_call *call, idx_t row, const pt__buffer *buffer);

static inline pt_int128 pt__fn_load_int128(const void *data)
{
    pt_int128 value;
    memcpy(&value, data, sizeof(value));
    return value;
}

static inline void pt__fn_put_int128(void *data, pt_int128 value)
{
    memcpy(data, &value, sizeof(value));
}

/** The unscaled value of a decimal result, stored as wide as its precision asks. */
static inline void pt__fn_put_decimal(pt__fn_call *call, idx_t row, pt_int128 value)
{
    if (call->precision > 18)
        pt__fn_put_int128((char *)call->out + 16 * row, value);
    else if (call->precision > 9)
        PT__FN_OUT(call, int64_t)[row] = (int64_t)value;
    else if (call->precision > 4)
        PT__FN_OUT(call, int32_t)[row] = (int32_t)value;
    else
        PT__FN_OUT(call, int16_t)[row] = (int16_t)value;
}

/** The unscaled value of a decimal or the value of an integer column. */
static inline pt_int128 pt__fn_integer(const pt__fn_column *column, idx_t row)
{
    switch (column->type->physical) {
    case DUCKDB_TYPE_TINYINT: return ((const int8_t *)column->data)[row];
    case DUCKDB_TYPE_SMALLINT: return ((const int16_t *)column->data)[row];
    case DUCKDB_TYPE_INTEGER: return ((const int32_t *)column->data)[row];
    case DUCKDB_TYPE_BIGINT: return ((const int64_t *)column->data)[row];
    default: return pt__fn_load_int128((const char *)column->data + 16 * row);
    }
}

/** The number by which dates, timestamps, decimals, integers and times are stored. */
static inline pt_int128 pt__fn_whole(const pt__fn_column *column, idx_t row)
{
    switch (column->type->physical) {
    case DUCKDB_TYPE_BOOLEAN: return ((const bool *)column->data)[row];
    case DUCKDB_TYPE_DATE: return ((const int32_t *)column->data)[row];
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return ((const int64_t *)column->data)[row];
    default: return pt__fn_integer(column, row);
    }
}

bool pt__fn_type_is_integer(const pt__fn_type *type);

/* Errors. */

/** Fails the whole call; name and value pairs ended by NULL. Always false. */
__attribute__((sentinel)) bool pt__fn_raise(pt__fn_call *call, pt__condition_id condition, ...);

/** The text of such an error. */
void pt__fn_append_condition(pt__buffer *text, pt__condition_id condition, va_list arguments);

/** As pt__fn_raise in ANSI mode; else nothing, the row being NULL. */
#define pt__fn_reject(call, ...) ((call)->mode == PT__FN_ANSI ? pt__fn_raise((call), __VA_ARGS__) : false)

/** Fail the call with no condition of Spark's. Always false. */
bool pt__fn_fail_memory(pt__fn_call *call);

/** Asked before a result of that size is made. False after failing the call with UNABLE_TO_ACQUIRE_MEMORY. */
bool pt__fn_may_make(pt__fn_call *call, uint64_t size_bytes);
/** Elements that the lists of a call may have together. */
uint64_t pt__fn_list_limit(const pt__fn_call *call);
/** The lowering gave a type that the function does not take. */
bool pt__fn_fail_type(pt__fn_call *call, size_t column);

/** `"DECIMAL(3,2)"` with the quotes, for messages: the Spark type that a DuckDB type stands for. */
void pt__fn_append_type(pt__buffer *out, const pt__fn_type *type);

#define PT__ANSI_CONFIG "\"spark.sql.ansi.enabled\""

/* Caches. */

/** The value made for `key` in `slot`, or NULL: then make one and hand it to pt__fn_remember. */
void *pt__fn_recall(pt__fn_state *state, size_t slot, pt_text_view key);
/** Takes `value`. False (and `value` is freed) without memory. */
bool pt__fn_remember(pt__fn_state *state, size_t slot, pt_text_view key, void *value, void (*free_value)(void *));

#endif
