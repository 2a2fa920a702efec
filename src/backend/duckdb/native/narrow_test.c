#include "backend/duckdb/native/narrow.h"
#include "base/test.h"

#include <stdlib.h>
#include <string.h>

static struct ArrowSchema decimal(int digits, int scale)
{
    struct ArrowSchema schema;
    ArrowSchemaInit(&schema);
    PT_CHECK_EQ(ArrowSchemaSetTypeDecimal(&schema, NANOARROW_TYPE_DECIMAL128, digits, scale), NANOARROW_OK);
    return schema;
}

PT_TEST(narrow_takes_decimals_that_fit_into_64_bits)
{
    static const struct {
        int digits, scale, bits;
        const char *format;
    } CASES[] = {{4, 0, 32, "d:4,0,32"},   {9, 9, 32, "d:9,9,32"}, {10, 2, 64, "d:10,2,64"},
                 {18, 3, 64, "d:18,3,64"}, {19, 3, 0, "d:19,3"},   {38, 0, 0, "d:38,0"}};
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ArrowSchema schema = decimal(CASES[i].digits, CASES[i].scale);
        PT_CHECK_EQ(pt__narrow_schema(&schema), CASES[i].bits);
        PT_CHECK_STR(schema.format, CASES[i].format);
        schema.release(&schema);
    }
}

PT_TEST(narrow_leaves_other_columns_alone)
{
    struct ArrowSchema schema;
    ArrowSchemaInit(&schema);
    PT_CHECK_EQ(ArrowSchemaSetType(&schema, NANOARROW_TYPE_INT64), NANOARROW_OK);
    PT_CHECK_EQ(pt__narrow_schema(&schema), 0);
    PT_CHECK_STR(schema.format, "l");
    schema.release(&schema);
}

/* An array over halves of 128-bit values, low ones first. */
static struct ArrowArray array_of(const void **buffers, int64_t offset, int64_t length)
{
    return (struct ArrowArray){.offset = offset, .length = length, .n_buffers = 2, .buffers = buffers};
}

PT_TEST(narrow_keeps_signs_and_offsets)
{
    static const int64_t HALVES[] = {7, 0, -1, -1, INT64_MAX, 0, INT64_MIN, -1};
    const void *buffers[] = {NULL, HALVES};
    struct ArrowArray array = array_of(buffers, 1, 3);
    void *values = NULL;
    PT_CHECK_EQ(pt__narrow_values(&array, 64, &values, NULL), PT_OK);
    const int64_t *wide = values;
    PT_CHECK(wide[1] == -1 && wide[2] == INT64_MAX && wide[3] == INT64_MIN);
    free(values);
    array = array_of(buffers, 0, 2);
    PT_CHECK_EQ(pt__narrow_values(&array, 32, &values, NULL), PT_OK);
    const int32_t *slim = values;
    PT_CHECK(slim[0] == 7 && slim[1] == -1);
    free(values);
}

PT_TEST(narrow_refuses_what_does_not_fit_unless_it_is_null)
{
    static const int64_t HALVES[] = {1, 1, 5, 0, INT64_C(1) << 40, 0};
    static const uint8_t ONLY_SECOND = 2;
    const void *buffers[] = {NULL, HALVES};
    struct ArrowArray array = array_of(buffers, 0, 2);
    pt_error err = PT_ERROR_INIT;
    void *values = NULL;
    PT_CHECK_EQ(pt__narrow_values(&array, 64, &values, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(values == NULL);
    pt_error_clear(&err);
    array = array_of(buffers, 1, 2);
    PT_CHECK_EQ(pt__narrow_values(&array, 32, &values, NULL), PT_INVALID_ARGUMENT);
    PT_CHECK_EQ(pt__narrow_values(&array, 64, &values, NULL), PT_OK);
    free(values);
    buffers[0] = &ONLY_SECOND;
    array = array_of(buffers, 0, 3);
    PT_CHECK_EQ(pt__narrow_values(&array, 32, &values, NULL), PT_OK);
    PT_CHECK_EQ(((const int32_t *)values)[1], 5);
    free(values);
    array = array_of(buffers, 0, 0);
    PT_CHECK_EQ(pt__narrow_values(&array, 32, &values, NULL), PT_OK);
    free(values);
}
