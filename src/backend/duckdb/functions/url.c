/* parse_url, url_encode, url_decode. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/unicode.h"

#include <ctype.h>

/* Encoding of forms. */

static bool url_encode(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    for (size_t i = 0; i < text.size_bytes; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x80 && (isalnum(c) || strchr("*-._", c) != NULL))
            pt__buffer_append_byte(out, c);
        else if (c == ' ')
            pt__buffer_append_byte(out, '+');
        else
            pt__buffer_printf(out, "%%%02X", c);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_url_encode(pt__fn_call *call)
{
    PT__FN_EACH(call, r, url_encode(call, r));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode(pt_text_view text, pt__buffer *out)
{
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        if (c != '%') {
            pt__buffer_append_byte(out, (uint8_t)(c == '+' ? ' ' : c));
            continue;
        }
        if (text.size_bytes - i < 3 || hex_digit(text.data[i + 1]) < 0 || hex_digit(text.data[i + 2]) < 0)
            return false;
        pt__buffer_append_byte(out, (uint8_t)(hex_digit(text.data[i + 1]) << 4 | hex_digit(text.data[i + 2])));
        i += 2;
    }
    return true;
}

static bool raise_url(pt__fn_call *call, pt__condition_id condition, pt_text_view url)
{
    if (call->mode == PT__FN_TRY)
        return false;
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, url.data, url.size_bytes);
    pt__fn_raise(call, condition, "url", pt__buffer_string(&copy), NULL);
    pt__buffer_deinit(&copy);
    return false;
}

static bool url_decode(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__buffer *bytes = &call->state->scratch2;
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(bytes);
    pt__buffer_reset(out);
    if (!decode(text, bytes))
        return raise_url(call, PT_COND_CANNOT_DECODE_URL, text);
    pt__append_valid(out, (pt_text_view){bytes->size_bytes == 0 ? "" : (const char *)bytes->data, bytes->size_bytes});
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_url_decode(pt__fn_call *call)
{
    PT__FN_EACH(call, r, url_decode(call, r));
}

/* parse_url: the parts as java.net.URI tells them. Absent parts have no data. */

typedef struct url {
    pt_text_view scheme;
    pt_text_view authority;
    pt_text_view user;
    pt_text_view host;
    pt_text_view path;
    pt_text_view query;
    pt_text_view fragment;
} url;

static const pt_text_view ABSENT = {NULL, 0};

static bool is_url_text(pt_text_view text)
{
    for (size_t i = 0; i < text.size_bytes; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c <= ' ' || c == 0x7f || (c < 0x80 && strchr("<>\"{}|\\^`", c) != NULL))
            return false;
        if (c == '%' && (text.size_bytes - i < 3 || hex_digit(text.data[i + 1]) < 0 || hex_digit(text.data[i + 2]) < 0))
            return false;
    }
    return true;
}

/** Cuts `rest` before `mark`; what follows the mark is handed back, ABSENT without one. */
static pt_text_view cut(pt_text_view *rest, char mark)
{
    const char *at = memchr(rest->data, mark, rest->size_bytes);
    if (at == NULL)
        return ABSENT;
    pt_text_view after = {at + 1, (size_t)(rest->data + rest->size_bytes - at - 1)};
    rest->size_bytes = (size_t)(at - rest->data);
    return after;
}

static bool take_scheme(pt_text_view *rest, pt_text_view *scheme)
{
    size_t size = 0;
    while (size < rest->size_bytes && (isalnum((unsigned char)rest->data[size]) || strchr("+-.", rest->data[size])))
        size++;
    *scheme = ABSENT;
    if (size == rest->size_bytes || rest->data[size] != ':')
        return size == 0 || true;
    if (size == 0 || !isalpha((unsigned char)rest->data[0]))
        return false;
    *scheme = (pt_text_view){rest->data, size};
    *rest = (pt_text_view){rest->data + size + 1, rest->size_bytes - size - 1};
    return true;
}

/** A host that DNS could not have makes the authority a name of another kind: then there is no host. */
static bool is_host(pt_text_view host)
{
    if (host.size_bytes > 1 && host.data[0] == '[')
        return host.data[host.size_bytes - 1] == ']';
    for (size_t i = 0; i < host.size_bytes; i++)
        if (!isalnum((unsigned char)host.data[i]) && host.data[i] != '-' && host.data[i] != '.')
            return false;
    return host.size_bytes > 0 && host.data[0] != '-';
}

static void split_authority(url *out)
{
    pt_text_view host = out->authority;
    pt_text_view user = host;
    pt_text_view after = cut(&user, '@');
    if (after.data != NULL)
        host = after;
    const char *bracket = host.size_bytes > 0 && host.data[0] == '[' ? memchr(host.data, ']', host.size_bytes) : NULL;
    pt_text_view tail =
        bracket == NULL ? host : (pt_text_view){bracket, (size_t)(host.data + host.size_bytes - bracket)};
    pt_text_view port = cut(&tail, ':');
    if (port.data != NULL)
        host.size_bytes = (size_t)(port.data - 1 - host.data);
    for (size_t i = 0; i < port.size_bytes; i++)
        if (!isdigit((unsigned char)port.data[i]))
            return;
    if (!is_host(host))
        return;
    out->host = host;
    if (after.data != NULL)
        out->user = user;
}

static bool split_url(pt_text_view text, url *out)
{
    *out = (url){.scheme = ABSENT};
    if (!is_url_text(text))
        return false;
    out->fragment = cut(&text, '#');
    if (!take_scheme(&text, &out->scheme))
        return false;
    bool opaque = out->scheme.data != NULL && (text.size_bytes == 0 || text.data[0] != '/');
    if (opaque)
        return text.size_bytes > 0;
    out->query = cut(&text, '?');
    if (text.size_bytes >= 2 && text.data[0] == '/' && text.data[1] == '/') {
        text = (pt_text_view){text.data + 2, text.size_bytes - 2};
        const char *slash = memchr(text.data, '/', text.size_bytes);
        size_t size = slash == NULL ? text.size_bytes : (size_t)(slash - text.data);
        out->authority = (pt_text_view){text.data, size};
        text = (pt_text_view){text.data + size, text.size_bytes - size};
        split_authority(out);
    }
    out->path = text;
    return true;
}

static bool is_name(pt_text_view text, const char *name)
{
    return strlen(name) == text.size_bytes && memcmp(name, text.data, text.size_bytes) == 0;
}

static pt_text_view choose_part(const url *parts, pt_text_view name)
{
    if (is_name(name, "HOST"))
        return parts->host;
    if (is_name(name, "PATH"))
        return parts->path;
    if (is_name(name, "QUERY"))
        return parts->query;
    if (is_name(name, "REF"))
        return parts->fragment;
    if (is_name(name, "PROTOCOL"))
        return parts->scheme;
    if (is_name(name, "AUTHORITY"))
        return parts->authority;
    if (is_name(name, "USERINFO"))
        return parts->user;
    if (!is_name(name, "FILE") || parts->path.data == NULL)
        return ABSENT;
    size_t query_bytes = parts->query.data == NULL ? 0 : parts->query.size_bytes + 1;
    return (pt_text_view){parts->path.data, parts->path.size_bytes + query_bytes};
}

/** The value of key=value among the parts that & separates. */
static pt_text_view find_parameter(pt_text_view query, pt_text_view key)
{
    while (query.data != NULL) {
        pt_text_view item = query;
        query = cut(&item, '&');
        pt_text_view name = item;
        pt_text_view value = cut(&name, '=');
        if (value.data != NULL && name.size_bytes == key.size_bytes && memcmp(name.data, key.data, key.size_bytes) == 0)
            return value;
    }
    return ABSENT;
}

static bool parse_url(pt__fn_call *call, idx_t row)
{
    url parts;
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view name = pt__fn_text(call, 1, row);
    if (!split_url(text, &parts))
        return raise_url(call, PT_COND_INVALID_URL, text);
    pt_text_view part = choose_part(&parts, name);
    if (call->column_count > 2)
        part = is_name(name, "QUERY") ? find_parameter(part, pt__fn_text(call, 2, row)) : ABSENT;
    if (part.data != NULL)
        pt__fn_put_text(call, row, part.data, part.size_bytes);
    return part.data != NULL;
}

void pt__fn_parse_url(pt__fn_call *call)
{
    PT__FN_EACH(call, r, parse_url(call, r));
}
