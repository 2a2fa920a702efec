#include "wrap/span_exporter.h"

#include "base/library.h"
#include "base/monotonic.h"
#include "exec/workers.h"

#define CURL_DISABLE_TYPECHECK /* its macros call the linked function */
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CONNECT_TIMEOUT_MS = 2000,
    SEND_TIMEOUT_MS = 5000,
    IDLE_MS = 10000,
    BATCH_SPANS = 512 /* in one request */
};

/* libcurl, loaded with the exporter: it brings two dozen libraries, and few servers are traced. */
typedef struct libcurl {
    void *library;
#define PT_FUNCTION(name) __typeof__(&(name)) name;
#include "wrap/libcurl.def"
#undef PT_FUNCTION
} libcurl;

struct pt__span_exporter {
    libcurl curl;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* enough for a batch, or the end */
    pt__workers *workers;
    pt_log_sink log;
    void *log_context;
    char *endpoint;
    char *service;
    char *header;
    uint64_t interval_ms;
    pt__span *queue; /* capacity spans, `count` of them from `first` on */
    size_t capacity;
    size_t first;
    size_t count;
    uint64_t dropped; /* since the last batch */
    bool is_sending;  /* a task of the worker is there or on its way */
    bool is_closing;
};

static void log_line(const pt__span_exporter *e, pt_log_level level, const char *text)
{
    if (e->log != NULL)
        e->log(e->log_context, level, "trace", text);
}

/* ---- sending ---- */

static size_t ignore_answer(char *data, size_t size, size_t count, void *context)
{
    (void)data;
    (void)context;
    return size * count;
}

static CURLcode post(CURL *curl, const pt__span_exporter *e, struct curl_slist *headers, const pt__buffer *body)
{
    e->curl.curl_easy_setopt(curl, CURLOPT_URL, e->endpoint);
    e->curl.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    e->curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)body->data);
    e->curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)body->size_bytes);
    e->curl.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore_answer);
    e->curl.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    e->curl.curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    e->curl.curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    e->curl.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    e->curl.curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)SEND_TIMEOUT_MS);
    return e->curl.curl_easy_perform(curl);
}

static void report(const pt__span_exporter *e, CURLcode code, size_t count)
{
    char line[256];
    if (code == CURLE_OK)
        return;
    snprintf(line, sizeof(line), "%zu spans were not taken by %s: %s", count, e->endpoint,
             e->curl.curl_easy_strerror(code));
    log_line(e, PT_LOG_WARN, line);
}

static void send_batch(const pt__span_exporter *e, CURL *curl, const pt__span *spans, size_t count)
{
    pt__buffer body = PT_BUFFER_INIT;
    struct curl_slist *headers = e->curl.curl_slist_append(NULL, "Content-Type: application/json");
    if (e->header != NULL)
        headers = e->curl.curl_slist_append(headers, e->header);
    pt__spans_append_json(&body, e->service, spans, count);
    if (curl == NULL || headers == NULL || body.failed)
        report(e, CURLE_OUT_OF_MEMORY, count);
    else
        report(e, post(curl, e, headers, &body), count);
    e->curl.curl_slist_free_all(headers);
    pt__buffer_deinit(&body);
}

/* ---- the queue ---- */

/* With the lock: until a batch is full or the first of it has waited long enough. */
static void await_batch(pt__span_exporter *e)
{
    struct timespec until = pt__monotonic_in_ms(e->interval_ms);
    int code = 0;
    while (code == 0 && !e->is_closing && e->count < BATCH_SPANS && e->count < e->capacity)
        code = pthread_cond_timedwait(&e->changed, &e->lock, &until);
}

/* With the lock. */
static size_t take_batch(pt__span_exporter *e, pt__span *out)
{
    size_t count = e->count < BATCH_SPANS ? e->count : BATCH_SPANS;
    for (size_t i = 0; i < count; i++)
        out[i] = e->queue[(e->first + i) % e->capacity];
    e->first = (e->first + count) % e->capacity;
    e->count -= count;
    return count;
}

static void report_dropped(const pt__span_exporter *e, uint64_t dropped)
{
    char line[128];
    if (dropped == 0)
        return;
    snprintf(line, sizeof(line), "%llu spans were dropped, as the queue was full (trace.queue)",
             (unsigned long long)dropped);
    log_line(e, PT_LOG_WARN, line);
}

/* False when there was nothing: then the next span starts another task. */
static bool send_some(pt__span_exporter *e, CURL *curl, pt__span *batch)
{
    pthread_mutex_lock(&e->lock);
    if (e->count != 0)
        await_batch(e);
    size_t count = take_batch(e, batch);
    uint64_t dropped = e->dropped;
    e->dropped = 0;
    if (count == 0)
        e->is_sending = false;
    pthread_mutex_unlock(&e->lock);
    report_dropped(e, dropped);
    if (count != 0)
        send_batch(e, curl, batch, count);
    return count != 0;
}

static void discard_all(pt__span_exporter *e)
{
    pthread_mutex_lock(&e->lock);
    e->count = 0;
    e->is_sending = false;
    pthread_mutex_unlock(&e->lock);
}

static void send_all(void *context)
{
    pt__span_exporter *e = context;
    pt__span *batch = malloc(BATCH_SPANS * sizeof(*batch));
    CURL *curl = e->curl.curl_easy_init();
    if (batch == NULL)
        discard_all(e);
    else
        while (send_some(e, curl, batch))
            continue;
    e->curl.curl_easy_cleanup(curl);
    free(batch);
}

void pt__span_exporter_add(pt__span_exporter *e, const pt__span *span)
{
    pthread_mutex_lock(&e->lock);
    bool starts = false;
    if (e->count == e->capacity) {
        e->dropped++;
    } else {
        e->queue[(e->first + e->count++) % e->capacity] = *span;
        starts = !e->is_sending;
        e->is_sending = true;
        if (e->count == BATCH_SPANS || e->count == e->capacity)
            pthread_cond_signal(&e->changed);
    }
    pthread_mutex_unlock(&e->lock);
    if (starts && pt__workers_post(e->workers, send_all, e, NULL) != PT_OK)
        discard_all(e);
}

/* ---- making and ending ---- */

static pt_status load(libcurl *curl, pt_error *err)
{
    const pt__library_symbol symbols[] = {
#define PT_FUNCTION(name) {#name, &curl->name},
#include "wrap/libcurl.def"
#undef PT_FUNCTION
    };
    PT_TRY(pt__library_open("libcurl.so.4", symbols, sizeof(symbols) / sizeof(*symbols), &curl->library, err));
    curl->curl_global_init(CURL_GLOBAL_DEFAULT); /* counted; the last cleanup counts */
    return PT_OK;
}

static void unload(libcurl *curl)
{
    if (curl->library != NULL)
        curl->curl_global_cleanup();
    pt__library_close(curl->library);
}

static pt_status copy_text(const char *text, char **out, pt_error *err)
{
    *out = text == NULL ? NULL : strdup(text);
    return text == NULL || *out != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for the wrapper trace");
}

static pt_status configure(pt__span_exporter *e, const pt_config *config, const pt_env *env, pt_error *err)
{
    int64_t capacity;
    PT_TRY(pt_config_integer(config, "trace.queue", 2048, &capacity, err));
    PT_TRY(pt_config_duration(config, "trace.interval", 1000, &e->interval_ms, err));
    if (capacity < 1 || capacity > 1000000)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "trace.queue = %lld is not between 1 and 1000000",
                            (long long)capacity);
    PT_TRY(copy_text(pt_config_string(config, "trace.endpoint", "http://127.0.0.1:4318/v1/traces"), &e->endpoint, err));
    PT_TRY(copy_text(pt_config_string(config, "trace.service-name", "portico"), &e->service, err));
    PT_TRY(copy_text(pt_config_string(config, "trace.header", NULL), &e->header, err));
    e->capacity = (size_t)capacity;
    e->queue = calloc(e->capacity, sizeof(*e->queue));
    if (e->queue == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for %zu spans", e->capacity);
    const pt__workers_options options = {1, 1, env->worker_stack_bytes, IDLE_MS};
    return pt__workers_new(&options, &e->workers, err);
}

pt_status pt__span_exporter_new(const pt_config *config, const pt_env *env, pt__span_exporter **out, pt_error *err)
{
    pt__span_exporter *e = calloc(1, sizeof(*e));
    if (e == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the wrapper trace");
    pthread_mutex_init(&e->lock, NULL);
    pt__monotonic_condition_init(&e->changed);
    e->log = env->log;
    e->log_context = env->log_context;
    pt_status status = load(&e->curl, err);
    if (status == PT_OK)
        status = configure(e, config, env, err);
    if (status == PT_OK)
        *out = e;
    else
        pt__span_exporter_free(e);
    return status;
}

void pt__span_exporter_free(pt__span_exporter *e)
{
    if (e == NULL)
        return;
    pthread_mutex_lock(&e->lock);
    e->is_closing = true;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
    pt__workers_free(e->workers);
    unload(&e->curl);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    free(e->queue);
    free(e->endpoint);
    free(e->service);
    free(e->header);
    free(e);
}
