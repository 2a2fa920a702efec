/**
 * Users with passwords, from a file: lines "NAME:HASH" (password.h); empty ones and those that begin with # are skipped.
 * Read once; then any thread may look.
 */
#ifndef PT_AUTH_USERS_H
#define PT_AUTH_USERS_H

#include "auth/password.h"

typedef struct pt__users pt__users;

/** Errors: PT_IO naming the file, PT_INVALID_ARGUMENT naming file and line. */
pt_status pt__users_read(const char *path, pt__users **out, pt_error *err);
void pt__users_free(pt__users *users);

/** NULL: there is no such user. */
const pt__password_hash *pt__users_find(const pt__users *users, const char *name);

#endif
