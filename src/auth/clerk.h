/**
 * Clerk: one thread that computes passwords, one after the other, and hands out refusals when their time has come. It
 * starts with the first of either.
 *
 * Whose attempts failed least has the next turn, so that right passwords do not wait behind wrong ones. Passwords for
 * one user from one address are not tried before the delay of the last failure is over.
 *
 * Threads: any, but for new and free.
 */
#ifndef PT_AUTH_CLERK_H
#define PT_AUTH_CLERK_H

#include "auth/credentials.h"
#include "auth/limits.h"

#include <stdatomic.h>

/** As in pt_sign_in_counts. */
typedef struct pt__auth_counts {
    atomic_uint_fast64_t accepted;
    atomic_uint_fast64_t refused;
    atomic_uint_fast64_t missing;
    atomic_uint_fast64_t checked;
    atomic_uint_fast64_t waiting;
} pt__auth_counts;

/** Borrowed until pt__clerk_free. */
typedef struct pt__clerk_options {
    pt_host *host; /* its log */
    pt__credentials *credentials;
    pt__known *known;
    pt__auth_counts *counts;
    pt__auth_limits limits;
} pt__clerk_options;

typedef struct pt__clerk pt__clerk;

pt_status pt__clerk_new(const pt__clerk_options *options, pt__clerk **out, pt_error *err);
/** Refuses what still waits. NULL is allowed. */
void pt__clerk_free(pt__clerk *clerk);

/** Finds out whether the password is right, and ends the admission. The texts are copied. */
void pt__clerk_check(pt__clerk *clerk, pt_admission *take_admission, const char *peer, const char *name,
                     pt_text_view password);

/** Refuses once the delay is over that a failure of the peer costs. `err` is copied. */
void pt__clerk_refuse(pt__clerk *clerk, pt_admission *take_admission, const char *peer, const pt_error *err);

/** Of the clock that passwords are remembered by. */
int64_t pt__clerk_now_ms(void);

#endif
