#include "base/test.h"
#include "exec/state.h"
#include "exec/test_backend.h"

#include <string.h>
#include <time.h>

static const char some_id[] = "00112233-4455-6677-8899-aabbccddeeff";

static pt_host *new_host(const char *name, const char *value)
{
    pt_config *config = NULL;
    pt_host *host = NULL;
    pt_config_new(&config, NULL);
    if (name != NULL)
        pt_config_set(config, name, value, NULL);
    pt_host_options options = {.size_bytes = sizeof(options), .config = config};
    PT_CHECK_EQ(pt_host_new(&options, &host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_OK);
    pt_config_free(config);
    return host;
}

static pt_session *new_session(pt_host *host)
{
    pt_session *session = NULL;
    PT_CHECK_EQ(pt_host_create_session(host, NULL, &session, NULL), PT_OK);
    return session;
}

static void end(pt_host *host, pt_session *session)
{
    pt_session_unref(session);
    pt_host_free(host);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_arrays), 0);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_operations), 0);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_sessions), 0);
}

static pt_job *submit(pt_host *host, pt_session *session, const char *id, const char *text)
{
    pt_job *job = NULL;
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .requested_job_id = id,
        .query = {.format = "test", .payload = {(const uint8_t *)text, strlen(text)}},
    };
    PT_CHECK_EQ(pt_host_submit(host, &request, &job, NULL), PT_OK);
    return job;
}

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

PT_TEST(job_result_gives_all_rows_in_order)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "rows 5 1000");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    PT_CHECK_EQ(pt_job_result(job, &stream, NULL), PT_OK);
    PT_CHECK_EQ(stream.get_schema(&stream, &schema), 0);
    PT_CHECK_STR(schema.children[0]->name, "id");
    schema.release(&schema);
    int64_t expected = 0;
    for (;;) {
        struct ArrowArray batch;
        PT_CHECK_EQ(stream.get_next(&stream, &batch), 0);
        if (batch.release == NULL)
            break;
        const int64_t *values = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++)
            expected += values[i] == expected ? 1 : -1000000;
        batch.release(&batch);
    }
    PT_CHECK_EQ(expected, 5000);
    stream.release(&stream);
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(pt__job_rows_written(job), 5000);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_without_rows_gives_one_empty_batch)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "strings 0 0 3");
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    PT_CHECK_EQ(pt_job_result(job, &stream, NULL), PT_OK);
    PT_CHECK_EQ(stream.get_next(&stream, &batch), 0);
    PT_REQUIRE(batch.release != NULL);
    PT_CHECK_EQ(batch.length, 0);
    batch.release(&batch);
    PT_CHECK_EQ(stream.get_next(&stream, &batch), 0);
    PT_CHECK(batch.release == NULL);
    stream.release(&stream);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_failure_keeps_the_condition)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "fail");
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_FAILED);
    PT_CHECK_EQ(pt_job_failure(job, &err), PT_EXECUTION);
    PT_CHECK_STR(err.condition, "DIVIDE_BY_ZERO");
    pt_error_clear(&err);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_cancel_stops_a_running_query)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "hang");
    nap_ms(20);
    PT_CHECK_EQ(pt_job_cancel(job, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_wait(job, 1000, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_CANCELLED);
    pt_error err = PT_ERROR_INIT;
    pt_job_failure(job, &err);
    PT_CHECK_STR(err.condition, "OPERATION_CANCELED");
    pt_error_clear(&err);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_cancel_stops_a_query_that_waits_for_its_reader)
{
    pt_host *host = new_host("spool.memory", "64KiB");
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "strings 100 100 1000");
    nap_ms(30);
    PT_CHECK(!pt__job_has_ended(job));
    pt_job_cancel(job, NULL);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_CANCELLED);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_waits_when_its_output_is_not_read)
{
    pt_host *host = new_host("spool.memory", "64KiB");
    pt_session *session = new_session(host);
    int before = atomic_load(&pt__test_backend_pulled);
    pt_job *job = submit(host, session, NULL, "strings 100 100 1000");
    nap_ms(50);
    PT_CHECK(atomic_load(&pt__test_backend_pulled) - before < 5);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t rows = 0;
    PT_CHECK_EQ(pt_job_result(job, &stream, NULL), PT_OK);
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        rows += batch.length;
        batch.release(&batch);
    }
    PT_CHECK_EQ(rows, 10000);
    stream.release(&stream);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_output_is_cut_to_the_wanted_size)
{
    pt_host *host = new_host("result.batch-bytes", "64KiB");
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "strings 1 1000 1000");
    pt__reader *reader = NULL;
    pt__reader_options options = {.position = 0};
    PT_CHECK_EQ(pt__reader_open(job, &options, &reader, NULL), PT_OK);
    pt__spool_entry *entry;
    int64_t rows = 0;
    int batches = 0;
    while (pt__reader_next_blocking(reader, 5000, &entry) == PT_READ_ENTRY) {
        PT_CHECK_EQ(entry->start_offset, rows);
        PT_CHECK(entry->body_bytes <= 80 << 10);
        rows += entry->row_count;
        batches++;
        pt__spool_entry_unref(entry);
    }
    PT_CHECK_EQ(rows, 1000);
    PT_CHECK(batches > 10);
    pt__reader_close(reader);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(job_of_the_same_id_and_request_is_the_same_job)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *first = submit(host, session, some_id, "rows 1 10");
    pt_job *second = submit(host, session, some_id, "rows 1 10");
    PT_CHECK(first == second);
    pt_submit_request other = {
        .size_bytes = sizeof(other),
        .session = session,
        .requested_job_id = some_id,
        .query = {.format = "test", .payload = {(const uint8_t *)"rows 1 11", 9}},
    };
    pt_job *third = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt_host_submit(host, &other, &third, &err), PT_ALREADY_EXISTS);
    PT_CHECK_STR(err.condition, "INVALID_HANDLE.OPERATION_ALREADY_EXISTS");
    pt_error_clear(&err);
    pt_job *found = NULL;
    PT_CHECK_EQ(pt_host_job(host, some_id, &found, NULL), PT_OK);
    PT_CHECK(found == first);
    pt_job_unref(found);
    pt_job_unref(first);
    pt_job_unref(second);
    end(host, session);
}

PT_TEST(job_that_was_released_is_refused_again)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, some_id, "hang");
    PT_CHECK(pt__session_release_job(session, some_id));
    PT_CHECK(!pt__session_release_job(session, some_id));
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_CANCELLED);
    pt_job_unref(job);
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__session_job(session, some_id, &job, &err), PT_NOT_FOUND);
    PT_CHECK_STR(err.condition, "INVALID_HANDLE.OPERATION_NOT_FOUND");
    pt_submit_request again = {
        .size_bytes = sizeof(again),
        .session = session,
        .requested_job_id = some_id,
        .query = {.format = "test", .payload = {(const uint8_t *)"hang", 4}},
    };
    PT_CHECK_EQ(pt_host_submit(host, &again, &job, &err), PT_NOT_FOUND);
    PT_CHECK_STR(err.condition, "INVALID_HANDLE.OPERATION_ABANDONED");
    pt_operation_state state;
    PT_CHECK(pt__session_job_state(session, some_id, &state));
    pt_error_clear(&err);
    end(host, session);
}

static uint64_t read_clock(void *context)
{
    return atomic_load((_Atomic uint64_t *)context);
}

PT_TEST(job_without_reader_is_abandoned)
{
    _Atomic uint64_t clock = 1000;
    pt_host *host = new_host(NULL, NULL);
    pt__host_set_clock(host, read_clock, &clock);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, some_id, "hang");
    atomic_fetch_add(&clock, 299 * 1000);
    pt__host_tick(host);
    PT_CHECK(!pt__job_has_ended(job));
    atomic_fetch_add(&clock, 2 * 1000);
    pt__host_tick(host);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_CANCELLED);
    pt_job_unref(job);
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__session_job(session, some_id, &job, &err), PT_NOT_FOUND);
    PT_CHECK_STR(err.condition, "INVALID_HANDLE.OPERATION_ABANDONED");
    pt_error_clear(&err);
    end(host, session);
}

static pt_status write_notes(pt_job *job, void *context, pt_error *err)
{
    for (int i = 0; i < *(int *)context; i++)
        PT_TRY(pt__job_write_note(job, i, pt_bytes_copy((pt_bytes_view){(const uint8_t *)"0123456789", 10}), err));
    return PT_OK;
}

static pt_job *start_notes(pt_session *session, int *count, bool is_resumable)
{
    pt__job_request request = {.run = write_notes, .context = count, .is_resumable = is_resumable};
    pt_job *job = NULL;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &job, NULL), PT_OK);
    return job;
}

static int read_all(pt_job *job, uint64_t position)
{
    pt__reader *reader = NULL;
    pt__reader_options options = {.position = position, .is_exclusive = true};
    if (pt__reader_open(job, &options, &reader, NULL) != PT_OK)
        return -1;
    int notes = 0;
    pt__spool_entry *entry;
    while (pt__reader_next_blocking(reader, 5000, &entry) == PT_READ_ENTRY) {
        PT_CHECK_EQ(entry->note, (int)position + notes);
        notes++;
        pt__spool_entry_unref(entry);
    }
    pt__reader_close(reader);
    return notes;
}

PT_TEST(resumable_job_is_read_again_from_any_kept_position)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    int count = 20;
    pt_job *job = start_notes(session, &count, true);
    PT_CHECK_EQ(read_all(job, 0), 20);
    PT_CHECK_EQ(read_all(job, 0), 20);
    PT_CHECK_EQ(read_all(job, 7), 13);
    pt__job_release_until(job, 9);
    PT_CHECK_EQ(read_all(job, 9), -1);
    PT_CHECK_EQ(read_all(job, 10), 10);
    PT_CHECK_EQ(read_all(job, 20), 0);
    PT_CHECK_EQ(read_all(job, 21), -1);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(resumable_job_keeps_read_output_within_its_limit)
{
    pt_host *host = new_host("spool.retain", "4KiB");
    pt_session *session = new_session(host);
    int count = 100;
    pt_job *job = start_notes(session, &count, true);
    PT_CHECK_EQ(read_all(job, 0), 100);
    PT_CHECK_EQ(read_all(job, 0), -1);
    PT_CHECK_EQ(read_all(job, 99), 1);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(plain_job_keeps_nothing_that_was_read)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    int count = 3;
    pt_job *job = start_notes(session, &count, false);
    PT_CHECK_EQ(read_all(job, 0), 3);
    PT_CHECK_EQ(read_all(job, 2), -1);
    pt_job_unref(job);
    end(host, session);
}

static void count_wake(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

static pt_status wait_then_write(pt_job *job, void *context, pt_error *err)
{
    while (!atomic_load((atomic_bool *)context))
        nap_ms(1);
    return pt__job_write_note(job, 1, NULL, err);
}

PT_TEST(reader_is_woken_once_for_each_wait)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    atomic_bool go = false;
    atomic_int wakes = 0;
    pt__job_request request = {.run = wait_then_write, .context = &go};
    pt_job *job = NULL;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &job, NULL), PT_OK);
    pt__reader *reader = NULL;
    pt__reader_options options = {.wake = count_wake, .wake_context = &wakes};
    PT_CHECK_EQ(pt__reader_open(job, &options, &reader, NULL), PT_OK);
    pt__spool_entry *entry;
    PT_CHECK_EQ(pt__reader_next(reader, &entry), PT_READ_WAIT);
    atomic_store(&go, true);
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    PT_CHECK_EQ(atomic_load(&wakes), 1);
    PT_CHECK_EQ(pt__reader_next(reader, &entry), PT_READ_ENTRY);
    pt__spool_entry_unref(entry);
    PT_CHECK_EQ(pt__reader_next(reader, &entry), PT_READ_END);
    pt__reader_close(reader);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(exclusive_reader_disconnects_the_one_before)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    int count = 2;
    pt_job *job = start_notes(session, &count, true);
    pt__reader *first = NULL;
    pt__reader *second = NULL;
    pt__reader_options options = {.is_exclusive = true};
    PT_CHECK_EQ(pt__reader_open(job, &options, &first, NULL), PT_OK);
    PT_CHECK_EQ(pt__reader_open(job, &options, &second, NULL), PT_OK);
    pt__spool_entry *entry;
    PT_CHECK_EQ(pt__reader_next_blocking(first, 100, &entry), PT_READ_DISCONNECTED);
    PT_CHECK_EQ(pt__reader_next_blocking(second, 1000, &entry), PT_READ_ENTRY);
    pt__spool_entry_unref(entry);
    pt__reader_close(first);
    pt__reader_close(second);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(plain_job_ends_with_its_reader)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    atomic_bool never = false;
    pt__job_request request = {.run = wait_then_write, .context = &never};
    pt_job *job = NULL;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &job, NULL), PT_OK);
    pt__reader *reader = NULL;
    pt__reader_options options = {.position = 0};
    PT_CHECK_EQ(pt__reader_open(job, &options, &reader, NULL), PT_OK);
    pt__reader_close(reader);
    PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_CANCELLED);
    atomic_store(&never, true);
    pt_job_unref(job);
    end(host, session);
}

static pt_status exhaust(pt_job *job, void *context, pt_error *err)
{
    for (int i = 0; i < 1000; i++)
        pt__arena_alloc(pt__job_arena(job), 1 << 20);
    return pt_error_set(err, PT_INTERNAL, "the arena has no limit (%p)", context);
}

PT_TEST(job_that_exhausts_its_arena_fails_alone)
{
    pt_host *host = new_host("plan.memory-limit", "16MiB");
    pt_session *session = new_session(host);
    pt__job_request request = {.run = exhaust};
    pt_job *job = NULL;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &job, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_failure(job, NULL), PT_LIMIT);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(interrupt_hits_jobs_by_tag)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt__arena *arena = pt__arena_new(0);
    atomic_bool never = false;
    const char *tags[] = {"a", "b"};
    pt__job_request request = {.run = wait_then_write, .context = &never, .tags = tags, .tag_count = 2};
    pt_job *tagged = NULL;
    pt_job *other = NULL;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &tagged, NULL), PT_OK);
    request.tag_count = 0;
    PT_CHECK_EQ(pt__job_start(session, &request, NULL, &other, NULL), PT_OK);
    const char *const *ids;
    size_t count;
    pt__session_interrupt(session, PT_INTERRUPT_TAG, "b", arena, &ids, &count);
    PT_CHECK_EQ(count, 1);
    PT_CHECK_STR(ids[0], pt_job_id(tagged));
    PT_CHECK_EQ(pt_job_state(tagged), PT_OPERATION_CANCELLED);
    PT_CHECK(!pt__job_has_ended(other));
    pt__session_interrupt(session, PT_INTERRUPT_ALL, NULL, arena, &ids, &count);
    PT_CHECK_EQ(count, 1);
    atomic_store(&never, true);
    pt_job_unref(tagged);
    pt_job_unref(other);
    pt__arena_free(arena);
    end(host, session);
}

PT_TEST(drained_host_refuses_new_jobs_and_cancels_old_ones)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "hang");
    pt_host_drain(host, 0);
    PT_CHECK_EQ(pt_job_wait(job, 1000, NULL), PT_OK);
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .query = {.format = "test", .payload = {(const uint8_t *)"hang", 4}},
    };
    pt_job *refused = NULL;
    PT_CHECK_EQ(pt_host_submit(host, &request, &refused, NULL), PT_UNAVAILABLE);
    pt_job_unref(job);
    end(host, session);
}

PT_TEST(many_jobs_run_beside_blocked_ones)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *blocked[20];
    for (int i = 0; i < 20; i++)
        blocked[i] = submit(host, session, NULL, "hang");
    for (int i = 0; i < 50; i++) {
        pt_job *job = submit(host, session, NULL, "rows 3 10");
        PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
        PT_CHECK_EQ(pt_job_state(job), PT_OPERATION_SUCCEEDED);
        pt_job_unref(job);
    }
    for (int i = 0; i < 20; i++) {
        pt_job_cancel(blocked[i], NULL);
        pt_job_unref(blocked[i]);
    }
    end(host, session);
}

/* ---- events ---- */

typedef struct heard {
    atomic_uint_fast64_t next; /* number that is to come */
    atomic_int kinds[PT_JOB_CANCELLED + 1];
    atomic_int mistakes;
} heard;

static void hear(void *context, const pt_job_event *event)
{
    heard *h = context;
    if (atomic_fetch_add(&h->next, 1) != event->number || event->time_us == 0)
        atomic_fetch_add(&h->mistakes, 1);
    if (event->kind == PT_JOB_BATCH && event->batch != (uint64_t)atomic_load(&h->kinds[PT_JOB_BATCH]))
        atomic_fetch_add(&h->mistakes, 1);
    atomic_fetch_add(&h->kinds[event->kind], 1);
}

static pt_job_subscription *subscribe(pt_job *job, heard *h, pt_mailbox *mailbox)
{
    pt_job_subscription *subscription = NULL;
    pt_job_subscribe_options options = {sizeof(options), hear, h, mailbox};
    PT_CHECK_EQ(pt_job_subscribe(job, &options, &subscription, NULL), PT_OK);
    return subscription;
}

static void check_heard(const heard *h, int batches, pt_job_event_kind last)
{
    PT_CHECK_EQ(atomic_load(&h->mistakes), 0);
    PT_CHECK_EQ(atomic_load(&h->kinds[PT_JOB_ACCEPTED]), 1);
    PT_CHECK_EQ(atomic_load(&h->kinds[PT_JOB_STARTED]), 1);
    PT_CHECK_EQ(atomic_load(&h->kinds[PT_JOB_BATCH]), batches);
    PT_CHECK_EQ(atomic_load(&h->kinds[last]), 1);
}

PT_TEST(job_events_come_whole_and_in_order_early_and_late)
{
    pt_host *host = new_host("spool.memory", "64KiB");
    pt_session *session = new_session(host);
    heard early = {0};
    heard late = {0};
    pt_job *job = submit(host, session, NULL, "strings 100 10 1000");
    pt_job_subscription *first = subscribe(job, &early, NULL);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    PT_CHECK_EQ(pt_job_result(job, &stream, NULL), PT_OK);
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    stream.release(&stream);
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    pt_job_subscription *second = subscribe(job, &late, NULL);
    check_heard(&late, 100, PT_JOB_FINISHED);
    pt_job_event events[200];
    PT_CHECK_EQ(pt_job_events(job, 0, events, 200), atomic_load(&late.next));
    PT_CHECK_EQ(pt_job_events(job, 1, events, 1), 1);
    PT_CHECK_EQ(events[0].kind, PT_JOB_STARTED);
    for (int i = 0; i < 1000 && atomic_load(&early.kinds[PT_JOB_FINISHED]) == 0; i++)
        nap_ms(5); /* the worker tells it after the waiters */
    check_heard(&early, 100, PT_JOB_FINISHED);
    pt_job_unsubscribe(first);
    pt_job_unsubscribe(second);
    pt_job_unref(job);
    end(host, session);
}

static void ignore_wake(void *context)
{
    (void)context;
}

PT_TEST(job_events_come_through_a_mailbox)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_mailbox *mailbox = NULL;
    heard told = {0};
    heard gone = {0};
    PT_CHECK_EQ(pt_mailbox_new(ignore_wake, NULL, &mailbox, NULL), PT_OK);
    pt_job *job = submit(host, session, NULL, "hang");
    pt_job_subscription *subscription = subscribe(job, &told, mailbox);
    pt_job_unsubscribe(subscribe(job, &gone, mailbox)); /* what was posted for it is not delivered */
    nap_ms(20);
    PT_CHECK_EQ(atomic_load(&told.next), 0);
    pt_job_cancel(job, NULL);
    pt_mailbox_run(mailbox);
    check_heard(&told, 0, PT_JOB_CANCELLED);
    PT_CHECK_EQ(atomic_load(&gone.next), 0);
    pt_job_unsubscribe(subscription);
    pt_job_unref(job);
    end(host, session);
    pt_mailbox_free(mailbox);
}

PT_TEST(job_status_tells_times_rows_and_backend)
{
    pt_host *host = new_host(NULL, NULL);
    pt_session *session = new_session(host);
    pt_job *job = submit(host, session, NULL, "rows 5 1000");
    PT_CHECK_EQ(pt_job_wait(job, 5000, NULL), PT_OK);
    pt_job_report report = {.size_bytes = sizeof(report)};
    PT_CHECK_EQ(pt_job_status(job, &report, NULL), PT_OK);
    PT_CHECK_STR(report.backend, "test");
    PT_CHECK_EQ(report.rows, 5000);
    PT_CHECK_EQ(report.batches, 5);
    PT_CHECK_EQ(report.kind, PT_JOB_UNKNOWN); /* only told apart for jobs that last */
    PT_CHECK(report.bytes >= 40000);
    PT_CHECK(report.created_us <= report.started_us && report.started_us <= report.ended_us);
    pt_job_report shorter = {.size_bytes = offsetof(pt_job_report, created_us), .created_us = 77};
    PT_CHECK_EQ(pt_job_status(job, &shorter, NULL), PT_OK); /* of a program built against fewer members */
    PT_CHECK_EQ(shorter.state, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(shorter.created_us, 77);
    pt_job_unref(job);
    end(host, session);
}
