/* What an embedder brings: allocator, clock, log; hosts that know nothing of each other; older tables. */
#include "base/test.h"
#include "exec/state.h"
#include "exec/test_backend.h"
#include "exec/test_sql.h"

#include <portico/decoder.h>
#include <portico/job.h>

#include <stdlib.h>
#include <string.h>

typedef struct counting {
    atomic_llong blocks;
    atomic_llong bytes;
    atomic_llong ever;
    long long limit_bytes; /* 0: none */
} counting;

static void *count_allocate(void *context, size_t size_bytes)
{
    counting *c = context;
    if (c->limit_bytes != 0 && atomic_load(&c->bytes) + (long long)size_bytes > c->limit_bytes)
        return NULL;
    atomic_fetch_add(&c->blocks, 1);
    atomic_fetch_add(&c->ever, 1);
    atomic_fetch_add(&c->bytes, (long long)size_bytes);
    return malloc(size_bytes);
}

static void count_release(void *context, void *memory, size_t size_bytes)
{
    counting *c = context;
    atomic_fetch_sub(&c->blocks, 1);
    atomic_fetch_sub(&c->bytes, (long long)size_bytes);
    free(memory);
}

static uint64_t given_time(void *context)
{
    return (uint64_t)atomic_load((atomic_llong *)context);
}

static void count_line(void *context, pt_log_level level, const char *component, const char *message)
{
    (void)level;
    (void)component;
    (void)message;
    atomic_fetch_add((atomic_int *)context, 1);
}

typedef struct embedder {
    counting memory;
    atomic_llong now_ms;
    atomic_int lines;
    pt_allocator allocator;
    pt_host *host;
    pt_session *session;
} embedder;

static void open_embedder(embedder *e, const char *key, const char *value)
{
    pt_config *config;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, key, value, NULL), PT_OK);
    e->allocator = (pt_allocator){count_allocate, count_release, &e->memory};
    pt_host_options options = {
        .size_bytes = sizeof(options),
        .config = config,
        .log = count_line,
        .log_context = &e->lines,
        .log_level = PT_LOG_INFO,
        .allocator = &e->allocator,
        .clock_ms = given_time,
        .clock_context = &e->now_ms,
    };
    PT_CHECK_EQ(pt_host_new(&options, &e->host, NULL), PT_OK);
    pt_config_free(config);
    PT_CHECK_EQ(pt_host_add_backend(e->host, &pt__test_backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_create_session(e->host, NULL, &e->session, NULL), PT_OK);
}

static void close_embedder(embedder *e)
{
    pt_session_unref(e->session);
    pt_host_free(e->host);
    PT_CHECK_EQ(atomic_load(&e->memory.blocks), 0);
    PT_CHECK_EQ(atomic_load(&e->memory.bytes), 0);
}

/* Runs a statement or an encoded query to its end. */
static pt_status run(pt_host *host, pt_session *session, const char *format, const char *text, pt_error *err)
{
    pt_job *job = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .query = {.format = format, .payload = {(const uint8_t *)text, strlen(text)}},
    };
    pt_status status = pt_host_submit(host, &request, &job, err);
    if (status != PT_OK)
        return status;
    status = pt_job_result(job, &stream, err);
    if (status == PT_OK) {
        while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
            batch.release(&batch);
        stream.release(&stream);
        status = pt_job_failure(job, err);
    }
    pt_job_unref(job);
    return status;
}

PT_TEST(two_hosts_of_one_process_know_nothing_of_each_other)
{
    embedder a = {0};
    embedder b = {0};
    pt_session *more = NULL;
    open_embedder(&a, "session.limit", "1");
    open_embedder(&b, "session.idle-after", "1s");
    atomic_store(&a.now_ms, 1000);
    atomic_store(&b.now_ms, 777000);
    PT_CHECK_EQ(pt__host_now_ms(a.host), 1000);
    PT_CHECK_EQ(pt__host_now_ms(b.host), 777000);

    PT_CHECK_EQ(pt_host_create_session(a.host, NULL, &more, NULL), PT_LIMIT);
    PT_CHECK_EQ(pt_host_create_session(b.host, NULL, &more, NULL), PT_OK);
    pt_session_unref(more);
    long long before = atomic_load(&b.memory.ever);
    PT_CHECK_EQ(run(a.host, a.session, "spark.sql", "create temp view v as select id from range(10)", NULL), PT_OK);
    PT_CHECK_EQ(run(a.host, a.session, "test", "rows 2 3", NULL), PT_OK);
    PT_CHECK(atomic_load(&a.memory.ever) > 0);
    PT_CHECK_EQ(atomic_load(&b.memory.ever), before);

    int lines = atomic_load(&a.lines);
    atomic_fetch_add(&b.now_ms, 5000);
    pt__host_tick(b.host); /* its sessions are idle, and it says so */
    pt__host_tick(a.host);
    PT_CHECK(atomic_load(&b.lines) > 0);
    PT_CHECK_EQ(atomic_load(&a.lines), lines);
    close_embedder(&a);
    close_embedder(&b);
}

PT_TEST(a_request_fails_when_the_allocator_has_nothing)
{
    embedder e = {0};
    pt_error err = PT_ERROR_INIT;
    open_embedder(&e, "session.limit", "10");
    for (long long limit = 4096; limit < 200000; limit += 9000) {
        e.memory.limit_bytes = limit;
        pt_status status = run(e.host, e.session, "spark.sql", "select id, id + 1 as b from range(3)", &err);
        PT_CHECK(status != PT_INTERNAL);
    }
    e.memory.limit_bytes = 0;
    PT_CHECK_EQ(run(e.host, e.session, "test", "rows 2 3", &err), PT_OK);
    pt_error_clear(&err);
    close_embedder(&e);
}

PT_TEST(options_without_their_size_are_refused)
{
    pt_host *host = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt_host_new(&(pt_host_options){.size_bytes = 0}, &host, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(strstr(err.message, "size_bytes") != NULL);
    pt_error_clear(&err);
}

/* ---- plug-ins of an older header: what lies beyond their size is not theirs, and not to be read ---- */

/* A table whose members from `end_bytes` on are poisoned. */
static void shorten(void *table, size_t size_bytes, size_t end_bytes)
{
    memset((char *)table + end_bytes, 0x5A, size_bytes - end_bytes);
    memcpy(table, &end_bytes, sizeof(end_bytes));
}

PT_TEST(an_older_shorter_backend_works)
{
    pt_backend_vtable old = pt__test_backend;
    pt_error err = PT_ERROR_INIT;
    shorten(&old, sizeof(old), offsetof(pt_backend_vtable, get_table));
    pt__test_sql t = pt__test_sql_begin(&old, NULL, NULL);
    PT_CHECK_EQ(run(t.host, t.session, "test", "rows 2 3", &err), PT_OK);
    pt__test_sql_run(&t, "select * from nowhere");
    pt__test_sql_run(&t, "show tables");
    pt__test_sql_run(&t, "show databases");
    pt__test_sql_run(&t, "explain select id from range(3)");
    pt__test_sql_run(&t, "select * from parquet.`/nothing/here`");
    pt__test_sql_run(&t, "create table t as select 1 as a");
    pt__test_sql_run(&t, "cache table c as select 1 as a");
    pt_error_clear(&err);
    pt__test_sql_end(&t);
}

static pt_status decode_numbers(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                                pt_error *err)
{
    (void)self;
    (void)err;
    *out = pt_build_range(builder, 0, (int64_t)query->payload.size_bytes, 1);
    return PT_OK;
}

/* The size of the first version of the table; the host's may grow. */
PT_TEST(an_older_shorter_decoder_works)
{
    struct {
        size_t size_bytes;
        const char *format;
        pt_status (*open)(const pt_config *config, void **self, pt_error *err);
        void (*close)(void *self);
        pt_status (*decode)(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                            pt_error *err);
    } first = {sizeof(first), "old.numbers", NULL, NULL, decode_numbers};
    union {
        unsigned char bytes[sizeof(pt_decoder_vtable) + 64];
        pt_decoder_vtable table;
    } old;
    memset(&old, 0x5A, sizeof(old));
    memcpy(&old, &first, sizeof(first));
    pt__test_sql t = pt__test_sql_begin(&pt__test_backend, NULL, NULL);
    PT_CHECK_EQ(pt_host_add_decoder(t.host, &old.table, NULL, NULL), PT_OK);
    PT_CHECK_EQ(run(t.host, t.session, "old.numbers", "12345", NULL), PT_OK);
    pt__test_sql_end(&t);
}

static pt_status translate_nothing(void *self, const pt_extension *extension, pt_builder *builder, const pt_plan **out,
                                   pt_error *err)
{
    (void)self;
    (void)extension;
    (void)err;
    *out = pt_build_range(builder, 0, 0, 1);
    return PT_OK;
}

PT_TEST(an_older_shorter_translator_works)
{
    pt_translator_vtable translator = {.type_name = "old.Nothing", .relation = translate_nothing};
    shorten(&translator, sizeof(translator), offsetof(pt_translator_vtable, expression));
    pt__test_sql t = pt__test_sql_begin(&pt__test_backend, NULL, NULL);
    PT_CHECK_EQ(pt_host_add_translator(t.host, &translator, NULL, NULL), PT_OK);
    PT_CHECK_EQ(run(t.host, t.session, "test", "rows 2 3", NULL), PT_OK);
    pt__test_sql_end(&t);
}
