#include "auth/credentials.h"

#include "auth/file.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES_MAX = 4096 };

/* ---- the token ---- */

static pt_text_view trim(pt_text_view text)
{
    while (text.size_bytes > 0 && strchr(" \t\r\n", text.data[0]) != NULL) {
        text.data++;
        text.size_bytes--;
    }
    while (text.size_bytes > 0 && strchr(" \t\r\n", text.data[text.size_bytes - 1]) != NULL)
        text.size_bytes--;
    return text;
}

static pt_status set_token(pt__credentials *c, pt_text_view token, const char *where, pt_error *err)
{
    if (token.size_bytes == 0 || token.size_bytes > TOKEN_BYTES_MAX)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the bearer token of %s is empty or longer than %d bytes", where,
                            TOKEN_BYTES_MAX);
    SHA256((const uint8_t *)token.data, token.size_bytes, c->token_digest);
    c->has_token = true;
    return PT_OK;
}

static pt_status read_token(pt__credentials *c, const pt_config *config, pt_error *err)
{
    const char *path = pt_config_string(config, "token", NULL);
    const char *value = pt_config_string(config, "token-value", NULL);
    if (path != NULL && value != NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "give either --token or --token-value");
    if (value != NULL)
        return set_token(c, (pt_text_view){value, strlen(value)}, "--token-value", err);
    if (path == NULL)
        return PT_OK;
    pt__buffer text = PT_BUFFER_INIT;
    pt_status status = pt__auth_read_file(path, &text, err);
    if (status == PT_OK)
        status = set_token(c, trim((pt_text_view){(char *)text.data, text.size_bytes}), path, err);
    pt__buffer_deinit(&text);
    return status;
}

/* ---- keys of web tokens ---- */

typedef pt_status parse_keys(pt_text_view text, pt__keys **out, pt_error *err);

static pt_status read_key_file(pt__credentials *c, const char *path, parse_keys *parse, pt_error *err)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt_error reason = PT_ERROR_INIT;
    pt_status status = pt__auth_read_file(path, &text, err);
    if (status == PT_OK && parse((pt_text_view){(char *)text.data, text.size_bytes}, &c->keys, &reason) != PT_OK)
        status = pt_error_set(err, reason.status, "%s: %s", path, reason.message);
    pt_error_clear(&reason);
    pt__buffer_deinit(&text);
    return status;
}

static pt_status read_keys(pt__credentials *c, const pt_config *config, pt_error *err)
{
    const char *pem = pt_config_string(config, "auth.jwt-key", NULL);
    const char *jwks = pt_config_string(config, "auth.jwt-jwks", NULL);
    if (pem != NULL && jwks != NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "give either auth.jwt-key or auth.jwt-jwks");
    if (pem != NULL)
        return read_key_file(c, pem, pt__keys_read_pem, err);
    return jwks != NULL ? read_key_file(c, jwks, pt__keys_read_jwks, err) : PT_OK;
}

/* ---- all of them ---- */

static pt_status read_all(pt__credentials *c, const pt_config *config, pt_error *err)
{
    const char *users = pt_config_string(config, "auth.users", NULL);
    PT_TRY(read_token(c, config, err));
    if (users != NULL)
        PT_TRY(pt__users_read(users, &c->users, err));
    return read_keys(c, config, err);
}

/* A reload would otherwise wait for as long as there are always some who look. */
static void init_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
}

pt_status pt__credentials_new(const pt_config *config, pt__credentials **out, pt_error *err)
{
    pt__credentials *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to sign clients in");
    init_lock(&c->lock);
    pt_status status = read_all(c, config, err);
    if (status == PT_OK)
        *out = c;
    else
        pt__credentials_free(c);
    return status;
}

void pt__credentials_free(pt__credentials *c)
{
    if (c == NULL)
        return;
    pt__users_free(c->users);
    pt__keys_free(c->keys);
    pthread_rwlock_destroy(&c->lock);
    free(c);
}

static bool same_kinds(const pt__credentials *a, const pt__credentials *b)
{
    return a->has_token == b->has_token && (a->users == NULL) == (b->users == NULL) &&
           (a->keys == NULL) == (b->keys == NULL);
}

/* `read` gets what was there before. */
static void exchange(pt__credentials *c, pt__credentials *read)
{
    pt__users *users = c->users;
    pt__keys *keys = c->keys;
    memcpy(c->token_digest, read->token_digest, sizeof(c->token_digest));
    c->users = read->users;
    c->keys = read->keys;
    read->users = users;
    read->keys = keys;
}

pt_status pt__credentials_reload(pt__credentials *c, const pt_config *config, pt__known *known, pt_error *err)
{
    pt__credentials *read = NULL;
    PT_TRY(pt__credentials_new(config, &read, err));
    pthread_rwlock_wrlock(&c->lock);
    bool same = same_kinds(c, read);
    if (same) {
        exchange(c, read);
        pt__known_clear(known); /* whoever finds something right remembers it under the lock, too */
    }
    pthread_rwlock_unlock(&c->lock);
    pt__credentials_free(read);
    return same ? PT_OK
                : pt_error_set(err, PT_INVALID_ARGUMENT, "there are other kinds of credentials now than at the start");
}

void pt__credentials_lock(pt__credentials *c)
{
    pthread_rwlock_rdlock(&c->lock);
}

void pt__credentials_unlock(pt__credentials *c)
{
    pthread_rwlock_unlock(&c->lock);
}
