/* AddArtifacts (a stream of requests) and ArtifactStatus. */
#include "front/spark_connect/calls.h"

#include "base/list.h"
#include "base/unconst.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MESSAGE_ARENA_MAX_BYTES = 512 * 1024 * 1024, ARTIFACTS_MAX = 10000 };

typedef Spark__Connect__AddArtifactsRequest request_message;
typedef Spark__Connect__AddArtifactsRequest__ArtifactChunk chunk_message;
typedef Spark__Connect__AddArtifactsResponse__ArtifactSummary summary_message;

/* call->state of an upload. */
typedef struct upload {
    pt__connect *mount;
    pt__arena *arena;    /* summaries; lives as long as the call */
    pt_session *session; /* of the first request */
    char *session_id;
    bool is_finished;
    summary_message **summaries;
    size_t summary_count;
    size_t summary_capacity;
    char *name; /* of the artifact whose chunks are being read; NULL: none */
    pt__buffer bytes;
    int64_t missing_chunks;
    int64_t missing_bytes;
    bool crc_failed;
} upload;

static void free_upload(upload *u)
{
    if (u == NULL)
        return;
    pt__buffer_deinit(&u->bytes);
    pt_session_unref(u->session);
    pt__arena_free(u->arena);
    free(u);
}

static upload *new_upload(pt__connect *mount)
{
    upload *u = calloc(1, sizeof(*u));
    if (u == NULL)
        return NULL;
    u->mount = mount;
    u->arena = pt__host_arena(mount->host, MESSAGE_ARENA_MAX_BYTES);
    if (u->arena == NULL) {
        free(u);
        return NULL;
    }
    return u;
}

static bool crc_is_right(const chunk_message *chunk)
{
    uLong crc = crc32(0, Z_NULL, 0);
    const uint8_t *data = chunk->data.data;
    for (size_t left = chunk->data.len; left > 0;) {
        uInt part = left > 1U << 30 ? 1U << 30 : (uInt)left;
        crc = crc32(crc, data, part);
        data += part;
        left -= part;
    }
    return (int64_t)crc == chunk->crc;
}

static pt_status add_summary(upload *u, const char *name, bool is_right, pt_error *err)
{
    if (u->summary_count == ARTIFACTS_MAX)
        return pt_error_set(err, PT_LIMIT, "One AddArtifacts call may hold %d artifacts.", ARTIFACTS_MAX);
    if (u->summary_count == u->summary_capacity)
        u->summaries =
            pt__list_grow(u->arena, u->summaries, u->summary_count, &u->summary_capacity, sizeof(*u->summaries));
    summary_message *summary =
        pt__connect_make(u->arena, summary_message, spark__connect__add_artifacts_response__artifact_summary__init);
    summary->name = pt__arena_copy_string(u->arena, name);
    summary->is_crc_successful = is_right;
    u->summaries[u->summary_count++] = summary;
    return PT_OK;
}

/* A wrong checksum is no error: the artifact is dropped and the client told. */
static pt_status keep(upload *u, const char *name, bool is_right, pt_bytes *take_bytes, pt_error *err)
{
    if (!is_right)
        pt_bytes_unref(take_bytes);
    else if (take_bytes == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the artifact %s", name);
    else
        PT_TRY(pt__session_put_artifact(u->session, name, take_bytes, err));
    return add_summary(u, name, is_right, err);
}

static pt_status take_batch(upload *u, const Spark__Connect__AddArtifactsRequest__Batch *batch, pt_error *err)
{
    for (size_t i = 0; i < batch->n_artifacts; i++) {
        const Spark__Connect__AddArtifactsRequest__SingleChunkArtifact *artifact = batch->artifacts[i];
        chunk_message empty = SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__ARTIFACT_CHUNK__INIT;
        const chunk_message *data = artifact->data == NULL ? &empty : artifact->data;
        pt_bytes *bytes = pt_bytes_copy((pt_bytes_view){data->data.data, data->data.len});
        PT_TRY(keep(u, artifact->name, crc_is_right(data), bytes, err));
    }
    return PT_OK;
}

static pt_status take_chunk(upload *u, const chunk_message *chunk, pt_error *err)
{
    if (u->name == NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "AddArtifacts sends a chunk that belongs to no artifact.");
    if (!crc_is_right(chunk))
        u->crc_failed = true;
    u->missing_chunks--;
    u->missing_bytes -= (int64_t)chunk->data.len;
    if (u->missing_bytes < 0)
        return pt_error_set(err, PT_BAD_MESSAGE, "The artifact %s has more bytes than were announced.", u->name);
    if (!u->crc_failed)
        pt__buffer_append(&u->bytes, chunk->data.data, chunk->data.len);
    if (u->missing_chunks > 0)
        return PT_OK;
    if (u->missing_bytes != 0 && !u->crc_failed)
        return pt_error_set(err, PT_BAD_MESSAGE, "The artifact %s has fewer bytes than were announced.", u->name);
    const char *name = u->name;
    bool is_right = !u->crc_failed;
    u->name = NULL;
    return keep(u, name, is_right, pt__buffer_take(&u->bytes), err);
}

static pt_status begin_artifact(upload *u, const Spark__Connect__AddArtifactsRequest__BeginChunkedArtifact *begin,
                                pt_error *err)
{
    if (u->name != NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "AddArtifacts starts %s before %s is complete.", begin->name, u->name);
    if (begin->total_bytes < 0 || begin->num_chunks < 1 || begin->initial_chunk == NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "The announcement of the artifact %s is malformed.", begin->name);
    if ((uint64_t)begin->total_bytes > u->mount->artifact_limit_bytes)
        return pt_error_set(err, PT_LIMIT, "The artifact %s has %lld bytes; spark.artifact-limit allows %llu.",
                            begin->name, (long long)begin->total_bytes,
                            (unsigned long long)u->mount->artifact_limit_bytes);
    u->name = pt__arena_copy_string(u->arena, begin->name);
    u->missing_chunks = begin->num_chunks;
    u->missing_bytes = begin->total_bytes;
    u->crc_failed = false;
    return take_chunk(u, begin->initial_chunk, err);
}

static pt_status find_session(upload *u, pt_call *call, const request_message *request, pt_error *err)
{
    if (u->session != NULL)
        return PT_OK;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(call), request);
    PT_TRY(pt__host_session(u->mount->host, &key, true, &u->session, err));
    u->session_id = pt__arena_copy_string(u->arena, request->session_id);
    return PT_OK;
}

static pt_status take_request(upload *u, pt_call *call, const request_message *request, pt_error *err)
{
    PT_TRY(find_session(u, call, request, err));
    switch (request->payload_case) {
    case SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__PAYLOAD_BATCH: return take_batch(u, request->batch, err);
    case SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__PAYLOAD_BEGIN_CHUNK:
        return begin_artifact(u, request->begin_chunk, err);
    case SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__PAYLOAD_CHUNK: return take_chunk(u, request->chunk, err);
    case _SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__PAYLOAD__CASE_IS_INT_SIZE: /* no member */
    case SPARK__CONNECT__ADD_ARTIFACTS_REQUEST__PAYLOAD__NOT_SET: break;
    }
    return pt_error_set(err, PT_BAD_MESSAGE, "AddArtifacts sends a request without payload.");
}

/* The request has an arena of its own: what stays of it is copied. */
static pt_status read_request(upload *u, pt_call *call, pt_bytes_view bytes, pt__arena *scratch, pt_error *err)
{
    if (PT_ARENA_GUARD(scratch) || PT_ARENA_GUARD(u->arena))
        return pt_error_set(err, PT_LIMIT, "The upload needs more than %d bytes to be read.", MESSAGE_ARENA_MAX_BYTES);
    ProtobufCMessage *message;
    pt_status status =
        pt__connect_unpack(scratch, &spark__connect__add_artifacts_request__descriptor, bytes, &message, err);
    if (status == PT_OK)
        status = take_request(u, call, (const request_message *)message, err);
    pt__arena_unguard(u->arena);
    return status;
}

static void fail(upload *u, pt_call *call, pt_error *err)
{
    u->is_finished = true;
    pt__connect_fail(u->mount, call, u->session, err);
    pt_error_clear(err);
}

void pt__connect_artifacts_message(void *mount, pt_call *call, pt_bytes_view bytes)
{
    upload *u = call->state;
    pt_error err = PT_ERROR_INIT;
    if (u == NULL)
        call->state = u = new_upload(mount);
    pt__arena *scratch = u == NULL ? NULL : pt__host_arena(u->mount->host, MESSAGE_ARENA_MAX_BYTES);
    if (scratch == NULL) {
        pt_call_finish(call, &(pt_call_status){PT_GRPC_RESOURCE_EXHAUSTED, "no memory for an upload", {NULL, 0}});
        return;
    }
    if (!u->is_finished && read_request(u, call, bytes, scratch, &err) != PT_OK)
        fail(u, call, &err);
    pt__arena_free(scratch);
}

static pt_status send_summaries(upload *u, pt_call *call, pt_error *err)
{
    if (u->name != NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "The upload ends before the artifact %s is complete.", u->name);
    Spark__Connect__AddArtifactsResponse response = SPARK__CONNECT__ADD_ARTIFACTS_RESPONSE__INIT;
    response.session_id = u->session_id;
    response.server_side_session_id = pt__unconst(pt_session_id(u->session));
    response.n_artifacts = u->summary_count;
    response.artifacts = u->summaries;
    return pt__connect_send(call, &response.base, err);
}

void pt__connect_artifacts_half_closed(void *mount, pt_call *call)
{
    upload *u = call->state;
    pt_error err = PT_ERROR_INIT;
    if (u == NULL) {
        pt__connect_half_closed(mount, call);
        return;
    }
    if (u->is_finished)
        return;
    if (send_summaries(u, call, &err) != PT_OK) {
        fail(u, call, &err);
        return;
    }
    u->is_finished = true;
    pt__connect_finish_ok(call);
}

void pt__connect_artifacts_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    free_upload(call->state);
    call->state = NULL;
}

/* ---- ArtifactStatus ---- */

typedef Spark__Connect__ArtifactStatusesResponse__StatusesEntry status_entry;
typedef Spark__Connect__ArtifactStatusesResponse__ArtifactStatus status_value;

static status_entry *make_status(pt__connect_unary *unary, const char *name)
{
    status_entry *entry =
        pt__connect_make(unary->arena, status_entry, spark__connect__artifact_statuses_response__statuses_entry__init);
    entry->key = pt__arena_copy_string(unary->arena, name);
    entry->value =
        pt__connect_make(unary->arena, status_value, spark__connect__artifact_statuses_response__artifact_status__init);
    entry->value->exists = strncmp(name, "cache/", 6) == 0 && pt__session_has_artifact(unary->session, name);
    return entry;
}

pt_status pt__connect_artifact_status(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                      pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(
        pt__connect_unpack(unary->arena, &spark__connect__artifact_statuses_request__descriptor, bytes, &message, err));
    const Spark__Connect__ArtifactStatusesRequest *request = (const Spark__Connect__ArtifactStatusesRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, true, err));
    Spark__Connect__ArtifactStatusesResponse *response = pt__connect_make(
        unary->arena, Spark__Connect__ArtifactStatusesResponse, spark__connect__artifact_statuses_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(unary->session));
    response->statuses = pt__arena_array(unary->arena, status_entry *, request->n_names + 1);
    for (size_t i = 0; i < request->n_names; i++)
        response->statuses[response->n_statuses++] = make_status(unary, request->names[i]);
    *out = &response->base;
    return PT_OK;
}
