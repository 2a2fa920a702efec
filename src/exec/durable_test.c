/* Jobs of two hosts on one store, of which one may lose its connection to it. */
#include "base/test.h"
#include "exec/durable.h"
#include "exec/test_backend.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char some_id[] = "00112233-4455-6677-8899-aabbccddeeff";

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- a store that can be cut off ---- */

typedef struct line {
    const pt_job_store_vtable *table;
    void *store;
    atomic_bool is_cut;
} line;

static pt_status check_line(line *l, pt_error *err)
{
    return atomic_load(&l->is_cut) ? pt_error_set(err, PT_IO, "the store cannot be reached") : PT_OK;
}

static pt_status line_insert(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->insert(l->store, record, lease_ms, err);
}

static pt_status line_update(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->update(l->store, record, lease_ms, err);
}

static pt_status line_renew(void *self, const char *id, const char *owner, int64_t fence, uint64_t lease_ms,
                            pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->renew(l->store, id, owner, fence, lease_ms, err);
}

static pt_status line_claim(void *self, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence,
                            pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->claim(l->store, id, owner, lease_ms, fence, err);
}

static pt_status line_get(void *self, const char *id, pt_job_record_visitor visit, void *context, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->get(l->store, id, visit, context, err);
}

static pt_status line_list(void *self, const pt_job_record_filter *filter, pt_job_record_visitor visit, void *context,
                           pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->list(l->store, filter, visit, context, err);
}

static pt_status line_remove(void *self, const char *id, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->remove(l->store, id, err);
}

static pt_status line_ask_to_cancel(void *self, const char *id, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->ask_to_cancel(l->store, id, err);
}

static pt_status line_list_to_cancel(void *self, const char *owner, void (*visit)(void *context, const char *id),
                                     void *context, pt_error *err)
{
    line *l = self;
    PT_TRY(check_line(l, err));
    return l->table->list_to_cancel(l->store, owner, visit, context, err);
}

static const pt_job_store_vtable line_table = {
    .size_bytes = sizeof(pt_job_store_vtable),
    .name = "line",
    .insert = line_insert,
    .update = line_update,
    .renew = line_renew,
    .claim = line_claim,
    .get = line_get,
    .list = line_list,
    .remove = line_remove,
    .ask_to_cancel = line_ask_to_cancel,
    .list_to_cancel = line_list_to_cancel,
};

/* ---- two hosts ---- */

typedef struct node {
    line store;
    pt_host *host;
    pt_session *session;
} node;

typedef struct pair {
    char folder[64];
    const pt_job_store_vtable *table;
    void *store;
    node north;
    node south;
} pair;

static void start_node_with(pair *p, node *n, const char *key, const char *value)
{
    pt_config *config = NULL;
    n->store.table = p->table;
    n->store.store = p->store;
    atomic_init(&n->store.is_cut, false);
    pt_config_new(&config, NULL);
    pt_config_set(config, "jobs.lease", "250ms", NULL);
    pt_config_set(config, "jobs.output-directory", p->folder, NULL);
    pt_config_set(config, "spool.memory", "64KiB", NULL);
    pt_config_set(config, key, value, NULL);
    pt_host_options options = {
        .size_bytes = sizeof(options), .config = config, .job_store = &line_table, .job_store_self = &n->store};
    PT_CHECK_EQ(pt_host_new(&options, &n->host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(n->host, &pt__test_backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_create_session(n->host, NULL, &n->session, NULL), PT_OK);
    pt_config_free(config);
}

static void start_node(pair *p, node *n)
{
    start_node_with(p, n, "jobs.retention-age", "24h");
}

static void begin(pair *p, const pt_job_store_vtable *table)
{
    char path[128];
    memset(p, 0, sizeof(*p));
    snprintf(p->folder, sizeof(p->folder), "/tmp/portico-jobs-XXXXXX");
    PT_CHECK(mkdtemp(p->folder) != NULL);
    snprintf(path, sizeof(path), "%s/jobs.db", p->folder);
    p->table = table;
    bool is_server = table == &pt_job_store_postgresql;
    PT_CHECK_EQ(table->open(is_server ? getenv("PT_TEST_POSTGRESQL") : path, &p->store, NULL), PT_OK);
    atomic_store(&pt__test_backend_gate, false);
    atomic_store(&pt__test_backend_committed, false);
    atomic_store(&pt__test_backend_writes, 0);
    start_node(p, &p->north);
    start_node(p, &p->south);
}

static void stop_node(node *n)
{
    pt_session_unref(n->session);
    pt_host_free(n->host);
}

static void remove_folder(const char *path)
{
    char file[512];
    const struct dirent *entry;
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        unlink(file);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

static void end(pair *p)
{
    atomic_store(&pt__test_backend_gate, true);
    stop_node(&p->north);
    stop_node(&p->south);
    PT_CHECK_EQ(p->table->remove(p->store, some_id, NULL), PT_OK); /* a server keeps it beyond the test */
    p->table->close(p->store);
    remove_folder(p->folder);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_arrays), 0);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_operations), 0);
}

static pt_status try_submit(node *n, const char *text, pt_job **out, pt_error *err)
{
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = n->session,
        .requested_job_id = some_id,
        .query = {.format = "test", .payload = {(const uint8_t *)text, strlen(text)}},
    };
    return pt_host_submit(n->host, &request, out, err);
}

static pt_job *submit(node *n, const char *text)
{
    pt_job *job = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(try_submit(n, text, &job, &err), PT_OK);
    PT_CHECK_STR(err.message, "");
    pt_error_clear(&err);
    return job;
}

/* Asks until the other node's lease has run out. */
static pt_job *recover(node *n)
{
    pt_job *job = NULL;
    pt_status status = PT_UNAVAILABLE;
    for (int i = 0; i < 1000 && status == PT_UNAVAILABLE; i++) {
        status = pt_host_recover(n->host, some_id, &job, NULL);
        if (status == PT_UNAVAILABLE)
            nap_ms(5);
    }
    PT_CHECK_EQ(status, PT_OK);
    return job;
}

/* The sum of the numbers of a result from a batch on; -1: it failed. */
static int64_t sum_from(pt_job *job, uint64_t batch)
{
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int64_t sum = 0;
    if (pt_job_result_from(job, batch, &stream, NULL) != PT_OK)
        return -1;
    for (;;) {
        if (stream.get_next(&stream, &array) != 0) {
            sum = -1;
            break;
        }
        if (array.release == NULL)
            break;
        for (int64_t i = 0; i < array.length; i++)
            sum += ((const int64_t *)array.children[0]->buffers[1])[i];
        array.release(&array);
    }
    stream.release(&stream);
    return sum;
}

static int64_t sum_of(int64_t first, int64_t count)
{
    return count * (2 * first + count - 1) / 2;
}

static void await(node *n, pt_job *job, pt_operation_state state)
{
    (void)n;
    PT_CHECK_EQ(pt_job_wait(job, 10000, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_state(job), state);
}

/* ---- tests ---- */

static void finished_output_is_served_elsewhere(const pt_job_store_vtable *table)
{
    pair p;
    begin(&p, table);
    pt_job *job = submit(&p.north, "rows 50 1000"); /* more than the spool holds */
    await(&p.north, job, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(sum_from(job, 0), sum_of(0, 50000));
    PT_CHECK_EQ(sum_from(job, 0), sum_of(0, 50000));
    PT_CHECK_EQ(sum_from(job, 49), sum_of(49000, 1000));
    PT_CHECK_EQ(sum_from(job, 50), 0);
    PT_CHECK_EQ(sum_from(job, 51), -1);
    pt_job *other = NULL;
    PT_CHECK_EQ(pt_host_job(p.south.host, some_id, &other, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_state(other), PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(sum_from(other, 0), sum_of(0, 50000));
    PT_CHECK_EQ(sum_from(other, 7), sum_of(7000, 43000));
    pt_job_report report = {.size_bytes = sizeof(report)};
    PT_CHECK_EQ(pt_job_status(other, &report, NULL), PT_OK);
    PT_CHECK_EQ(report.rows, 50000);
    PT_CHECK_EQ(report.batches, 50);
    PT_CHECK(report.is_output_kept);
    PT_CHECK_STR(report.session_id, pt__session_client_id(p.north.session));
    pt_job *again = submit(&p.south, "rows 50 1000"); /* asked the same, it is the same */
    PT_CHECK(again == other);
    pt_job *refused = NULL;
    PT_CHECK_EQ(try_submit(&p.south, "rows 50 1001", &refused, NULL), PT_ALREADY_EXISTS);
    pt_job_unref(again);
    pt_job_unref(other);
    pt_job_unref(job);
    end(&p);
}

static void running_read_runs_again_elsewhere(const pt_job_store_vtable *table)
{
    pair p;
    pt_error err = PT_ERROR_INIT;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    pt_job *refused = NULL;
    nap_ms(400); /* beyond the lease, which is renewed */
    PT_CHECK_EQ(pt_host_recover(p.south.host, some_id, &refused, NULL), PT_UNAVAILABLE);
    PT_CHECK_EQ(pt_host_job(p.south.host, some_id, &refused, NULL), PT_UNAVAILABLE);
    atomic_store(&p.north.store.is_cut, true);
    pt_job *other = recover(&p.south);
    atomic_store(&p.north.store.is_cut, false);
    await(&p.north, job, PT_OPERATION_FAILED); /* it learns that the job is gone */
    PT_CHECK_EQ(pt_job_failure(job, &err), PT_UNAVAILABLE);
    PT_CHECK(pt_job_state(other) <= PT_OPERATION_RUNNING);
    atomic_store(&pt__test_backend_gate, true);
    await(&p.south, other, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(sum_from(other, 0), sum_of(0, 30));
    pt_job_report report = {.size_bytes = sizeof(report)};
    PT_CHECK_EQ(pt_job_status(other, &report, NULL), PT_OK);
    PT_CHECK_EQ(report.attempt, 2);
    pt_job_unref(job);
    job = recover(&p.north); /* and serves the other's output now */
    PT_CHECK_EQ(sum_from(job, 0), sum_of(0, 30));
    pt_job_unref(job);
    pt_job_unref(other);
    pt_error_clear(&err);
    end(&p);
}

static void late_end_is_not_recorded(const pt_job_store_vtable *table)
{
    pair p;
    pt_error err = PT_ERROR_INIT;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    nap_ms(20);
    atomic_store(&p.north.store.is_cut, true);
    pt_job *other = recover(&p.south);
    atomic_store(&pt__test_backend_gate, true); /* both finish; north cannot say so */
    await(&p.south, other, PT_OPERATION_SUCCEEDED);
    nap_ms(30);
    atomic_store(&p.north.store.is_cut, false);
    await(&p.north, job, PT_OPERATION_FAILED);
    PT_CHECK_EQ(pt_job_failure(job, &err), PT_UNAVAILABLE);
    PT_CHECK_EQ(sum_from(other, 0), sum_of(0, 30));
    pt_job_unref(job);
    pt_job_unref(other);
    pt_error_clear(&err);
    end(&p);
}

static void write_is_not_run_twice(const pt_job_store_vtable *table, bool is_proven)
{
    pair p;
    begin(&p, table);
    atomic_store(&pt__test_backend_committed, is_proven);
    pt_job *job = submit(&p.north, "write 1 1");
    for (int i = 0; i < 1000 && atomic_load(&pt__test_backend_writes) == 0; i++)
        nap_ms(5);
    atomic_store(&p.north.store.is_cut, true);
    pt_job *other = recover(&p.south);
    await(&p.south, other, is_proven ? PT_OPERATION_SUCCEEDED : PT_OPERATION_FAILED);
    PT_CHECK_EQ(pt_job_failure(other, NULL), is_proven ? PT_OK : PT_INTERRUPTED);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_writes), 1);
    atomic_store(&p.north.store.is_cut, false);
    await(&p.north, job, PT_OPERATION_FAILED);
    pt_job_unref(job);
    pt_job_unref(other);
    end(&p);
}

static void host_that_ends_hands_its_reads_on(const pt_job_store_vtable *table)
{
    pair p;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    nap_ms(20);
    pt_job_unref(job);
    stop_node(&p.north);
    pt_job *other = NULL;
    PT_CHECK_EQ(pt_host_recover(p.south.host, some_id, &other, NULL), PT_OK); /* at once */
    atomic_store(&pt__test_backend_gate, true);
    await(&p.south, other, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(sum_from(other, 0), sum_of(0, 30));
    pt_job_unref(other);
    start_node(&p, &p.north);
    end(&p);
}

static void failure_and_cancel_are_on_record(const pt_job_store_vtable *table)
{
    pair p;
    pt_error err = PT_ERROR_INIT;
    begin(&p, table);
    pt_job *job = submit(&p.north, "fail");
    await(&p.north, job, PT_OPERATION_FAILED);
    pt_job *other = recover(&p.south);
    await(&p.south, other, PT_OPERATION_FAILED);
    PT_CHECK_EQ(pt_job_failure(other, &err), PT_EXECUTION);
    PT_CHECK_STR(err.condition, "DIVIDE_BY_ZERO");
    PT_CHECK_EQ(pt_error_parameter_count(&err), 1);
    pt_job_unref(job);
    pt_job_unref(other);
    pt_error_clear(&err);
    end(&p);
    begin(&p, table);
    job = submit(&p.north, "gate 1 1");
    nap_ms(20);
    PT_CHECK_EQ(pt_job_cancel(job, NULL), PT_OK);
    other = recover(&p.south);
    await(&p.south, other, PT_OPERATION_CANCELLED);
    pt_job_unref(job);
    pt_job_unref(other);
    end(&p);
}

/* ---- following ---- */

static pt_job *follow(node *n)
{
    pt_job *job = NULL;
    PT_CHECK_EQ(pt_host_follow(n->host, some_id, &job, NULL), PT_OK);
    return job;
}

static void check_followed_events(pt_job *job, size_t batches)
{
    pt_job_event events[16];
    size_t count = pt_job_events(job, 0, events, 16);
    PT_CHECK_EQ(count, batches + 3);
    PT_CHECK_EQ(events[0].kind, PT_JOB_ACCEPTED);
    PT_CHECK_EQ(events[1].kind, PT_JOB_STARTED);
    for (size_t i = 0; i < batches; i++)
        PT_CHECK_EQ(events[2 + i].batch, i);
    PT_CHECK_EQ(events[count - 1].kind, PT_JOB_FINISHED);
}

static void followed_job_ends_with_its_node(const pt_job_store_vtable *table)
{
    pair p;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    pt_job *followed = follow(&p.south);
    pt_job *again = follow(&p.south);
    PT_CHECK(again == followed);
    pt_job *own = follow(&p.north);
    PT_CHECK(own == job);
    nap_ms(200);
    PT_CHECK_EQ(pt_job_state(followed), PT_OPERATION_RUNNING);
    atomic_store(&pt__test_backend_gate, true);
    PT_CHECK_EQ(sum_from(followed, 0), sum_of(0, 30)); /* waits for the end */
    await(&p.south, followed, PT_OPERATION_SUCCEEDED);
    check_followed_events(followed, 3);
    pt_job_report report = {.size_bytes = sizeof(report)};
    PT_CHECK_EQ(pt_job_status(followed, &report, NULL), PT_OK);
    PT_CHECK_EQ(report.rows, 30);
    PT_CHECK_STR(report.backend, "test");
    pt_job_unref(own);
    pt_job_unref(again);
    pt_job_unref(followed);
    pt_job_unref(job);
    end(&p);
}

static void job_is_cancelled_from_another_node(const pt_job_store_vtable *table)
{
    pair p;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    pt_job *followed = follow(&p.south);
    PT_CHECK_EQ(pt_job_cancel(followed, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_cancel(followed, NULL), PT_OK);
    await(&p.north, job, PT_OPERATION_CANCELLED);
    await(&p.south, followed, PT_OPERATION_CANCELLED);
    PT_CHECK_EQ(pt_job_cancel(followed, NULL), PT_OK);
    pt_job_unref(followed);
    pt_job_unref(job);
    end(&p);
}

static void followed_job_is_recovered_where_it_is_followed(const pt_job_store_vtable *table)
{
    pair p;
    begin(&p, table);
    pt_job *job = submit(&p.north, "gate 3 10");
    pt_job *followed = follow(&p.south);
    nap_ms(20);
    atomic_store(&p.north.store.is_cut, true);
    pt_job *other = recover(&p.south);
    PT_CHECK(other != followed);
    atomic_store(&p.north.store.is_cut, false);
    atomic_store(&pt__test_backend_gate, true);
    await(&p.south, followed, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(sum_from(followed, 0), sum_of(0, 30));
    pt_job_unref(followed);
    pt_job_unref(other);
    await(&p.north, job, PT_OPERATION_FAILED);
    pt_job_unref(job);
    end(&p);
}

/* ---- listing ---- */

typedef struct seen {
    int count;
    pt_operation_state state;
} seen;

static pt_status note_job(void *context, const pt_job_report *report, pt_error *err)
{
    seen *s = context;
    (void)err;
    if (strcmp(report->id, some_id) != 0)
        return PT_OK; /* a server's records of other tests */
    s->count++;
    s->state = report->state;
    return PT_OK;
}

static seen list(node *n, const char *session_id, int state, const char *tag)
{
    seen s = {0, PT_OPERATION_PENDING};
    const pt_job_filter filter = {sizeof(filter), session_id, NULL, state, tag};
    PT_CHECK_EQ(pt_host_jobs(n->host, &filter, note_job, &s, NULL), PT_OK);
    return s;
}

static void jobs_are_listed_everywhere(const pt_job_store_vtable *table)
{
    static const char *const tags[] = {"night", "a,b"};
    pair p;
    begin(&p, table);
    pt_job *job = NULL;
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = p.north.session,
        .requested_job_id = "00112233-4455-6677-8899-AABBCCDDEEFF",
        .query = {.format = "test", .payload = {(const uint8_t *)"rows 1 1", 8}},
        .tags = tags,
        .tag_count = 2,
    };
    PT_CHECK_EQ(pt_host_submit(p.north.host, &request, &job, NULL), PT_OK);
    await(&p.north, job, PT_OPERATION_SUCCEEDED);
    const char *session_id = pt__session_client_id(p.north.session);
    for (node *n = &p.north; n != NULL; n = n == &p.north ? &p.south : NULL) {
        PT_CHECK_EQ(list(n, NULL, -1, NULL).count, 1);
        PT_CHECK_EQ(list(n, session_id, -1, "a,b").state, PT_OPERATION_SUCCEEDED);
        PT_CHECK_EQ(list(n, session_id, PT_OPERATION_SUCCEEDED, "night").count, 1);
        PT_CHECK_EQ(list(n, session_id, PT_OPERATION_RUNNING, NULL).count, 0);
        PT_CHECK_EQ(list(n, NULL, -1, "day").count, 0);
        PT_CHECK_EQ(list(n, some_id, -1, NULL).count, 0);
    }
    pt_job_unref(job);
    end(&p);
}

/* ---- retention ---- */

static uint64_t read_clock(void *context)
{
    return atomic_load((_Atomic uint64_t *)context);
}

static int count_outputs(const char *path)
{
    int count = 0;
    const struct dirent *entry;
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        count += strstr(entry->d_name, ".arrows") != NULL;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void old_jobs_go(const pt_job_store_vtable *table, const char *key, const char *value)
{
    pair p;
    _Atomic uint64_t clock = 1000;
    begin(&p, table);
    stop_node(&p.south);
    start_node_with(&p, &p.south, key, value);
    pt__host_set_clock(p.south.host, read_clock, &clock);
    pt_job *job = submit(&p.north, "rows 1 1000");
    await(&p.north, job, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(count_outputs(p.folder), 1);
    pt_job_unref(job);
    stop_node(&p.north);
    atomic_fetch_add(&clock, 2 * 3600 * 1000); /* beyond an age of an hour */
    pt__host_retain_now(p.south.host);
    PT_CHECK_EQ(count_outputs(p.folder), 0);
    PT_CHECK_EQ(pt_host_job(p.south.host, some_id, &job, NULL), PT_NOT_FOUND);
    start_node(&p, &p.north);
    pt_job_unref(submit(&p.north, "rows 1 1")); /* for the end of the test */
    pt_job *again = submit(&p.north, "rows 1 1");
    await(&p.north, again, PT_OPERATION_SUCCEEDED);
    pt_job_unref(again);
    end(&p);
}

PT_TEST(durable_job_that_nobody_recovers_goes_as_well)
{
    pair p;
    begin(&p, &pt_job_store_sqlite);
    stop_node(&p.south);
    start_node_with(&p, &p.south, "jobs.retention-age", "1ms");
    pt_job *job = submit(&p.north, "gate 1 1");
    nap_ms(20);
    atomic_store(&p.north.store.is_cut, true);
    nap_ms(400); /* its lease has run out */
    pt__host_retain_now(p.south.host);
    pt_job *gone = NULL;
    PT_CHECK_EQ(pt_host_job(p.south.host, some_id, &gone, NULL), PT_NOT_FOUND);
    atomic_store(&p.north.store.is_cut, false);
    await(&p.north, job, PT_OPERATION_FAILED);
    pt_job_unref(job);
    atomic_store(&pt__test_backend_gate, true);
    job = submit(&p.south, "rows 1 1");
    await(&p.south, job, PT_OPERATION_SUCCEEDED);
    pt_job_unref(job);
    end(&p);
}

PT_TEST(durable_jobs_go_by_their_age)
{
    old_jobs_go(&pt_job_store_memory, "jobs.retention-age", "1h");
}

PT_TEST(durable_jobs_go_by_the_size_of_their_output)
{
    old_jobs_go(&pt_job_store_sqlite, "jobs.retention-bytes", "1KiB");
}

static void run_suite(const pt_job_store_vtable *table)
{
    finished_output_is_served_elsewhere(table);
    running_read_runs_again_elsewhere(table);
    late_end_is_not_recorded(table);
    write_is_not_run_twice(table, false);
    write_is_not_run_twice(table, true);
    host_that_ends_hands_its_reads_on(table);
    failure_and_cancel_are_on_record(table);
    jobs_are_listed_everywhere(table);
    followed_job_ends_with_its_node(table);
    job_is_cancelled_from_another_node(table);
    followed_job_is_recovered_where_it_is_followed(table);
}

PT_TEST(durable_jobs_of_two_hosts_on_a_store_in_memory)
{
    run_suite(&pt_job_store_memory);
}

PT_TEST(durable_jobs_of_two_hosts_on_a_file_of_sqlite)
{
    run_suite(&pt_job_store_sqlite);
}

PT_TEST(durable_jobs_of_two_hosts_on_postgresql)
{
    if (getenv("PT_TEST_POSTGRESQL") != NULL)
        run_suite(&pt_job_store_postgresql);
}
