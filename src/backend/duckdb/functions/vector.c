/* Functions of arrays of floats: inner products, distances, norms. An array that holds NULL gives NULL. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/nested.h"
#include "base/format_double.h"

#include <math.h>
#include <stdio.h>

typedef struct vector_view {
    const float *values;
    idx_t size;
} vector_view;

/** False when an element is NULL. */
static bool open_vector(const pt__fn_column *column, idx_t row, vector_view *out)
{
    pt__fn_column elements = pt__fn_elements(column);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    *out = (vector_view){(const float *)elements.data + entry.offset, entry.length};
    for (idx_t i = 0; elements.validity != NULL && i < entry.length; i++)
        if (!pt__fn_bit(elements.validity, entry.offset + i))
            return false;
    return true;
}

static bool raise_dimensions(pt__fn_call *call, const char *name, idx_t left, idx_t right)
{
    char left_text[24];
    char right_text[24];
    snprintf(left_text, sizeof(left_text), "%llu", (unsigned long long)left);
    snprintf(right_text, sizeof(right_text), "%llu", (unsigned long long)right);
    return pt__fn_raise(call, PT_COND_VECTOR_DIMENSION_MISMATCH, "functionName", name, "leftDim", left_text, "rightDim",
                        right_text, NULL);
}

static bool open_two(pt__fn_call *call, idx_t row, const char *name, vector_view *a, vector_view *b)
{
    if (!open_vector(&call->columns[0], row, a) || !open_vector(&call->columns[1], row, b))
        return false;
    return a->size == b->size || raise_dimensions(call, name, a->size, b->size);
}

static double inner_product(const vector_view *a, const vector_view *b)
{
    double sum = 0;
    for (idx_t i = 0; i < a->size; i++)
        sum += (double)a->values[i] * (double)b->values[i];
    return sum;
}

static bool vector_inner_product(pt__fn_call *call, idx_t row)
{
    vector_view a;
    vector_view b;
    if (!open_two(call, row, "`vector_inner_product`", &a, &b))
        return false;
    PT__FN_OUT(call, float)[row] = (float)inner_product(&a, &b);
    return true;
}

void pt__fn_vector_inner_product(pt__fn_call *call)
{
    PT__FN_EACH(call, r, vector_inner_product(call, r));
}

/** NULL when a vector has no direction. */
static bool vector_cosine_similarity(pt__fn_call *call, idx_t row)
{
    vector_view a;
    vector_view b;
    if (!open_two(call, row, "`vector_cosine_similarity`", &a, &b))
        return false;
    double lengths = sqrt(inner_product(&a, &a) * inner_product(&b, &b));
    PT__FN_OUT(call, float)[row] = (float)(inner_product(&a, &b) / lengths);
    return lengths > 0;
}

void pt__fn_vector_cosine_similarity(pt__fn_call *call)
{
    PT__FN_EACH(call, r, vector_cosine_similarity(call, r));
}

static bool vector_l2_distance(pt__fn_call *call, idx_t row)
{
    vector_view a;
    vector_view b;
    double sum = 0;
    if (!open_two(call, row, "`vector_l2_distance`", &a, &b))
        return false;
    for (idx_t i = 0; i < a.size; i++) {
        double difference = (double)a.values[i] - (double)b.values[i];
        sum += difference * difference;
    }
    PT__FN_OUT(call, float)[row] = (float)sqrt(sum);
    return true;
}

void pt__fn_vector_l2_distance(pt__fn_call *call)
{
    PT__FN_EACH(call, r, vector_l2_distance(call, r));
}

/* Norms of degree 1, 2 or infinity. */

static bool norm(pt__fn_call *call, const char *name, const vector_view *a, float degree, double *out)
{
    char text[PT_DOUBLE_TEXT_MAX];
    *out = 0;
    if (degree != 1 && degree != 2 && !(isinf(degree) && degree > 0)) {
        pt__format_float(degree, text);
        return pt__fn_raise(call, PT_COND_INVALID_VECTOR_NORM_DEGREE, "functionName", name, "degree", text, NULL);
    }
    for (idx_t i = 0; i < a->size; i++) {
        double size = fabs((double)a->values[i]);
        *out = degree == 1 ? *out + size : degree == 2 ? *out + size * size : fmax(*out, size);
    }
    *out = degree == 2 ? sqrt(*out) : *out;
    return true;
}

static bool vector_norm(pt__fn_call *call, idx_t row)
{
    vector_view a;
    double size;
    if (!open_vector(&call->columns[0], row, &a) ||
        !norm(call, "`vector_norm`", &a, PT__FN_IN(call, 1, float)[row], &size))
        return false;
    PT__FN_OUT(call, float)[row] = (float)size;
    return true;
}

void pt__fn_vector_norm(pt__fn_call *call)
{
    PT__FN_EACH(call, r, vector_norm(call, r));
}

static bool vector_normalize(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    vector_view a;
    double size;
    idx_t position;
    if (!open_vector(&call->columns[0], row, &a) ||
        !norm(call, "`vector_normalize`", &a, PT__FN_IN(call, 1, float)[row], &size) || (size == 0 && a.size > 0))
        return false;
    pt__list_out_begin(out);
    if (!pt__list_out_grow(out, a.size, &position))
        return false;
    for (idx_t i = 0; i < a.size; i++)
        PT__LIST_OUT(out, float)[position + i] = (float)((double)a.values[i] / size);
    return pt__list_out_end(out, row);
}

void pt__fn_vector_normalize(pt__fn_call *call)
{
    pt__list_out out;
    if (!pt__list_out_open(&out, call))
        return;
    PT__FN_EACH(call, r, vector_normalize(call, &out, r));
    pt__list_out_close(&out);
}
