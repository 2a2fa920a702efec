#include "backend/duckdb/batch_packed.h"

#include "base/test.h"

#include <string.h>

static duckdb_vector vector_of(duckdb_logical_type type, const int64_t *values, idx_t count)
{
    duckdb_vector vector = duckdb_create_vector(type, count);
    memcpy(duckdb_vector_get_data(vector), values, count * sizeof(*values));
    return vector;
}

/* A file may hold such values, and DuckDB gives them as they are. */
PT_TEST(decimals_of_any_digits_are_packed)
{
    static const int64_t VALUES[] = {0, 999999999999999999, -999999999999999999, INT64_MAX, INT64_MIN, 5};
    enum { COUNT = sizeof(VALUES) / sizeof(VALUES[0]) };
    duckdb_logical_type type = duckdb_create_decimal_type(18, 2);
    pt__batch_column column = {.layout = PT_LAYOUT_DECIMAL64, .width_bytes = 16};
    pt__batch_memory *memory = pt__batch_memory_new();
    duckdb_vector vector = vector_of(type, VALUES, COUNT);
    uint64_t packed[COUNT];
    uint32_t longest = 0;
    bool has_null = true;
    PT_CHECK(pt__pack(type, vector, COUNT, packed, &longest));
    PT_CHECK(pt__batch_append_packed(memory, &column, packed, COUNT, &has_null));
    PT_CHECK(!has_null);
    duckdb_vector_ensure_validity_writable(vector);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), 4);
    PT_CHECK(pt__pack(type, vector, COUNT, packed, &longest));
    PT_CHECK_EQ(packed[4], 0);
    PT_CHECK(pt__batch_append_packed(memory, &column, packed, COUNT, &has_null));
    PT_CHECK(has_null);
    const int64_t *out = (const int64_t *)(const void *)column.values.data;
    for (size_t i = 0; i < 2 * COUNT; i++) {
        int64_t value = VALUES[i % COUNT];
        PT_CHECK_EQ(out[2 * i], i == COUNT + 4 ? 0 : value);
        PT_CHECK_EQ(out[2 * i + 1], i == COUNT + 4 ? 0 : value >> 63);
    }
    pt__batch_release(memory, &column.values);
    pt__batch_memory_unref(memory);
    duckdb_destroy_vector(&vector);
    duckdb_destroy_logical_type(&type);
}

PT_TEST(what_has_64_bits_is_not_packed)
{
    static const duckdb_type TYPES[] = {
        DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_DOUBLE,   DUCKDB_TYPE_TIMESTAMP, DUCKDB_TYPE_HUGEINT,
        DUCKDB_TYPE_TIME,   DUCKDB_TYPE_UUID,    DUCKDB_TYPE_INTERVAL, DUCKDB_TYPE_BOOLEAN,   DUCKDB_TYPE_TIMESTAMP_TZ};
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        duckdb_logical_type type = duckdb_create_logical_type(TYPES[i]);
        PT_CHECK(!pt__can_pack(type));
        duckdb_destroy_logical_type(&type);
    }
    duckdb_logical_type wide = duckdb_create_decimal_type(19, 0);
    PT_CHECK(!pt__can_pack(wide));
    duckdb_destroy_logical_type(&wide);
}

PT_TEST(packed_texts_know_their_bytes)
{
    static const char *const TEXTS[] = {"", "seven b", "eight by", "thirteen byte", NULL};
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_vector vector = duckdb_create_vector(type, 5);
    uint64_t packed[5];
    uint64_t words[PT_PACKED_ROWS / 64];
    uint32_t longest = 0;
    for (idx_t i = 0; i < 4; i++)
        duckdb_vector_assign_string_element(vector, i, TEXTS[i]);
    duckdb_vector_ensure_validity_writable(vector);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), 4);
    PT_CHECK(pt__pack(type, vector, 5, packed, &longest));
    PT_CHECK_EQ(longest, 13);
    PT_CHECK_EQ(pt__packed_text_bytes(packed, 5), 7 + 8 + 13);
    pt__packed_validity(packed, 5, words);
    PT_CHECK_EQ(words[0], 0x0F);
    duckdb_destroy_vector(&vector);
    duckdb_destroy_logical_type(&type);
}

/* Until it is known how long texts are, they are looked at. */
PT_TEST(batches_of_packed_texts_are_not_too_large)
{
    enum { ROWS = 100, LENGTH = 1000 };
    char text[LENGTH + 1];
    uint64_t packed[ROWS];
    uint32_t longest = 0;
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
    duckdb_data_chunk chunk = duckdb_create_data_chunk(&number, 1);
    duckdb_vector vector = duckdb_create_vector(type, ROWS);
    struct ArrowSchema child = {.format = "u"};
    struct ArrowSchema *children[] = {&child};
    struct ArrowSchema schema = {.format = "+s", .n_children = 1, .children = children};
    pt__batch batch;
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    for (idx_t i = 0; i < ROWS; i++)
        duckdb_vector_assign_string_element(vector, i, text);
    PT_CHECK(pt__pack(type, vector, ROWS, packed, &longest));
    memcpy(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)), packed, sizeof(packed));
    PT_REQUIRE(pt__batch_init_native(&batch, &schema, &type));
    PT_CHECK(pt__batch_take_packed(&batch, 0));
    pt__batch_from_chunk(&batch, chunk);
    const pt__batch_limits limits = {.rows = 65536, .bytes = 8 * LENGTH, .max_bytes = 10 * LENGTH};
    PT_CHECK(pt__batch_rows_that_fit(&batch, &limits, 0, ROWS) <= 9);
    pt__batch_set_longest(&batch, 0, longest);
    PT_CHECK_EQ(pt__batch_rows_bytes_at_most(&batch, 0, ROWS), ROWS * (LENGTH + 4));
    PT_CHECK(pt__batch_rows_that_fit(&batch, &limits, 0, ROWS) <= 9);
    PT_CHECK(pt__batch_rows_that_fit(&batch, &limits, 0, ROWS) > 0);
    pt__batch_deinit(&batch);
    duckdb_destroy_vector(&vector);
    duckdb_destroy_data_chunk(&chunk);
    duckdb_destroy_logical_type(&number);
    duckdb_destroy_logical_type(&type);
}
