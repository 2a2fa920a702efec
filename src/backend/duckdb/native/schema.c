/* Arrow schemas of DuckDB's types, as any client can read them: dictionaries are made plain. */
#include "backend/duckdb/native/native.h"

#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
}

static bool has_dictionary(const struct ArrowSchema *schema)
{
    bool found = schema->dictionary != NULL;
    for (int64_t i = 0; !found && i < schema->n_children; i++)
        found = has_dictionary(schema->children[i]);
    return found;
}

static pt_status make_plain(struct ArrowSchema *schema, pt_error *err)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(make_plain(schema->children[i], err));
    if (schema->dictionary == NULL)
        return PT_OK;
    struct ArrowSchema plain;
    if (ArrowSchemaDeepCopy(schema->dictionary, &plain) != NANOARROW_OK)
        return no_memory(err);
    if (ArrowSchemaSetName(&plain, schema->name) != NANOARROW_OK) {
        plain.release(&plain);
        return no_memory(err);
    }
    plain.flags = schema->flags;
    schema->release(schema);
    *schema = plain;
    return PT_OK;
}

/* In a copy: the release of DuckDB's own schemas does not look at the children. */
pt_status pt__native_plain_schema(struct ArrowSchema *schema, pt_error *err)
{
    struct ArrowSchema own;
    if (!has_dictionary(schema))
        return PT_OK;
    if (ArrowSchemaDeepCopy(schema, &own) != NANOARROW_OK)
        return no_memory(err);
    schema->release(schema);
    *schema = own;
    return make_plain(schema, err);
}

/* ---- arrays ---- */

static int64_t index_at(const struct ArrowArray *array, int64_t row, int64_t index_bytes)
{
    const void *indices = array->buffers[1];
    int64_t at = array->offset + row;
    switch (index_bytes) {
    case 1: return ((const uint8_t *)indices)[at];
    case 2: return ((const uint16_t *)indices)[at];
    default: return ((const uint32_t *)indices)[at];
    }
}

static bool is_valid_at(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *valid = array->buffers[0];
    int64_t at = array->offset + row;
    return valid == NULL || (valid[at / 8] >> (at % 8) & 1) != 0;
}

static ArrowErrorCode append_word(struct ArrowArray *out, const struct ArrowArray *words, int64_t index)
{
    const int32_t *offsets = words->buffers[1];
    const char *data = words->buffers[2];
    int64_t at = words->offset + index;
    return ArrowArrayAppendString(out, (struct ArrowStringView){data + offsets[at], offsets[at + 1] - offsets[at]});
}

static ArrowErrorCode append_words(struct ArrowArray *out, const struct ArrowArray *array, int64_t index_bytes)
{
    for (int64_t row = 0; row < array->length; row++) {
        if (is_valid_at(array, row))
            NANOARROW_RETURN_NOT_OK(append_word(out, array->dictionary, index_at(array, row, index_bytes)));
        else
            NANOARROW_RETURN_NOT_OK(ArrowArrayAppendNull(out, 1));
    }
    return NANOARROW_OK;
}

static int64_t index_bytes_of(const struct ArrowSchema *schema)
{
    return schema->format[0] == 'C' || schema->format[0] == 'c'   ? 1
           : schema->format[0] == 'S' || schema->format[0] == 's' ? 2
                                                                  : 4;
}

static ArrowErrorCode decode(const struct ArrowSchema *schema, struct ArrowArray *array)
{
    struct ArrowArray plain;
    NANOARROW_RETURN_NOT_OK(ArrowArrayInitFromType(&plain, NANOARROW_TYPE_STRING));
    ArrowErrorCode code = ArrowArrayStartAppending(&plain);
    if (code == NANOARROW_OK)
        code = append_words(&plain, array, index_bytes_of(schema));
    if (code == NANOARROW_OK)
        code = ArrowArrayFinishBuildingDefault(&plain, NULL);
    if (code != NANOARROW_OK) {
        plain.release(&plain);
        return code;
    }
    array->release(array);
    *array = plain;
    return NANOARROW_OK;
}

pt_status pt__native_plain_array(const struct ArrowSchema *schema, struct ArrowArray *array, pt_error *err)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(pt__native_plain_array(schema->children[i], array->children[i], err));
    if (schema->dictionary == NULL)
        return PT_OK;
    return decode(schema, array) == NANOARROW_OK ? PT_OK : no_memory(err);
}
