/* Sign-in: the authenticator that comes with the library. */
#include "auth/base64url.h"
#include "auth/clerk.h"
#include "auth/credentials.h"
#include "auth/jwt.h"
#include "exec/host.h"
#include "exec/tokens.h"
#include "wire/base64.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BASIC_BYTES_MAX = 2048 };

struct pt_sign_in {
    pt_host *host;
    pt_authenticator authenticator;
    const pt_authenticator *own; /* borrowed; NULL: none */
    bool has_token;              /* what there is of credentials never changes */
    bool has_passwords;
    bool has_web_tokens;
    pt__credentials *credentials;
    pt__jwt_rules jwt;       /* without the keys */
    char *texts[3];          /* those that the rules point to */
    bool certificates_alone; /* a client certificate needs nothing beside it */
    pt__known *known;
    pt__clerk *clerk;
    pt__auth_counts counts;
};

/* ---- what the call carries ---- */

typedef enum scheme { SCHEME_NONE, SCHEME_BEARER, SCHEME_BASIC, SCHEME_OTHER } scheme;

/* RFC 9110 section 11.1: the scheme compares without case, and blanks follow it. */
static bool has_scheme(pt_bytes_view header, const char *name, pt_text_view *value)
{
    size_t size = strlen(name);
    if (header.size_bytes <= size || strncasecmp((const char *)header.data, name, size) != 0 ||
        header.data[size] != ' ')
        return false;
    while (size < header.size_bytes && header.data[size] == ' ')
        size++;
    *value = (pt_text_view){(const char *)header.data + size, header.size_bytes - size};
    return true;
}

/* Spark's Scala client sends its token as `authentication`. */
static scheme read_credential(pt_call *call, pt_text_view *value)
{
    pt_bytes_view header;
    if (pt_call_metadata(call, "authorization", &header)) {
        if (has_scheme(header, "Bearer", value))
            return SCHEME_BEARER;
        return has_scheme(header, "Basic", value) ? SCHEME_BASIC : SCHEME_OTHER;
    }
    if (pt_call_metadata(call, "authentication", &header))
        return has_scheme(header, "Bearer", value) ? SCHEME_BEARER : SCHEME_OTHER;
    return SCHEME_NONE;
}

/* ---- tokens ---- */

static pt_status let_in(pt_sign_in *s, pt_call *call, const char *name, pt_principal *out, pt_error *err)
{
    const char *kept = pt_call_keep_text(call, name);
    if (kept == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a sign-in");
    *out = (pt_principal){kept, true};
    atomic_fetch_add(&s->counts.accepted, 1);
    return PT_OK;
}

/* Digests have one length, so that comparing them tells nothing about the token's. */
static bool is_configured_token(pt_sign_in *s, pt_text_view token)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    if (!s->has_token)
        return false;
    SHA256((const uint8_t *)token.data, token.size_bytes, digest);
    pt__credentials_lock(s->credentials);
    bool is_it = CRYPTO_memcmp(digest, s->credentials->token_digest, sizeof(digest)) == 0;
    pt__credentials_unlock(s->credentials);
    return is_it;
}

/* PT_NOT_FOUND: it is none of those that were given out. */
static pt_status check_given(pt_sign_in *s, pt_call *call, pt_text_view token, pt_principal *out, pt_error *err)
{
    char *name = NULL;
    PT_TRY(pt__host_find_token(s->host, token, &name, err));
    pt_status status = let_in(s, call, name, out, err);
    free(name);
    return status;
}

/* Between lock and unlock. */
static pt_status read_web_token(pt_sign_in *s, pt_text_view token, char principal[PT_PRINCIPAL_BYTES_MAX + 1],
                                pt_error *err)
{
    char key[PT_KNOWN_KEY_BYTES];
    pt__jwt_rules rules = s->jwt;
    int64_t now_s = pt__host_now_us(s->host) / 1000000;
    int64_t expires_s;
    pt__known_key(s->known, token, (pt_text_view){"", 0}, key);
    if (pt__known_find(s->known, key, now_s, principal))
        return PT_OK;
    rules.keys = s->credentials->keys;
    PT_TRY(pt__jwt_check(&rules, token, now_s, principal, &expires_s, err));
    pt__known_add(s->known, key, principal, now_s, expires_s);
    return PT_OK;
}

static pt_status check_web_token(pt_sign_in *s, pt_call *call, pt_text_view token, pt_principal *out, pt_error *err)
{
    char principal[PT_PRINCIPAL_BYTES_MAX + 1];
    pt__credentials_lock(s->credentials);
    pt_status status = read_web_token(s, token, principal, err);
    pt__credentials_unlock(s->credentials);
    return status == PT_OK ? let_in(s, call, principal, out, err) : status;
}

static pt_status ask_own(pt_sign_in *s, pt_call *call, pt_principal *out, pt_error *err)
{
    PT_TRY(s->own->authenticate(s->own->context, call, out, err));
    atomic_fetch_add(&s->counts.accepted, 1);
    return PT_OK;
}

static pt_status check_bearer(pt_sign_in *s, pt_call *call, pt_text_view token, pt_principal *out, pt_error *err)
{
    if (is_configured_token(s, token))
        return let_in(s, call, "token", out, err);
    pt_status status = check_given(s, call, token, out, err);
    if (status != PT_NOT_FOUND)
        return status;
    if (s->has_web_tokens && pt__jwt_looks_like_one(token))
        return check_web_token(s, call, token, out, err);
    if (s->own != NULL)
        return ask_own(s, call, out, err);
    return pt_error_set(err, PT_UNAUTHENTICATED, "the call carries no valid bearer token");
}

/* ---- passwords ---- */

static void refuse_later(pt_sign_in *s, pt_call *call, pt_admission *admission, const pt_error *err)
{
    pt__clerk_refuse(s->clerk, admission, pt_call_peer(call), err);
}

/* `pair` is "name:password", of which the name is ended. */
static pt_status check_pair(pt_sign_in *s, pt_call *call, const char *name, pt_text_view password, pt_principal *out,
                            pt_error *err)
{
    char key[PT_KNOWN_KEY_BYTES];
    char principal[PT_PRINCIPAL_BYTES_MAX + 1];
    pt_admission *admission;
    pt__known_key(s->known, (pt_text_view){name, strlen(name)}, password, key);
    if (pt__known_find(s->known, key, pt__clerk_now_ms(), principal))
        return let_in(s, call, name, out, err);
    PT_TRY(pt_call_put_off(call, &admission, err));
    pt__clerk_check(s->clerk, admission, pt_call_peer(call), name, password);
    return PT_NEED_MORE;
}

/* RFC 7617: base64 of "name:password", which some clients send without padding. */
static pt_status take_pair_apart(pt__buffer *pair, pt_text_view *password, pt_error *err)
{
    size_t size = pair->size_bytes;
    pt__buffer_append_byte(pair, '\0');
    char *colon = pair->failed ? NULL : strchr((char *)pair->data, ':');
    if (colon == NULL || strlen((char *)pair->data) != size || size > BASIC_BYTES_MAX)
        return pt_error_set(err, PT_UNAUTHENTICATED, "the user and the password of the call are malformed");
    *colon = '\0';
    *password = (pt_text_view){colon + 1, size - (size_t)(colon + 1 - (char *)pair->data)};
    return PT_OK;
}

static pt_status check_basic(pt_sign_in *s, pt_call *call, pt_text_view value, pt_principal *out, pt_error *err)
{
    if (!s->has_passwords && s->own != NULL)
        return ask_own(s, call, out, err);
    if (!s->has_passwords)
        return pt_error_set(err, PT_UNAUTHENTICATED, "this server knows no users with passwords; send a token");
    pt__buffer pair = PT_BUFFER_INIT;
    pt_text_view password;
    pt_status status =
        pt__base64_decode(&pair, value)
            ? take_pair_apart(&pair, &password, err)
            : pt_error_set(err, PT_UNAUTHENTICATED, "the user and the password of the call are no base64");
    if (status == PT_OK)
        status = check_pair(s, call, (const char *)pair.data, password, out, err);
    if (pair.data != NULL)
        OPENSSL_cleanse(pair.data, pair.capacity_bytes);
    pt__buffer_deinit(&pair);
    return status;
}

/* ---- the authenticator ---- */

static pt_status without_credential(pt_sign_in *s, pt_call *call, pt_principal *out, pt_error *err)
{
    const pt_principal *transport = pt_call_principal(call);
    if (s->certificates_alone && transport != NULL && transport->authenticated) {
        *out = *transport;
        atomic_fetch_add(&s->counts.accepted, 1);
        return PT_OK;
    }
    if (s->own != NULL)
        return ask_own(s, call, out, err);
    atomic_fetch_add(&s->counts.missing, 1);
    return pt_error_set(err, PT_UNAUTHENTICATED, "sign in: the call carries no valid %s",
                        s->has_passwords ? "user and password, nor a bearer token" : "bearer token");
}

static pt_status check_credential(pt_sign_in *s, pt_call *call, scheme which, pt_text_view value, pt_principal *out,
                                  pt_error *err)
{
    switch (which) {
    case SCHEME_NONE: return without_credential(s, call, out, err);
    case SCHEME_BEARER: return check_bearer(s, call, value, out, err);
    case SCHEME_BASIC: return check_basic(s, call, value, out, err);
    case SCHEME_OTHER: break;
    }
    if (s->own != NULL)
        return ask_own(s, call, out, err);
    return pt_error_set(err, PT_UNAUTHENTICATED, "the call signs in by neither Bearer nor Basic");
}

/* What was wrong, and no mere absence, is answered later. */
static pt_status authenticate(void *context, pt_call *call, pt_principal *out, pt_error *err)
{
    pt_sign_in *s = context;
    pt_text_view value = {"", 0};
    pt_admission *admission;
    pt_error reason = PT_ERROR_INIT;
    scheme which = read_credential(call, &value);
    pt_status status = check_credential(s, call, which, value, out, &reason);
    if (status == PT_UNAUTHENTICATED && which != SCHEME_NONE && pt_call_put_off(call, &admission, NULL) == PT_OK) {
        refuse_later(s, call, admission, &reason);
        status = PT_NEED_MORE;
    } else if (status != PT_OK && status != PT_NEED_MORE && err != NULL) {
        pt_error_move(err, &reason);
    }
    pt_error_clear(&reason);
    return status;
}

/* ---- opening ---- */

/* A copy, because the configuration is read during the opening only. */
static pt_status copy_text(const pt_config *config, const char *key, const char *fallback, char **copy,
                           const char **out, pt_error *err)
{
    const char *value = pt_config_string(config, key, fallback);
    *copy = value == NULL ? NULL : strdup(value);
    *out = *copy;
    return value == NULL || *copy != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for %s", key);
}

static pt_status open_jwt(pt_sign_in *s, const pt_config *config, pt_error *err)
{
    uint64_t leeway_ms;
    PT_TRY(copy_text(config, "auth.jwt-issuer", NULL, &s->texts[0], &s->jwt.issuer, err));
    PT_TRY(copy_text(config, "auth.jwt-audience", NULL, &s->texts[1], &s->jwt.audience, err));
    PT_TRY(copy_text(config, "auth.jwt-principal", "sub", &s->texts[2], &s->jwt.principal, err));
    PT_TRY(pt_config_duration(config, "auth.jwt-leeway", 30000, &leeway_ms, err));
    s->jwt.leeway_s = (int64_t)(leeway_ms / 1000 < 86400 ? leeway_ms / 1000 : 86400);
    if (!s->has_web_tokens && (s->jwt.issuer != NULL || s->jwt.audience != NULL))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "web tokens need auth.jwt-key or auth.jwt-jwks");
    return PT_OK;
}

static pt_status open_clerk(pt_sign_in *s, const pt_config *config, pt_error *err)
{
    pt__clerk_options options = {.host = s->host, .credentials = s->credentials, .counts = &s->counts};
    PT_TRY(pt__auth_limits_read(config, &options.limits, err));
    s->known = options.known = pt__known_new();
    if (s->known == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to sign clients in");
    return pt__clerk_new(&options, &s->clerk, err);
}

static pt_status open_all(pt_sign_in *s, const pt_config *config, pt_error *err)
{
    PT_TRY(pt__credentials_new(config, &s->credentials, err));
    s->has_token = s->credentials->has_token;
    s->has_passwords = s->credentials->users != NULL;
    s->has_web_tokens = s->credentials->keys != NULL;
    PT_TRY(open_jwt(s, config, err));
    PT_TRY(pt_config_boolean(config, "auth.certificate-alone", false, &s->certificates_alone, err));
    return open_clerk(s, config, err);
}

pt_status pt_sign_in_new(pt_host *host, const pt_config *config, pt_sign_in **out, pt_error *err)
{
    pt_sign_in *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to sign clients in");
    s->host = host;
    s->authenticator = (pt_authenticator){authenticate, s};
    pt_status status = open_all(s, config, err);
    if (status == PT_OK)
        *out = s;
    else
        pt_sign_in_free(s);
    return status;
}

void pt_sign_in_free(pt_sign_in *s)
{
    if (s == NULL)
        return;
    pt__clerk_free(s->clerk);
    pt__known_free(s->known);
    pt__credentials_free(s->credentials);
    for (size_t i = 0; i < sizeof(s->texts) / sizeof(s->texts[0]); i++)
        free(s->texts[i]);
    free(s);
}

pt_status pt_sign_in_reload(pt_sign_in *s, const pt_config *config, pt_error *err)
{
    return pt__credentials_reload(s->credentials, config, s->known, err);
}

void pt_sign_in_set_own(pt_sign_in *s, const pt_authenticator *own)
{
    s->own = own;
}

const pt_authenticator *pt_sign_in_authenticator(const pt_sign_in *s)
{
    bool asks = s->has_token || s->has_passwords || s->has_web_tokens || s->own != NULL;
    return asks ? &s->authenticator : NULL;
}

void pt_sign_in_count(const pt_sign_in *s, pt_sign_in_counts *out)
{
    const pt_sign_in_counts counts = {
        .size_bytes = out->size_bytes,
        .accepted = atomic_load(&s->counts.accepted),
        .refused = atomic_load(&s->counts.refused),
        .missing = atomic_load(&s->counts.missing),
        .checked = atomic_load(&s->counts.checked),
        .waiting = atomic_load(&s->counts.waiting),
    };
    memcpy(out, &counts, out->size_bytes < sizeof(counts) ? out->size_bytes : sizeof(counts));
}
