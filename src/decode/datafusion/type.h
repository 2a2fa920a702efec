/**
 * DataFusion's types as the decoder follows them: Arrow's, without the layouts that mean the same.
 */
#ifndef PT_DECODE_DATAFUSION_TYPE_H
#define PT_DECODE_DATAFUSION_TYPE_H

#include "plan/type.h"

#include <datafusion/common.pb-c.h>

/* id, name for messages, name of the plan's type where there is one without parameters */
#define PT_DF_TYPE_MAP(X)                                                                                              \
    X(NULL, "Null", VOID)                                                                                              \
    X(BOOLEAN, "Boolean", BOOLEAN)                                                                                     \
    X(INT8, "Int8", BYTE)                                                                                              \
    X(INT16, "Int16", SHORT)                                                                                           \
    X(INT32, "Int32", INT)                                                                                             \
    X(INT64, "Int64", LONG)                                                                                            \
    X(UINT8, "UInt8", SHORT)                                                                                           \
    X(UINT16, "UInt16", INT)                                                                                           \
    X(UINT32, "UInt32", LONG)                                                                                          \
    X(UINT64, "UInt64", LONG)                                                                                          \
    X(FLOAT32, "Float32", FLOAT)                                                                                       \
    X(FLOAT64, "Float64", DOUBLE)                                                                                      \
    X(DECIMAL, "Decimal128", COUNT)                                                                                    \
    X(STRING, "Utf8", STRING)                                                                                          \
    X(BINARY, "Binary", BINARY)                                                                                        \
    X(DATE, "Date32", DATE)                                                                                            \
    X(TIME, "Time64", COUNT)                                                                                           \
    X(TIMESTAMP, "Timestamp", COUNT)                                                                                   \
    X(INTERVAL_YEAR_MONTH, "Interval(YearMonth)", INTERVAL_YEAR_MONTH)                                                 \
    X(INTERVAL, "Interval(MonthDayNano)", INTERVAL_CALENDAR)                                                           \
    X(DURATION, "Duration", INTERVAL_DAY_TIME)                                                                         \
    X(LIST, "List", COUNT)                                                                                             \
    X(MAP, "Map", COUNT)                                                                                               \
    X(STRUCT, "Struct", COUNT)

typedef enum pt__df_kind {
#define PT_DF_TYPE_ENUM(id, name, plan) PT_DF_##id,
    PT_DF_TYPE_MAP(PT_DF_TYPE_ENUM)
#undef PT_DF_TYPE_ENUM
        PT_DF_KIND_COUNT
} pt__df_kind;

typedef struct pt__df_type pt__df_type;

typedef struct pt__df_field {
    const char *name;
    const pt__df_type *type;
    bool nullable;
} pt__df_field;

struct pt__df_type {
    pt__df_kind kind;
    int32_t precision; /* decimal: DataFusion's */
    int32_t scale;
    int32_t held;                    /* decimal: the precision that the plan's expression has */
    DatafusionCommon__TimeUnit unit; /* time, timestamp, duration */
    const char *zone;                /* timestamp; NULL: none */
    const pt__df_field *fields;      /* list: its element; map: key and value; struct */
    size_t field_count;
};

/** A kind without parameters. */
const pt__df_type *pt__df_simple(pt__df_kind kind);
#define PT_DF(id) pt__df_simple(PT_DF_##id)

/** A decimal whose expression in the plan has `held` digits; both are cut to 38. */
const pt__df_type *pt__df_decimal(pt__arena *arena, int32_t precision, int32_t scale, int32_t held);
const pt__df_type *pt__df_timestamp(pt__arena *arena, DatafusionCommon__TimeUnit unit, const char *zone);
const pt__df_type *pt__df_list(pt__arena *arena, const pt__df_type *element);

/** Errors: PT_BAD_PLAN for a missing type, PT_UNSUPPORTED naming one that the plan does not have. */
pt_status pt__df_arrow_type(pt__arena *arena, const DatafusionCommon__ArrowType *arrow, const pt__df_type **out,
                            pt_error *err);

/** The plan's type for values of `type`; decimals in full precision. */
const pt_type *pt__df_plan_type(pt__arena *arena, const pt__df_type *type);
/** What the translator's columns are here. */
const pt__df_type *pt__df_from_plan_type(pt__arena *arena, const pt_type *type);

/** Equal but for how many digits the plan holds and for names of fields. */
bool pt__df_same(const pt__df_type *a, const pt__df_type *b);
bool pt__df_is_integer(const pt__df_type *type);
bool pt__df_is_unsigned(const pt__df_type *type);
bool pt__df_is_float(const pt__df_type *type);
bool pt__df_is_numeric(const pt__df_type *type);
/** Bits of an integer type. */
int pt__df_integer_bits(const pt__df_type *type);
/** "Decimal128(15, 2)", for messages. */
const char *pt__df_type_text(pt__arena *arena, const pt__df_type *type);

#endif
