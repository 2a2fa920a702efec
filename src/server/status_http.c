#include "server/status_http.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct text {
    const char *at;
    size_t size;
} text;

static bool is(text t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.at, word, t.size) == 0;
}

bool pt__status_is_complete(const char *bytes, size_t size)
{
    return size >= PT_STATUS_REQUEST_MAX || memmem(bytes, size, "\r\n\r\n", 4) != NULL;
}

/* ---- the head ---- */

typedef struct request {
    text method;
    text path; /* without the query */
    text host;
    text accept;
    bool has_body;
    size_t host_count;
} request;

/* Up to `end`, which is stepped over; false when it is not there. */
static bool take(text *rest, const char *end, text *out)
{
    const char *found = memmem(rest->at, rest->size, end, strlen(end));
    if (found == NULL)
        return false;
    *out = (text){rest->at, (size_t)(found - rest->at)};
    rest->size -= out->size + strlen(end);
    rest->at = found + strlen(end);
    return true;
}

static text trimmed(text t)
{
    while (t.size > 0 && (*t.at == ' ' || *t.at == '\t')) {
        t.at++;
        t.size--;
    }
    while (t.size > 0 && (t.at[t.size - 1] == ' ' || t.at[t.size - 1] == '\t'))
        t.size--;
    return t;
}

static bool is_header(text name, const char *word)
{
    return name.size == strlen(word) && strncasecmp(name.at, word, name.size) == 0;
}

static bool read_header(text line, request *out)
{
    text name;
    if (!take(&line, ":", &name) || name.size == 0 || name.at[name.size - 1] == ' ')
        return false;
    if (is_header(name, "host")) {
        out->host = trimmed(line);
        out->host_count++;
    } else if (is_header(name, "accept")) {
        out->accept = trimmed(line);
    } else if (is_header(name, "transfer-encoding") || (is_header(name, "content-length") && !is(trimmed(line), "0"))) {
        out->has_body = true;
    }
    return true;
}

static bool read_request(const char *bytes, size_t size, request *out)
{
    text rest = {bytes, size};
    text line;
    text target;
    *out = (request){0};
    if (memchr(bytes, '\0', size) != NULL || !take(&rest, "\r\n", &line))
        return false;
    if (!take(&line, " ", &out->method) || !take(&line, " ", &target) ||
        !(is(line, "HTTP/1.1") || is(line, "HTTP/1.0")))
        return false;
    const char *query = memchr(target.at, '?', target.size);
    out->path = (text){target.at, query == NULL ? target.size : (size_t)(query - target.at)};
    bool is_old = is(line, "HTTP/1.0");
    while (take(&rest, "\r\n", &line) && line.size > 0) {
        if (!read_header(line, out))
            return false;
    }
    return line.size == 0 && (out->host_count == 1 || (is_old && out->host_count == 0));
}

/* An address in numbers, or localhost, with or without a port. */
static bool is_own_host(text host)
{
    const char *colon = host.size > 0 && host.at[0] != '[' ? memchr(host.at, ':', host.size) : NULL;
    text name = {host.at, colon == NULL ? host.size : (size_t)(colon - host.at)};
    if (is_header(name, "localhost"))
        return true;
    bool has_letter = false;
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.at[i];
        if (!isxdigit(c) && strchr(".:[]", c) == NULL)
            return false;
        has_letter = has_letter || isalpha(c);
    }
    return !has_letter || name.at[0] == '[';
}

/* ---- the answer ---- */

static bool accepts(const request *r, const char *type)
{
    return r->accept.size > 0 && memmem(r->accept.at, r->accept.size, type, strlen(type)) != NULL;
}

static bool wants_json(const request *r)
{
    return is(r->path, "/status.json") || (accepts(r, "application/json") && !accepts(r, "text/html"));
}

static void put_answer(pt__buffer *out, const char *status, const char *type, bool with_body, pt__buffer *body)
{
    pt__buffer_printf(out, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", status, type,
                      body->size_bytes);
    pt__buffer_append_string(out, "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                  "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
                                  "frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n\r\n");
    if (with_body)
        pt__buffer_append(out, body->data, body->size_bytes);
}

static void put_page(const pt__status_source *source, const request *r, pt__buffer *out, pt__buffer *body)
{
    pt_error err = PT_ERROR_INIT;
    bool json = wants_json(r);
    pt_status status = json ? pt__status_json(source, body, &err) : pt__status_html(source, body, &err);
    bool with_body = !is(r->method, "HEAD");
    if (status == PT_OK) {
        put_answer(out, "200 OK", json ? "application/json" : "text/html; charset=utf-8", with_body, body);
        return;
    }
    pt__buffer_reset(body);
    pt__buffer_append_string(body, "the jobs cannot be listed\n"); /* why is in the log: it may name the store */
    put_answer(out, "503 Service Unavailable", "text/plain", with_body, body);
}

/* NULL: the page is to be given. */
static const char *refusal(const request *r, bool any_host, bool is_readable)
{
    if (!is_readable || r->has_body)
        return "400 Bad Request";
    if (!any_host && r->host_count != 0 && !is_own_host(r->host))
        return "421 Misdirected Request";
    if (!is(r->method, "GET") && !is(r->method, "HEAD"))
        return "405 Method Not Allowed";
    return is(r->path, "/") || is(r->path, "/status") || is(r->path, "/status.json") ? NULL : "404 Not Found";
}

void pt__status_answer(const pt__status_source *source, bool any_host, const char *bytes, size_t size, pt__buffer *out)
{
    request r;
    pt__buffer body;
    pt__buffer_init(&body);
    bool is_readable = read_request(bytes, size, &r);
    const char *refused = refusal(&r, any_host, is_readable);
    if (refused == NULL) {
        put_page(source, &r, out, &body);
    } else {
        pt__buffer_printf(&body, "%s\n", refused);
        put_answer(out, refused, "text/plain", is_readable && !is(r.method, "HEAD"), &body);
    }
    pt__buffer_deinit(&body);
}
