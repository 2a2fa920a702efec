/*
 * What a job store gives back, and the index of kept output: the first byte says which. Records are written again and
 * read again, and have to be the same; of output every entry is read.
 */
#include "store/job_record.h"
#include "base/map.h"
#include "exec/output_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_LIMIT = 64 << 20, ENTRIES_MAX = 1000 };

static void read_request(pt__arena *arena, pt_bytes_view bytes)
{
    pt__job_request_record first;
    pt__job_request_record second;
    pt__buffer again = PT_BUFFER_INIT;
    if (pt__job_request_decode(arena, bytes, &first, NULL) != PT_OK)
        return;
    pt__job_request_encode(&again, &first);
    if (pt__job_request_decode(arena, pt__buffer_view(&again), &second, NULL) != PT_OK ||
        !pt__job_request_same(&first, &second))
        abort();
    pt__buffer_deinit(&again);
}

static void read_outcome(pt__arena *arena, pt_bytes_view bytes)
{
    pt__job_outcome_record first;
    pt__job_outcome_record second;
    pt__buffer again = PT_BUFFER_INIT;
    if (pt__job_outcome_decode(arena, bytes, &first, NULL) != PT_OK)
        return;
    pt__job_outcome_encode(&again, &first);
    if (pt__job_outcome_decode(arena, pt__buffer_view(&again), &second, NULL) != PT_OK ||
        first.status != second.status || first.need_count != second.need_count ||
        strcmp(first.message, second.message) != 0)
        abort();
    pt__buffer_deinit(&again);
}

static void read_entries(pt__output *output)
{
    uint64_t count = pt__output_entry_count(output);
    for (uint64_t i = 0; i < count && i < ENTRIES_MAX; i++) {
        pt__spool_entry *entry = NULL;
        if (pt__output_read(output, i, &entry, NULL) == PT_OK)
            pt__spool_entry_unref(entry);
    }
    pt_bytes_unref(pt__output_schema(output));
    pt__output_batch_position(output, 3);
}

/* The digest of the index would keep every mutation out: it is made right, as for a file whose writer is not us. */
static void read_output(const uint8_t *data, size_t size)
{
    enum { TRAILER_BYTES = 24 };
    pt__output *output = NULL;
    uint8_t *copy = malloc(size + 1);
    int fd = memfd_create("output", 0);
    memcpy(copy, data, size);
    if (size >= TRAILER_BYTES) {
        uint64_t index_bytes;
        memcpy(&index_bytes, copy + size - TRAILER_BYTES, 8);
        if (index_bytes <= size - TRAILER_BYTES) {
            uint64_t digest = pt__hash_bytes(copy + size - TRAILER_BYTES - index_bytes, index_bytes);
            memcpy(copy + size - 16, &digest, 8);
        }
        memcpy(copy + size - 8, "PTJOBOUT", 8);
    }
    if (write(fd, copy, size) == (ssize_t)size && pt__output_open_fd(fd, "fuzz", &output, NULL) == PT_OK)
        read_entries(output);
    pt__output_free(output);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 3 == 2) {
        read_output(data + 1, size - 1);
        return 0;
    }
    pt__arena *arena = pt__arena_new(MEMORY_LIMIT);
    if (!PT_ARENA_GUARD(arena)) {
        if (data[0] % 3 == 0)
            read_request(arena, (pt_bytes_view){data + 1, size - 1});
        else
            read_outcome(arena, (pt_bytes_view){data + 1, size - 1});
    }
    pt__arena_free(arena);
    return 0;
}
