#include "server/status_page.h"

#include "exec/host.h"

#include <portico/job.h>
#include <portico/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what there is to tell ---- */

enum { TEXT_BYTES = 64 };

typedef struct job_line {
    char id[TEXT_BYTES];
    char user[TEXT_BYTES];
    char backend[TEXT_BYTES];
    pt_operation_state state;
    pt_job_kind kind;
    int64_t created_us;
    int64_t elapsed_ms;
    int64_t rows;
    double progress;
} job_line;

typedef struct status {
    uint64_t uptime_s;
    size_t sessions;
    size_t resident_bytes;
    size_t job_total;
    size_t job_running;
    job_line *jobs; /* PT_STATUS_JOBS_MAX of them at most, the first ones by compare_lines */
    size_t job_count;
    int64_t now_us;
    const char *backend;
    const char *backends;
} status;

static bool has_ended(const job_line *line)
{
    return line->state > PT_OPERATION_RUNNING;
}

/* Those that have not ended, then the youngest. */
static int compare_lines(const void *a, const void *b)
{
    const job_line *x = a;
    const job_line *y = b;
    if (has_ended(x) != has_ended(y))
        return has_ended(x) ? 1 : -1;
    return x->created_us > y->created_us ? -1 : x->created_us < y->created_us;
}

static int64_t elapsed_ms(const pt_job_report *job, int64_t now_us)
{
    int64_t start = job->started_us != 0 ? job->started_us : job->created_us;
    int64_t end = job->ended_us != 0 ? job->ended_us : now_us;
    return end > start ? (end - start) / 1000 : 0;
}

static void copy_text(char out[TEXT_BYTES], const char *text)
{
    size_t size = text == NULL ? 0 : strlen(text);
    if (size >= TEXT_BYTES) { /* cut before a character, not within one */
        size = TEXT_BYTES - 1;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    if (size > 0)
        memcpy(out, text, size);
    out[size] = '\0';
}

static pt_status add_job(void *context, const pt_job_report *job, pt_error *err);

static void add_past_job(void *context, const pt_job_report *job)
{
    add_job(context, job, NULL);
}

/* The worst of the lines gives way once there are too many. */
static pt_status add_job(void *context, const pt_job_report *job, pt_error *err)
{
    status *s = context;
    (void)err;
    s->job_total++;
    s->job_running += job->state <= PT_OPERATION_RUNNING;
    job_line line = {
        .state = job->state,
        .kind = job->kind,
        .created_us = job->created_us,
        .elapsed_ms = elapsed_ms(job, s->now_us),
        .rows = job->rows,
        .progress = job->progress,
    };
    copy_text(line.id, job->id);
    copy_text(line.user, job->user);
    copy_text(line.backend, job->backend);
    if (s->job_count == 2 * PT_STATUS_JOBS_MAX) {
        qsort(s->jobs, s->job_count, sizeof(*s->jobs), compare_lines);
        s->job_count = PT_STATUS_JOBS_MAX;
    }
    s->jobs[s->job_count++] = line;
    return PT_OK;
}

/* Of this process, as Linux tells it; 0 where it does not. */
static size_t resident_bytes(void)
{
    char line[128];
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    const char *resident = fgets(line, sizeof(line), file) == NULL ? NULL : strchr(line, ' ');
    fclose(file);
    return resident == NULL ? 0 : strtoul(resident, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static pt_status collect(const pt__status_source *source, status *out, pt_error *err)
{
    *out = (status){
        .uptime_s = (pt__host_now_ms(source->host) - source->started_ms) / 1000,
        .sessions = pt__host_session_count(source->host),
        .resident_bytes = resident_bytes(),
        .jobs = malloc(2 * PT_STATUS_JOBS_MAX * sizeof(job_line)),
        .now_us = pt__host_now_us(source->host),
        .backend = pt_config_string(source->config, "backend", "duckdb"),
        .backends = pt_config_string(source->config, "backends", ""),
    };
    if (out->jobs == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to list jobs");
    pt__host_past_jobs(source->host, add_past_job, out);
    pt_status result = pt_host_jobs(source->host, NULL, add_job, out, err);
    qsort(out->jobs, out->job_count, sizeof(*out->jobs), compare_lines);
    if (out->job_count > PT_STATUS_JOBS_MAX)
        out->job_count = PT_STATUS_JOBS_MAX;
    return result;
}

static const char *state_name(pt_operation_state state)
{
    static const char *const NAMES[] = {"pending", "running", "succeeded", "failed", "cancelled"};
    return NAMES[state];
}

static const char *kind_name(pt_job_kind kind)
{
    static const char *const NAMES[] = {"", "read", "write"};
    return NAMES[kind];
}

/* Names alone of NAME=FILE,NAME=FILE: calls `visit` for each, the chosen backend first. */
static void each_backend(const status *s, void (*visit)(pt__buffer *out, const char *name, size_t size, bool first),
                         pt__buffer *out)
{
    visit(out, s->backend, strlen(s->backend), true);
    for (const char *at = s->backends; *at != '\0';) {
        size_t size = strcspn(at, "=,");
        visit(out, at, size, false);
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* ---- HTML ---- */

static void put_escaped(pt__buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'' || c < ' ')
            pt__buffer_printf(out, "&#%d;", c < ' ' ? ' ' : c);
        else
            pt__buffer_append_byte(out, c);
    }
}

static void put_cell(pt__buffer *out, const char *text)
{
    pt__buffer_append_string(out, "<td>");
    put_escaped(out, text, strlen(text));
}

static void put_backend_html(pt__buffer *out, const char *name, size_t size, bool first)
{
    pt__buffer_append_string(out, first ? "" : ", ");
    put_escaped(out, name, size);
}

static void put_job_html(pt__buffer *out, const job_line *job)
{
    pt__buffer_append_string(out, "<tr>");
    put_cell(out, job->id);
    put_cell(out, kind_name(job->kind));
    put_cell(out, state_name(job->state));
    put_cell(out, job->user);
    put_cell(out, job->backend);
    pt__buffer_printf(out, "<td class=n>%lld<td class=n>%lld.%03lld s\n", (long long)job->rows,
                      (long long)(job->elapsed_ms / 1000), (long long)(job->elapsed_ms % 1000));
}

static void put_facts_html(pt__buffer *out, const status *s)
{
    pt__buffer_append_string(
        out, "<!doctype html><html lang=en><meta charset=utf-8><title>Portico</title>"
             "<style>body{font:15px sans-serif;margin:2em}td,th{text-align:left;padding:.15em .8em;border-bottom:1px "
             "solid #ccc}.n{text-align:right}</style><h1>Portico " PT_VERSION "</h1><table>");
    pt__buffer_printf(out, "<tr><th>Up<td>%llu d %02llu:%02llu:%02llu", (unsigned long long)(s->uptime_s / 86400),
                      (unsigned long long)(s->uptime_s / 3600 % 24), (unsigned long long)(s->uptime_s / 60 % 60),
                      (unsigned long long)(s->uptime_s % 60));
    pt__buffer_printf(out, "<tr><th>Memory<td>%zu MiB", s->resident_bytes >> 20);
    pt__buffer_printf(out, "<tr><th>Sessions<td>%zu", s->sessions);
    pt__buffer_printf(out, "<tr><th>Jobs<td>%zu, %zu of them not ended<tr><th>Backends<td>", s->job_total,
                      s->job_running);
    each_backend(s, put_backend_html, out);
}

pt_status pt__status_html(const pt__status_source *source, pt__buffer *out, pt_error *err)
{
    status s;
    pt_status result = collect(source, &s, err);
    if (result == PT_OK) {
        put_facts_html(out, &s);
        pt__buffer_append_string(out, "</table><h2>Jobs</h2><table><tr><th>Id<th>Kind<th>State<th>User<th>Backend<th "
                                      "class=n>Rows<th class=n>Time\n");
        for (size_t i = 0; i < s.job_count; i++)
            put_job_html(out, &s.jobs[i]);
        pt__buffer_append_string(out, "</table></html>\n");
    }
    free(s.jobs);
    return result;
}

/* ---- JSON ---- */

static void put_json_text(pt__buffer *out, const char *text, size_t size)
{
    pt__buffer_append_byte(out, '"');
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\' || c < ' ')
            pt__buffer_printf(out, "\\u%04x", c);
        else
            pt__buffer_append_byte(out, c);
    }
    pt__buffer_append_byte(out, '"');
}

static void put_member(pt__buffer *out, const char *name, const char *text)
{
    pt__buffer_printf(out, "\"%s\":", name);
    put_json_text(out, text, strlen(text));
    pt__buffer_append_byte(out, ',');
}

static void put_backend_json(pt__buffer *out, const char *name, size_t size, bool first)
{
    pt__buffer_append_string(out, first ? "" : ",");
    put_json_text(out, name, size);
}

static void put_job_json(pt__buffer *out, const job_line *job)
{
    pt__buffer_append_byte(out, '{');
    put_member(out, "id", job->id);
    put_member(out, "kind", kind_name(job->kind));
    put_member(out, "state", state_name(job->state));
    put_member(out, "user", job->user);
    put_member(out, "backend", job->backend);
    pt__buffer_printf(out,
                      "\"created_us\":%lld,\"rows\":%lld,\"elapsed_ms\":%lld,\"progress\":", (long long)job->created_us,
                      (long long)job->rows, (long long)job->elapsed_ms);
    if (job->progress < 0)
        pt__buffer_append_string(out, "null}");
    else
        pt__buffer_printf(out, "%.3f}", job->progress);
}

pt_status pt__status_json(const pt__status_source *source, pt__buffer *out, pt_error *err)
{
    status s;
    pt_status result = collect(source, &s, err);
    if (result == PT_OK) {
        pt__buffer_append_byte(out, '{');
        put_member(out, "version", PT_VERSION);
        pt__buffer_printf(out, "\"uptime_s\":%llu,\"resident_bytes\":%zu,\"sessions\":%zu,\"jobs_total\":%zu,",
                          (unsigned long long)s.uptime_s, s.resident_bytes, s.sessions, s.job_total);
        pt__buffer_printf(out, "\"jobs_not_ended\":%zu,\"backends\":[", s.job_running);
        each_backend(&s, put_backend_json, out);
        pt__buffer_append_string(out, "],\"jobs\":[");
        for (size_t i = 0; i < s.job_count; i++) {
            pt__buffer_append_string(out, i == 0 ? "" : ",");
            put_job_json(out, &s.jobs[i]);
        }
        pt__buffer_append_string(out, "]}\n");
    }
    free(s.jobs);
    return result;
}
