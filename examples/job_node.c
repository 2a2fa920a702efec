/*
 * A node that runs jobs which outlive it: kill it at any moment, start it again, or another one on the same store, and
 * recover them.
 *
 *     job_node NAME=VALUE...            configuration, such as jobs.store=sqlite:jobs.db database=shop.duckdb
 *
 * reads from standard input, a line each:
 *
 *     submit ID FORMAT QUERY            e.g. submit 0198c0de-0000-7000-8000-000000000001 spark.sql select 1
 *     recover ID                        waits while another node holds the job
 *
 * and says "accepted ID", "recovered ID" or "refused ID STATUS MESSAGE", and when a job has ended
 * "ended ID STATE STATUS ROWS DIGEST": the digest is of the numbers in the first column. The end of its input ends it.
 */
#include <portico/job.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_BYTES = 65536, RETRY_MS = 10 };

typedef struct node {
    pt_host *host;
    pt_session *session;
} node;

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void refuse(const char *id, pt_status status, pt_error *err)
{
    printf("refused %s %d %s\n", id, (int)status, err->message);
    fflush(stdout);
    pt_error_clear(err);
}

/* ---- results ---- */

typedef struct digest {
    unsigned long long value;
    long long rows;
} digest;

static void add_batch(digest *d, const struct ArrowArray *batch)
{
    const struct ArrowArray *column = batch->n_children == 0 ? NULL : batch->children[0];
    const long long *numbers = column == NULL ? NULL : (const long long *)column->buffers[1] + column->offset;
    for (long long i = 0; i < batch->length && numbers != NULL; i++)
        d->value = (d->value ^ (unsigned long long)numbers[i]) * 1099511628211ULL;
    d->rows += batch->length;
}

static pt_status read_result(pt_job *job, digest *d, pt_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    pt_status status = pt_job_result(job, &stream, err);
    if (status != PT_OK)
        return status;
    for (;;) {
        if (stream.get_next(&stream, &batch) != 0) {
            const char *message = stream.get_last_error(&stream);
            status = pt_error_set(err, PT_IO, "%s", message == NULL ? "" : message);
            break;
        }
        if (batch.release == NULL)
            break;
        add_batch(d, &batch);
        batch.release(&batch);
    }
    stream.release(&stream);
    return status;
}

/* A thread for each job: a server would subscribe to its events instead. */
static void *follow(void *argument)
{
    pt_job *job = argument;
    pt_error err = PT_ERROR_INIT;
    digest d = {14695981039346656037ULL, 0};
    pt_job_report report = {.size_bytes = sizeof(report)};
    pt_job_wait(job, 0, NULL);
    pt_status status = pt_job_failure(job, &err);
    pt_job_status(job, &report, NULL);
    if (status == PT_OK && report.batches > 0)
        status = read_result(job, &d, &err);
    printf("ended %s %d %d %lld %llx\n", pt_job_id(job), (int)report.state, (int)status, d.rows, d.value);
    fflush(stdout);
    pt_error_clear(&err);
    pt_job_unref(job);
    return NULL;
}

static void follow_job(const char *word, pt_job *job)
{
    pthread_t thread;
    printf("%s %s\n", word, pt_job_id(job));
    fflush(stdout);
    if (pthread_create(&thread, NULL, follow, job) == 0)
        pthread_detach(thread);
}

/* ---- commands ---- */

static void submit(node *n, char *rest)
{
    const char *id = strsep(&rest, " ");
    const char *format = strsep(&rest, " ");
    pt_job *job = NULL;
    pt_error err = PT_ERROR_INIT;
    if (rest == NULL)
        return;
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = n->session,
        .requested_job_id = id,
        .query = {.format = format, .payload = {(const unsigned char *)rest, strlen(rest)}},
    };
    pt_status status = pt_host_submit(n->host, &request, &job, &err);
    if (status == PT_OK)
        follow_job("accepted", job);
    else
        refuse(id, status, &err);
}

typedef struct recovery {
    node *n;
    char id[64];
} recovery;

static void *recover(void *argument)
{
    recovery *r = argument;
    pt_job *job = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt_host_recover(r->n->host, r->id, &job, &err);
    while (status == PT_UNAVAILABLE) {
        nap_ms(RETRY_MS);
        status = pt_host_recover(r->n->host, r->id, &job, &err);
    }
    if (status == PT_OK)
        follow_job("recovered", job);
    else
        refuse(r->id, status, &err);
    free(r);
    return NULL;
}

static void start_recovery(node *n, const char *id)
{
    pthread_t thread;
    recovery *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return;
    r->n = n;
    snprintf(r->id, sizeof(r->id), "%s", id);
    if (pthread_create(&thread, NULL, recover, r) == 0)
        pthread_detach(thread);
}

static void serve(node *n)
{
    static char line[LINE_BYTES];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        const char *command = strsep(&rest, " ");
        if (strcmp(command, "submit") == 0 && rest != NULL)
            submit(n, rest);
        else if (strcmp(command, "recover") == 0 && rest != NULL)
            start_recovery(n, rest);
    }
}

/* ---- start ---- */

static pt_status read_arguments(pt_config *config, int count, char **arguments, pt_error *err)
{
    for (int i = 1; i < count; i++) {
        char *equals = strchr(arguments[i], '=');
        if (equals == NULL)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "%s is not of the form NAME=VALUE", arguments[i]);
        *equals = '\0';
        pt_status status = pt_config_set(config, arguments[i], equals + 1, err);
        if (status != PT_OK)
            return status;
    }
    return PT_OK;
}

static pt_status open_node(node *n, const pt_config *config, pt_error *err)
{
    const pt_host_options options = {.size_bytes = sizeof(options), .config = config};
    pt_status status = pt_host_new(&options, &n->host, err);
    if (status == PT_OK)
        status = pt_host_add_backend(n->host, &pt_backend_duckdb, config, err);
    if (status == PT_OK)
        status = pt_host_create_session(n->host, NULL, &n->session, err);
    return status;
}

int main(int argc, char **argv)
{
    node n = {NULL, NULL};
    pt_config *config = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt_config_new(&config, &err);
    if (status == PT_OK)
        status = read_arguments(config, argc, argv, &err);
    if (status == PT_OK)
        status = open_node(&n, config, &err);
    pt_config_free(config);
    if (status == PT_OK)
        serve(&n);
    else
        fprintf(stderr, "job_node: %s\n", err.message);
    pt_error_clear(&err);
    pt_session_unref(n.session);
    exit(status == PT_OK ? 0 : 1); /* threads may still follow jobs: the host goes with the process */
}
