/**
 * Web tokens: whether a token is one of ours to take, and who it names.
 *
 * Spec: RFC 7519 (JWT), RFC 7515 (JWS, compact form), RFC 8725 (what not to trust).
 */
#ifndef PT_AUTH_JWT_H
#define PT_AUTH_JWT_H

#include "auth/keys.h"

typedef struct pt__jwt_rules {
    pt__keys *keys;
    const char *issuer;    /* `iss` must be it; NULL: any */
    const char *audience;  /* `aud` must have it; NULL: any */
    const char *principal; /* the claim that names who calls: "sub" */
    int64_t leeway_s;      /* clocks may differ by that */
} pt__jwt_rules;

enum { PT_JWT_BYTES_MAX = 16384, PT_PRINCIPAL_BYTES_MAX = 256 };

/** Three parts, joined by dots: what a web token looks like, and no other token of ours does. */
bool pt__jwt_looks_like_one(pt_text_view token);

/**
 * The principal, terminated, and until when the token holds. Claims `exp` and that of the principal must be there.
 * Errors: PT_UNAUTHENTICATED saying what is wrong (which tells no secret).
 */
pt_status pt__jwt_check(const pt__jwt_rules *rules, pt_text_view token, int64_t now_s,
                        char principal[PT_PRINCIPAL_BYTES_MAX + 1], int64_t *expires_s, pt_error *err);

#endif
