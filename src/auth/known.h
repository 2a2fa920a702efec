/**
 * Known: credentials that were found right, so that the next call with the same ones need not be computed. Kept are
 * digests under a key that is random for each process, never the credentials.
 *
 * Threads: any.
 */
#ifndef PT_AUTH_KNOWN_H
#define PT_AUTH_KNOWN_H

#include "auth/jwt.h"

#include <stdint.h>

typedef struct pt__known pt__known;

/** NULL when memory is exhausted. */
pt__known *pt__known_new(void);
void pt__known_free(pt__known *known);
/** Forgets all. */
void pt__known_clear(pt__known *known);

enum { PT_KNOWN_KEY_BYTES = 65 };

/** The key of a credential that has two parts, of which the second may be empty. */
void pt__known_key(const pt__known *known, pt_text_view first, pt_text_view second, char out[PT_KNOWN_KEY_BYTES]);

/** Whom the credential names; false when it is not known, or no longer. `now` counts as `until` does. */
bool pt__known_find(pt__known *known, const char *key, int64_t now, char principal[PT_PRINCIPAL_BYTES_MAX + 1]);

/** Without room or memory it is not kept. */
void pt__known_add(pt__known *known, const char *key, const char *principal, int64_t now, int64_t until);

#endif
