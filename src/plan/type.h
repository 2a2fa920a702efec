/**
 * Types of the plan: Spark's, engine-neutral.
 *
 * A pt_type is immutable and lives in the arena of its plan or is one of the static simple types. Two types are
 * compared by pt__type_equal, never by address.
 *
 * Source: Apache Spark SQL data types; text forms are those of DataType.simpleString and of DDL.
 */
#ifndef PT_PLAN_TYPE_H
#define PT_PLAN_TYPE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <portico/error.h>

#include <stdint.h>

/* id, DDL and simpleString name, name in Spark's JSON */
#define PT_TYPE_MAP(X)                                                                                                 \
    X(VOID, "void", "void")                                                                                            \
    X(BOOLEAN, "boolean", "boolean")                                                                                   \
    X(BYTE, "tinyint", "byte")                                                                                         \
    X(SHORT, "smallint", "short")                                                                                      \
    X(INT, "int", "integer")                                                                                           \
    X(LONG, "bigint", "long")                                                                                          \
    X(FLOAT, "float", "float")                                                                                         \
    X(DOUBLE, "double", "double")                                                                                      \
    X(DECIMAL, "decimal", "decimal")                                                                                   \
    X(STRING, "string", "string")                                                                                      \
    X(CHAR, "char", "char")                                                                                            \
    X(VARCHAR, "varchar", "varchar")                                                                                   \
    X(BINARY, "binary", "binary")                                                                                      \
    X(DATE, "date", "date")                                                                                            \
    X(TIME, "time", "time")                                                                                            \
    X(TIMESTAMP, "timestamp", "timestamp")                                                                             \
    X(TIMESTAMP_NTZ, "timestamp_ntz", "timestamp_ntz")                                                                 \
    X(INTERVAL_YEAR_MONTH, "interval year to month", "interval year to month")                                         \
    X(INTERVAL_DAY_TIME, "interval day to second", "interval day to second")                                           \
    X(INTERVAL_CALENDAR, "interval", "interval")                                                                       \
    X(ARRAY, "array", "array")                                                                                         \
    X(MAP, "map", "map")                                                                                               \
    X(STRUCT, "struct", "struct")                                                                                      \
    X(VARIANT, "variant", "variant")                                                                                   \
    X(UDT, "udt", "udt")

typedef enum pt_type_id {
#define PT_TYPE_ENUM(id, name, json) PT_TYPE_##id,
    PT_TYPE_MAP(PT_TYPE_ENUM)
#undef PT_TYPE_ENUM
        PT_TYPE_COUNT
} pt_type_id;

/** Fields of intervals: YEAR 0, MONTH 1 for year-month; DAY 0, HOUR 1, MINUTE 2, SECOND 3 for day-time. */
typedef struct pt_type pt_type;

typedef struct pt_field {
    const char *name;
    const pt_type *type;
    bool nullable;
    const char *metadata; /* JSON object text; NULL: none */
} pt_field;

struct pt_type {
    pt_type_id id;
    int32_t precision;   /* decimal, time: precision; char and varchar: length */
    int32_t scale;       /* decimal */
    uint8_t start_field; /* intervals */
    uint8_t end_field;
    bool contains_null;     /* array: of elements; map: of values */
    const char *collation;  /* string; NULL: UTF8_BINARY */
    const pt_type *element; /* array element, map value, udt: its SQL type */
    const pt_type *key;     /* map */
    const pt_field *fields; /* struct */
    size_t field_count;
    const char *udt_class;        /* udt: JVM class; may be NULL */
    const char *udt_python_class; /* udt; may be NULL */
    const char *udt_serialized;   /* udt: serialized Python class; may be NULL */
};

/** A shared, static simple type: every id but DECIMAL with other than (10,0), CHAR, VARCHAR, ARRAY, MAP, STRUCT, UDT.
 */
const pt_type *pt__type_simple(pt_type_id id);
#define PT_T(id) pt__type_simple(PT_TYPE_##id)

enum { PT_DECIMAL_PRECISION_MAX = 38 };

const pt_type *pt__type_decimal(pt__arena *arena, int32_t precision, int32_t scale);
const pt_type *pt__type_array(pt__arena *arena, const pt_type *element, bool contains_null);
const pt_type *pt__type_map(pt__arena *arena, const pt_type *key, const pt_type *value, bool contains_null);
/** `fields` is kept, not copied. */
const pt_type *pt__type_struct(pt__arena *arena, const pt_field *fields, size_t field_count);
const pt_type *pt__type_char(pt__arena *arena, pt_type_id char_or_varchar, int32_t length);
const pt_type *pt__type_interval(pt__arena *arena, pt_type_id id, uint8_t start_field, uint8_t end_field);
const pt_type *pt__type_time(pt__arena *arena, int32_t precision);
/** `collation` is kept; NULL and "UTF8_BINARY" give the simple string type. */
const pt_type *pt__type_string(pt__arena *arena, const char *collation);

/** Equal in everything; the weaker form ignores nullability and metadata at every depth. */
bool pt__type_equal(const pt_type *a, const pt_type *b);
bool pt__type_same_kind(const pt_type *a, const pt_type *b);

bool pt__type_is_integral(const pt_type *type);
bool pt__type_is_numeric(const pt_type *type);
bool pt__type_is_string(const pt_type *type); /* string, char, varchar */
bool pt__type_is_datetime(const pt_type *type);
bool pt__type_is_interval(const pt_type *type);

/** Types nested deeper are refused: engines' planners and clients' messages take no more. */
enum { PT_TYPE_NESTING_MAX = 100 };
/** PT_LIMIT when the type nests more than PT_TYPE_NESTING_MAX levels; an atomic type is level 0. */
pt_status pt__type_check_nesting(const pt_type *type, pt_error *err);

/** The type with every nested type marked nullable, as Spark's asNullable. */
const pt_type *pt__type_as_nullable(pt__arena *arena, const pt_type *type);

/** `array<struct<a:int>>`: DataType.simpleString (structs are not cut). */
void pt__type_append_simple(pt__buffer *out, const pt_type *type);
/** `ARRAY<STRUCT<a: INT>>`: DataType.sql, as quoted in error messages. */
void pt__type_append_sql(pt__buffer *out, const pt_type *type);
/** `a INT,b STRING NOT NULL`: StructType.toDDL; other types as in pt__type_append_sql. */
void pt__type_append_ddl(pt__buffer *out, const pt_type *type);
/** Spark's schema JSON. */
void pt__type_append_json(pt__buffer *out, const pt_type *type);
/**
 * Reads Spark's schema JSON: `"integer"`, `{"type":"struct",…}`. Nothing of `text` is kept.
 * Errors: PT_INVALID_ARGUMENT naming what is wrong.
 */
pt_status pt__type_parse_json(pt__arena *arena, const char *text, size_t size_bytes, const pt_type **out,
                              pt_error *err);

/** A name as SQL writes it: in back-quotes unless it is letters, digits and `_` and no number. */
void pt__append_quoted_if_needed(pt__buffer *out, const char *name);
/** A name in back-quotes, always. */
void pt__append_quoted(pt__buffer *out, const char *name);

const char *pt__type_simple_string(pt__arena *arena, const pt_type *type);
const char *pt__type_sql(pt__arena *arena, const pt_type *type);

/** Deep copy into another arena. */
const pt_type *pt__type_copy(pt__arena *arena, const pt_type *type);

#endif
