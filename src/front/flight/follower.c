#include "front/flight/follower.h"

#include <stdatomic.h>
#include <stdlib.h>

struct pt__flight_follower {
    size_t references; /* the owner's, and one per wake-up on its way */
    pt_job *job;
    pt__reader *reader; /* NULL once stopped */
    pt_mailbox *mailbox;
    pt__flight_follow follow;
    bool is_waiting;       /* a wake-up will come */
    atomic_bool was_woken; /* set by the waking thread before it posts */
};

static void unref(pt__flight_follower *f)
{
    if (--f->references > 0)
        return;
    pt_job_unref(f->job);
    free(f);
}

void pt__flight_follower_stop(pt__flight_follower *f)
{
    if (f->reader == NULL)
        return;
    pt__reader_close(f->reader);
    f->reader = NULL;
    if (f->is_waiting && !atomic_load(&f->was_woken)) {
        f->is_waiting = false; /* closing the reader means that no wake-up will come */
        f->references--;       /* that of the wake-up; the owner's is left */
    }
    unref(f);
}

static void run_after_wake(void *state)
{
    pt__flight_follower *f = state;
    f->is_waiting = false;
    if (f->reader != NULL)
        pt__flight_follower_pump(f);
    unref(f);
}

/* On any thread, with locks held. */
static void wake(void *state)
{
    pt__flight_follower *f = state;
    atomic_store(&f->was_woken, true);
    pt_mailbox_post(f->mailbox, run_after_wake, f);
}

static void end(pt__flight_follower *f, pt__read_state state)
{
    pt_error err = PT_ERROR_INIT;
    if (state == PT_READ_FAILED && pt_job_failure(f->job, &err) == PT_OK)
        pt_error_set(&err, PT_CANCELLED, "the statement was cancelled");
    if (state == PT_READ_GONE || state == PT_READ_DISCONNECTED)
        pt_error_set(&err, PT_NOT_FOUND, "the result is gone");
    pt__flight_follow follow = f->follow;
    pt__flight_follower_stop(f);
    follow.end(follow.context, err.status == PT_OK ? NULL : &err);
    pt_error_clear(&err);
}

/* False when there is none for now, or none any more. */
static bool next(pt__flight_follower *f, pt__spool_entry **entry)
{
    if (f->is_waiting)
        return false;
    f->references++; /* for the wake-up: it may come before this call returns */
    atomic_store(&f->was_woken, false);
    pt__read_state state = pt__reader_next(f->reader, entry);
    if (state == PT_READ_WAIT) {
        f->is_waiting = true;
        return false;
    }
    f->references--;
    if (state == PT_READ_ENTRY)
        return true;
    end(f, state);
    return false;
}

void pt__flight_follower_pump(pt__flight_follower *f)
{
    pt__spool_entry *entry;
    f->references++;
    while (f->reader != NULL && (f->follow.wants == NULL || f->follow.wants(f->follow.context)) && next(f, &entry)) {
        f->follow.entry(f->follow.context, entry);
        pt__spool_entry_unref(entry);
    }
    unref(f);
}

pt_status pt__flight_follower_new(pt_job *job, uint64_t position, pt_mailbox *mailbox, const pt__flight_follow *follow,
                                  pt__flight_follower **out, pt_error *err)
{
    pt__flight_follower *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
    f->references = 1;
    f->job = pt_job_ref(job);
    f->mailbox = mailbox;
    f->follow = *follow;
    pt__reader_options options = {.position = position, .wake = wake, .wake_context = f};
    pt_status status = pt__reader_open(job, &options, &f->reader, err);
    if (status == PT_OK)
        *out = f;
    else
        unref(f);
    return status;
}
