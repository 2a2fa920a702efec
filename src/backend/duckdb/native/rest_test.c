#include "backend/duckdb/native/rest.h"

#include "base/test.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_ROWS = 100000, TEXT_BYTES = 140 }; /* 10 MiB a batch */

typedef struct fixture {
    char folder[64];
    pt__rest_space *space;
    pt__rest *rest;
    pt_error err;
} fixture;

static void make_schema(struct ArrowSchema *out)
{
    ArrowSchemaInit(out);
    ArrowSchemaSetTypeStruct(out, 2);
    ArrowSchemaSetType(out->children[0], NANOARROW_TYPE_INT64);
    ArrowSchemaSetName(out->children[0], "i");
    ArrowSchemaSetType(out->children[1], NANOARROW_TYPE_STRING);
    ArrowSchemaSetName(out->children[1], "s");
}

static bool open_rest(fixture *f, const char *folder, uint64_t bytes_max)
{
    struct ArrowSchema schema;
    make_schema(&schema);
    if (pt__rest_space_new(folder, bytes_max, &f->space, NULL) != PT_OK ||
        pt__rest_new(f->space, &schema, &f->rest, NULL) != PT_OK)
        return false;
    pt__rest_expect(f->rest, "a test", UINT64_MAX);
    return true;
}

static bool begin(fixture *f, uint64_t bytes_max)
{
    *f = (fixture){.folder = "/tmp/portico_rest_XXXXXX", .err = PT_ERROR_INIT};
    return mkdtemp(f->folder) != NULL && open_rest(f, f->folder, bytes_max);
}

static void end(fixture *f)
{
    pt__rest_free(f->rest);
    pt__rest_space_free(f->space);
    pt_error_clear(&f->err);
    PT_CHECK_EQ(rmdir(f->folder), 0); /* nothing is left in it */
}

/* Rows from `first` on: a number, and a text, which is NULL for every third. */
static struct ArrowArray make_rows(int64_t first)
{
    struct ArrowSchema schema;
    struct ArrowArray rows;
    char text[TEXT_BYTES + 1];
    make_schema(&schema);
    PT_CHECK_EQ(ArrowArrayInitFromSchema(&rows, &schema, NULL), NANOARROW_OK);
    schema.release(&schema);
    ArrowArrayStartAppending(&rows);
    for (int64_t i = first; i < first + BATCH_ROWS; i++) {
        snprintf(text, sizeof(text), "%0*lld", TEXT_BYTES, (long long)i);
        ArrowArrayAppendInt(rows.children[0], i);
        if (i % 3 == 0)
            ArrowArrayAppendNull(rows.children[1], 1);
        else
            ArrowArrayAppendString(rows.children[1], ArrowCharView(text));
        ArrowArrayFinishElement(&rows);
    }
    ArrowArrayFinishBuildingDefault(&rows, NULL);
    return rows;
}

static pt_status add(fixture *f, int64_t batch)
{
    struct ArrowArray rows = make_rows(batch * BATCH_ROWS);
    return pt__rest_add(f->rest, &rows, &f->err);
}

static bool is_row(const struct ArrowArrayView *view, int64_t row, int64_t number)
{
    char expected[TEXT_BYTES + 1];
    snprintf(expected, sizeof(expected), "%0*lld", TEXT_BYTES, (long long)number);
    struct ArrowStringView text = ArrowArrayViewGetStringUnsafe(view->children[1], row);
    bool is_null = ArrowArrayViewIsNull(view->children[1], row) != 0;
    return ArrowArrayViewGetIntUnsafe(view->children[0], row) == number && is_null == (number % 3 == 0) &&
           (is_null || (text.size_bytes == TEXT_BYTES && memcmp(text.data, expected, TEXT_BYTES) == 0));
}

static void check_next(fixture *f, int64_t batch)
{
    struct ArrowSchema schema;
    struct ArrowArray rows;
    struct ArrowArrayView view;
    bool all = true;
    make_schema(&schema);
    PT_REQUIRE(pt__rest_next(f->rest, &rows, &f->err) == PT_OK && rows.release != NULL);
    PT_CHECK_EQ(rows.length, BATCH_ROWS);
    PT_CHECK_EQ(ArrowArrayViewInitFromSchema(&view, &schema, NULL), NANOARROW_OK);
    PT_CHECK_EQ(ArrowArrayViewSetArray(&view, &rows, NULL), NANOARROW_OK);
    for (int64_t row = 0; row < rows.length; row += 997)
        all = all && is_row(&view, row, batch * BATCH_ROWS + row);
    PT_CHECK(all);
    ArrowArrayViewReset(&view);
    rows.release(&rows);
    schema.release(&schema);
}

PT_TEST(rests_give_rows_in_order_from_memory_and_file)
{
    fixture f;
    struct ArrowArray none;
    PT_REQUIRE(begin(&f, UINT64_C(1) << 30));
    for (int64_t batch = 0; batch < 8; batch++)
        PT_CHECK_EQ(add(&f, batch), PT_OK);
    for (int64_t batch = 0; batch < 8; batch++)
        check_next(&f, batch);
    PT_CHECK_EQ(pt__rest_next(f.rest, &none, &f.err), PT_OK);
    PT_CHECK(none.release == NULL);
    end(&f);
}

PT_TEST(rests_that_nobody_reads_leave_nothing)
{
    fixture f;
    PT_REQUIRE(begin(&f, UINT64_C(1) << 30));
    for (int64_t batch = 0; batch < 6; batch++)
        PT_CHECK_EQ(add(&f, batch), PT_OK);
    check_next(&f, 0);
    end(&f);
}

PT_TEST(rests_are_bounded)
{
    fixture f;
    PT_REQUIRE(begin(&f, UINT64_C(1) << 30));
    PT_CHECK_EQ(add(&f, 0), PT_OK);
    pt__rest_expect(f.rest, "a test", UINT64_C(35) << 20); /* beside those that are there */
    for (int64_t batch = 1; batch < 4; batch++)
        PT_CHECK_EQ(add(&f, batch), PT_OK);
    PT_CHECK_EQ(add(&f, 4), PT_LIMIT);
    PT_CHECK(strstr(f.err.message,
                    "make way for a test, and too much was left of it (40 MiB; see duckdb.rest-limit)") != NULL);
    for (int64_t batch = 0; batch < 4; batch++)
        check_next(&f, batch);
    end(&f);
}

static pt__rest *make_other(const fixture *f)
{
    struct ArrowSchema schema;
    struct ArrowArray rows;
    pt__rest *rest = NULL;
    make_schema(&schema);
    PT_CHECK_EQ(pt__rest_new(f->space, &schema, &rest, NULL), PT_OK);
    pt__rest_expect(rest, "another test", UINT64_MAX);
    for (int64_t batch = 0; batch < 2; batch++) {
        rows = make_rows(batch * BATCH_ROWS);
        PT_CHECK_EQ(pt__rest_add(rest, &rows, NULL), PT_OK);
    }
    rows = make_rows(2 * BATCH_ROWS);
    PT_CHECK_EQ(pt__rest_add(rest, &rows, NULL), PT_LIMIT); /* more than a quarter */
    return rest;
}

PT_TEST(rests_are_bounded_together)
{
    fixture f;
    pt__rest *others[4];
    PT_REQUIRE(begin(&f, UINT64_C(100) << 20));
    for (size_t i = 0; i < 4; i++)
        others[i] = make_other(&f);
    PT_CHECK_EQ(add(&f, 0), PT_OK);
    PT_CHECK_EQ(add(&f, 1), PT_LIMIT);
    PT_CHECK(strstr(f.err.message, "takes 100 MiB (duckdb.rest-limit)") != NULL);
    for (size_t i = 0; i < 4; i++)
        pt__rest_free(others[i]);
    PT_CHECK_EQ(add(&f, 1), PT_OK);
    check_next(&f, 0);
    check_next(&f, 1);
    end(&f);
}

PT_TEST(rests_say_where_they_cannot_be_written)
{
    fixture f;
    PT_REQUIRE(begin(&f, 0));
    pt__rest_free(f.rest);
    pt__rest_space_free(f.space);
    PT_REQUIRE(open_rest(&f, "/dev/null/portico", UINT64_C(1) << 30));
    for (int64_t batch = 0; batch < 3; batch++)
        PT_CHECK_EQ(add(&f, batch), PT_OK);
    PT_CHECK_EQ(add(&f, 3), PT_IO);
    PT_CHECK(strstr(f.err.message, "make way for a test, but what is left of it cannot be written: ") != NULL);
    PT_CHECK(strstr(f.err.message, "/dev/null/portico") != NULL);
    check_next(&f, 0);
    end(&f);
}
