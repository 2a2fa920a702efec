#include "backend/ballista/relayout.h"

#include "backend/ballista/relayout_value.h"

#include <nanoarrow/nanoarrow.h>

#include <stdio.h>
#include <string.h>

enum { NESTING_MAX = 64 };

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory to convert a result");
}

/* ---- schemas ---- */

static const char *plain_format(const char *format)
{
    if (strcmp(format, "vu") == 0)
        return "u";
    return strcmp(format, "vz") == 0 ? "z" : format;
}

static pt_status make_plain(const struct ArrowSchema *from, struct ArrowSchema *out, int depth, pt_error *err)
{
    const struct ArrowSchema *values = from->dictionary == NULL ? from : from->dictionary;
    if (depth > NESTING_MAX)
        return pt_error_set(err, PT_BAD_MESSAGE, "a result's types are nested too deeply");
    ArrowSchemaInit(out);
    if (ArrowSchemaSetFormat(out, plain_format(values->format)) != NANOARROW_OK ||
        ArrowSchemaSetName(out, from->name) != NANOARROW_OK ||
        (values->n_children > 0 && ArrowSchemaAllocateChildren(out, values->n_children) != NANOARROW_OK))
        return no_memory(err);
    out->flags = from->flags;
    for (int64_t i = 0; i < values->n_children; i++)
        PT_TRY(make_plain(values->children[i], out->children[i], depth + 1, err));
    return PT_OK;
}

pt_status pt__relayout_schema(const struct ArrowSchema *from, struct ArrowSchema *out, pt_error *err)
{
    pt_status status = make_plain(from, out, 0, err);
    if (status != PT_OK && out->release != NULL)
        out->release(out);
    if (status != PT_OK)
        out->release = NULL;
    return status;
}

/* ---- arrays ---- */

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *scale_of(const char *decimal)
{
    const char *comma = strchr(decimal, ',');
    return comma == NULL ? "" : comma;
}

/* Whether the buffers are the same, whatever the types are called: instants of any zone, decimals of one scale. */
static bool same_buffers(const char *from, const char *to)
{
    if (strcmp(from, to) == 0)
        return true;
    if (starts(from, "tsu:") && starts(to, "tsu:"))
        return true;
    return starts(from, "d:") && starts(to, "d:") && strcmp(scale_of(from), scale_of(to)) == 0;
}

static bool is_list(const char *format)
{
    return strcmp(format, "+l") == 0 || strcmp(format, "+m") == 0 || strcmp(format, "+L") == 0;
}

static pt_status relayout_array(const struct ArrowSchema *from, struct ArrowArray *array, const struct ArrowSchema *to,
                                pt_error *err);

static pt_status relayout_children(const struct ArrowSchema *from, struct ArrowArray *array,
                                   const struct ArrowSchema *to, pt_error *err)
{
    if (from->n_children != to->n_children || array->n_children != from->n_children)
        return pt__relayout_refuse(from, to, err);
    for (int64_t i = 0; i < from->n_children; i++)
        PT_TRY(relayout_array(from->children[i], array->children[i], to->children[i], err));
    return PT_OK;
}

/* Offsets of 64 bits become such of 32. The arrays come from nanoarrow, whose buffers can be exchanged. */
static pt_status shrink_offsets(struct ArrowArray *array, pt_error *err)
{
    struct ArrowBuffer narrow;
    const int64_t *wide = array->buffers[1];
    int64_t count = wide == NULL ? 0 : array->offset + array->length + 1;
    if (count > 0 && wide[count - 1] > INT32_MAX)
        return pt_error_set(err, PT_LIMIT, "a column of the result has more than 2 GiB in one batch");
    ArrowBufferInit(&narrow);
    if (ArrowBufferReserve(&narrow, (count == 0 ? 1 : count) * 4) != NANOARROW_OK)
        return no_memory(err);
    for (int64_t i = 0; i < count; i++)
        ArrowBufferAppendUnsafe(&narrow, &(int32_t){(int32_t)wide[i]}, 4);
    if (count == 0)
        ArrowBufferAppendUnsafe(&narrow, &(int32_t){0}, 4);
    ArrowBufferReset(ArrowArrayBuffer(array, 1));
    ArrowBufferMove(&narrow, ArrowArrayBuffer(array, 1));
    array->buffers[1] = ArrowArrayBuffer(array, 1)->data;
    return PT_OK;
}

static bool shrinks(const char *from, const char *to)
{
    return (strcmp(from, "U") == 0 && strcmp(to, "u") == 0) || (strcmp(from, "Z") == 0 && strcmp(to, "z") == 0) ||
           (strcmp(from, "+L") == 0 && strcmp(to, "+l") == 0);
}

static pt_status relayout_array(const struct ArrowSchema *from, struct ArrowArray *array, const struct ArrowSchema *to,
                                pt_error *err)
{
    if (from->dictionary != NULL)
        return pt__relayout_values(from, array, to, err);
    if (shrinks(from->format, to->format))
        PT_TRY(shrink_offsets(array, err));
    else if (!same_buffers(from->format, to->format))
        return pt__relayout_values(from, array, to, err);
    bool is_nested = strcmp(from->format, "+s") == 0 || is_list(from->format) || starts(from->format, "+w:");
    if (is_nested || from->n_children == 0)
        return relayout_children(from, array, to, err);
    return pt__relayout_refuse(from, to, err);
}

static void drop_columns(struct ArrowArray *rows, int64_t kept)
{
    for (int64_t i = kept; i < rows->n_children; i++)
        if (rows->children[i]->release != NULL)
            rows->children[i]->release(rows->children[i]);
}

/* nanoarrow frees children by their number, and those that are released already take no harm. */
pt_status pt__relayout(const struct ArrowSchema *from, struct ArrowArray *rows, const struct ArrowSchema *to,
                       pt_error *err)
{
    if (from->n_children < to->n_children || rows->n_children != from->n_children)
        return pt_error_set(err, PT_BAD_MESSAGE, "the cluster gave %lld columns, and %lld were asked for",
                            (long long)from->n_children, (long long)to->n_children);
    for (int64_t i = 0; i < to->n_children; i++)
        PT_TRY(relayout_array(from->children[i], rows->children[i], to->children[i], err));
    drop_columns(rows, to->n_children);
    return PT_OK;
}
