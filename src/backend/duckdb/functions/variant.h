/**
 * Variants: values whose type is known only at run time, in the binary form that Spark sends and stores.
 *
 * A variant is two byte strings: the value, and the metadata, which is the dictionary of its field names. Reading
 * checks every offset: what lies outside is malformed.
 *
 * Spec: Apache Parquet, Variant Binary Encoding, version 1.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_VARIANT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_VARIANT_H

#include "backend/duckdb/functions/call.h"
#include "base/loose_json.h"
#include "base/timezone.h"

typedef enum pt__variant_kind {
    PT__VARIANT_NULL,
    PT__VARIANT_BOOLEAN,
    PT__VARIANT_LONG,
    PT__VARIANT_DOUBLE,
    PT__VARIANT_FLOAT,
    PT__VARIANT_DECIMAL,
    PT__VARIANT_DATE,
    PT__VARIANT_TIMESTAMP,
    PT__VARIANT_TIMESTAMP_NTZ,
    PT__VARIANT_STRING,
    PT__VARIANT_BINARY,
    PT__VARIANT_UUID,
    PT__VARIANT_ARRAY,
    PT__VARIANT_OBJECT,
    PT__VARIANT_MALFORMED
} pt__variant_kind;

/** Borrowed bytes; the value may be a part of the whole one. */
typedef struct pt__variant {
    const uint8_t *value;
    size_t value_bytes;
    const uint8_t *metadata;
    size_t metadata_bytes;
} pt__variant;

/** A value taken apart. */
typedef struct pt__variant_value {
    pt__variant_kind kind;
    int64_t integer;    /* boolean, long, date (days), timestamps (µs) */
    double real;        /* float, double */
    pt_int128 unscaled; /* decimal */
    int32_t scale;
    pt_text_view text; /* string, binary, uuid */
    uint32_t count;    /* array, object */
    /* where elements are found */
    const uint8_t *ids;
    const uint8_t *offsets;
    const uint8_t *data;
    size_t data_bytes;
    uint8_t id_bytes;
    uint8_t offset_bytes;
} pt__variant_value;

/** The two fields of a variant column in a row. */
pt__variant pt__variant_at(const pt__fn_column *column, idx_t row);

pt__variant_value pt__variant_read(const pt__variant *variant);
/** Element or field by position, below `count`; false when malformed. `key` may be NULL. */
bool pt__variant_child(const pt__variant *variant, const pt__variant_value *value, uint32_t index, pt__variant *child,
                       pt_text_view *key);
/** A field of an object; false when there is none. */
bool pt__variant_field(const pt__variant *variant, const pt__variant_value *value, pt_text_view name,
                       pt__variant *child);
/** The variant without the bytes behind its value, which a part of a larger one has. */
pt__variant pt__variant_trimmed(const pt__variant *variant);
/** Whether the whole value can be read. */
bool pt__variant_is_valid(const pt__variant *variant);

/** Appends JSON; instants are shown in `zone`. False when malformed. */
bool pt__variant_append_json(pt__buffer *out, const pt__variant *variant, const pt__zone *zone);
/** As a cast to string gives it: text and numbers plain, the rest JSON. */
bool pt__variant_append_text(pt__buffer *out, const pt__variant *variant, const pt__zone *zone);

/* ---- building ---- */

/** Names and bytes of a variant under construction; zeros is empty. */
typedef struct pt__variant_builder {
    pt__buffer value;
    pt__buffer names;     /* one after the other */
    pt__buffer name_ends; /* of size_t */
    pt__buffer fields;    /* stack of struct field of objects being built */
    bool has_duplicate;
} pt__variant_builder;

void pt__variant_builder_reset(pt__variant_builder *builder);
void pt__variant_builder_deinit(pt__variant_builder *builder);

void pt__variant_add_null(pt__variant_builder *builder);
void pt__variant_add_boolean(pt__variant_builder *builder, bool value);
void pt__variant_add_long(pt__variant_builder *builder, int64_t value);
void pt__variant_add_double(pt__variant_builder *builder, double value);
void pt__variant_add_float(pt__variant_builder *builder, float value);
void pt__variant_add_decimal(pt__variant_builder *builder, pt_int128 unscaled, int32_t scale);
/** DATE, TIMESTAMP or TIMESTAMP_NTZ. */
void pt__variant_add_time(pt__variant_builder *builder, pt__variant_kind kind, int64_t value);
void pt__variant_add_string(pt__variant_builder *builder, const char *data, size_t size_bytes);
void pt__variant_add_binary(pt__variant_builder *builder, const char *data, size_t size_bytes);

/** What an array or object keeps until its end. */
typedef struct pt__variant_nest {
    size_t start;       /* in the value */
    size_t first_field; /* in the stack */
} pt__variant_nest;

pt__variant_nest pt__variant_begin(pt__variant_builder *builder);
/** Before each element; `name` NULL in arrays. */
void pt__variant_next(pt__variant_builder *builder, const pt__variant_nest *nest, const pt_text_view *name);
void pt__variant_end_array(pt__variant_builder *builder, const pt__variant_nest *nest);
/** Sorts the fields by name; sets has_duplicate when two are equal. */
void pt__variant_end_object(pt__variant_builder *builder, const pt__variant_nest *nest);

/** Adds a JSON value; numbers take the smallest exact form. */
void pt__variant_add_json(pt__variant_builder *builder, const pt__loose_json *json, uint32_t node);

/** Appends the metadata. */
void pt__variant_append_metadata(pt__buffer *out, const pt__variant_builder *builder);

/** Writes the variant to a row of the call's output; false after failing the call. */
bool pt__variant_put(pt__fn_call *call, idx_t row, const pt__variant_builder *builder);
/** Writes a part of an existing variant. */
void pt__variant_put_part(duckdb_vector output, idx_t row, const pt__variant *part);

#endif
