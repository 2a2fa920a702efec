#include "wire/compress.h"

#include "base/unconst.h"

#include <string.h>
#include <zlib.h>

enum {
    WINDOW_BITS = 15,
    GZIP_BITS = WINDOW_BITS + 16, /* zlib's way to ask for the gzip format */
    STEP_BYTES = 65536,
    FASTEST = 1,
    MEMORY_LEVEL = 8,
};

static bool is_word(pt_bytes_view view, const char *word)
{
    return view.size_bytes == strlen(word) && memcmp(view.data, word, view.size_bytes) == 0;
}

bool pt__encoding_from_name(pt_bytes_view name, pt__encoding *out)
{
    if (is_word(name, "identity"))
        *out = PT_ENCODING_IDENTITY;
    else if (is_word(name, "gzip"))
        *out = PT_ENCODING_GZIP;
    else if (is_word(name, "deflate"))
        *out = PT_ENCODING_DEFLATE;
    else
        return false;
    return true;
}

bool pt__encoding_list_has_gzip(pt_bytes_view list)
{
    size_t start = 0;
    for (size_t i = 0; i <= list.size_bytes; i++) {
        if (i < list.size_bytes && list.data[i] != ',' && list.data[i] != ' ')
            continue;
        if (is_word((pt_bytes_view){list.data + start, i - start}, "gzip"))
            return true;
        start = i + 1;
    }
    return false;
}

/* One call of inflate into fresh room of `out`. */
static int inflate_step(z_stream *stream, pt__buffer *out)
{
    if (!pt__buffer_reserve(out, STEP_BYTES))
        return Z_MEM_ERROR;
    size_t room = out->capacity_bytes - out->size_bytes;
    stream->next_out = out->data + out->size_bytes;
    stream->avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
    uInt given = stream->avail_out;
    int result = inflate(stream, Z_NO_FLUSH);
    out->size_bytes += given - stream->avail_out;
    return result;
}

static pt_status inflate_all(z_stream *stream, uint64_t limit_bytes, pt__buffer *out, pt_error *err)
{
    size_t start = out->size_bytes;
    for (;;) {
        int result = inflate_step(stream, out);
        if (result == Z_MEM_ERROR)
            return pt_error_set(err, PT_NO_MEMORY, "no memory to decompress a message");
        if (out->size_bytes - start > limit_bytes)
            return pt_error_set(err, PT_LIMIT, "the message is larger than %llu bytes when decompressed",
                                (unsigned long long)limit_bytes);
        if (result == Z_STREAM_END && stream->avail_in == 0)
            return PT_OK;
        if (result != Z_OK)
            return pt_error_set(err, PT_BAD_MESSAGE, "the compressed message is damaged");
    }
}

pt_status pt__decompress(pt__encoding encoding, pt_bytes_view input, uint64_t limit_bytes, pt__buffer *out,
                         pt_error *err)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, encoding == PT_ENCODING_GZIP ? GZIP_BITS : WINDOW_BITS) != Z_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to decompress a message");
    stream.next_in = pt__unconst(input.data);
    stream.avail_in = (uInt)input.size_bytes; /* a gRPC message has a 32-bit length */
    pt_status status = inflate_all(&stream, limit_bytes, out, err);
    inflateEnd(&stream);
    return status;
}

static bool deflate_segment(z_stream *stream, pt_bytes_view input, int flush, pt__buffer *out)
{
    stream->next_in = pt__unconst(input.data);
    stream->avail_in = (uInt)input.size_bytes;
    do {
        if (!pt__buffer_reserve(out, STEP_BYTES))
            return false;
        size_t room = out->capacity_bytes - out->size_bytes;
        stream->next_out = out->data + out->size_bytes;
        stream->avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
        uInt given = stream->avail_out;
        deflate(stream, flush);
        out->size_bytes += given - stream->avail_out;
    } while (stream->avail_out == 0);
    return true;
}

pt_status pt__compress_gzip(const pt_segment *segments, size_t count, pt__buffer *out, pt_error *err)
{
    z_stream stream = {0};
    bool done = deflateInit2(&stream, FASTEST, Z_DEFLATED, GZIP_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    for (size_t i = 0; i < count && done; i++)
        done = deflate_segment(&stream, segments[i].view, Z_NO_FLUSH, out);
    done = done && deflate_segment(&stream, (pt_bytes_view){(const uint8_t *)"", 0}, Z_FINISH, out);
    deflateEnd(&stream);
    return done ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory to compress a message");
}
