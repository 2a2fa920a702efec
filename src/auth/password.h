/**
 * Passwords as hashes: scrypt in the PHC string format, "$scrypt$ln=14,r=8,p=1$SALT$HASH" with base64 without padding.
 *
 * Spec: RFC 7914 (scrypt), by OpenSSL.
 */
#ifndef PT_AUTH_PASSWORD_H
#define PT_AUTH_PASSWORD_H

#include <portico/authenticator.h>

enum { PT_SALT_BYTES_MAX = 64, PT_HASH_BYTES = 32, PT_PASSWORD_BYTES_MAX = 1024 };

typedef struct pt__password_hash {
    unsigned cost_log2; /* ln */
    unsigned block;     /* r */
    unsigned lanes;     /* p */
    uint8_t salt[PT_SALT_BYTES_MAX];
    size_t salt_bytes;
    uint8_t hash[PT_HASH_BYTES];
} pt__password_hash;

/** Errors: PT_INVALID_ARGUMENT saying what is wrong; costs beyond 1 GiB of memory are refused. */
pt_status pt__password_hash_parse(pt_text_view text, pt__password_hash *out, pt_error *err);

/** Takes tens of milliseconds. False as well when memory is exhausted. */
bool pt__password_matches(const pt__password_hash *hash, pt_text_view password);

/** What an unknown user's password is compared with, so that it takes as long as a known one's. Never matches. */
void pt__password_hash_dummy(pt__password_hash *out);

#endif
