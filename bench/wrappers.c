/*
 * What the wrappers add to a query: two hosts, one bare and one wrapped, are asked in turn. Prints JSON: processor
 * time, in microseconds per small query and in nanoseconds per row of a large one; the best tenth of the runs counts,
 * as what else the machine does only adds. The small queries are decoded and analyzed, but answered by a wrapper that
 * stands for the engine, whose own times would hide the difference; they differ from each other, so that the cache looks
 * each up and keeps it. The large ones DuckDB runs.
 */
#include <portico/job.h>
#include <portico/plan.h>
#include <portico/wrappers.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 300, BLOCK_QUERIES = 10, LARGE_RUNS = 9, LARGE_ROWS = 5000000 };

/* ---- an engine that answers at once: a row of zeros ---- */

typedef struct answer {
    pt_operation base;
    size_t width;
    bool given;
} answer;

static const int64_t zero[8];
static const void *zero_buffers[2] = {NULL, zero};

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        free(array->children[i]);
    free(array->children);
    array->release = NULL;
}

static void release_column(struct ArrowArray *array)
{
    array->release = NULL;
}

static int next_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    static const void *none[1];
    answer *a = stream->private_data;
    *out = (struct ArrowArray){.length = 1, .n_buffers = 1, .buffers = none};
    if (a->given)
        return 0;
    a->given = true;
    out->children = calloc(a->width + 1, sizeof(struct ArrowArray *));
    for (size_t i = 0; i < a->width; i++) {
        out->children[i] = malloc(sizeof(struct ArrowArray));
        *out->children[i] =
            (struct ArrowArray){.length = 1, .n_buffers = 2, .buffers = zero_buffers, .release = release_column};
    }
    out->n_children = (int64_t)a->width;
    out->release = release_array;
    return 0;
}

static const char *no_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static pt_status result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = (struct ArrowArrayStream){NULL, next_batch, no_error, release_stream, operation};
    return PT_OK;
}

static pt_status cancel(pt_operation *operation, pt_error *err)
{
    (void)operation;
    (void)err;
    return PT_OK;
}

static void free_answer(pt_operation *operation)
{
    free(operation);
}

static const pt_operation_vtable answer_vtable = {
    .size_bytes = sizeof(pt_operation_vtable), .cancel = cancel, .result = result, .free = free_answer};

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    if (query->plan == NULL || pt_plan_is_command(query->plan))
        return pt_forward_execute(session, query, out, err);
    answer *a = calloc(1, sizeof(*a));
    a->base.vtable = &answer_vtable;
    a->width = pt_plan_column_count(query->plan);
    *out = &a->base;
    return PT_OK;
}

static const pt_backend_vtable changes = {.size_bytes = sizeof(changes), .execute = execute};
static const pt_wrapper_vtable engineless = {
    .size_bytes = sizeof(engineless),
    .name = "engineless",
    .self_bytes = sizeof(pt_wrapper),
    .session_bytes = sizeof(pt_wrapper_session),
    .changes = &changes,
};

/* ---- the measure ---- */

typedef struct subject {
    pt_host *host;
    pt_session *session;
    double small_us[BLOCKS];
    double large_s[LARGE_RUNS];
} subject;

static void must(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "bench_wrappers: %s\n", err->message);
    exit(1);
}

/* Of the processors that this process has had: other programs on the machine do not count. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void ask(const subject *s, const char *sql)
{
    pt_error err = PT_ERROR_INIT;
    pt_job *job = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {0};
    pt_submit_request request = {.size_bytes = sizeof(request), .session = s->session};
    request.query = (pt_encoded_query){.format = "spark.sql", .payload = {(const uint8_t *)sql, strlen(sql)}};
    must(pt_host_submit(s->host, &request, &job, &err), &err);
    must(pt_job_result(job, &stream, &err), &err);
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    stream.release(&stream);
    must(pt_job_failure(job, &err), &err);
    pt_job_unref(job);
}

static double small_us(const subject *s, int block)
{
    char sql[128];
    double start = now_s();
    for (int i = 0; i < BLOCK_QUERIES; i++) {
        snprintf(sql, sizeof(sql), "select id, id * 2 + %d as v from range(100) where id = %d and id > 3", block, i);
        ask(s, sql);
    }
    return (now_s() - start) * 1e6 / BLOCK_QUERIES;
}

static double large_s(const subject *s, int run)
{
    char sql[128];
    double start = now_s();
    snprintf(sql, sizeof(sql), "select id + %d from range(%d)", run, LARGE_ROWS);
    ask(s, sql);
    return now_s() - start;
}

static void write_file(const char *folder, const char *name, const char *text, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        exit(1);
}

/* The names of the wrappers, then NAME=VALUE of the configuration. */
static void wrap(pt_host *host, char **arguments, const char *folder)
{
    pt_error err = PT_ERROR_INIT;
    pt_config *config = NULL;
    char policy[256];
    char rules[256];
    write_file(folder, "policy", "deny * user=eve\nallow select user=ann table=default.other\nallow * user=*\n",
               policy);
    write_file(folder, "rules", "bulk min-bytes=1GiB\nbulk user=bill\n", rules);
    must(pt_config_new(&config, &err), &err);
    must(pt_config_set(config, "authorize.policy", policy, &err), &err);
    must(pt_config_set(config, "route.rules", rules, &err), &err);
    must(pt_config_set(config, "trace.interval", "1h", &err), &err);
    must(pt_config_set(config, "trace.endpoint", "http://127.0.0.1:9/", &err), &err);
    for (char **at = arguments + 1; *at != NULL; at++) {
        char name[128];
        const char *value = strchr(*at, '=');
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*at, "="), *at);
        must(pt_config_set(config, name, value == NULL ? "" : value + 1, &err), &err);
    }
    must(pt_host_add_named_backend(host, "bulk", &pt_backend_duckdb, NULL, &err), &err);
    must(pt_host_add_wrappers(host, NULL, arguments[0], config, &err), &err);
    pt_config_free(config);
    unlink(policy);
    unlink(rules);
}

static void open_subject(subject *s, bool has_engine, char **arguments, const char *folder)
{
    pt_error err = PT_ERROR_INIT;
    must(pt_host_new(NULL, &s->host, &err), &err);
    must(pt_host_add_backend(s->host, &pt_backend_duckdb, NULL, &err), &err);
    if (!has_engine)
        must(pt_host_add_wrapper(s->host, NULL, &engineless, NULL, &err), &err);
    if (arguments != NULL)
        wrap(s->host, arguments, folder);
    must(pt_host_create_session(s->host, NULL, &s->session, &err), &err);
    for (int i = 0; i < 100; i++)
        ask(s, "select id from range(2)");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double best(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 10];
}

/* bench_wrappers [NAMES [NAME=VALUE]…] */
int main(int argc, char **argv)
{
    static subject subjects[4]; /* bare and wrapped, without and with an engine */
    static char all[] = "trace,authorize,cache,validate,route";
    char *usual[] = {all, NULL};
    char folder[] = "/tmp/portico-bench-XXXXXX";
    if (mkdtemp(folder) == NULL)
        return 1;
    for (int i = 0; i < 4; i++)
        open_subject(&subjects[i], i >= 2, i % 2 == 0 ? NULL : argc > 1 ? argv + 1 : usual, folder);
    rmdir(folder);
    for (int i = 0; i < BLOCKS; i++) {
        for (int j = 0; j < 2; j++)
            subjects[j].small_us[i] = small_us(&subjects[j], i);
    }
    for (int i = 0; i < LARGE_RUNS; i++) {
        for (int j = 2; j < 4; j++)
            subjects[j].large_s[i] = large_s(&subjects[j], i);
    }
    double bare_us = best(subjects[0].small_us, BLOCKS);
    double wrapped_us = best(subjects[1].small_us, BLOCKS);
    double bare_row_ns = best(subjects[2].large_s, LARGE_RUNS) * 1e9 / LARGE_ROWS;
    double wrapped_row_ns = best(subjects[3].large_s, LARGE_RUNS) * 1e9 / LARGE_ROWS;
    printf("{\"bare_us\": %.1f, \"wrapped_us\": %.1f, \"added_us\": %.1f, \"bare_row_ns\": %.3f, "
           "\"added_row_ns\": %.3f}\n",
           bare_us, wrapped_us, wrapped_us - bare_us, bare_row_ns, wrapped_row_ns - bare_row_ns);
    for (int i = 0; i < 4; i++) {
        pt_session_unref(subjects[i].session);
        pt_host_free(subjects[i].host);
    }
    return 0;
}
