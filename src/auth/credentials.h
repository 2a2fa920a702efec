/**
 * Credentials: what the files of a sign-in say. They are read as a whole, and read again as a whole while the server runs.
 * What was remembered of them is forgotten then.
 *
 * Threads: any. Who looks at the members does so between pt__credentials_lock and unlock, and not for long: a reload
 *          waits, and others wait for it.
 */
#ifndef PT_AUTH_CREDENTIALS_H
#define PT_AUTH_CREDENTIALS_H

#include "auth/keys.h"
#include "auth/known.h"
#include "auth/users.h"

#include <openssl/sha.h>
#include <portico/config.h>
#include <pthread.h>

typedef struct pt__credentials {
    pthread_rwlock_t lock; /* guards what follows */
    bool has_token;
    uint8_t token_digest[SHA256_DIGEST_LENGTH];
    pt__users *users; /* NULL: no passwords */
    pt__keys *keys;   /* NULL: no web tokens */
} pt__credentials;

/** By the keys "token", "token-value", "auth.users", "auth.jwt-key" and "auth.jwt-jwks". Errors: as pt_sign_in_new. */
pt_status pt__credentials_new(const pt_config *config, pt__credentials **out, pt_error *err);
void pt__credentials_free(pt__credentials *credentials);

/** Reads again; everything stays as it is on failure, also when there would be other kinds of credentials than before. */
pt_status pt__credentials_reload(pt__credentials *credentials, const pt_config *config, pt__known *known,
                                 pt_error *err);

void pt__credentials_lock(pt__credentials *credentials);
void pt__credentials_unlock(pt__credentials *credentials);

#endif
