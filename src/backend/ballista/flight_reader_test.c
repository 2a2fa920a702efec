/* Rows as executors send them, in the layout that results have. */
#include "backend/ballista/flight_reader.h"
#include "backend/ballista/relayout.h"
#include "base/test.h"

#include <nanoarrow/nanoarrow.h>

#include <stdlib.h>
#include <string.h>

#include "backend/ballista/flight_reader_test.inc"

static const char *const TEXTS[] = {"short", NULL, "a text that no view holds", "", "another text that no view holds"};

static pt_status feed(pt__flight_reader *reader, const uint8_t *data, size_t size, struct ArrowArray *out)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt__flight_reader_feed(reader, pt_bytes_copy((pt_bytes_view){data, size}), out, &err);
    pt_error_clear(&err);
    return status;
}

#define FEED(reader, message, out) PT_CHECK_EQ(feed((reader), (message), sizeof(message), (out)), PT_OK)

static void check_text(const struct ArrowArray *column, int64_t row, const char *want)
{
    const uint8_t *valid = column->buffers[0];
    bool is_null = valid != NULL && (valid[row / 8] >> (row % 8) & 1) == 0;
    PT_CHECK_EQ(is_null, want == NULL);
    if (is_null || want == NULL)
        return;
    const int32_t *offsets = column->buffers[1];
    char got[64] = "";
    size_t size = (size_t)(offsets[row + 1] - offsets[row]);
    PT_REQUIRE(size < sizeof(got));
    if (size != 0)
        memcpy(got, (const char *)column->buffers[2] + offsets[row], size);
    PT_CHECK_STR(got, want);
}

static void check_texts(const struct ArrowArray *column)
{
    for (int64_t row = 0; row < 5; row++)
        check_text(column, row, TEXTS[row]);
}

static void check_views(const uint8_t *rows, size_t size)
{
    pt__flight_reader *reader = NULL;
    struct ArrowArray array;
    PT_REQUIRE(pt__flight_reader_new(&reader, NULL) == PT_OK);
    FEED(reader, VIEW_SCHEMA, &array);
    PT_CHECK(array.release == NULL);
    const struct ArrowSchema *schema = pt__flight_reader_schema(reader);
    PT_REQUIRE(schema != NULL && schema->n_children == 3);
    PT_CHECK_STR(schema->children[0]->format, "u");
    PT_CHECK_STR(schema->children[2]->children[0]->format, "u");
    PT_CHECK_EQ(feed(reader, rows, size, &array), PT_OK);
    PT_REQUIRE(array.release != NULL && array.length == 5);
    check_texts(array.children[0]);
    PT_CHECK_EQ(((const int32_t *)array.children[1]->buffers[1])[4], 5);
    const int32_t *offsets = array.children[2]->buffers[1];
    PT_CHECK(offsets[1] == 1 && offsets[2] == 1 && offsets[3] == 1 && offsets[4] == 3 && offsets[5] == 4);
    check_text(array.children[2]->children[0], 2, "a text that no view holds");
    array.release(&array);
    pt__flight_reader_free(reader);
}

PT_TEST(flight_reader_spells_views_out)
{
    check_views(VIEW_ROWS, sizeof(VIEW_ROWS));
}

PT_TEST(flight_reader_inflates_bodies)
{
    check_views(VIEW_ROWS_LZ4, sizeof(VIEW_ROWS_LZ4));
    check_views(VIEW_ROWS_ZSTD, sizeof(VIEW_ROWS_ZSTD));
}

PT_TEST(flight_reader_gives_plain_rows_as_they_are)
{
    pt__flight_reader *reader = NULL;
    struct ArrowArray array;
    PT_REQUIRE(pt__flight_reader_new(&reader, NULL) == PT_OK);
    FEED(reader, PLAIN_SCHEMA, &array);
    FEED(reader, PLAIN_ROWS_LZ4, &array);
    PT_REQUIRE(array.release != NULL);
    check_texts(array.children[0]);
    PT_CHECK_EQ(array.children[1]->null_count, 1);
    array.release(&array);
    pt__flight_reader_free(reader);
}

PT_TEST(flight_reader_reads_dictionaries_and_relayout_spells_them_out)
{
    pt__flight_reader *reader = NULL;
    struct ArrowArray array;
    struct ArrowSchema plain;
    PT_REQUIRE(pt__flight_reader_new(&reader, NULL) == PT_OK);
    FEED(reader, DICTIONARY_SCHEMA, &array);
    FEED(reader, DICTIONARY, &array);
    PT_CHECK(array.release == NULL);
    FEED(reader, DICTIONARY_ROWS, &array);
    PT_REQUIRE(array.release != NULL);
    const struct ArrowSchema *schema = pt__flight_reader_schema(reader);
    PT_REQUIRE(pt__relayout_schema(schema, &plain, NULL) == PT_OK);
    PT_CHECK_STR(plain.children[0]->format, "u");
    PT_CHECK_EQ(pt__relayout(schema, &array, &plain, NULL), PT_OK);
    check_texts(array.children[0]);
    plain.release(&plain);
    array.release(&array);
    pt__flight_reader_free(reader);
}

/* Any byte may be another one: an answer or an error, and nothing that a sanitizer sees. */
static void check_damaged(const uint8_t *schema, size_t schema_size, const uint8_t *rows, size_t rows_size)
{
    uint8_t *damaged = malloc(rows_size);
    PT_REQUIRE(damaged != NULL);
    for (size_t i = 0; i < rows_size; i++) {
        pt__flight_reader *reader = NULL;
        struct ArrowArray array;
        PT_REQUIRE(pt__flight_reader_new(&reader, NULL) == PT_OK);
        PT_CHECK_EQ(feed(reader, schema, schema_size, &array), PT_OK);
        memcpy(damaged, rows, rows_size);
        damaged[i] ^= (uint8_t)(i % 2 == 0 ? 0x80 : 0x05);
        if (feed(reader, damaged, rows_size, &array) == PT_OK && array.release != NULL)
            array.release(&array);
        pt__flight_reader_free(reader);
    }
    free(damaged);
}

PT_TEST(flight_reader_survives_damage)
{
    check_damaged(VIEW_SCHEMA, sizeof(VIEW_SCHEMA), VIEW_ROWS, sizeof(VIEW_ROWS));
    check_damaged(VIEW_SCHEMA, sizeof(VIEW_SCHEMA), VIEW_ROWS_LZ4, sizeof(VIEW_ROWS_LZ4));
    check_damaged(PLAIN_SCHEMA, sizeof(PLAIN_SCHEMA), PLAIN_ROWS_LZ4, sizeof(PLAIN_ROWS_LZ4));
}

PT_TEST(flight_reader_refuses_rows_without_a_schema)
{
    pt__flight_reader *reader = NULL;
    struct ArrowArray array;
    PT_REQUIRE(pt__flight_reader_new(&reader, NULL) == PT_OK);
    PT_CHECK_EQ(feed(reader, PLAIN_ROWS_LZ4, sizeof(PLAIN_ROWS_LZ4), &array), PT_BAD_MESSAGE);
    PT_CHECK_EQ(feed(reader, PLAIN_ROWS_LZ4, 5, &array), PT_BAD_MESSAGE);
    PT_CHECK_EQ(feed(reader, PLAIN_ROWS_LZ4, 0, &array), PT_BAD_MESSAGE);
    FEED(reader, PLAIN_SCHEMA, &array);
    PT_CHECK_EQ(feed(reader, PLAIN_SCHEMA, sizeof(PLAIN_SCHEMA), &array), PT_BAD_MESSAGE);
    pt__flight_reader_free(reader);
}

/* ---- relayout ---- */

static pt_status convert(const char *from, const char *to, int64_t value, int64_t *out)
{
    struct ArrowSchema schemas[2];
    struct ArrowArray rows;
    const char *formats[] = {from, to};
    for (int i = 0; i < 2; i++) {
        ArrowSchemaInit(&schemas[i]);
        ArrowSchemaSetTypeStruct(&schemas[i], 1);
        ArrowSchemaSetFormat(schemas[i].children[0], formats[i]);
        ArrowSchemaSetName(schemas[i].children[0], "c");
    }
    PT_CHECK_EQ(ArrowArrayInitFromSchema(&rows, &schemas[0], NULL), NANOARROW_OK);
    ArrowArrayStartAppending(&rows);
    ArrowArrayAppendInt(rows.children[0], value);
    ArrowArrayFinishElement(&rows);
    ArrowArrayFinishBuildingDefault(&rows, NULL);
    pt_status status = pt__relayout(&schemas[0], &rows, &schemas[1], NULL);
    if (status == PT_OK) {
        struct ArrowArrayView view;
        ArrowArrayViewInitFromSchema(&view, &schemas[1], NULL);
        PT_CHECK_EQ(ArrowArrayViewSetArray(&view, &rows, NULL), NANOARROW_OK);
        *out = ArrowArrayViewGetIntUnsafe(view.children[0], 0);
        ArrowArrayViewReset(&view);
    }
    rows.release(&rows);
    schemas[0].release(&schemas[0]);
    schemas[1].release(&schemas[1]);
    return status;
}

PT_TEST(relayout_changes_widths_and_units)
{
    int64_t out = 0;
    PT_CHECK(convert("L", "l", 7, &out) == PT_OK && out == 7);
    PT_CHECK(convert("l", "i", -7, &out) == PT_OK && out == -7);
    PT_CHECK_EQ(convert("l", "i", (int64_t)1 << 31, &out), PT_EXECUTION);
    PT_CHECK(convert("tsn:", "tsu:UTC", -1, &out) == PT_OK && out == -1); /* towards the past */
    PT_CHECK(convert("tss:UTC", "tsu:Europe/Berlin", 3, &out) == PT_OK && out == 3000000);
    PT_CHECK_EQ(convert("tss:", "tsu:", INT64_MAX / 2, &out), PT_EXECUTION);
    PT_CHECK(convert("tdm", "tdD", -86400001, &out) == PT_OK && out == -2);
    PT_CHECK(convert("tsu:UTC", "tsu:Asia/Tokyo", 5, &out) == PT_OK && out == 5);
    PT_CHECK_EQ(convert("l", "tdD", 1, &out), PT_UNSUPPORTED);
}
