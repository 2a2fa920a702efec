#include "auth/clerk.h"

#include "auth/failures.h"
#include "base/monotonic.h"
#include "exec/host.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A password to be tried, or a refusal to be handed out. */
typedef struct attempt {
    struct attempt *next;
    pt_admission *admission;
    pt__failure *address; /* may be NULL */
    pt__failure *user;    /* of that name at that address; may be NULL */
    char *peer;
    char *name;     /* NULL: a refusal */
    char *password; /* wiped */
    size_t password_bytes;
    uint64_t due_ms; /* of a refusal */
    pt_error err;
} attempt;

typedef struct queue {
    attempt *first;
    size_t count;
} queue;

struct pt__clerk {
    pt__clerk_options options;
    pt__password_hash dummy;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool is_started;
    bool is_stopping;
    queue checks;   /* in the order they came */
    queue refusals; /* by due_ms */
    pt__failures failures;
};

int64_t pt__clerk_now_ms(void)
{
    return (int64_t)pt__monotonic_ms();
}

/* ---- attempts ---- */

static void free_attempt(attempt *a)
{
    if (a == NULL)
        return;
    if (a->password != NULL)
        OPENSSL_cleanse(a->password, a->password_bytes);
    free(a->password);
    free(a->name);
    free(a->peer);
    pt_error_clear(&a->err);
    free(a);
}

/* NULL when memory is exhausted. */
static attempt *new_attempt(pt_admission *admission, const char *peer)
{
    attempt *a = calloc(1, sizeof(*a));
    if (a != NULL) {
        a->admission = admission;
        a->peer = strdup(peer);
    }
    if (a != NULL && a->peer != NULL)
        return a;
    free_attempt(a);
    return NULL;
}

/* Before the first one of the queue that is later, or at its end. */
static void enqueue(pt__clerk *clerk, queue *q, attempt *a)
{
    attempt **at = &q->first;
    while (*at != NULL && (*at)->due_ms <= a->due_ms)
        at = &(*at)->next;
    a->next = *at;
    *at = a;
    q->count++;
    atomic_fetch_add(&clerk->options.counts->waiting, 1);
}

static attempt *dequeue(pt__clerk *clerk, queue *q, attempt *a)
{
    attempt **at = &q->first;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    q->count--;
    atomic_fetch_sub(&clerk->options.counts->waiting, 1);
    return a;
}

static void release_records(attempt *a)
{
    pt__failures_release(a->address);
    pt__failures_release(a->user);
    a->address = a->user = NULL;
}

/* ---- the end of an attempt; under the lock, which is above that of a mailbox ---- */

static void end_refused(attempt *a)
{
    release_records(a);
    pt_admission_refuse(a->admission, &a->err);
    free_attempt(a);
}

static void end_allowed(pt__clerk *clerk, attempt *a)
{
    if (a->user != NULL)
        a->user->count = 0;
    release_records(a);
    atomic_fetch_add(&clerk->options.counts->accepted, 1);
    pt_admission_allow(a->admission, a->name);
    free_attempt(a);
}

static void log_failure(const pt__clerk *clerk, const attempt *a)
{
    uint64_t count = a->address == NULL ? 0 : a->address->count;
    if ((count & (count - 1)) == 0) /* the 1st, 2nd, 4th, 8th … */
        pt__host_log(clerk->options.host, PT_LOG_WARN, "auth", "sign-in from %s failed, %llu times by now: %s", a->peer,
                     (unsigned long long)count, a->err.message);
}

/* The answer waits for as long as it costs. */
static void put_refusal(pt__clerk *clerk, attempt *a, uint64_t now)
{
    a->due_ms = now + pt__failures_count(a->address, &clerk->options.limits, now);
    if (a->user != NULL)
        pt__failures_count(a->user, &clerk->options.limits, now);
    atomic_fetch_add(&clerk->options.counts->refused, 1);
    log_failure(clerk, a);
    release_records(a);
    if (clerk->refusals.count < clerk->options.limits.max_waiting)
        enqueue(clerk, &clerk->refusals, a);
    else
        end_refused(a);
}

/* ---- the thread ---- */

static uint64_t failures_of(const attempt *a)
{
    uint64_t address = a->address == NULL ? 0 : a->address->count;
    uint64_t user = a->user == NULL ? 0 : a->user->count;
    return address > user ? address : user;
}

/* The one whose turn it is; NULL: none before *wake_ms, which is lowered. */
static attempt *next_check(pt__clerk *clerk, uint64_t now, uint64_t *wake_ms)
{
    attempt *best = NULL;
    for (attempt *a = clerk->checks.first; a != NULL; a = a->next) {
        bool is_free = a->user == NULL || a->user->free_at_ms <= now || !pt_admission_is_wanted(a->admission);
        if (is_free && (best == NULL || failures_of(a) < failures_of(best)))
            best = a;
        if (!is_free && a->user->free_at_ms < *wake_ms)
            *wake_ms = a->user->free_at_ms;
    }
    return best == NULL ? NULL : dequeue(clerk, &clerk->checks, best);
}

static attempt *next_refusal(pt__clerk *clerk, uint64_t now, uint64_t *wake_ms)
{
    attempt *first = clerk->refusals.first;
    if (first == NULL)
        return NULL;
    if (first->due_ms <= now)
        return dequeue(clerk, &clerk->refusals, first);
    if (first->due_ms < *wake_ms)
        *wake_ms = first->due_ms;
    return NULL;
}

/* Between lock and unlock of the credentials. */
static bool matches_user(pt__clerk *clerk, const attempt *a)
{
    char key[PT_KNOWN_KEY_BYTES];
    char principal[PT_PRINCIPAL_BYTES_MAX + 1];
    pt_text_view password = {a->password, a->password_bytes};
    int64_t now = pt__clerk_now_ms();
    pt__known_key(clerk->options.known, (pt_text_view){a->name, strlen(a->name)}, password, key);
    if (pt__known_find(clerk->options.known, key, now, principal)) /* found right while this one waited */
        return true;
    const pt__password_hash *hash = pt__users_find(clerk->options.credentials->users, a->name);
    atomic_fetch_add(&clerk->options.counts->checked, 1);
    bool matches = pt__password_matches(hash != NULL ? hash : &clerk->dummy, password) && hash != NULL;
    if (matches)
        pt__known_add(clerk->options.known, key, a->name, now,
                      pt__clerk_now_ms() + (int64_t)clerk->options.limits.remembered_ms);
    return matches;
}

/* Without the lock. */
static bool is_right(pt__clerk *clerk, const attempt *a)
{
    pt__credentials_lock(clerk->options.credentials);
    bool right = matches_user(clerk, a);
    pt__credentials_unlock(clerk->options.credentials);
    return right;
}

/* Under the lock, which is given up meanwhile. */
static void work_on(pt__clerk *clerk, attempt *a)
{
    bool is_wanted = pt_admission_is_wanted(a->admission);
    bool right = false;
    if (is_wanted) {
        pthread_mutex_unlock(&clerk->lock);
        right = is_right(clerk, a);
        pthread_mutex_lock(&clerk->lock);
    }
    if (right) {
        end_allowed(clerk, a);
    } else {
        pt_error_set(&a->err, PT_UNAUTHENTICATED, "wrong user or password");
        if (is_wanted)
            put_refusal(clerk, a, pt__monotonic_ms());
        else
            end_refused(a);
    }
}

static void wait_until(pt__clerk *clerk, uint64_t wake_ms)
{
    if (wake_ms == UINT64_MAX) {
        pthread_cond_wait(&clerk->changed, &clerk->lock);
        return;
    }
    struct timespec until = {(time_t)(wake_ms / 1000), (long)(wake_ms % 1000) * 1000000};
    pthread_cond_timedwait(&clerk->changed, &clerk->lock, &until);
}

static void *serve(void *state)
{
    pt__clerk *clerk = state;
    pthread_mutex_lock(&clerk->lock);
    while (!clerk->is_stopping) {
        uint64_t wake_ms = UINT64_MAX;
        uint64_t now = pt__monotonic_ms();
        attempt *refusal = next_refusal(clerk, now, &wake_ms);
        attempt *check = refusal != NULL ? NULL : next_check(clerk, now, &wake_ms);
        if (refusal != NULL)
            end_refused(refusal);
        else if (check != NULL)
            work_on(clerk, check);
        else
            wait_until(clerk, wake_ms);
    }
    pthread_mutex_unlock(&clerk->lock);
    return NULL;
}

static bool start_thread(pt__clerk *clerk)
{
    if (!clerk->is_started)
        clerk->is_started = pthread_create(&clerk->thread, NULL, serve, clerk) == 0;
    return clerk->is_started;
}

/* ---- public ---- */

pt_status pt__clerk_new(const pt__clerk_options *options, pt__clerk **out, pt_error *err)
{
    pt__clerk *clerk = calloc(1, sizeof(*clerk));
    if (clerk == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to sign clients in");
    clerk->options = *options;
    pt__password_hash_dummy(&clerk->dummy);
    pthread_mutex_init(&clerk->lock, NULL);
    pt__monotonic_condition_init(&clerk->changed);
    *out = clerk;
    return PT_OK;
}

static void refuse_all(pt__clerk *clerk, queue *q)
{
    while (q->first != NULL) {
        attempt *a = dequeue(clerk, q, q->first);
        pt_error_set(&a->err, PT_UNAVAILABLE, "the server stops");
        end_refused(a);
    }
}

void pt__clerk_free(pt__clerk *clerk)
{
    if (clerk == NULL)
        return;
    pthread_mutex_lock(&clerk->lock);
    clerk->is_stopping = true;
    pthread_cond_signal(&clerk->changed);
    pthread_mutex_unlock(&clerk->lock);
    if (clerk->is_started)
        pthread_join(clerk->thread, NULL);
    refuse_all(clerk, &clerk->checks);
    refuse_all(clerk, &clerk->refusals);
    pt__failures_deinit(&clerk->failures);
    pthread_cond_destroy(&clerk->changed);
    pthread_mutex_destroy(&clerk->lock);
    free(clerk);
}

static void refuse_now(pt_admission *admission, pt_status status, const char *message)
{
    pt_error err = PT_ERROR_INIT;
    pt_error_set(&err, status, "%s", message);
    pt_admission_refuse(admission, &err);
    pt_error_clear(&err);
}

/* The queue is full: who failed most makes room, which may be the new one. */
static attempt *make_room(pt__clerk *clerk, attempt *added)
{
    attempt *worst = added;
    for (attempt *a = clerk->checks.first; a != NULL; a = a->next)
        if (failures_of(a) > failures_of(worst))
            worst = a;
    return worst == added ? added : dequeue(clerk, &clerk->checks, worst);
}

static void add_check(pt__clerk *clerk, attempt *a)
{
    attempt *refused = NULL;
    uint64_t now = pt__monotonic_ms();
    a->address = pt__failures_use(&clerk->failures, a->peer, NULL, now);
    a->user = pt__failures_use(&clerk->failures, a->peer, a->name, now);
    if (!start_thread(clerk))
        refused = a;
    else if (clerk->checks.count >= clerk->options.limits.max_waiting)
        refused = make_room(clerk, a);
    if (refused != a)
        enqueue(clerk, &clerk->checks, a);
    if (refused != NULL) {
        pt_error_set(&refused->err, PT_LIMIT, "too many sign-ins wait for their turn (auth.max-waiting)");
        end_refused(refused);
    }
    pthread_cond_signal(&clerk->changed);
}

void pt__clerk_check(pt__clerk *clerk, pt_admission *admission, const char *peer, const char *name,
                     pt_text_view password)
{
    attempt *a = new_attempt(admission, peer);
    if (a != NULL) {
        a->name = strdup(name);
        a->password = malloc(password.size_bytes + 1);
    }
    if (a == NULL || a->name == NULL || a->password == NULL) {
        free_attempt(a);
        refuse_now(admission, PT_NO_MEMORY, "no memory for a sign-in");
        return;
    }
    memcpy(a->password, password.data, password.size_bytes);
    a->password_bytes = password.size_bytes;
    pthread_mutex_lock(&clerk->lock);
    add_check(clerk, a);
    pthread_mutex_unlock(&clerk->lock);
}

void pt__clerk_refuse(pt__clerk *clerk, pt_admission *admission, const char *peer, const pt_error *err)
{
    attempt *a = new_attempt(admission, peer);
    if (a == NULL) {
        pt_admission_refuse(admission, err);
        return;
    }
    pt_error_copy(&a->err, err);
    pthread_mutex_lock(&clerk->lock);
    uint64_t now = pt__monotonic_ms();
    a->address = pt__failures_use(&clerk->failures, peer, NULL, now);
    if (start_thread(clerk))
        put_refusal(clerk, a, now);
    else
        end_refused(a);
    pthread_cond_signal(&clerk->changed);
    pthread_mutex_unlock(&clerk->lock);
}
