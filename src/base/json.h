/**
 * JSON: a strict reader into an arena and the pieces of a writer.
 *
 * Spec: RFC 8259. Duplicate keys are kept; look-up finds the last one.
 */
#ifndef PT_BASE_JSON_H
#define PT_BASE_JSON_H

#include "base/arena.h"
#include "base/buffer.h"

#include <portico/error.h>

typedef enum pt__json_kind {
    PT_JSON_NULL,
    PT_JSON_BOOLEAN,
    PT_JSON_NUMBER,
    PT_JSON_STRING,
    PT_JSON_ARRAY,
    PT_JSON_OBJECT
} pt__json_kind;

typedef struct pt__json {
    pt__json_kind kind;
    bool boolean;
    const char *key;  /* of a member of an object; else NULL */
    const char *text; /* STRING: decoded; NUMBER: as written. Terminated; a string may hold NULs */
    size_t text_bytes;
    const struct pt__json *items; /* ARRAY: elements; OBJECT: members */
    size_t count;
} pt__json;

enum { PT_JSON_DEPTH_MAX = 512 };

/**
 * Reads one value that fills `text` but for white space.
 * Ownership: everything lives in `arena`; `text` is not kept.
 * Errors:    PT_INVALID_ARGUMENT naming the byte offset.
 */
pt_status pt__json_parse(pt__arena *arena, const char *text, size_t size_bytes, const pt__json **out, pt_error *err);

/** The member of an object; NULL when absent or when `object` is none. */
const pt__json *pt__json_get(const pt__json *object, const char *key);
/** A string member's text; `fallback` when absent or of another kind. */
const char *pt__json_get_string(const pt__json *object, const char *key, const char *fallback);
bool pt__json_get_boolean(const pt__json *object, const char *key, bool fallback);

/** Appends a quoted, escaped string. Malformed UTF-8 becomes U+FFFD. */
void pt__json_append_string(pt__buffer *out, const char *text, size_t size_bytes);
void pt__json_append_cstring(pt__buffer *out, const char *text);
/** Appends a value without white space. */
void pt__json_append(pt__buffer *out, const pt__json *value);

#endif
