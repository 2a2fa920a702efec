/**
 * Token: an authenticator that knows one bearer token (RFC 6750).
 *
 * The client sends "Bearer TOKEN" as `authorization`, or as `authentication`, which is what some Spark clients use.
 */
#ifndef PT_WIRE_TOKEN_H
#define PT_WIRE_TOKEN_H

#include <portico/connection.h>

typedef struct pt__token pt__token;

/** Copies `value`. Errors: PT_INVALID_ARGUMENT when it is empty, PT_NO_MEMORY. */
pt_status pt__token_new(pt_text_view value, pt__token **out, pt_error *err);
void pt__token_free(pt__token *token);

/** Lives as long as `token`. */
const pt_authenticator *pt__token_authenticator(const pt__token *token);

#endif
