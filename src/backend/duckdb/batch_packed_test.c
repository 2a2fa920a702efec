#include "backend/duckdb/batch_packed.h"

#include "base/test.h"

#include <string.h>

static duckdb_vector vector_of(duckdb_logical_type type, const int64_t *values, idx_t count)
{
    duckdb_vector vector = duckdb_create_vector(type, count);
    memcpy(duckdb_vector_get_data(vector), values, count * sizeof(*values));
    return vector;
}

/* A file may hold such a value, and DuckDB gives it as it is. */
PT_TEST(decimals_of_too_many_digits_are_not_packed)
{
    static const int64_t RIGHT[] = {0, 999999999999999999, -999999999999999999};
    static const int64_t WRONG[] = {0, INT64_MAX, 1};
    duckdb_logical_type type = duckdb_create_decimal_type(18, 2);
    uint64_t packed[3];
    uint32_t longest = 0;
    duckdb_vector right = vector_of(type, RIGHT, 3);
    PT_CHECK(pt__can_pack(type));
    PT_CHECK(pt__pack(type, right, 3, packed, &longest));
    duckdb_vector wrong = vector_of(type, WRONG, 3);
    PT_CHECK(!pt__pack(type, wrong, 3, packed, &longest));
    duckdb_vector_ensure_validity_writable(wrong);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(wrong), 1);
    PT_CHECK(pt__pack(type, wrong, 3, packed, &longest));
    PT_CHECK_EQ(packed[1], 0);
    PT_CHECK(packed[0] != 0);
    duckdb_destroy_vector(&right);
    duckdb_destroy_vector(&wrong);
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
