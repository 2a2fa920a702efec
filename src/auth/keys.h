/**
 * Public keys that web tokens are signed for: RSA of at least 2048 bits for RS256, the curve P-256 for ES256.
 *
 * Each key serves one algorithm, whatever a token says. Secrets (HS256) are not taken: a public key would then be one.
 * Threads: read-only once made.
 * Spec:    RFC 7517 (JWK), RFC 7518 sections 3.3, 3.4, 6.2, 6.3; RFC 7468 (PEM).
 */
#ifndef PT_AUTH_KEYS_H
#define PT_AUTH_KEYS_H

#include <portico/bytes.h>
#include <portico/error.h>

typedef struct pt__keys pt__keys;

typedef enum pt__signature { PT_SIGNATURE_RS256, PT_SIGNATURE_ES256 } pt__signature;

enum { PT_KEYS_MAX = 64 };

/** All public keys and certificates in `text`. Errors: PT_INVALID_ARGUMENT. */
pt_status pt__keys_read_pem(pt_text_view text, pt__keys **out, pt_error *err);

/** A JWK set. Keys of other kinds and uses are left out; one at least must be left. Errors: PT_INVALID_ARGUMENT. */
pt_status pt__keys_read_jwks(pt_text_view text, pt__keys **out, pt_error *err);

void pt__keys_free(pt__keys *keys);

/** Whether one of the keys (of those named `key_id`, unless it is NULL or no key has a name) made the signature. */
bool pt__keys_verify(const pt__keys *keys, pt__signature kind, const char *key_id, pt_text_view signed_text,
                     pt_bytes_view signature);

#endif
