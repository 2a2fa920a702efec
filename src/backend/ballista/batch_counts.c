#include "backend/ballista/batch_counts.h"

#include "exec/arrow_layout.h"

#include <nanoarrow/ipc/flatcc_generated.h>

#define ns(name) org_apache_arrow_flatbuf_##name

typedef struct counts {
    size_t nodes;
    size_t buffers;
    bool is_known;
} counts;

static size_t buffers_of(pt__layout_kind kind)
{
    switch (kind) {
    case PT_LAYOUT_NULL:
    case PT_LAYOUT_UNKNOWN: return 0;
    case PT_LAYOUT_STRUCT:
    case PT_LAYOUT_FIXED_LIST:
    case PT_LAYOUT_SPARSE_UNION: return 1;
    case PT_LAYOUT_FIXED:
    case PT_LAYOUT_LIST:
    case PT_LAYOUT_DENSE_UNION: return 2;
    case PT_LAYOUT_BYTES: return 3;
    }
    return 0;
}

/* Of a column that is a dictionary's, the indexes, which are numbers. */
static void add_column(counts *c, const struct ArrowSchema *column)
{
    bool is_index = column->dictionary != NULL;
    pt__layout_kind kind = is_index ? PT_LAYOUT_FIXED : pt__arrow_layout(column).kind;
    c->is_known = c->is_known && kind != PT_LAYOUT_UNKNOWN;
    c->nodes++;
    c->buffers += buffers_of(kind);
    for (int64_t i = 0; !is_index && i < column->n_children; i++)
        add_column(c, column->children[i]);
}

static bool fit(const counts *wanted, ns(RecordBatch_table_t) batch)
{
    return wanted->is_known && ns(FieldNode_vec_len)(ns(RecordBatch_nodes)(batch)) == wanted->nodes &&
           ns(Buffer_vec_len)(ns(RecordBatch_buffers)(batch)) == wanted->buffers;
}

static bool dictionary_fits(ns(DictionaryBatch_table_t) dictionary, const struct ArrowIpcDictionaryEncodings *encodings)
{
    counts wanted = {.is_known = true};
    const struct ArrowIpcDictionaryEncoding *encoding =
        ArrowIpcDictionaryEncodingsFindById(encodings, ns(DictionaryBatch_id)(dictionary));
    if (encoding == NULL || encoding->schema->dictionary == NULL)
        return false;
    add_column(&wanted, encoding->schema->dictionary);
    return fit(&wanted, ns(DictionaryBatch_data)(dictionary));
}

bool pt__batch_counts_fit(const uint8_t *flatbuffer, const struct ArrowSchema *schema,
                          const struct ArrowIpcDictionaryEncodings *encodings)
{
    counts wanted = {.is_known = true};
    ns(Message_table_t) message = ns(Message_as_root)(flatbuffer);
    if (ns(Message_header_type)(message) == ns(MessageHeader_DictionaryBatch))
        return dictionary_fits(ns(Message_header)(message), encodings);
    for (int64_t i = 0; i < schema->n_children; i++)
        add_column(&wanted, schema->children[i]);
    return fit(&wanted, ns(Message_header)(message));
}
