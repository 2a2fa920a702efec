#include "backend/duckdb/native/test_rows.h"

#include "backend/duckdb/native/native.h"
#include "base/map.h"
#include "base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pt__test_rows_open_with(pt__test_rows *f, uint32_t threads)
{
    *f = (pt__test_rows){.folder = "/tmp/portico_pack_XXXXXX"};
    return mkdtemp(f->folder) != NULL && pt__test_session_open(threads, &f->backend, &f->session);
}

bool pt__test_rows_open(pt__test_rows *f)
{
    return pt__test_rows_open_with(f, 4);
}

void pt__test_rows_close(pt__test_rows *f)
{
    static const char *const NAMES[] = {"rows.parquet", "kept.db", "kept.db.wal"};
    char path[128];
    pt__test_session_close(f->backend, f->session);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", f->folder, NAMES[i]);
        unlink(path);
    }
    PT_CHECK_EQ(rmdir(f->folder), 0);
}

pt__duckdb *pt__test_rows_database(const pt__test_rows *f)
{
    return f->backend;
}

/* Of the query that has been started, which is the only one. */
bool pt__test_rows_is_for_many_rows(const pt__test_rows *f)
{
    const pt__harvest *harvest = pt__test_rows_database(f)->harvests;
    return harvest != NULL && pt__harvest_is_for_many_rows(harvest);
}

static uint64_t hash_value(const struct ArrowArrayView *column, int64_t row)
{
    if (ArrowArrayViewIsNull(column, row))
        return 17;
    if (column->storage_type == NANOARROW_TYPE_STRING || column->storage_type == NANOARROW_TYPE_BINARY) {
        struct ArrowBufferView bytes = ArrowArrayViewGetBytesUnsafe(column, row);
        return pt__hash_bytes(bytes.data.data, (size_t)bytes.size_bytes);
    }
    if (column->n_children > 0)
        return 3;
    if (column->storage_type == NANOARROW_TYPE_BOOL)
        return (uint64_t)ArrowArrayViewGetIntUnsafe(column, row);
    size_t width = (size_t)column->layout.element_size_bits[1] / 8;
    return pt__hash_bytes(column->buffer_views[1].data.as_uint8 + (size_t)(column->offset + row) * width, width);
}

static void add_rows(pt__test_digest *out, const struct ArrowArrayView *view, int64_t count)
{
    for (int64_t row = 0; row < count; row++) {
        uint64_t hash = 1;
        for (int64_t i = 0; i < view->n_children; i++)
            hash = hash * UINT64_C(0x9E3779B97F4A7C15) + hash_value(view->children[i], row);
        out->sum += hash;
        out->in_order = (out->in_order ^ hash) * UINT64_C(0x9E3779B97F4A7C15);
    }
    out->rows += count;
}

bool pt__test_rows_read(pt__test_rows *f, pt__test_digest *out)
{
    struct ArrowArrayView view;
    struct ArrowArray batch;
    if (ArrowArrayViewInitFromSchema(&view, &f->result.schema, NULL) != NANOARROW_OK)
        return false;
    int error;
    while ((error = f->result.stream.get_next(&f->result.stream, &batch)) == 0 && batch.release != NULL) {
        PT_CHECK_EQ(ArrowArrayViewSetArray(&view, &batch, NULL), NANOARROW_OK);
        PT_CHECK_EQ(ArrowArrayViewValidate(&view, NANOARROW_VALIDATION_LEVEL_FULL, NULL), NANOARROW_OK);
        add_rows(out, &view, batch.length);
        batch.release(&batch);
    }
    ArrowArrayViewReset(&view);
    return error == 0 && f->result.operation->vtable->failure(f->result.operation, NULL) == PT_OK;
}

bool pt__test_rows_run(pt__test_rows *f, const char *sql, pt__test_digest *out)
{
    pt_query query = pt__test_query(sql);
    *out = (pt__test_digest){0};
    bool ran = pt__test_start(f->session, &query, &f->result) && pt__test_rows_read(f, out);
    if (!ran) {
        pt_error err = PT_ERROR_INIT;
        f->result.operation->vtable->failure(f->result.operation, &err);
        pt__test_fail(__FILE__, __LINE__, pt_error_full_message(&err));
        pt_error_clear(&err);
    }
    pt__test_stop(&f->result);
    return ran;
}

void pt__test_rows_make(pt__test_rows *f, const char *sql)
{
    pt__test_digest none;
    char text[1024];
    snprintf(text, sizeof(text), sql, f->folder);
    pt__test_rows_run(f, text, &none);
}

void pt__test_rows_mark_large(const pt__test_rows *f, const char *sql)
{
    pt__large_texts_add(&pt__test_rows_database(f)->large_texts, pt__hash_bytes(sql, strlen(sql)));
}

/*
 * Columns of a few texts, of thousands, of so many that DuckDB does not call functions for dictionaries, of texts that are
 * all different, of NULLs, and of one text that is short and one that is long. A row group has dictionaries of its own.
 */
void pt__test_rows_make_file(pt__test_rows *f)
{
    pt__test_rows_make(
        f, "copy (select i, case when i %% 5 <> 0 then 'a text of the kind ' || i %% 7 end as few, 'thousands ' || "
           "hash(i) %% 5000 as many, "
           "'more than that ' || hash(i) %% 30000 as more, 'each its own ' || i as own, null::varchar as nothing, "
           "case i %% 3 when 0 then 'short' when 1 then 'a longer text than twelve bytes' else '' end as three, "
           "('bytes ' || i %% 9)::blob as bytes from range(150000) r(i)) to '%s/rows.parquet' (row_group_size 20000)");
}

void pt__test_rows_prepare(pt__test_rows *f, pt_query *query, const char *sql)
{
    pt_statement_info info;
    *query = pt__test_query(sql);
    query->statement_id = "statement";
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f->session, query, &info, NULL), PT_OK);
    PT_CHECK(pt__test_rows_is_for_many_rows(f));
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
}

/* The columns of the query that has been started, as NAME:FORMAT with bars between. */
void pt__test_rows_put_columns(const pt__test_rows *f, char *out, size_t size)
{
    out[0] = '\0';
    for (int64_t i = 0; f->result.schema.release != NULL && i < f->result.schema.n_children; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s:%s", i == 0 ? "" : "|", f->result.schema.children[i]->name,
                 f->result.schema.children[i]->format);
    }
}
