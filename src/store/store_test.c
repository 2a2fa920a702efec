/* One suite that every job store passes; that of PostgreSQL when PT_TEST_POSTGRESQL has a server's URL. */
#include "base/test.h"
#include "base/uuid.h"
#include "store/job_record.h"

#include <portico/job_store.h>

#include <sqlite3.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct fixture {
    const pt_job_store_vtable *table;
    void *store;
    char id[PT_UUID_TEXT_BYTES];
    char other[PT_UUID_TEXT_BYTES];
} fixture;

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static pt_job_record make_record(const char *id, const char *owner)
{
    return (pt_job_record){
        .size_bytes = sizeof(pt_job_record),
        .id = id,
        .session_id = "a session",
        .user = "it's \"me\"",
        .owner = owner,
        .created_us = 12345,
        .request = {(const uint8_t *)"\0\1'\xff", 4},
    };
}

static pt_status insert(fixture *f, const char *id, const char *owner, uint64_t lease_ms)
{
    pt_job_record record = make_record(id, owner);
    return f->table->insert(f->store, &record, lease_ms, NULL);
}

static pt_status update(fixture *f, const char *id, const char *owner, int64_t fence, pt_operation_state state,
                        int64_t ended_us)
{
    pt_job_record record = make_record(id, owner);
    record.fence = fence;
    record.state = state;
    record.kind = PT_JOB_WRITE;
    record.started_us = 99;
    record.ended_us = ended_us;
    record.rows = 7;
    record.bytes = INT64_C(1) << 40;
    record.outcome = (pt_bytes_view){(const uint8_t *)"x\0y", 3};
    return f->table->update(f->store, &record, 60000, NULL);
}

static pt_status copy_numbers(void *context, const pt_job_record *record, pt_error *err)
{
    (void)err;
    *(pt_job_record *)context = *record;
    PT_CHECK_STR(record->session_id, "a session");
    PT_CHECK_STR(record->user, "it's \"me\"");
    PT_CHECK_EQ(record->request.size_bytes, 4);
    PT_CHECK_EQ(memcmp(record->request.data, "\0\1'\xff", 4), 0);
    return PT_OK;
}

static void record_comes_back_whole(fixture *f)
{
    pt_job_record got;
    PT_CHECK_EQ(insert(f, f->id, "north", 60000), PT_OK);
    PT_CHECK_EQ(insert(f, f->id, "south", 60000), PT_ALREADY_EXISTS);
    PT_CHECK_EQ(f->table->get(f->store, f->id, copy_numbers, &got, NULL), PT_OK);
    PT_CHECK_EQ(got.fence, 1);
    PT_CHECK_EQ(got.created_us, 12345);
    PT_CHECK_EQ(got.outcome.size_bytes, 0);
    PT_CHECK(got.lease_left_ms > 50000 && got.lease_left_ms <= 60000);
    PT_CHECK_EQ(update(f, f->id, "north", 1, PT_OPERATION_RUNNING, 0), PT_OK);
    PT_CHECK_EQ(f->table->get(f->store, f->id, copy_numbers, &got, NULL), PT_OK);
    PT_CHECK_EQ(got.state, PT_OPERATION_RUNNING);
    PT_CHECK_EQ(got.kind, PT_JOB_WRITE);
    PT_CHECK_EQ(got.bytes, INT64_C(1) << 40);
    PT_CHECK_EQ(got.outcome.size_bytes, 3);
    PT_CHECK_EQ(f->table->get(f->store, f->other, copy_numbers, &got, NULL), PT_NOT_FOUND);
}

static void lease_decides_who_may_write(fixture *f)
{
    int64_t fence = 0;
    PT_CHECK_EQ(insert(f, f->id, "north", 60000), PT_OK);
    PT_CHECK_EQ(f->table->claim(f->store, f->id, "south", 60000, &fence, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(f->table->renew(f->store, f->id, "north", 1, 1, NULL), PT_OK);
    nap_ms(5);
    PT_CHECK_EQ(f->table->claim(f->store, f->id, "south", 60000, &fence, NULL), PT_OK);
    PT_CHECK_EQ(fence, 2);
    PT_CHECK_EQ(f->table->claim(f->store, f->id, "east", 60000, &fence, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(f->table->renew(f->store, f->id, "north", 1, 60000, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(update(f, f->id, "north", 1, PT_OPERATION_SUCCEEDED, 200), PT_NOT_FOUND);
    PT_CHECK_EQ(update(f, f->id, "south", 1, PT_OPERATION_SUCCEEDED, 200), PT_NOT_FOUND);
    PT_CHECK_EQ(update(f, f->id, "south", 2, PT_OPERATION_SUCCEEDED, 200), PT_OK);
}

static void end_is_written_once(fixture *f)
{
    int64_t fence = 0;
    PT_CHECK_EQ(insert(f, f->id, "north", 0), PT_OK);
    PT_CHECK_EQ(f->table->remove(f->store, f->id, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(update(f, f->id, "north", 1, PT_OPERATION_SUCCEEDED, 200), PT_OK);
    PT_CHECK_EQ(update(f, f->id, "north", 1, PT_OPERATION_SUCCEEDED, 200), PT_OK);
    PT_CHECK_EQ(update(f, f->id, "north", 1, PT_OPERATION_FAILED, 300), PT_NOT_FOUND);
    PT_CHECK_EQ(f->table->renew(f->store, f->id, "north", 1, 1, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(f->table->claim(f->store, f->id, "south", 1, &fence, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(f->table->remove(f->store, f->id, NULL), PT_OK);
    PT_CHECK_EQ(f->table->remove(f->store, f->id, NULL), PT_NOT_FOUND);
}

static pt_status count_visit(void *context, const pt_job_record *record, pt_error *err)
{
    (void)record;
    (void)err;
    ++*(int *)context;
    return PT_OK;
}

static int count(fixture *f, const char *session_id, const char *user, int state)
{
    int found = 0;
    pt_job_record_filter filter = {sizeof(filter), session_id, user, state};
    PT_CHECK_EQ(f->table->list(f->store, &filter, count_visit, &found, NULL), PT_OK);
    return found;
}

static void list_keeps_to_its_filter(fixture *f)
{
    int before = count(f, NULL, NULL, -1);
    int ended = count(f, NULL, NULL, PT_OPERATION_FAILED);
    PT_CHECK_EQ(insert(f, f->id, "north", 60000), PT_OK);
    PT_CHECK_EQ(insert(f, f->other, "north", 60000), PT_OK);
    PT_CHECK_EQ(update(f, f->other, "north", 1, PT_OPERATION_FAILED, 200), PT_OK);
    PT_CHECK_EQ(count(f, NULL, NULL, -1), before + 2);
    PT_CHECK_EQ(count(f, NULL, NULL, PT_OPERATION_FAILED), ended + 1);
    PT_CHECK_EQ(count(f, "another", NULL, -1), 0);
    PT_CHECK_EQ(count(f, "a session", "nobody", -1), 0);
    PT_CHECK(count(f, "a session", "it's \"me\"", -1) >= 2);
}

/* ---- many claim, one gets it ---- */

typedef struct race {
    fixture *f;
    atomic_int won;
} race;

static void *claim_once(void *argument)
{
    race *r = argument;
    int64_t fence;
    if (r->f->table->claim(r->f->store, r->f->id, "racer", 60000, &fence, NULL) == PT_OK)
        atomic_fetch_add(&r->won, 1);
    return NULL;
}

static void claim_has_one_winner(fixture *f)
{
    enum { RACERS = 8 };
    pthread_t threads[RACERS];
    race r = {f, 0};
    PT_CHECK_EQ(insert(f, f->id, "north", 0), PT_OK);
    nap_ms(3);
    for (int i = 0; i < RACERS; i++)
        PT_CHECK_EQ(pthread_create(&threads[i], NULL, claim_once, &r), 0);
    for (int i = 0; i < RACERS; i++)
        pthread_join(threads[i], NULL);
    PT_CHECK_EQ(atomic_load(&r.won), 1);
}

/* ---- the suite ---- */

static void run_suite(const pt_job_store_vtable *table, const char *location)
{
    static void (*const tests[])(fixture *) = {record_comes_back_whole, lease_decides_who_may_write,
                                               end_is_written_once, list_keeps_to_its_filter, claim_has_one_winner};
    pt_error err = PT_ERROR_INIT;
    fixture f = {.table = table};
    PT_CHECK_EQ(table->open(location, &f.store, &err), PT_OK);
    PT_CHECK_STR(err.message, "");
    for (size_t i = 0; f.store != NULL && i < sizeof(tests) / sizeof(tests[0]); i++) {
        pt__uuid_v4_text(f.id);
        pt__uuid_v4_text(f.other);
        tests[i](&f);
    }
    if (f.store != NULL)
        table->close(f.store);
    pt_error_clear(&err);
}

static char *temporary_folder(char path[64])
{
    snprintf(path, 64, "/tmp/portico-store-XXXXXX");
    PT_CHECK(mkdtemp(path) != NULL);
    return path;
}

static void remove_file(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    unlink(path);
}

static void remove_database(const char *folder)
{
    remove_file(folder, "jobs.db");
    remove_file(folder, "jobs.db-wal");
    remove_file(folder, "jobs.db-shm");
    rmdir(folder);
}

PT_TEST(job_store_in_memory_passes_the_suite)
{
    run_suite(&pt_job_store_memory, "");
}

PT_TEST(job_store_of_sqlite_passes_the_suite)
{
    char folder[64];
    char path[128];
    snprintf(path, sizeof(path), "%s/jobs.db", temporary_folder(folder));
    run_suite(&pt_job_store_sqlite, path);
    run_suite(&pt_job_store_sqlite, path); /* opened again */
    remove_database(folder);
}

PT_TEST(job_store_of_postgresql_passes_the_suite)
{
    const char *url = getenv("PT_TEST_POSTGRESQL");
    if (url == NULL)
        return;
    run_suite(&pt_job_store_postgresql, url);
    run_suite(&pt_job_store_postgresql, url);
}

PT_TEST(job_store_of_sqlite_outlives_its_opening)
{
    char folder[64];
    char path[128];
    pt_job_record got;
    fixture f = {.table = &pt_job_store_sqlite};
    snprintf(path, sizeof(path), "%s/jobs.db", temporary_folder(folder));
    pt__uuid_v4_text(f.id);
    PT_CHECK_EQ(f.table->open(path, &f.store, NULL), PT_OK);
    PT_CHECK_EQ(insert(&f, f.id, "north", 60000), PT_OK);
    f.table->close(f.store);
    PT_CHECK_EQ(f.table->open(path, &f.store, NULL), PT_OK);
    PT_CHECK_EQ(f.table->get(f.store, f.id, copy_numbers, &got, NULL), PT_OK);
    f.table->close(f.store);
    remove_database(folder);
}

/* ---- versions of the schema ---- */

static void execute(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    PT_CHECK_EQ(sqlite3_open(path, &database), SQLITE_OK);
    PT_CHECK_EQ(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

PT_TEST(job_store_of_version_1_is_migrated)
{
    char folder[64];
    char path[128];
    snprintf(path, sizeof(path), "%s/jobs.db", temporary_folder(folder));
    run_suite(&pt_job_store_sqlite, path);
    execute(path,
            "DROP INDEX portico_job_by_age; DROP INDEX portico_job_to_cancel; ALTER TABLE portico_job DROP COLUMN "
            "cancel_asked; UPDATE portico_job_schema SET version = 1");
    run_suite(&pt_job_store_sqlite, path);
    execute(path, "DROP INDEX portico_job_by_age"); /* it is there again */
    remove_database(folder);
}

PT_TEST(job_store_of_a_later_version_is_refused)
{
    char folder[64];
    char path[128];
    void *store = NULL;
    pt_error err = PT_ERROR_INIT;
    snprintf(path, sizeof(path), "%s/jobs.db", temporary_folder(folder));
    run_suite(&pt_job_store_sqlite, path);
    execute(path, "UPDATE portico_job_schema SET version = 99");
    PT_CHECK_EQ(pt_job_store_sqlite.open(path, &store, &err), PT_UNSUPPORTED);
    PT_CHECK(strstr(err.message, "version 99") != NULL);
    pt_error_clear(&err);
    remove_database(folder);
}

/* ---- records ---- */

static const pt_query_option options[] = {{"a", "1"}, {"b", ""}};
static const char *const tags[] = {"x", "y,z"};
static const pt__record_pair conf[] = {{"spark.sql.ansi.enabled", "false"}};
static const char *const columns[] = {"p"};
static const pt__record_view views[] = {{"v", "select 1", "d", columns, 1}};

PT_TEST(job_request_comes_back_from_its_record)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer bytes = PT_BUFFER_INIT;
    pt__job_request_record want = {
        .query = {"spark.sql", {(const uint8_t *)"select\0", 7}, options, 2},
        .tags = tags,
        .tag_count = 2,
        .database = "d",
        .conf = conf,
        .conf_count = 1,
        .views = views,
        .view_count = 1,
    };
    pt__job_request_record got;
    pt__job_request_encode(&bytes, &want);
    PT_CHECK_EQ(pt__job_request_decode(arena, pt__buffer_view(&bytes), &got, NULL), PT_OK);
    PT_CHECK(pt__job_request_same(&want, &got));
    PT_CHECK_STR(got.database, "d");
    PT_CHECK_STR(got.conf[0].value, "false");
    PT_CHECK_STR(got.views[0].column_names[0], "p");
    got.tags = tags + 1;
    got.tag_count = 1;
    PT_CHECK(!pt__job_request_same(&want, &got));
    for (size_t size = 1; size < bytes.size_bytes; size++) /* cut off anywhere: an error, or less of it */
        pt__job_request_decode(arena, (pt_bytes_view){bytes.data, size}, &got, NULL);
    pt__buffer_deinit(&bytes);
    pt__arena_free(arena);
}

PT_TEST(job_outcome_comes_back_from_its_record)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer bytes = PT_BUFFER_INIT;
    pt__job_outcome_record want = {
        .status = PT_EXECUTION,
        .sqlstate = "22012",
        .condition = "DIVIDE_BY_ZERO",
        .message = "no",
        .parameters = conf,
        .parameter_count = 1,
        .output = "file",
        .batch_count = 3,
        .attempt = 2,
        .needs = tags,
        .need_count = 2,
    };
    pt__job_outcome_record got;
    pt__job_outcome_encode(&bytes, &want);
    PT_CHECK_EQ(pt__job_outcome_decode(arena, pt__buffer_view(&bytes), &got, NULL), PT_OK);
    PT_CHECK_EQ(got.status, PT_EXECUTION);
    PT_CHECK_STR(got.condition, "DIVIDE_BY_ZERO");
    PT_CHECK_STR(got.output, "file");
    PT_CHECK_EQ(got.batch_count, 3);
    PT_CHECK_EQ(got.attempt, 2);
    PT_CHECK_STR(got.needs[1], "y,z");
    PT_CHECK_EQ(pt__job_outcome_decode(arena, (pt_bytes_view){(const uint8_t *)"\x08\x7f", 2}, &got, NULL),
                PT_INTERNAL);
    pt__buffer_deinit(&bytes);
    pt__arena_free(arena);
}
