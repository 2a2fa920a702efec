#include "exec/ipc_check.h"

#include <nanoarrow/ipc/flatcc_generated.h>

#include <string.h>

#define ns(name) org_apache_arrow_flatbuf_##name

enum {
    FIELD_DEPTH_MAX = 64,
    ROWS_MAX = 1 << 28, /* of a message: times the size in bits of the widest value there is, it still is a number */
    BUFFER_ALIGNMENT = 8,
    SIZE_PREFIX_BYTES = 8, /* of a compressed buffer: what it was, -1 for one that is not compressed */
    RATIO_MAX = 1 << 16    /* zstd packs zeros about so tightly */
};

static bool metadata_is_complete(ns(KeyValue_vec_t) pairs)
{
    for (size_t i = 0; i < ns(KeyValue_vec_len)(pairs); i++) {
        ns(KeyValue_table_t) pair = ns(KeyValue_vec_at)(pairs, i);
        if (pair == NULL || ns(KeyValue_key)(pair) == NULL || ns(KeyValue_value)(pair) == NULL)
            return false;
    }
    return true;
}

/* Dictionaries are refused later by name, once their index types are there. */
static bool dictionary_is_complete(ns(Field_table_t) field)
{
    if (!ns(Field_dictionary_is_present)(field))
        return true;
    ns(DictionaryEncoding_table_t) dictionary = ns(Field_dictionary)(field);
    return dictionary != NULL && ns(DictionaryEncoding_indexType_is_present)(dictionary) &&
           ns(DictionaryEncoding_indexType)(dictionary) != NULL;
}

static bool fields_are_complete(ns(Field_vec_t) fields, int depth);

static bool field_is_complete(ns(Field_table_t) field, int depth)
{
    if (field == NULL || ns(Field_type_type)(field) == ns(Type_NONE) || ns(Field_type)(field) == NULL)
        return false;
    return dictionary_is_complete(field) && metadata_is_complete(ns(Field_custom_metadata)(field)) &&
           fields_are_complete(ns(Field_children)(field), depth + 1);
}

static bool fields_are_complete(ns(Field_vec_t) fields, int depth)
{
    if (depth > FIELD_DEPTH_MAX)
        return false;
    for (size_t i = 0; i < ns(Field_vec_len)(fields); i++)
        if (!field_is_complete(ns(Field_vec_at)(fields, i), depth))
            return false;
    return true;
}

/* The decoder adds offset and length, and multiplies lengths, before it compares. */
static bool buffers_are_within(ns(Buffer_vec_t) buffers, int64_t body_bytes)
{
    for (size_t i = 0; i < ns(Buffer_vec_len)(buffers); i++) {
        ns(Buffer_struct_t) buffer = ns(Buffer_vec_at)(buffers, i);
        int64_t offset = ns(Buffer_offset)(buffer);
        int64_t length = ns(Buffer_length)(buffer);
        if (length < 0 || (length > 0 && (offset < 0 || offset > body_bytes || length > body_bytes - offset)))
            return false;
    }
    return true;
}

static bool batch_is_complete(ns(RecordBatch_table_t) batch, int64_t body_bytes)
{
    ns(FieldNode_vec_t) nodes = ns(RecordBatch_nodes)(batch);
    if (ns(RecordBatch_length)(batch) < 0 || ns(RecordBatch_length)(batch) > ROWS_MAX)
        return false;
    for (size_t i = 0; i < ns(FieldNode_vec_len)(nodes); i++) {
        ns(FieldNode_struct_t) node = ns(FieldNode_vec_at)(nodes, i);
        int64_t length = ns(FieldNode_length)(node);
        int64_t nulls = ns(FieldNode_null_count)(node);
        if (length < 0 || length > ROWS_MAX || nulls < 0 || nulls > length)
            return false;
    }
    return buffers_are_within(ns(RecordBatch_buffers)(batch), body_bytes);
}

bool pt__ipc_message_is_complete(pt_bytes_view flatbuffer)
{
    ns(Message_table_t) message = ns(Message_as_root)(flatbuffer.data);
    if (message == NULL || ns(Message_bodyLength)(message) < 0)
        return false;
    const void *header = ns(Message_header)(message);
    int64_t body_bytes = ns(Message_bodyLength)(message);
    if (header == NULL)
        return false;
    if (ns(Message_header_type)(message) == ns(MessageHeader_RecordBatch))
        return batch_is_complete(header, body_bytes);
    if (ns(Message_header_type)(message) == ns(MessageHeader_DictionaryBatch))
        return ns(DictionaryBatch_data)(header) != NULL &&
               batch_is_complete(ns(DictionaryBatch_data)(header), body_bytes);
    if (ns(Message_header_type)(message) != ns(MessageHeader_Schema))
        return true; /* refused later by kind */
    ns(Schema_table_t) schema = header;
    return metadata_is_complete(ns(Schema_custom_metadata)(schema)) &&
           fields_are_complete(ns(Schema_fields)(schema), 0);
}

/* ---- bodies ---- */

static ns(RecordBatch_table_t) batch_of(ns(Message_table_t) message)
{
    const void *header = ns(Message_header)(message);
    switch (ns(Message_header_type)(message)) {
    case ns(MessageHeader_RecordBatch): return header;
    case ns(MessageHeader_DictionaryBatch): return ns(DictionaryBatch_data)(header);
    default: return NULL;
    }
}

bool pt__ipc_message_is_compressed(pt_bytes_view flatbuffer)
{
    ns(RecordBatch_table_t) batch = batch_of(ns(Message_as_root)(flatbuffer.data));
    return batch != NULL && ns(RecordBatch_compression_is_present)(batch);
}

static bool announces_what_can_be(pt_bytes_view packed)
{
    int64_t size;
    if (packed.size_bytes < SIZE_PREFIX_BYTES)
        return packed.size_bytes == 0;
    memcpy(&size, packed.data, sizeof(size));
    return size >= -1 && size / RATIO_MAX <= (int64_t)packed.size_bytes;
}

bool pt__ipc_body_fits(pt_bytes_view flatbuffer, pt_bytes_view body)
{
    ns(RecordBatch_table_t) batch = batch_of(ns(Message_as_root)(flatbuffer.data));
    if (batch == NULL)
        return true;
    bool is_packed = ns(RecordBatch_compression_is_present)(batch);
    ns(Buffer_vec_t) buffers = ns(RecordBatch_buffers)(batch);
    for (size_t i = 0; i < ns(Buffer_vec_len)(buffers); i++) {
        ns(Buffer_struct_t) place = ns(Buffer_vec_at)(buffers, i);
        int64_t offset = ns(Buffer_offset)(place);
        int64_t length = ns(Buffer_length)(place);
        if (offset < 0 || offset % BUFFER_ALIGNMENT != 0 || length < 0 || (uint64_t)offset > body.size_bytes ||
            (uint64_t)length > body.size_bytes - (uint64_t)offset)
            return false;
        if (is_packed && !announces_what_can_be((pt_bytes_view){body.data + offset, (size_t)length}))
            return false;
    }
    return true;
}
