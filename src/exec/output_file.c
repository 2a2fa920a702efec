#include "exec/output_file.h"

#include "base/map.h"
#include "base/unconst.h"
#include "exec/state.h"
#include "wire/proto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MARK_BYTES = 8,
    TRAILER_BYTES = 24, /* size, digest, mark */
    FRAME_BYTES = 8,
    SEGMENTS_MAX = 512, /* of one write */
    PATH_BYTES = 4096
};

static const char mark[MARK_BYTES + 1] = "PTJOBOUT";

enum index_field { INDEX_ENTRY = 1, INDEX_SCHEMA_BYTES = 2 };
enum entry_field {
    ENTRY_KIND = 1,
    ENTRY_ROWS = 2,
    ENTRY_HEADER_BYTES = 3,
    ENTRY_BODY_BYTES = 4,
    ENTRY_NOTE = 5,
    ENTRY_NOTE_BYTES = 6
};

/* Where an entry lies. Batches follow one another without gaps. */
typedef struct place {
    pt__spool_kind kind;
    int note;
    pt_bytes *bytes; /* of a note; may be NULL */
    int64_t row_count;
    int64_t start_row;
    uint64_t offset;
    uint64_t header_bytes;
    uint64_t body_bytes;
} place;

struct pt__output {
    char *folder; /* NULL: opened */
    char *name;
    int fd;
    pthread_mutex_t lock; /* of all below */
    bool is_sealed;
    pt_bytes *schema;
    uint64_t end; /* of the data */
    uint64_t size_bytes;
    int64_t row_count;
    place *places;
    size_t count;
    size_t capacity;
    size_t batch_count;
};

/* ---- names ---- */

/* Names come out of a store: they must not lead out of the folder. */
static bool make_path(char path[PATH_BYTES], const char *folder, const char *name, const char *suffix)
{
    if (strchr(name, '/') != NULL)
        return false;
    int size = snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, suffix);
    return size > 0 && size < PATH_BYTES;
}

static pt_status fail(const char *what, const char *name, pt_error *err)
{
    return pt_error_set(err, PT_IO, "the kept output %s cannot be %s: %s", name, what, strerror(errno));
}

static pt_status damaged(const char *name, pt_error *err)
{
    return pt_error_set(err, PT_IO, "the kept output %s is damaged", name);
}

void pt__output_remove(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    if (make_path(path, folder, name, ""))
        unlink(path);
    if (make_path(path, folder, name, ".part"))
        unlink(path);
}

/* ---- life ---- */

static pt__output *new_output(int fd, const char *folder, const char *name)
{
    pt__output *output = calloc(1, sizeof(*output));
    if (output == NULL)
        return NULL;
    pthread_mutex_init(&output->lock, NULL);
    output->fd = fd;
    output->name = strdup(name);
    output->folder = folder == NULL ? NULL : strdup(folder);
    if (output->name != NULL && (folder == NULL || output->folder != NULL))
        return output;
    output->fd = -1;
    pt__output_free(output);
    return NULL;
}

pt_status pt__output_create(const char *folder, const char *name, pt__output **out, pt_error *err)
{
    char path[PATH_BYTES];
    if (!make_path(path, folder, name, ".part"))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the name of the output directory is too long");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail("created", path, err);
    *out = new_output(fd, folder, name);
    if (*out != NULL)
        return PT_OK;
    close(fd);
    unlink(path);
    return pt_error_set(err, PT_NO_MEMORY, "no memory to keep a job's output");
}

void pt__output_free(pt__output *output)
{
    char path[PATH_BYTES];
    if (output == NULL)
        return;
    if (output->fd >= 0)
        close(output->fd);
    if (output->folder != NULL && output->name != NULL && !output->is_sealed &&
        make_path(path, output->folder, output->name, ".part"))
        unlink(path);
    for (size_t i = 0; i < output->count; i++)
        pt_bytes_unref(output->places[i].bytes);
    free(output->places);
    pt_bytes_unref(output->schema);
    pthread_mutex_destroy(&output->lock);
    free(output->folder);
    free(output->name);
    free(output);
}

/* ---- appending ---- */

static bool write_once(int fd, struct iovec *parts, int count, uint64_t offset, size_t *written)
{
    ssize_t size;
    do
        size = pwritev(fd, parts, count, (off_t)offset);
    while (size < 0 && errno == EINTR);
    *written = size < 0 ? 0 : (size_t)size;
    return size >= 0;
}

/* Drops what was written from the front. */
static int advance(struct iovec *parts, int count, size_t written)
{
    int first = 0;
    while (first < count && written >= parts[first].iov_len)
        written -= parts[first++].iov_len;
    memmove(parts, parts + first, (size_t)(count - first) * sizeof(*parts));
    if (count > first && written > 0) {
        parts[0].iov_base = (char *)parts[0].iov_base + written;
        parts[0].iov_len -= written;
    }
    return count - first;
}

static pt_status write_parts(pt__output *output, struct iovec *parts, int count, uint64_t *offset, pt_error *err)
{
    while (count > 0) {
        size_t written;
        if (!write_once(output->fd, parts, count, *offset, &written))
            return fail("written", output->name, err);
        *offset += written;
        count = advance(parts, count, written);
    }
    return PT_OK;
}

static struct iovec part_of(pt_bytes_view view)
{
    return (struct iovec){pt__unconst(view.data), view.size_bytes};
}

static pt_status write_view(pt__output *output, pt_bytes_view view, uint64_t *offset, pt_error *err)
{
    struct iovec part = part_of(view);
    return write_parts(output, &part, 1, offset, err);
}

static pt_status write_batch(pt__output *output, const pt__spool_entry *entry, uint64_t *offset, pt_error *err)
{
    struct iovec parts[SEGMENTS_MAX];
    int count = 0;
    parts[count++] = part_of(pt_bytes_get_view(entry->header));
    for (size_t i = 0; i < entry->body_count; i++) {
        if (entry->body[i].view.size_bytes == 0)
            continue;
        if (count == SEGMENTS_MAX) {
            PT_TRY(write_parts(output, parts, count, offset, err));
            count = 0;
        }
        parts[count++] = part_of(entry->body[i].view);
    }
    return write_parts(output, parts, count, offset, err);
}

/* Only the thread that appends changes `end` and `count`, so that it may read them without the lock. */
static bool add_place(pt__output *output, const place *from)
{
    pthread_mutex_lock(&output->lock);
    if (output->count == output->capacity) {
        size_t capacity = output->capacity == 0 ? 8 : output->capacity * 2;
        place *places = realloc(output->places, capacity * sizeof(*places));
        if (places == NULL) {
            pthread_mutex_unlock(&output->lock);
            return false;
        }
        output->places = places;
        output->capacity = capacity;
    }
    output->places[output->count++] = *from;
    output->end = from->offset + from->header_bytes + from->body_bytes;
    output->row_count += from->row_count;
    output->batch_count += from->kind == PT_SPOOL_BATCH;
    pthread_mutex_unlock(&output->lock);
    return true;
}

pt_status pt__output_set_schema(pt__output *output, pt_bytes *schema_message, pt_error *err)
{
    if (output->schema != NULL)
        return pt_error_set(err, PT_INTERNAL, "the output of a job has a second schema");
    uint64_t end = output->end;
    PT_TRY(write_view(output, pt_bytes_get_view(schema_message), &end, err));
    pthread_mutex_lock(&output->lock);
    output->schema = pt_bytes_ref(schema_message);
    output->end = end;
    pthread_mutex_unlock(&output->lock);
    return PT_OK;
}

static pt_status append_batch(pt__output *output, const pt__spool_entry *entry, place *at, pt_error *err)
{
    uint64_t end = output->end;
    PT_TRY(write_batch(output, entry, &end, err));
    at->row_count = entry->row_count;
    at->header_bytes = pt_bytes_get_view(entry->header).size_bytes;
    at->body_bytes = entry->body_bytes;
    if (end != at->offset + at->header_bytes + at->body_bytes)
        return pt_error_set(err, PT_INTERNAL, "a batch has another size than it says");
    return PT_OK;
}

pt_status pt__output_append(pt__output *output, const pt__spool_entry *entry, pt_error *err)
{
    place at = {.kind = entry->kind, .note = entry->note, .offset = output->end, .start_row = output->row_count};
    if (entry->kind == PT_SPOOL_BATCH)
        PT_TRY(append_batch(output, entry, &at, err));
    else if (entry->bytes != NULL)
        at.bytes = pt_bytes_ref(entry->bytes);
    if (add_place(output, &at))
        return PT_OK;
    pt_bytes_unref(at.bytes);
    return pt_error_set(err, PT_NO_MEMORY, "no memory to keep a job's output");
}

/* ---- sealing ---- */

static void close_file(pt__output *output)
{
    pthread_mutex_lock(&output->lock);
    close(output->fd);
    output->fd = -1;
    pthread_mutex_unlock(&output->lock);
}

static void append_place(pt__buffer *out, const place *at)
{
    pt__buffer entry = PT_BUFFER_INIT;
    pt__proto_append_integer(&entry, ENTRY_KIND, at->kind);
    if (at->kind == PT_SPOOL_BATCH) {
        pt__proto_append_integer(&entry, ENTRY_ROWS, (uint64_t)at->row_count);
        pt__proto_append_integer(&entry, ENTRY_HEADER_BYTES, at->header_bytes);
        pt__proto_append_integer(&entry, ENTRY_BODY_BYTES, at->body_bytes);
    } else {
        pt__proto_append_integer(&entry, ENTRY_NOTE, (uint64_t)at->note);
        if (at->bytes != NULL)
            pt__proto_append_bytes(&entry, ENTRY_NOTE_BYTES, pt_bytes_get_view(at->bytes));
    }
    out->failed = out->failed || entry.failed;
    pt__proto_append_bytes(out, INDEX_ENTRY, pt__buffer_view(&entry));
    pt__buffer_deinit(&entry);
}

static void append_u64(pt__buffer *out, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        pt__buffer_append_byte(out, (uint8_t)(value >> (8 * i)));
}

static void append_index(const pt__output *output, pt__buffer *out)
{
    size_t schema_bytes = output->schema == NULL ? 0 : pt_bytes_get_view(output->schema).size_bytes;
    pt_bytes_view end = pt__ipc_end_of_stream();
    pt__buffer_append(out, end.data, end.size_bytes);
    size_t start = out->size_bytes;
    pt__proto_append_integer(out, INDEX_SCHEMA_BYTES, schema_bytes);
    for (size_t i = 0; i < output->count; i++)
        append_place(out, &output->places[i]);
    if (out->failed)
        return;
    size_t size = out->size_bytes - start;
    uint64_t digest = pt__hash_bytes(out->data + start, size);
    append_u64(out, size);
    append_u64(out, digest);
    pt__buffer_append(out, mark, MARK_BYTES);
}

static bool sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_synced = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return is_synced;
}

static pt_status give_name(pt__output *output, pt_error *err)
{
    char from[PATH_BYTES];
    char to[PATH_BYTES];
    if (fsync(output->fd) != 0)
        return fail("written", output->name, err);
    if (!make_path(from, output->folder, output->name, ".part") || !make_path(to, output->folder, output->name, ""))
        return damaged(output->name, err);
    if (rename(from, to) != 0 || !sync_folder(output->folder))
        return fail("given its name", output->name, err);
    output->is_sealed = true;
    return PT_OK;
}

pt_status pt__output_seal(pt__output *output, pt_error *err)
{
    pt__buffer index = PT_BUFFER_INIT;
    append_index(output, &index);
    uint64_t end = output->end;
    pt_status status = index.failed ? pt_error_set(err, PT_NO_MEMORY, "no memory to keep a job's output")
                                    : write_view(output, pt__buffer_view(&index), &end, err);
    pt__buffer_deinit(&index);
    PT_TRY(status);
    output->size_bytes = end;
    PT_TRY(give_name(output, err));
    close_file(output); /* jobs are kept by the thousand */
    return PT_OK;
}

/* ---- opening ---- */

static uint64_t read_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static bool read_at(int fd, void *into, uint64_t size, uint64_t offset)
{
    char *at = into;
    while (size > 0) {
        ssize_t count = pread(fd, at, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        offset += (uint64_t)count;
        size -= (uint64_t)count;
    }
    return true;
}

/* Bytes of the file in a buffer of their own; NULL when they cannot be read. */
static pt_bytes *read_bytes(int fd, uint64_t size, uint64_t offset)
{
    uint8_t *data = malloc(size + 1);
    if (data == NULL)
        return NULL;
    if (!read_at(fd, data, size, offset)) {
        free(data);
        return NULL;
    }
    return pt_bytes_wrap((pt_bytes_view){data, size}, free, data);
}

/* The numbers of an entry; those of another type are passed over. */
static bool read_place(pt_bytes_view rest, place *out)
{
    pt__proto_field field;
    pt__proto_state state;
    uint64_t kind = PT_SPOOL_NOTE;
    uint64_t rows = 0;
    *out = (place){0};
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD) {
        if (field.number == ENTRY_NOTE_BYTES && field.wire_type == PT_PROTO_BYTES && out->bytes == NULL) {
            out->bytes = pt_bytes_copy(field.bytes);
            if (out->bytes == NULL)
                return false;
        }
        if (field.wire_type != PT_PROTO_VARINT)
            continue;
        switch (field.number) {
        case ENTRY_KIND: kind = field.integer; break;
        case ENTRY_ROWS: rows = field.integer; break;
        case ENTRY_HEADER_BYTES: out->header_bytes = field.integer; break;
        case ENTRY_BODY_BYTES: out->body_bytes = field.integer; break;
        case ENTRY_NOTE: out->note = (int)field.integer; break;
        default: break;
        }
    }
    out->kind = kind == PT_SPOOL_BATCH ? PT_SPOOL_BATCH : PT_SPOOL_NOTE;
    out->row_count = (int64_t)rows;
    return state == PT_PROTO_END && kind <= PT_SPOOL_NOTE && rows <= INT64_MAX / 2;
}

/* Entries have to lie within the data. */
static bool fits(const pt__output *output, const place *at, uint64_t data_bytes)
{
    if (at->kind == PT_SPOOL_NOTE)
        return at->header_bytes == 0 && at->body_bytes == 0 && at->row_count == 0;
    uint64_t room = data_bytes - output->end;
    return at->bytes == NULL && at->header_bytes >= FRAME_BYTES && at->header_bytes <= room &&
           at->body_bytes <= room - at->header_bytes && output->row_count <= INT64_MAX / 2;
}

static bool take_entry(pt__output *output, pt_bytes_view entry, uint64_t data_bytes)
{
    place at;
    bool is_good = read_place(entry, &at);
    at.offset = output->end;
    at.start_row = output->row_count;
    if (is_good && fits(output, &at, data_bytes) && add_place(output, &at))
        return true;
    pt_bytes_unref(at.bytes);
    return false;
}

static bool take_schema(pt__output *output, uint64_t size, uint64_t data_bytes)
{
    if (size > data_bytes || output->count > 0 || output->schema != NULL)
        return false;
    output->end = size;
    output->schema = size == 0 ? NULL : read_bytes(output->fd, size, 0);
    return size == 0 || output->schema != NULL;
}

static bool read_index(pt__output *output, pt_bytes_view rest, uint64_t data_bytes)
{
    pt__proto_field field;
    pt__proto_state state;
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD) {
        bool is_good = true;
        if (field.number == INDEX_SCHEMA_BYTES && field.wire_type == PT_PROTO_VARINT)
            is_good = take_schema(output, field.integer, data_bytes);
        else if (field.number == INDEX_ENTRY && field.wire_type == PT_PROTO_BYTES)
            is_good = take_entry(output, field.bytes, data_bytes);
        if (!is_good)
            return false;
    }
    return state == PT_PROTO_END && output->end == data_bytes && (output->batch_count == 0 || output->schema != NULL);
}

static bool load(pt__output *output)
{
    uint8_t trailer[TRAILER_BYTES];
    struct stat info;
    uint64_t end_bytes = pt__ipc_end_of_stream().size_bytes;
    if (fstat(output->fd, &info) != 0 || (uint64_t)info.st_size < TRAILER_BYTES + end_bytes)
        return false;
    uint64_t size = (uint64_t)info.st_size;
    if (!read_at(output->fd, trailer, TRAILER_BYTES, size - TRAILER_BYTES) ||
        memcmp(trailer + 16, mark, MARK_BYTES) != 0)
        return false;
    uint64_t index_bytes = read_u64(trailer);
    if (index_bytes > size - TRAILER_BYTES - end_bytes)
        return false;
    pt_bytes *index = read_bytes(output->fd, index_bytes, size - TRAILER_BYTES - index_bytes);
    if (index == NULL)
        return false;
    pt_bytes_view view = pt_bytes_get_view(index);
    bool is_good = pt__hash_bytes(view.data, view.size_bytes) == read_u64(trailer + 8) &&
                   read_index(output, view, size - TRAILER_BYTES - index_bytes - end_bytes);
    pt_bytes_unref(index);
    output->size_bytes = size;
    output->is_sealed = true;
    return is_good;
}

pt_status pt__output_open_fd(int take_fd, const char *name, pt__output **out, pt_error *err)
{
    pt__output *output = new_output(take_fd, NULL, name);
    if (output == NULL) {
        close(take_fd);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job's output");
    }
    if (load(output)) {
        *out = output;
        return PT_OK;
    }
    pt__output_free(output);
    return damaged(name, err);
}

pt_status pt__output_open(const char *folder, const char *name, pt__output **out, pt_error *err)
{
    char path[PATH_BYTES];
    if (!make_path(path, folder, name, ""))
        return damaged(name, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return pt_error_set(err, PT_NOT_FOUND, "the output %s is not kept any more", name);
    if (fd < 0)
        return fail("opened", path, err);
    PT_TRY(pt__output_open_fd(fd, name, out, err));
    (*out)->folder = strdup(folder);
    if ((*out)->folder != NULL)
        close_file(*out);
    return PT_OK;
}

/* ---- reading ---- */

/* A descriptor of the reader's own: the writer's may be closed meanwhile. */
static int open_file(pt__output *output)
{
    char path[PATH_BYTES];
    pthread_mutex_lock(&output->lock);
    int fd = output->fd < 0 ? -1 : fcntl(output->fd, F_DUPFD_CLOEXEC, 0);
    pthread_mutex_unlock(&output->lock);
    if (fd >= 0 || output->folder == NULL || !make_path(path, output->folder, output->name, ""))
        return fd;
    return open(path, O_RDONLY | O_CLOEXEC);
}

uint64_t pt__output_entry_count(pt__output *output)
{
    pthread_mutex_lock(&output->lock);
    uint64_t count = output->count;
    pthread_mutex_unlock(&output->lock);
    return count;
}

uint64_t pt__output_batch_count(pt__output *output)
{
    pthread_mutex_lock(&output->lock);
    uint64_t count = output->batch_count;
    pthread_mutex_unlock(&output->lock);
    return count;
}

uint64_t pt__output_size_bytes(pt__output *output)
{
    return output->size_bytes;
}

uint64_t pt__output_batch_position(pt__output *output, uint64_t batch)
{
    pthread_mutex_lock(&output->lock);
    size_t at = 0;
    for (; at < output->count; at++)
        if (output->places[at].kind == PT_SPOOL_BATCH && batch-- == 0)
            break;
    pthread_mutex_unlock(&output->lock);
    return at;
}

bool pt__output_is_batch(pt__output *output, uint64_t index, int64_t *row_count)
{
    pthread_mutex_lock(&output->lock);
    bool is_batch = index < output->count && output->places[index].kind == PT_SPOOL_BATCH;
    if (is_batch)
        *row_count = output->places[index].row_count;
    pthread_mutex_unlock(&output->lock);
    return is_batch;
}

pt_bytes *pt__output_schema(pt__output *output)
{
    pthread_mutex_lock(&output->lock);
    pt_bytes *schema = output->schema == NULL ? NULL : pt_bytes_ref(output->schema);
    pthread_mutex_unlock(&output->lock);
    return schema;
}

static bool find_place(pt__output *output, uint64_t index, place *out)
{
    pthread_mutex_lock(&output->lock);
    bool is_there = index < output->count;
    if (is_there) {
        *out = output->places[index];
        if (out->bytes != NULL)
            pt_bytes_ref(out->bytes);
    }
    pthread_mutex_unlock(&output->lock);
    return is_there;
}

static bool read_body(int fd, const place *at, pt__spool_entry *entry)
{
    entry->body_bytes = at->body_bytes;
    if (at->body_bytes == 0)
        return true;
    pt_segment *segment = calloc(1, sizeof(*segment));
    if (segment == NULL)
        return false;
    entry->body = segment;
    segment->owner = read_bytes(fd, at->body_bytes, at->offset + at->header_bytes);
    if (segment->owner == NULL)
        return false;
    segment->view = pt_bytes_get_view(segment->owner);
    entry->body_count = 1;
    return true;
}

/* The frame says how long the metadata is. */
static bool find_metadata(pt__spool_entry *entry)
{
    pt_bytes_view header = pt_bytes_get_view(entry->header);
    uint64_t size = header.data[4] | (uint64_t)header.data[5] << 8 | (uint64_t)header.data[6] << 16 |
                    (uint64_t)header.data[7] << 24;
    entry->metadata = (pt_bytes_view){header.data + FRAME_BYTES, size};
    return size <= header.size_bytes - FRAME_BYTES;
}

static bool read_batch(pt__output *output, const place *at, pt__spool_entry *entry)
{
    int fd = open_file(output);
    if (fd < 0)
        return false;
    entry->header = read_bytes(fd, at->header_bytes, at->offset);
    bool is_good = entry->header != NULL && find_metadata(entry) && read_body(fd, at, entry);
    close(fd);
    return is_good;
}

static bool read_entry(pt__output *output, const place *at, pt__spool_entry *entry)
{
    entry->kind = at->kind;
    entry->note = at->note;
    entry->row_count = at->row_count;
    entry->start_offset = at->start_row;
    return at->kind == PT_SPOOL_NOTE || read_batch(output, at, entry);
}

pt_status pt__output_read(pt__output *output, uint64_t index, pt__spool_entry **out, pt_error *err)
{
    place at;
    if (!find_place(output, index, &at))
        return pt_error_set(err, PT_INTERNAL, "the kept output %s has no entry %llu", output->name,
                            (unsigned long long)index);
    pt__spool_entry *entry = pt__spool_entry_new();
    if (entry == NULL) {
        pt_bytes_unref(at.bytes);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job's output");
    }
    entry->index = index;
    entry->bytes = at.bytes;
    if (read_entry(output, &at, entry)) {
        *out = entry;
        return PT_OK;
    }
    pt__spool_entry_unref(entry);
    return damaged(output->name, err);
}
