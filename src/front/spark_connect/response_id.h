/**
 * Response ids: UUIDs that say themselves where in which operation's stream a response stands, so that reattaching
 * and releasing need no table of what was sent.
 *
 * Layout: 6 bytes digest of the operation id, version 8 with flags, a counter that keeps ids of progress messages
 * apart, the chunk size's exponent, 5 bytes entry, 2 bytes chunk.
 */
#ifndef PT_FRONT_SPARK_CONNECT_RESPONSE_ID_H
#define PT_FRONT_SPARK_CONNECT_RESPONSE_ID_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_RESPONSE_ID_TEXT_BYTES = 37, PT_RESPONSE_CHUNKS_MAX = 0xFFFF };

typedef struct pt__connect_position {
    uint64_t entry;         /* spool entries before it were sent wholly */
    uint32_t chunk;         /* chunks of that entry that were sent */
    uint8_t chunk_exponent; /* chunks are 2^exponent bytes; 0: batches are not chunked */
    bool is_complete;       /* result_complete was sent */
} pt__connect_position;

void pt__connect_response_id_write(const char *operation_id, const pt__connect_position *position, uint8_t counter,
                                   char out[PT_RESPONSE_ID_TEXT_BYTES]);

/** False when the text is no response id of that operation. */
bool pt__connect_response_id_read(const char *operation_id, const char *text, pt__connect_position *out);

#endif
