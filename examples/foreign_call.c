/*
 * Calls without HTTP/2: pt_call implemented by another transport, here one inside of the process.
 *
 * The transport is a small blocking API, foreign_*, that any thread may use. A loop thread of its own runs the
 * frontend's functions; requests reach it through the mailbox, responses wait in a queue for whoever receives them, and
 * a full queue slows the frontend down. As a shared library the same file carries the calls of grpcio's server in
 * tests/embed/test_grpc_python.py.
 *
 *     foreign_call [QUERY]      asks for the schema and for the rows of a query, by requests written byte by byte
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <portico/host.h>
#include <portico/spark_connect.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOW_MARK_BYTES = 1024 * 1024 };

typedef struct foreign {
    pt_host *host;
    pt_routes *routes;
    pt_mailbox *mailbox;
    pthread_t loop;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool is_woken;
    bool ends;
} foreign;

typedef struct response {
    struct response *next;
    size_t size_bytes;
    uint8_t data[];
} response;

typedef struct foreign_call {
    pt_call base; /* what the frontend sees */
    foreign *transport;
    const pt_method *method; /* NULL: refused; of the loop thread, like mount and entered */
    void *mount;
    pt_mount *entered;
    bool has_message; /* the first one has shown whose call it is */
    char *path;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    response *first;
    response *last;
    response *taken; /* the one that the receiver looks at */
    size_t queued_bytes;
    bool finished;
    bool closed;
    pt_grpc_code code;
    char *message;
    pt_bytes *details;
} foreign_call;

/* What other threads ask of the loop thread. */
typedef struct task {
    foreign_call *call;
    pt_bytes *request;
} task;

/* ---- pt_call: the loop thread ---- */

static bool no_metadata(pt_call *call, const char *key, pt_bytes_view *value)
{
    (void)call;
    (void)key;
    (void)value;
    return false;
}

static const pt_principal *local_principal(pt_call *call)
{
    (void)call;
    static const pt_principal principal = {"local", true}; /* who shares our process may be trusted */
    return &principal;
}

static pt_mailbox *mailbox_of(pt_call *base)
{
    return ((foreign_call *)base)->transport->mailbox;
}

static response *join(const pt_segment *segments, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += segments[i].view.size_bytes;
    response *joined = malloc(sizeof(*joined) + size);
    size = 0;
    for (size_t i = 0; i < count; i++) {
        if (joined != NULL && segments[i].view.size_bytes != 0)
            memcpy(joined->data + size, segments[i].view.data, segments[i].view.size_bytes);
        size += segments[i].view.size_bytes;
        pt_bytes_unref(segments[i].owner);
    }
    if (joined != NULL) {
        joined->next = NULL;
        joined->size_bytes = size;
    }
    return joined;
}

static pt_status queue_response(pt_call *base, const pt_segment *segments, size_t count, pt_error *err)
{
    foreign_call *call = (foreign_call *)base;
    response *added = join(segments, count);
    if (added == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a response");
    pthread_mutex_lock(&call->lock);
    *(call->last != NULL ? &call->last->next : &call->first) = added;
    call->last = added;
    call->queued_bytes += added->size_bytes;
    pthread_cond_broadcast(&call->changed);
    pthread_mutex_unlock(&call->lock);
    return PT_OK;
}

static size_t queued_bytes(pt_call *base)
{
    foreign_call *call = (foreign_call *)base;
    pthread_mutex_lock(&call->lock);
    size_t size = call->queued_bytes;
    pthread_mutex_unlock(&call->lock);
    return size;
}

static void finish(pt_call *base, const pt_call_status *status)
{
    foreign_call *call = (foreign_call *)base;
    pthread_mutex_lock(&call->lock);
    if (!call->finished) {
        call->finished = true;
        call->code = status->code;
        call->message = strdup(status->message == NULL ? "" : status->message);
        call->details = pt_bytes_copy(status->details);
    }
    pthread_cond_broadcast(&call->changed);
    pthread_mutex_unlock(&call->lock);
}

static uint64_t no_deadline(pt_call *call)
{
    (void)call;
    return 0;
}

static const pt_call_vtable foreign_vtable = {
    .size_bytes = sizeof(pt_call_vtable),
    .metadata = no_metadata,
    .principal = local_principal,
    .mailbox = mailbox_of,
    .send = queue_response,
    .queued_bytes = queued_bytes,
    .finish = finish,
    .deadline_ms = no_deadline,
};

/* ---- the loop thread ---- */

static bool takes_input(foreign_call *call)
{
    pthread_mutex_lock(&call->lock);
    bool takes = call->method != NULL && !call->finished && !call->closed;
    pthread_mutex_unlock(&call->lock);
    return takes;
}

static void run_begin(void *argument)
{
    foreign_call *call = argument;
    pt_error err = PT_ERROR_INIT;
    pt_text_view path = {call->path, strlen(call->path)};
    pt_status status =
        pt_routes_enter(call->transport->routes, path, &call->method, &call->mount, &call->entered, &err);
    if (status != PT_OK)
        finish(&call->base,
               &(pt_call_status){status == PT_UNSUPPORTED ? PT_GRPC_UNIMPLEMENTED : PT_GRPC_RESOURCE_EXHAUSTED,
                                 pt_error_full_message(&err),
                                 {NULL, 0}});
    else if (call->method->started != NULL)
        call->method->started(call->mount, &call->base);
    pt_error_clear(&err);
}

/* The first message may show that the call is another mount's. */
static void give_message(foreign_call *call, pt_bytes_view message)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    if (!call->has_message)
        status = pt_routes_claim(message, &call->method, &call->mount, &call->entered, &err);
    call->has_message = true;
    if (status == PT_OK)
        call->method->message(call->mount, &call->base, message);
    else
        finish(&call->base, &(pt_call_status){PT_GRPC_RESOURCE_EXHAUSTED, pt_error_full_message(&err), {NULL, 0}});
    pt_error_clear(&err);
}

static void run_message(void *argument)
{
    task *t = argument;
    if (takes_input(t->call))
        give_message(t->call, pt_bytes_get_view(t->request));
    pt_bytes_unref(t->request);
    free(t);
}

static void run_half_close(void *argument)
{
    foreign_call *call = argument;
    if (takes_input(call) && call->method->half_closed != NULL)
        call->method->half_closed(call->mount, &call->base);
}

static void run_writable(void *argument)
{
    foreign_call *call = argument;
    if (takes_input(call) && call->method->writable != NULL)
        call->method->writable(call->mount, &call->base);
}

static void run_close(void *argument)
{
    foreign_call *call = argument;
    if (call->method != NULL && call->method->closed != NULL)
        call->method->closed(call->mount, &call->base, call->finished ? PT_CALL_FINISHED : PT_CALL_RESET);
    if (call->entered != NULL)
        pt_routes_leave(call->entered);
    pthread_mutex_lock(&call->lock);
    call->closed = true;
    pthread_cond_broadcast(&call->changed);
    pthread_mutex_unlock(&call->lock);
}

static void wake(void *context)
{
    foreign *f = context;
    pthread_mutex_lock(&f->lock);
    f->is_woken = true;
    pthread_cond_signal(&f->woken);
    pthread_mutex_unlock(&f->lock);
}

/* Runs what was posted, and the mounts' housekeeping about once a second. */
static void *run_loop(void *argument)
{
    foreign *f = argument;
    struct timespec until;
    pthread_mutex_lock(&f->lock);
    while (!f->ends) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (!f->is_woken)
            pthread_cond_timedwait(&f->woken, &f->lock, &until);
        f->is_woken = false;
        pthread_mutex_unlock(&f->lock);
        pt_mailbox_run(f->mailbox);
        clock_gettime(CLOCK_MONOTONIC, &until);
        pt_routes_tick(f->routes, (uint64_t)until.tv_sec * 1000);
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* ---- the transport as its users see it: any thread, one at a time for a call ---- */

void foreign_close(foreign *f);
foreign *foreign_open(void);
foreign_call *foreign_begin(foreign *f, const char *path);
void foreign_send(foreign_call *call, const uint8_t *data, size_t size_bytes);
void foreign_half_close(foreign_call *call);
int foreign_receive(foreign_call *call, const uint8_t **data, size_t *size_bytes);
int foreign_status(foreign_call *call, const char **message, const uint8_t **details, size_t *size_bytes);
void foreign_end(foreign_call *call);

static pt_status open_parts(foreign *f, pt_error *err)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    PT_TRY(pt_host_new(&options, &f->host, err));
    PT_TRY(pt_host_add_backend(f->host, &pt_backend_duckdb, NULL, err));
    PT_TRY(pt_mailbox_new(wake, f, &f->mailbox, err));
    PT_TRY(pt_routes_new(f->host, &f->routes, err));
    PT_TRY(pt_frontend_mount(f->host, &pt_frontend_spark_connect, NULL, f->routes, err));
    if (pthread_create(&f->loop, NULL, run_loop, f) != 0)
        return pt_error_set(err, PT_UNAVAILABLE, "a thread could not be made");
    return PT_OK;
}

/* NULL: it said why on standard error. */
foreign *foreign_open(void)
{
    pt_error err = PT_ERROR_INIT;
    foreign *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->woken, NULL);
    if (open_parts(f, &err) != PT_OK) {
        fprintf(stderr, "foreign_call: %s\n", pt_error_full_message(&err));
        f->ends = true;
        foreign_close(f);
        f = NULL;
    }
    pt_error_clear(&err);
    return f;
}

/* All calls have ended. */
void foreign_close(foreign *f)
{
    pthread_mutex_lock(&f->lock);
    bool runs = !f->ends;
    f->ends = true;
    pthread_cond_signal(&f->woken);
    pthread_mutex_unlock(&f->lock);
    if (runs)
        pthread_join(f->loop, NULL);
    pt_routes_free(f->routes);
    pt_host_free(f->host);
    pt_mailbox_free(f->mailbox);
    pthread_cond_destroy(&f->woken);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

foreign_call *foreign_begin(foreign *f, const char *path)
{
    foreign_call *call = calloc(1, sizeof(*call));
    if (call == NULL)
        return NULL;
    call->base.vtable = &foreign_vtable;
    call->transport = f;
    call->path = strdup(path);
    pthread_mutex_init(&call->lock, NULL);
    pthread_cond_init(&call->changed, NULL);
    pt_mailbox_post(f->mailbox, run_begin, call);
    return call;
}

void foreign_send(foreign_call *call, const uint8_t *data, size_t size_bytes)
{
    task *t = malloc(sizeof(*t));
    pt_bytes *copy = pt_bytes_copy((pt_bytes_view){data, size_bytes});
    if (t == NULL || copy == NULL) {
        pt_bytes_unref(copy);
        free(t);
        return;
    }
    *t = (task){call, copy};
    pt_mailbox_post(call->transport->mailbox, run_message, t);
}

void foreign_half_close(foreign_call *call)
{
    pt_mailbox_post(call->transport->mailbox, run_half_close, call);
}

/* 1: a message, valid until the next call. 0: there is none left, and the status is known. Waits. */
int foreign_receive(foreign_call *call, const uint8_t **data, size_t *size_bytes)
{
    pthread_mutex_lock(&call->lock);
    while (call->first == NULL && !call->finished)
        pthread_cond_wait(&call->changed, &call->lock);
    free(call->taken);
    response *taken = call->taken = call->first;
    size_t before = call->queued_bytes;
    if (taken != NULL) {
        call->first = taken->next;
        call->last = call->first == NULL ? NULL : call->last;
        call->queued_bytes -= taken->size_bytes;
        *data = taken->data;
        *size_bytes = taken->size_bytes;
    }
    bool fell = (before >= LOW_MARK_BYTES && call->queued_bytes < LOW_MARK_BYTES) || call->queued_bytes == 0;
    pthread_mutex_unlock(&call->lock);
    if (taken != NULL && fell)
        pt_mailbox_post(call->transport->mailbox, run_writable, call);
    return taken != NULL;
}

/* How it ended, after foreign_receive has said 0; text and bytes are valid until foreign_end. */
int foreign_status(foreign_call *call, const char **message, const uint8_t **details, size_t *size_bytes)
{
    pt_bytes_view view = call->details == NULL ? (pt_bytes_view){NULL, 0} : pt_bytes_get_view(call->details);
    *message = call->message == NULL ? "" : call->message;
    *details = view.data;
    *size_bytes = view.size_bytes;
    return (int)call->code;
}

/* Cancels what still runs. */
void foreign_end(foreign_call *call)
{
    pt_mailbox_post(call->transport->mailbox, run_close, call);
    pthread_mutex_lock(&call->lock);
    while (!call->closed)
        pthread_cond_wait(&call->changed, &call->lock);
    pthread_mutex_unlock(&call->lock);
    while (call->first != NULL) {
        response *next = call->first->next;
        free(call->first);
        call->first = next;
    }
    free(call->taken);
    free(call->message);
    free(call->path);
    pt_bytes_unref(call->details);
    pthread_cond_destroy(&call->changed);
    pthread_mutex_destroy(&call->lock);
    free(call);
}

/* ---- requests, byte by byte (protobuf.dev, "Encoding") ---- */

typedef struct text {
    size_t size_bytes;
    uint8_t data[4096];
} text;

static void put_number(text *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        out->data[out->size_bytes++] = (uint8_t)(number | 0x80);
    out->data[out->size_bytes++] = (uint8_t)number;
}

static void put_field(text *out, unsigned field, const void *data, size_t size_bytes)
{
    put_number(out, field << 3 | 2);
    put_number(out, size_bytes);
    memcpy(out->data + out->size_bytes, data, size_bytes);
    out->size_bytes += size_bytes;
}

/* The message `inner` becomes field `field` of `outer`. */
static void wrap(text *outer, unsigned field, const text *inner)
{
    put_field(outer, field, inner->data, inner->size_bytes);
}

/* Plan.root = Relation.sql = SQL.query */
static text plan_of(const char *query)
{
    text sql = {0};
    text relation = {0};
    text plan = {0};
    put_field(&sql, 1, query, strlen(query));
    wrap(&relation, 10, &sql);
    wrap(&plan, 1, &relation);
    return plan;
}

/* Plan.root = Relation.show_string = ShowString.input: a relation of one string, the table as text */
static text show_plan_of(const char *query)
{
    text sql = {0};
    text relation = {0};
    text show = {0};
    text root = {0};
    text plan = {0};
    put_field(&sql, 1, query, strlen(query));
    wrap(&relation, 10, &sql);
    wrap(&show, 1, &relation);
    put_number(&show, 2 << 3); /* num_rows */
    put_number(&show, 20);
    wrap(&root, 20, &show);
    wrap(&plan, 1, &root);
    return plan;
}

static text request_start(void)
{
    static const char session[] = "0190b8a2-5c3e-4d4f-8a6b-1c2d3e4f5a6b";
    text request = {0};
    put_field(&request, 1, session, sizeof(session) - 1);
    return request;
}

/* AnalyzePlanRequest.tree_string = TreeString.plan */
static text schema_request(const char *query)
{
    text plan = plan_of(query);
    text tree = {0};
    text request = request_start();
    wrap(&tree, 1, &plan);
    wrap(&request, 6, &tree);
    return request;
}

/* ExecutePlanRequest.plan */
static text rows_request(const char *query)
{
    text plan = show_plan_of(query);
    text request = request_start();
    wrap(&request, 3, &plan);
    return request;
}

/* A schema stands in a response as it is, a table in a buffer of Arrow's: both are lines that begin with one of these. */
static void print_text(const uint8_t *data, size_t size_bytes, const char *start)
{
    const uint8_t *at = memmem(data, size_bytes, start, strlen(start));
    const uint8_t *end = data + size_bytes;
    while (at != NULL && at < end && (*at >= ' ' || *at == '\n')) {
        putchar(*at++);
        if (at[-1] == '\n' && (at == end || strchr(" |+", *at) == NULL))
            return;
    }
}

static int ask(foreign *f, const char *path, const text *request, const char *start)
{
    const uint8_t *data;
    const char *message;
    size_t size_bytes;
    foreign_call *call = foreign_begin(f, path);
    if (call == NULL)
        return PT_GRPC_RESOURCE_EXHAUSTED;
    foreign_send(call, request->data, request->size_bytes);
    foreign_half_close(call);
    while (foreign_receive(call, &data, &size_bytes)) {
        printf("%s: %zu bytes\n", strrchr(path, '/') + 1, size_bytes);
        print_text(data, size_bytes, start);
    }
    int code = foreign_status(call, &message, &data, &size_bytes);
    printf("%s: status %d %s\n", strrchr(path, '/') + 1, code, message);
    foreign_end(call);
    return code;
}

int main(int argc, char **argv)
{
    const char *query = argc > 1 ? argv[1] : "select id, id * id as square from range(4)";
    if (strlen(query) > sizeof((text){0}.data) / 2) {
        fprintf(stderr, "foreign_call: the query is too long for this example\n");
        return 1;
    }
    foreign *f = foreign_open();
    if (f == NULL)
        return 1;
    text schema = schema_request(query);
    text rows = rows_request(query);
    int code = ask(f, "/spark.connect.SparkConnectService/AnalyzePlan", &schema, "root");
    if (code == PT_GRPC_OK)
        code = ask(f, "/spark.connect.SparkConnectService/ExecutePlan", &rows, "+-");
    foreign_close(f);
    return code == PT_GRPC_OK ? 0 : 1;
}
