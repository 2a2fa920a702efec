/**
 * The messages of one Flight stream as Arrow arrays: schema, dictionaries, rows; bodies may be compressed.
 *
 * Threads: one at a time.
 * Spec:    Arrow Flight, FlightData; Arrow columnar format, "Encapsulated message format".
 */
#ifndef PT_BACKEND_BALLISTA_FLIGHT_READER_H
#define PT_BACKEND_BALLISTA_FLIGHT_READER_H

#include <portico/arrow.h>
#include <portico/bytes.h>
#include <portico/error.h>

typedef struct pt__flight_reader pt__flight_reader;

pt_status pt__flight_reader_new(pt__flight_reader **out, pt_error *err);
void pt__flight_reader_free(pt__flight_reader *reader);

/**
 * Takes one FlightData message. `*out` gets its rows, which are the caller's to release and share the message's bytes;
 * its `release` is NULL after a message of another kind. The reference of `take_message` is taken.
 * Errors: PT_BAD_MESSAGE, PT_NO_MEMORY.
 */
pt_status pt__flight_reader_feed(pt__flight_reader *reader, pt_bytes *take_message, struct ArrowArray *out,
                                 pt_error *err);

/** NULL until it came; a struct of the columns, valid as long as the reader. */
const struct ArrowSchema *pt__flight_reader_schema(const pt__flight_reader *reader);

#endif
