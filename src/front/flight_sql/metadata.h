/**
 * Metadata commands: their result schemas and their rows.
 *
 * Clients compare schemas exactly, names, types and nullability.
 * Spec: comments of arrow.flight.protocol.sql's messages; key_sequence stands before key_name, as the libraries have it.
 */
#ifndef PT_FRONT_FLIGHT_SQL_METADATA_H
#define PT_FRONT_FLIGHT_SQL_METADATA_H

#include "front/flight_sql/command.h"
#include "front/flight_sql/session.h"

/** The encapsulated schema. Errors: PT_UNSUPPORTED naming a command that is none of these. */
pt_status pt__flight_metadata_schema(pt__arena *arena, const pt__flight_command *command, pt_bytes **out,
                                     pt_error *err);

/** The rows of a command, given as its serialized Any. Blocks. */
pt_status pt__flight_metadata_rows(pt__flight_session *session, pt__arena *arena, pt_bytes_view any,
                                   struct ArrowArrayStream *out, pt_error *err);

#endif
