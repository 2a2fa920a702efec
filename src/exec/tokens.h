/**
 * Tokens: what the server gave to who signed in, so that later calls need no password. Any frontend gives them out; the
 * sign-in (auth/) finds them. Kept are digests, never the tokens.
 *
 * Threads: any.
 */
#ifndef PT_EXEC_TOKENS_H
#define PT_EXEC_TOKENS_H

#include <portico/error.h>
#include <portico/host.h>

enum { PT_TOKEN_BYTES = 33 }; /* 16 random bytes in hexadecimal digits, and the terminator */

/**
 * A new token for `principal` ("" when anonymous), good for auth.token-lifetime. One principal's oldest token ends when
 * it has too many (auth.max-tokens). Errors: PT_NO_MEMORY.
 */
pt_status pt__host_issue_token(pt_host *host, const char *principal, char out[PT_TOKEN_BYTES], pt_error *err);

/** Whose token that is, as a copy for the caller to free. Errors: PT_NOT_FOUND (never given, revoked, expired). */
pt_status pt__host_find_token(pt_host *host, pt_text_view token, char **principal, pt_error *err);

/** It is good no longer; an unknown one is no error. */
void pt__host_revoke_token(pt_host *host, pt_text_view token);

typedef struct pt__tokens pt__tokens;

/** Of a host. NULL when memory is exhausted. */
pt__tokens *pt__tokens_new(void);
void pt__tokens_free(pt__tokens *tokens);

#endif
