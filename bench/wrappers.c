/*
 * What the five wrappers add to a query: two hosts over DuckDB, one bare and one wrapped, are asked in turn. Prints JSON:
 * medians of microseconds per small query, and nanoseconds per row of a large one. Small queries differ from each other,
 * so that the cache looks each up and keeps it.
 */
#include <portico/job.h>
#include <portico/wrappers.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 300, BLOCK_QUERIES = 10, LARGE_RUNS = 9, LARGE_ROWS = 5000000 };

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

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
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
        snprintf(sql, sizeof(sql), "select id, v + %d from small where id = %d", block, i);
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

static void wrap(pt_host *host, const char *names, const char *folder)
{
    pt_error err = PT_ERROR_INIT;
    pt_config *config = NULL;
    char policy[256];
    char rules[256];
    write_file(folder, "policy", "deny * user=eve\nallow select user=ann table=default.other\nallow * user=*\n", policy);
    write_file(folder, "rules", "bulk min-bytes=1GiB\nbulk user=bill\n", rules);
    must(pt_config_new(&config, &err), &err);
    must(pt_config_set(config, "authorize.policy", policy, &err), &err);
    must(pt_config_set(config, "route.rules", rules, &err), &err);
    must(pt_config_set(config, "trace.interval", "1h", &err), &err);
    must(pt_config_set(config, "trace.endpoint", "http://127.0.0.1:9/", &err), &err);
    must(pt_host_add_named_backend(host, "bulk", &pt_backend_duckdb, NULL, &err), &err);
    must(pt_host_add_wrappers(host, NULL, names, config, &err), &err);
    pt_config_free(config);
    unlink(policy);
    unlink(rules);
}

static void open_subject(subject *s, const char *names, const char *folder)
{
    pt_error err = PT_ERROR_INIT;
    must(pt_host_new(NULL, &s->host, &err), &err);
    must(pt_host_add_backend(s->host, &pt_backend_duckdb, NULL, &err), &err);
    if (names != NULL)
        wrap(s->host, names, folder);
    must(pt_host_create_session(s->host, NULL, &s->session, &err), &err);
    ask(s, "create table small as select id, id * 2 as v from range(100)");
    for (int i = 0; i < 100; i++)
        ask(s, "select 1 from small");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

/* bench_wrappers [NAMES] */
int main(int argc, char **argv)
{
    static subject bare;
    static subject wrapped;
    static double added[BLOCKS];
    static double added_s[LARGE_RUNS];
    char folder[] = "/tmp/portico-bench-XXXXXX";
    if (mkdtemp(folder) == NULL)
        return 1;
    open_subject(&bare, NULL, NULL);
    open_subject(&wrapped, argc > 1 ? argv[1] : "trace,authorize,cache,validate,route", folder);
    rmdir(folder);
    for (int i = 0; i < BLOCKS; i++) {
        bare.small_us[i] = small_us(&bare, i);
        wrapped.small_us[i] = small_us(&wrapped, i);
        added[i] = wrapped.small_us[i] - bare.small_us[i];
    }
    for (int i = 0; i < LARGE_RUNS; i++) {
        bare.large_s[i] = large_s(&bare, i);
        wrapped.large_s[i] = large_s(&wrapped, i);
        added_s[i] = wrapped.large_s[i] - bare.large_s[i];
    }
    printf("{\"bare_us\": %.1f, \"wrapped_us\": %.1f, \"added_us\": %.1f, \"bare_row_ns\": %.3f, \"added_row_ns\": %.3f}\n",
           median(bare.small_us, BLOCKS), median(wrapped.small_us, BLOCKS), median(added, BLOCKS),
           median(bare.large_s, LARGE_RUNS) * 1e9 / LARGE_ROWS, median(added_s, LARGE_RUNS) * 1e9 / LARGE_ROWS);
    pt_session_unref(bare.session);
    pt_session_unref(wrapped.session);
    pt_host_free(bare.host);
    pt_host_free(wrapped.host);
    return 0;
}
