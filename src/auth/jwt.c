#include "auth/jwt.h"

#include "auth/base64url.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENT_LIMIT_BYTES = 4 << 20, MEMBERS_MAX = 200 };

typedef struct parts {
    pt_text_view header;
    pt_text_view payload;
    pt_text_view signature;
    pt_text_view signed_text; /* header and payload with the dot between them */
} parts;

static bool take_apart(pt_text_view token, parts *out)
{
    const char *end = token.data + token.size_bytes;
    const char *first = token.size_bytes == 0 ? NULL : memchr(token.data, '.', token.size_bytes);
    const char *second = first == NULL ? NULL : memchr(first + 1, '.', (size_t)(end - first - 1));
    if (second == NULL || memchr(second + 1, '.', (size_t)(end - second - 1)) != NULL)
        return false;
    *out = (parts){
        .header = {token.data, (size_t)(first - token.data)},
        .payload = {first + 1, (size_t)(second - first - 1)},
        .signature = {second + 1, (size_t)(end - second - 1)},
        .signed_text = {token.data, (size_t)(second - token.data)},
    };
    return true;
}

bool pt__jwt_looks_like_one(pt_text_view token)
{
    parts p;
    return take_apart(token, &p);
}

static pt_status refuse(pt_error *err, const char *reason)
{
    return pt_error_set(err, PT_UNAUTHENTICATED, "the token is refused: %s", reason);
}

/* Base64 of a JSON object, into the arena; NULL: it is none. */
static const pt__json *read_object(pt__arena *arena, pt_text_view text)
{
    char *copy = pt__arena_alloc_text(arena, text.size_bytes + 1); /* first: an arena may jump, a buffer would leak */
    pt__buffer bytes = PT_BUFFER_INIT;
    const pt__json *object = NULL;
    bool valid = pt__base64url_decode(&bytes, text) && bytes.size_bytes != 0;
    size_t size = bytes.size_bytes;
    if (valid)
        memcpy(copy, bytes.data, size);
    pt__buffer_deinit(&bytes);
    if (!valid || pt__json_parse(arena, copy, size, &object, NULL) != PT_OK || object->kind != PT_JSON_OBJECT)
        return NULL;
    return object->count <= MEMBERS_MAX ? object : NULL;
}

/* A member twice would mean one thing to us and another to someone else. */
static bool has_once(const pt__json *object)
{
    for (size_t i = 0; i < object->count; i++)
        for (size_t j = i + 1; j < object->count; j++)
            if (strcmp(object->items[i].key, object->items[j].key) == 0)
                return false;
    return true;
}

/* ---- the signature ---- */

static pt_status check_signature(const pt__jwt_rules *rules, const parts *p, const pt__json *header, pt_error *err)
{
    const char *algorithm = pt__json_get_string(header, "alg", "");
    bool is_rs256 = strcmp(algorithm, "RS256") == 0;
    if (!is_rs256 && strcmp(algorithm, "ES256") != 0)
        return refuse(err, "it is signed by neither RS256 nor ES256");
    if (pt__json_get(header, "crit") != NULL)
        return refuse(err, "it has critical extensions");
    pt__buffer signature = PT_BUFFER_INIT;
    bool valid = pt__base64url_decode(&signature, p->signature) &&
                 pt__keys_verify(rules->keys, is_rs256 ? PT_SIGNATURE_RS256 : PT_SIGNATURE_ES256,
                                 pt__json_get_string(header, "kid", NULL), p->signed_text, pt__buffer_view(&signature));
    pt__buffer_deinit(&signature);
    return valid ? PT_OK : refuse(err, "no key of this server made its signature");
}

/* ---- the claims ---- */

static bool read_time(const pt__json *claims, const char *name, double *out)
{
    const pt__json *member = pt__json_get(claims, name);
    if (member == NULL || member->kind != PT_JSON_NUMBER)
        return false;
    *out = strtod(member->text, NULL);
    return isfinite(*out) && fabs(*out) < 1e15;
}

static pt_status check_times(const pt__jwt_rules *rules, const pt__json *claims, int64_t now_s, int64_t *expires_s,
                             pt_error *err)
{
    double expires;
    double begins = 0;
    if (!read_time(claims, "exp", &expires))
        return refuse(err, "it has no time of expiry");
    if (pt__json_get(claims, "nbf") != NULL && !read_time(claims, "nbf", &begins))
        return refuse(err, "the time when it begins is no time");
    if ((double)now_s >= expires + (double)rules->leeway_s)
        return refuse(err, "it has expired");
    if ((double)now_s < begins - (double)rules->leeway_s)
        return refuse(err, "its time has not come");
    *expires_s = (int64_t)expires + rules->leeway_s;
    return PT_OK;
}

static bool is_text(const pt__json *value, const char *text)
{
    return value->kind == PT_JSON_STRING && value->text_bytes == strlen(text) &&
           memcmp(value->text, text, value->text_bytes) == 0;
}

static bool names_audience(const pt__json *audience, const char *wanted)
{
    if (audience == NULL)
        return false;
    if (audience->kind != PT_JSON_ARRAY)
        return is_text(audience, wanted);
    for (size_t i = 0; i < audience->count; i++)
        if (is_text(&audience->items[i], wanted))
            return true;
    return false;
}

/* Something that can stand in a log and in a rule. */
static bool is_name(const pt__json *value)
{
    if (value == NULL || value->kind != PT_JSON_STRING || value->text_bytes == 0 ||
        value->text_bytes > PT_PRINCIPAL_BYTES_MAX)
        return false;
    for (size_t i = 0; i < value->text_bytes; i++)
        if ((unsigned char)value->text[i] < 0x20 || value->text[i] == 0x7f)
            return false;
    return true;
}

static pt_status check_claims(const pt__jwt_rules *rules, const pt__json *claims, int64_t now_s, char *principal,
                              int64_t *expires_s, pt_error *err)
{
    const pt__json *issuer = pt__json_get(claims, "iss");
    const pt__json *name = pt__json_get(claims, rules->principal);
    PT_TRY(check_times(rules, claims, now_s, expires_s, err));
    if (rules->issuer != NULL && (issuer == NULL || !is_text(issuer, rules->issuer)))
        return refuse(err, "it comes from another issuer");
    if (rules->audience != NULL && !names_audience(pt__json_get(claims, "aud"), rules->audience))
        return refuse(err, "it is meant for another audience");
    if (!is_name(name))
        return refuse(err, "it names nobody");
    memcpy(principal, name->text, name->text_bytes);
    principal[name->text_bytes] = '\0';
    return PT_OK;
}

/* ---- all of it ---- */

static pt_status check(pt__arena *arena, const pt__jwt_rules *rules, pt_text_view token, int64_t now_s, char *principal,
                       int64_t *expires_s, pt_error *err)
{
    parts p;
    if (token.size_bytes > PT_JWT_BYTES_MAX)
        return refuse(err, "it is too long");
    if (!take_apart(token, &p))
        return refuse(err, "it does not have three parts");
    if (PT_ARENA_GUARD(arena))
        return refuse(err, "it needs too much memory");
    const pt__json *header = read_object(arena, p.header);
    pt_status status = header == NULL || !has_once(header) ? refuse(err, "its header is malformed")
                                                           : check_signature(rules, &p, header, err);
    const pt__json *claims = status == PT_OK ? read_object(arena, p.payload) : NULL;
    pt__arena_unguard(arena);
    PT_TRY(status);
    if (claims == NULL || !has_once(claims))
        return refuse(err, "its claims are malformed");
    return check_claims(rules, claims, now_s, principal, expires_s, err);
}

pt_status pt__jwt_check(const pt__jwt_rules *rules, pt_text_view token, int64_t now_s,
                        char principal[PT_PRINCIPAL_BYTES_MAX + 1], int64_t *expires_s, pt_error *err)
{
    pt__arena *arena = pt__arena_new(DOCUMENT_LIMIT_BYTES);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a token");
    pt_status status = check(arena, rules, token, now_s, principal, expires_s, err);
    pt__arena_free(arena);
    return status;
}
