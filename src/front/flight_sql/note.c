#include "front/flight_sql/note.h"

#include "exec/host.h"
#include "wire/proto.h"

#include <ctype.h>
#include <string.h>

enum { NAME_BYTES = 64, AGENT_BYTES = 120 };

/* The first field of that number, as bytes. */
static bool find_field(pt_bytes_view message, uint32_t number, pt_bytes_view *out)
{
    pt__proto_field field;
    while (pt__proto_next(&message, &field) == PT_PROTO_FIELD) {
        if (field.number == number && field.wire_type == PT_PROTO_BYTES) {
            *out = field.bytes;
            return true;
        }
    }
    return false;
}

/* For a line of a log: letters, digits and what user agents are made of. */
static void copy_plain(pt_bytes_view text, char *out, size_t out_bytes)
{
    size_t size = text.size_bytes < out_bytes - 1 ? text.size_bytes : out_bytes - 1;
    for (size_t i = 0; i < size; i++)
        out[i] = text.data[i] > ' ' && text.data[i] < 0x7f ? (char)text.data[i] : ' ';
    out[size] = '\0';
}

/* The name in a google.protobuf.Any of Flight SQL; "" for other bytes. */
static void any_name(pt_bytes_view any, char out[NAME_BYTES])
{
    static const char prefix[] = PT_FLIGHT_SQL_URL;
    size_t skip = sizeof(prefix) - 1;
    pt_bytes_view url;
    out[0] = '\0';
    if (find_field(any, 1, &url) && url.size_bytes > skip && memcmp(url.data, prefix, skip) == 0)
        copy_plain((pt_bytes_view){url.data + skip, url.size_bytes - skip}, out, NAME_BYTES);
}

static void descriptor_name(pt_bytes_view descriptor, char out[NAME_BYTES])
{
    pt_bytes_view command;
    out[0] = '\0';
    if (find_field(descriptor, 2, &command))
        any_name(command, out);
}

/* What the call's first message asks for: the command of a descriptor or ticket, the type of an action. */
static void describe(const char *rpc, pt_bytes_view message, char out[NAME_BYTES])
{
    pt_bytes_view part;
    out[0] = '\0';
    if (strcmp(rpc, "DoPut") == 0) {
        if (find_field(message, 1, &part))
            descriptor_name(part, out);
    } else if (strcmp(rpc, "DoAction") == 0) {
        if (find_field(message, 1, &part))
            copy_plain(part, out, NAME_BYTES);
    } else if (strcmp(rpc, "DoGet") == 0) {
        if (find_field(message, 1, &part))
            any_name(part, out);
    } else if (strncmp(rpc, "Get", 3) == 0 || strncmp(rpc, "Poll", 4) == 0) {
        descriptor_name(message, out);
    }
}

void pt__flight_note(pt__flight *mount, pt_call *call, const char *rpc, pt_bytes_view message)
{
    char name[NAME_BYTES];
    char agent[AGENT_BYTES] = "";
    pt_bytes_view value;
    if (call->state != NULL || !pt__host_logs(mount->host, PT_LOG_DEBUG))
        return;
    describe(rpc, message, name);
    if (pt_call_metadata(call, "user-agent", &value))
        copy_plain(value, agent, sizeof(agent));
    pt__host_log(mount->host, PT_LOG_DEBUG, "flight-sql", "%s %s by \"%s\"", rpc, name[0] == '\0' ? "-" : name, agent);
}
