#include "backend/ballista/locations.h"

#include "base/arena_buffer.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>

typedef Ballista__Protobuf__PartitionLocation partition_location;

static const char *address_of(pt__arena *arena, const Ballista__Protobuf__ExecutorMetadata *executor)
{
    bool is_v6 = strchr(executor->host, ':') != NULL;
    return pt__arena_printf(arena, is_v6 ? "[%s]:%u" : "%s:%u", executor->host, executor->port);
}

static const char *server_of(pt__arena *arena, const Ballista__Protobuf__GetJobStatusResult *result,
                             const partition_location *location, const char *scheduler)
{
    switch (result->flight_proxy_case) {
    case BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__FLIGHT_PROXY_LOCAL:
        return result->local ? pt__arena_copy_string(arena, scheduler) : address_of(arena, location->executor_meta);
    case BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__FLIGHT_PROXY_EXTERNAL:
        return pt__arena_copy_string(arena, result->external);
    default: return address_of(arena, location->executor_meta);
    }
}

/* Ticket { ticket: Action { fetch_partition } } */
static pt_bytes_view ticket_of(pt__arena *arena, const partition_location *location)
{
    Ballista__Protobuf__FetchPartition fetch = BALLISTA__PROTOBUF__FETCH_PARTITION__INIT;
    Ballista__Protobuf__Action action = BALLISTA__PROTOBUF__ACTION__INIT;
    fetch.job_id = location->partition_id->job_id;
    fetch.stage_id = location->partition_id->stage_id;
    fetch.partition_id = location->partition_id->partition_id;
    fetch.host = location->executor_meta->host;
    fetch.port = location->executor_meta->port;
    fetch.is_sort_shuffle = location->is_sort_shuffle;
    if (location->presence_case == BALLISTA__PROTOBUF__PARTITION_LOCATION__PRESENCE_FILE_ID) {
        fetch.presence_case = BALLISTA__PROTOBUF__FETCH_PARTITION__PRESENCE_FILE_ID;
        fetch.file_id = location->file_id;
    }
    action.action_type_case = BALLISTA__PROTOBUF__ACTION__ACTION_TYPE_FETCH_PARTITION;
    action.fetch_partition = &fetch;
    size_t size = protobuf_c_message_get_packed_size(&action.base);
    uint8_t *packed = pt__arena_alloc(arena, size + 1);
    protobuf_c_message_pack(&action.base, packed);
    pt__buffer *ticket = pt__arena_buffer(arena);
    pt__proto_append_bytes(ticket, 1, (pt_bytes_view){packed, size});
    return pt__buffer_view(ticket);
}

static int64_t rows_of(const partition_location *location)
{
    return location->partition_stats == NULL ? -1 : location->partition_stats->num_rows;
}

static int compare(const void *a, const void *b)
{
    const pt__location *left = a;
    const pt__location *right = b;
    return (left->partition > right->partition) - (left->partition < right->partition);
}

/* The ones that have rows come first to the front; how many they are. */
static size_t drop_empty(pt__location *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].row_count != 0)
            list[kept++] = list[i];
    return kept != 0 ? kept : count != 0;
}

pt_status pt__locations_read(pt__arena *arena, const Ballista__Protobuf__GetJobStatusResult *result,
                             const char *scheduler, const pt__location **out, size_t *count, pt_error *err)
{
    const Ballista__Protobuf__SuccessfulJob *job = result->status->successful;
    pt__location *list = pt__arena_array(arena, pt__location, job->n_partition_location + 1);
    for (size_t i = 0; i < job->n_partition_location; i++) {
        const partition_location *location = job->partition_location[i];
        if (location->partition_id == NULL || location->executor_meta == NULL)
            return pt_error_set(err, PT_BAD_MESSAGE, "Ballista's scheduler does not tell where a partition is");
        list[i] = (pt__location){location->partition_id->partition_id, rows_of(location),
                                 server_of(arena, result, location, scheduler), ticket_of(arena, location)};
    }
    qsort(list, job->n_partition_location, sizeof(*list), compare);
    *count = drop_empty(list, job->n_partition_location);
    *out = list;
    return PT_OK;
}
