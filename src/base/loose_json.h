/**
 * A JSON reader as forgiving as Spark's functions are, and a writer that spells values as they do.
 *
 * A document is an array of nodes, root first, whose memory is kept from use to use. It points into the text that
 * was read. Reading stops after the first value; what follows it is not looked at.
 *
 * Source: behaviour of Jackson with the features that Spark's options turn on.
 */
#ifndef PT_BASE_LOOSE_JSON_H
#define PT_BASE_LOOSE_JSON_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pt__loose_kind {
    PT_LOOSE_NULL,
    PT_LOOSE_TRUE,
    PT_LOOSE_FALSE,
    PT_LOOSE_INT,
    PT_LOOSE_FLOAT,
    PT_LOOSE_STRING,
    PT_LOOSE_ARRAY,
    PT_LOOSE_OBJECT
} pt__loose_kind;

/** What strict JSON does not allow. */
enum {
    PT_LOOSE_SINGLE_QUOTES = 1,
    PT_LOOSE_UNQUOTED_NAMES = 2,
    PT_LOOSE_COMMENTS = 4,
    PT_LOOSE_LEADING_ZEROS = 8,
    PT_LOOSE_CONTROL_CHARACTERS = 16, /* within strings */
    PT_LOOSE_BACKSLASH_ANY = 32,      /* \q stands for q */
    PT_LOOSE_NON_NUMERIC = 64         /* NaN, Infinity, -Infinity, +Infinity, INF … as numbers */
};

enum { PT_LOOSE_DEPTH_MAX = 1000 };

typedef struct pt__loose_node {
    pt__loose_kind kind;
    bool text_escaped;
    bool key_escaped;
    uint32_t first;    /* array, object: index of the first child; 0: none */
    uint32_t next;     /* index of the next sibling; 0: none */
    pt_text_view text; /* string: between its quotes, escapes and all; number: as written; else where it stands */
    pt_text_view key;  /* of a member of an object */
} pt__loose_node;

typedef struct pt__loose_json {
    pt__loose_node *nodes;
    uint32_t count;
    uint32_t capacity;
} pt__loose_json;

#define PT_LOOSE_JSON_INIT                                                                                             \
    {                                                                                                                  \
        NULL, 0, 0                                                                                                     \
    }

void pt__loose_json_deinit(pt__loose_json *json);

typedef enum pt__loose_result { PT_LOOSE_OK, PT_LOOSE_EMPTY, PT_LOOSE_MALFORMED, PT_LOOSE_NO_MEMORY } pt__loose_result;

/** EMPTY: there is no value at all. */
pt__loose_result pt__loose_json_read(pt__loose_json *json, pt_text_view text, unsigned allowed);

/** Children of an array or object, in order. */
#define PT_LOOSE_EACH(json, parent, child)                                                                             \
    for (uint32_t child = (json)->nodes[parent].first; child != 0; child = (json)->nodes[child].next)

/** Whether the key of a member is `name`. */
bool pt__loose_key_is(const pt__loose_node *member, pt_text_view name);

/** Appends text with its escapes resolved. */
void pt__loose_append_text(pt__buffer *out, pt_text_view raw, bool escaped);
/** Appends a quoted string as Spark writes it: only quotes, backslashes and control characters are escaped. */
void pt__loose_append_quoted(pt__buffer *out, const char *data, size_t size_bytes);
/** A number with a fraction as Java spells doubles; infinite ones as a string. */
void pt__loose_append_double(pt__buffer *out, double value);
/** Appends a value without spaces. */
void pt__loose_append_value(pt__buffer *out, const pt__loose_json *json, uint32_t node);

#endif
