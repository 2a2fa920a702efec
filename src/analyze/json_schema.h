/**
 * Types found in JSON and CSV text, and what constant arguments of JSON and CSV functions say.
 *
 * Source: behaviour of Spark's JsonInferSchema and CSVInferSchema.
 */
#ifndef PT_ANALYZE_JSON_SCHEMA_H
#define PT_ANALYZE_JSON_SCHEMA_H

#include "base/json.h"
#include "base/loose_json.h"
#include "plan/plan.h"

/** Options of a function: an object whose keys are in lower case; may be empty, never NULL. */
typedef const pt__json *pt__options;

/** The options that a constant map(...) gives; false when it is something else. `expr` NULL gives none. */
bool pt__constant_options(pt__arena *arena, const pt_expr *expr, pt__options *out);
/** The same as text. */
const char *pt__options_text(pt__arena *arena, pt__options options);

/**
 * The type of one JSON text: NULL counts as a string, empty structs are left out.
 * Errors: INVALID_JSON_TEXT.
 */
pt_status pt__infer_json(pt__arena *arena, pt_text_view text, pt__options options, const pt_type **out, pt_error *err);

/** What strict JSON lacks and the options allow. */
unsigned pt__json_features(pt__options options);

/** The type of a value, with VOID where nothing is known. For readers of files. */
const pt_type *pt__json_type(pt__arena *arena, const pt__loose_json *json, uint32_t node, pt__options options);
/** The type that holds values of both; `otherwise` where nothing but text or a variant does. */
const pt_type *pt__merge_inferred(pt__arena *arena, const pt_type *a, const pt_type *b, const pt_type *otherwise);
/** VOID becomes string, empty structs go; NULL when nothing is left. */
const pt_type *pt__json_settle(pt__arena *arena, const pt_type *type);

/**
 * What is known of the types of records after some of them. Records that are arrays count as their elements.
 */
typedef struct pt__json_inference {
    pt__arena *arena;   /* of the result */
    pt__arena *scratch; /* emptied now and then */
    pt__loose_json json;
    pt__options options;
    const pt_type *type; /* VOID: nothing yet */
    bool has_bad;
    uint64_t record_count;
} pt__json_inference;

/** False when there is no memory. */
bool pt__json_inference_init(pt__json_inference *in, pt__arena *arena, pt__options options);
void pt__json_inference_deinit(pt__json_inference *in);
/** `text.data` NULL: a NULL, which is a bad record. */
void pt__json_inference_add(pt__json_inference *in, pt_text_view text);
/** The struct that holds all records, with a field for bad ones when they are kept. */
const pt_type *pt__json_inference_end(const pt__json_inference *in);

/** Makes from_json of an array of structs give the records of a text, as reading a file does. Not for users. */
#define PT_JSON_RECORDS_OPTION "portico.records"

/** The names that a first line of CSV gives to columns: its fields when it is a header, _c0, _c1 … otherwise. */
const char *const *pt__csv_names(pt__arena *arena, pt_text_view line, pt__options options, size_t *count);
/** Makes `types`, VOID at first, hold the fields of another line too; those beyond `count` are passed over. */
void pt__csv_merge_line(pt__arena *arena, pt__arena *scratch, pt_text_view line, pt__options options,
                        const pt_type **types, size_t count);

/** An object out of pairs, keys in lower case. */
pt__options pt__options_of(pt__arena *arena, const pt_options *pairs);

/** The type of one line of CSV: columns _c0, _c1 … */
const pt_type *pt__infer_csv(pt__arena *arena, pt_text_view line, pt__options options);

/** The text of a constant string, also a cast one; false when it is none. */
bool pt__constant_text(const pt_expr *expr, pt_text_view *out);

/**
 * The type that a schema argument means: DDL, Spark's JSON, schema_of_json(...) or schema_of_csv(...) of constants.
 * Errors: INVALID_SCHEMA.NON_STRING_LITERAL, parse errors.
 */
pt_status pt__schema_argument(pt__arena *arena, const pt_expr *expr, const pt_type **out, pt_error *err);

#endif
