/**
 * Spool: the encoded output of a job, in order, kept for several readers to read, resume and re-read.
 *
 * Entries are numbered from 0. A batch is one Arrow record batch as an IPC message whose body refers to the engine's
 * buffers; a note is whatever the frontend that runs the job wants delivered between batches.
 *
 * The job's worker waits in a write while more than spool.memory bytes are unread. Entries that were read stay for
 * re-reading, up to spool.retain bytes when the job is resumable, else not at all; unread ones are never dropped.
 *
 * Threads: writes on the job's worker; all else on any thread.
 * Spec:    Arrow columnar format, "Serialization and Interprocess Communication (IPC)".
 */
#ifndef PT_EXEC_SPOOL_H
#define PT_EXEC_SPOOL_H

#include <portico/call.h>
#include <portico/job.h>

typedef enum pt__spool_kind { PT_SPOOL_BATCH, PT_SPOOL_NOTE } pt__spool_kind;

/** Read-only and shared by counting references. */
typedef struct pt__spool_entry {
    pt__spool_kind kind;
    uint64_t index; /* position in the spool */

    /* NOTE */
    int note;        /* the frontend's own number */
    pt_bytes *bytes; /* may be NULL */

    /* BATCH */
    int64_t row_count;
    int64_t start_offset;   /* rows in batches before this one */
    pt_bytes *header;       /* continuation, length, metadata flatbuffer and padding: what goes before the body */
    pt_bytes_view metadata; /* the flatbuffer inside `header`: Flight's data_header */
    const pt_segment *body; /* owners are the entry's: ref each owner that is handed on */
    size_t body_count;
    uint64_t body_bytes; /* sum of the segments, a multiple of 8 */
} pt__spool_entry;

pt__spool_entry *pt__spool_entry_ref(pt__spool_entry *entry);
void pt__spool_entry_unref(pt__spool_entry *entry);

/** Continuation and zero length: what ends an IPC stream. Static. */
pt_bytes_view pt__ipc_end_of_stream(void);

/* ---- writing: the job's worker ---- */

/** Adds a note; takes `bytes` (may be NULL), success or failure. Errors: PT_CANCELLED, PT_NO_MEMORY. */
pt_status pt__job_write_note(pt_job *job, int note, pt_bytes *take_bytes, pt_error *err);
/** The same, but readers that wait are left waiting for what follows, or for the end. */
pt_status pt__job_write_quiet_note(pt_job *job, int note, pt_bytes *take_bytes, pt_error *err);

/* ---- reading ---- */

typedef struct pt__reader pt__reader;

typedef struct pt__reader_options {
    uint64_t position; /* index of the first entry wanted */
    bool is_exclusive; /* other readers of the job find PT_READ_DISCONNECTED */
    /**
     * Runs on any thread, with locks held, when a reader that was told PT_READ_WAIT should ask again; must only
     * signal (pt_mailbox_post). Once per PT_READ_WAIT; not after pt__reader_close. NULL: the reader polls, or blocks.
     */
    void (*wake)(void *context);
    void *wake_context;
} pt__reader_options;

typedef enum pt__read_state {
    PT_READ_ENTRY,        /* `*entry` is the next one; a reference of the caller's */
    PT_READ_WAIT,         /* nothing yet; `wake` will run */
    PT_READ_END,          /* the job succeeded and all was read */
    PT_READ_FAILED,       /* all before the failure was read; pt_job_failure says why; also when cancelled */
    PT_READ_DISCONNECTED, /* an exclusive reader took over */
    PT_READ_GONE,         /* the position was released or dropped */
    PT_READ_FILE          /* within spool.c: it is to be read from the job's file */
} pt__read_state;

/**
 * Errors: INVALID_CURSOR.POSITION_NOT_FOUND when the position lies before what is kept, or beyond what was written.
 */
pt_status pt__reader_open(pt_job *job, const pt__reader_options *options, pt__reader **out, pt_error *err);
void pt__reader_close(pt__reader *reader);

pt__read_state pt__reader_next(pt__reader *reader, pt__spool_entry **entry);
/** As pt__reader_next, but waits up to `timeout_ms` (0: no limit) before it gives PT_READ_WAIT. Workers and embedders.
 */
pt__read_state pt__reader_next_blocking(pt__reader *reader, uint64_t timeout_ms, pt__spool_entry **entry);

/** Index of the entry that pt__reader_next would give. */
uint64_t pt__reader_position(const pt__reader *reader);

/** Frees entries up to and including `index`; those that are unread are kept. */
void pt__job_release_until(pt_job *job, uint64_t index);

/**
 * Whether the job goes no further before its output is read: more of it is unread than may wait (spool.memory). Told by
 * the BATCH event that has made it so.
 */
bool pt__job_waits_for_readers(pt_job *job);

/** Frames the schema of the job's batches as an IPC message; NULL before pt__job_execute has begun. A reference. */
pt_bytes *pt__job_schema_message(pt_job *job);

#endif
