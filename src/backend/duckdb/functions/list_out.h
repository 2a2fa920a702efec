/**
 * Lists as results of kernels.
 *
 *     pt__list_out out;
 *     if (!pt__list_out_open(&out, call)) return;
 *     PT__FN_EACH(call, r, fill(call, &out, r));     fill: pt__list_out_begin, add elements, pt__list_out_end
 *     pt__list_out_close(&out);
 *
 * Elements are added by pt__list_out_grow, which hands back the position of the first of `count` new ones, and
 * written to PT__LIST_OUT(&out, type)[position]. Rows that are never begun are empty lists.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_LIST_OUT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_LIST_OUT_H

#include "backend/duckdb/functions/call.h"

enum {
    PT__LIST_LENGTH_SPARK = 2147483632 /* Spark's limit of an array's length */
};

typedef struct pt__list_out {
    pt__fn_call *call;
    duckdb_vector child;
    void *data; /* of the elements; changes when the list grows */
    idx_t size;
    idx_t capacity;
    idx_t start; /* of the row that was begun */
} pt__list_out;

#define PT__LIST_OUT(out, type) ((type *)(out)->data)

bool pt__list_out_open(pt__list_out *out, pt__fn_call *call);
void pt__list_out_begin(pt__list_out *out);
/** False after failing the call: more elements than the lists of a call may have. Asked before a long loop. */
bool pt__list_out_may_hold(pt__list_out *out, idx_t count);
/** False after failing the call: no memory, or more than pt__fn_list_limit elements together. */
bool pt__list_out_grow(pt__list_out *out, idx_t count, idx_t *position);
bool pt__list_out_push_int64(pt__list_out *out, int64_t value);
bool pt__list_out_push_text(pt__list_out *out, pt_text_view text);
bool pt__list_out_push_null(pt__list_out *out);
/** Always true. */
bool pt__list_out_end(pt__list_out *out, idx_t row);
void pt__list_out_close(pt__list_out *out);

#endif
