/**
 * Messages of Flight: packed, sent, framed around Arrow IPC.
 *
 * Spec: arrow.flight.protocol (arrow.apache.org, "Arrow Flight RPC"); FlightData's data_header is the flatbuffer of an
 *       IPC message without its prefix, schemas elsewhere have it.
 */
#ifndef PT_FRONT_FLIGHT_MESSAGE_H
#define PT_FRONT_FLIGHT_MESSAGE_H

#include "base/buffer.h"
#include "exec/spool.h"

#include <portico/call.h>
#include <protobuf-c/protobuf-c.h>

/** The bytes of a message; NULL when memory is exhausted. */
pt_bytes *pt__flight_pack(const ProtobufCMessage *message);

/** Sends a packed message; takes the reference, NULL is exhausted memory. */
pt_status pt__flight_send(pt_call *call, pt_bytes *take_message, pt_error *err);

/** Sends the schema as FlightData; `schema` is an encapsulated message. */
pt_status pt__flight_send_schema(pt_call *call, pt_bytes *schema, pt_error *err);

/** Sends a batch as FlightData, its buffers from where they lie. */
pt_status pt__flight_send_batch(pt_call *call, const pt__spool_entry *entry, pt_error *err);

/** Replaces a schema that somebody else made by one of our own, which nanoarrow's setters may change. */
pt_status pt__flight_own_schema(struct ArrowSchema *schema, pt_error *err);

/** The bytes of a serialized Ticket, a view into it. */
pt_status pt__flight_ticket_read(pt_bytes_view message, pt_bytes_view *out, pt_error *err);

/** The fields of a FlightData; views into the message. */
typedef struct pt__flight_data {
    pt_bytes_view descriptor; /* a serialized FlightDescriptor; empty: none */
    pt_bytes_view header;
    pt_bytes_view body;
} pt__flight_data;

pt_status pt__flight_data_read(pt_bytes_view message, pt__flight_data *out, pt_error *err);

/** Appends header and body as a message of an IPC stream. Nothing for an empty header. */
void pt__flight_data_append_ipc(pt__buffer *stream, const pt__flight_data *data);

#endif
