#include "wrap/span.h"

#include "base/json.h"
#include "base/uuid.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- trace context ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower-case digits only, and not all of them 0. */
static bool read_hex(const char *text, uint8_t *out, size_t size)
{
    bool any = false;
    for (size_t i = 0; i < size; i++) {
        int high = digit(text[2 * i]);
        int low = high < 0 ? -1 : digit(text[2 * i + 1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        any = any || out[i] != 0;
    }
    return any;
}

/* Versions above 00 may go on after the flags. */
static bool read_traceparent(const char *text, pt__span *out)
{
    uint8_t version;
    uint8_t flags;
    if (text == NULL || strlen(text) < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return false;
    bool has_version = read_hex(text, &version, 1);
    if ((!has_version && strncmp(text, "00", 2) != 0) || (has_version && version == 0xff))
        return false;
    if (!has_version && text[55] != '\0')
        return false;
    if (!read_hex(text + 3, out->trace_id, 16) || !read_hex(text + 36, out->parent_id, 8))
        return false;
    if (!read_hex(text + 53, &flags, 1) && strncmp(text + 53, "00", 2) != 0)
        return false;
    out->is_sampled = (flags & 1) != 0;
    return true;
}

void pt__span_start(pt__span *span, const char *name, const char *traceparent)
{
    pt__uuid random;
    *span = (pt__span){.name = name, .start_ns = now_ns(), .rows = -1};
    pt__uuid_v4(&random);
    memcpy(span->span_id, random.bytes, sizeof(span->span_id));
    span->has_parent = read_traceparent(traceparent, span);
    if (span->has_parent)
        return;
    memset(span->parent_id, 0, sizeof(span->parent_id));
    pt__uuid_v4(&random);
    memcpy(span->trace_id, random.bytes, sizeof(span->trace_id));
    span->is_sampled = true;
}

void pt__span_end(pt__span *span)
{
    span->end_ns = now_ns();
}

static void write_hex(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * size] = '\0';
}

void pt__span_traceparent(const pt__span *span, char out[PT_TRACEPARENT_TEXT_BYTES])
{
    char trace[33];
    char id[17];
    write_hex(span->trace_id, sizeof(span->trace_id), trace);
    write_hex(span->span_id, sizeof(span->span_id), id);
    snprintf(out, PT_TRACEPARENT_TEXT_BYTES, "00-%s-%s-%s", trace, id, span->is_sampled ? "01" : "00");
}

/* ---- texts ---- */

void pt__span_set(char text[PT_SPAN_TEXT_BYTES], const char *value)
{
    size_t size = value == NULL ? 0 : strnlen(value, PT_SPAN_TEXT_BYTES);
    if (size == PT_SPAN_TEXT_BYTES) {
        size--;
        while (size > 0 && ((uint8_t)value[size] & 0xc0) == 0x80) /* not within a character */
            size--;
    }
    if (size != 0)
        memcpy(text, value, size);
    text[size] = '\0';
}

/* ---- JSON ---- */

static void append_text(pt__buffer *out, bool *is_first, const char *key, const char *value)
{
    if (*value == '\0')
        return;
    pt__buffer_printf(out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", *is_first ? "" : ",", key);
    pt__json_append_cstring(out, value);
    pt__buffer_append_string(out, "}}");
    *is_first = false;
}

static void append_number(pt__buffer *out, bool *is_first, const char *key, int64_t value)
{
    if (value < 0)
        return;
    pt__buffer_printf(out, "%s{\"key\":\"%s\",\"value\":{\"intValue\":\"%lld\"}}", *is_first ? "" : ",", key,
                      (long long)value);
    *is_first = false;
}

static void append_attributes(pt__buffer *out, const pt__span *span)
{
    bool is_first = true;
    append_text(out, &is_first, "enduser.id", span->user);
    append_text(out, &is_first, "session.id", span->session_id);
    append_text(out, &is_first, "portico.job.id", span->job_id);
    append_text(out, &is_first, "portico.query.kind", span->kind);
    append_text(out, &is_first, "portico.detail", span->detail);
    append_text(out, &is_first, "error.type", span->failure);
    append_number(out, &is_first, "portico.rows", span->rows);
    append_number(out, &is_first, "portico.batches", span->rows < 0 ? -1 : span->batches);
}

static void append_span(pt__buffer *out, const pt__span *span)
{
    char trace[33];
    char id[17];
    char parent[17] = "";
    write_hex(span->trace_id, sizeof(span->trace_id), trace);
    write_hex(span->span_id, sizeof(span->span_id), id);
    if (span->has_parent)
        write_hex(span->parent_id, sizeof(span->parent_id), parent);
    pt__buffer_printf(out,
                      "{\"traceId\":\"%s\",\"spanId\":\"%s\",\"parentSpanId\":\"%s\",\"name\":\"%s\",\"kind\":2,"
                      "\"startTimeUnixNano\":\"%llu\",\"endTimeUnixNano\":\"%llu\",\"status\":{\"code\":%d},"
                      "\"attributes\":[",
                      trace, id, parent, span->name, (unsigned long long)span->start_ns,
                      (unsigned long long)span->end_ns, span->has_failed ? 2 : 1);
    append_attributes(out, span);
    pt__buffer_append_string(out, "]}");
}

void pt__spans_append_json(pt__buffer *out, const char *service, const pt__span *spans, size_t count)
{
    pt__buffer_append_string(
        out,
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":");
    pt__json_append_cstring(out, service);
    pt__buffer_append_string(out, "}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"portico\"},\"spans\":[");
    for (size_t i = 0; i < count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        append_span(out, &spans[i]);
    }
    pt__buffer_append_string(out, "]}]}]}");
}
