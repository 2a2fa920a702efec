/**
 * What the calls of one mounted Spark Connect service share.
 *
 * Threads: the loop thread, but for what says otherwise. Work on other threads keeps the mount alive by reference.
 */
#ifndef PT_FRONT_SPARK_CONNECT_MOUNT_H
#define PT_FRONT_SPARK_CONNECT_MOUNT_H

#include "base/timezone.h"
#include "exec/host.h"
#include "front/spark_connect/error_store.h"

#include <portico/frontend.h>
#include <portico/host.h>

#include <stdatomic.h>

/** What clients are told, and what they branch on. */
#define PT_SPARK_VERSION "4.2.0"

typedef struct pt__connect_stream pt__connect_stream;

typedef struct pt__connect {
    atomic_size_t references;
    pt_host *host;
    pt__connect_errors *errors;  /* any thread */
    pt__zones *zones;            /* any thread */
    pt__connect_stream *streams; /* results on their way: for progress messages */
    uint64_t progress_interval_ms;
    uint64_t artifact_limit_bytes;
    uint64_t now_ms; /* as of the last tick */
} pt__connect;

pt__connect *pt__connect_ref(pt__connect *mount);
/** Threads: any. */
void pt__connect_unref(pt__connect *mount);

#endif
