/**
 * Commands and actions travel as google.protobuf.Any within bytes fields: what one is, and its message.
 */
#ifndef PT_FRONT_FLIGHT_SQL_COMMAND_H
#define PT_FRONT_FLIGHT_SQL_COMMAND_H

#include "base/arena.h"
#include "front/flight_sql/mount.h"

#include <portico/error.h>
#include <protobuf-c/protobuf-c.h>

typedef struct pt__flight_command {
    const char *name;    /* what follows PT_FLIGHT_SQL_URL: "CommandStatementQuery"; in the arena */
    pt_bytes_view value; /* the serialized message; views into the bytes */
} pt__flight_command;

/** Takes the Any apart. Errors: PT_INVALID_ARGUMENT for what is none of Flight SQL's. */
pt_status pt__flight_command_read(pt__arena *arena, pt_bytes_view any, pt__flight_command *out, pt_error *err);

/** The `cmd` of a serialized FlightDescriptor. Errors: PT_INVALID_ARGUMENT for a path. */
pt_status pt__flight_descriptor_command(pt_bytes_view descriptor, pt_bytes_view *any, pt_error *err);

bool pt__flight_command_is(const pt__flight_command *command, const char *name);

/** Checks and unpacks its message into the arena. */
pt_status pt__flight_command_unpack(pt__arena *arena, const pt__flight_command *command,
                                    const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **out,
                                    pt_error *err);

/** The same of any message. */
pt_status pt__flight_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view bytes,
                            ProtobufCMessage **out, pt_error *err);

/** The plan of a CommandStatementSubstraitPlan and its transaction, which may be empty; views into the arena. */
pt_status pt__flight_command_plan(pt__arena *arena, const pt__flight_command *command, pt_bytes_view *plan,
                                  pt_bytes_view *transaction, pt_error *err);

/** A message as the Any of Flight SQL with that name; NULL when memory is exhausted. */
pt_bytes *pt__flight_pack_any(const char *name, const ProtobufCMessage *message);

/** A name as an identifier of SQL in double quotes, in the arena. */
const char *pt__flight_quoted(pt__arena *arena, const char *name);

#endif
