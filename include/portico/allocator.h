/**
 * Allocator: where a host takes the memory of requests from.
 */
#ifndef PORTICO_ALLOCATOR_H
#define PORTICO_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives the blocks in which requests, their plans, jobs and views are held: what a client makes grow by what it asks.
 * They are 4 KiB to 1 MiB, or as large as a single value is, and a request holds them until it ends.
 *
 * By malloc come small objects of hosts, sessions and connections, and the buffers of messages and results, which
 * http2.* and spool.memory bound. Libraries have memory of their own: DuckDB, which is most (duckdb.memory-limit),
 * SQLite, OpenSSL, nghttp2.
 *
 * Threads: any, several at once.
 */
typedef struct pt_allocator {
    /** Aligned for any object. NULL: there is none, and the request fails with PT_LIMIT or PT_NO_MEMORY. */
    void *(*allocate)(void *context, size_t size_bytes);
    /** `size_bytes` is what was asked for. */
    void (*release)(void *context, void *memory, size_t size_bytes);
    void *context;
} pt_allocator;

#ifdef __cplusplus
}
#endif

#endif
