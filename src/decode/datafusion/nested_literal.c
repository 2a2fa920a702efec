/*
 * Lists, structs and maps of one row, which come as the header and the body of an Arrow IPC record batch. Every
 * position is checked against its buffer when it is read.
 *
 * Spec: Arrow columnar format, "Encapsulated message format" and "Physical memory layout"; FlatBuffers internals.
 */
#include "decode/datafusion/internal.h"

#include <string.h>

#define ARROW(name) DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_##name

enum { RECORD_BATCH = 3, ITEMS_MAX = 1 << 20 };

typedef const DatafusionCommon__ArrowType arrow_type;

/* ---- flatbuffers ---- */

typedef struct table {
    pt_bytes_view bytes;
    size_t at; /* 0: none */
} table;

static uint64_t number_at(pt_bytes_view bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    if (at > bytes.size_bytes || bytes.size_bytes - at < size)
        return 0;
    for (size_t i = size; i-- != 0;)
        value = value << 8 | bytes.data[at + i];
    return value;
}

/* Where the field stands; 0 when it is not there. */
static size_t field_at(table t, size_t field)
{
    int64_t vtable = (int64_t)t.at - (int32_t)number_at(t.bytes, t.at, 4);
    if (t.at == 0 || vtable < 0 || number_at(t.bytes, (size_t)vtable, 2) < 6 + 2 * field)
        return 0;
    uint64_t offset = number_at(t.bytes, (size_t)vtable + 4 + 2 * field, 2);
    return offset == 0 ? 0 : t.at + offset;
}

static size_t follow(pt_bytes_view bytes, size_t at)
{
    return at == 0 ? 0 : at + number_at(bytes, at, 4);
}

static table table_field(table t, size_t field)
{
    return (table){t.bytes, follow(t.bytes, field_at(t, field))};
}

/* The items of a vector of `size` bytes each; `*count` of them lie within the bytes. */
static size_t vector_field(table t, size_t field, size_t size, size_t *count)
{
    size_t at = follow(t.bytes, field_at(t, field));
    *count = at == 0 ? 0 : number_at(t.bytes, at, 4);
    if (at == 0 || at + 4 > t.bytes.size_bytes || *count > (t.bytes.size_bytes - at - 4) / size)
        *count = 0;
    return at + 4;
}

/* ---- columns ---- */

typedef struct column {
    arrow_type *arrow;
    const pt__df_type *type;
    pt_bytes_view buffers[4];  /* validity, then as the layout has them */
    const pt_bytes_view *data; /* of views */
    size_t data_count;
    struct column *children;
    size_t child_count;
} column;

typedef struct batch {
    pt__df *d;
    table header;
    pt_bytes_view body;
    size_t next_node;
    size_t next_buffer;
    size_t next_variadic;
    size_t items; /* values read so far */
} batch;

static pt_status malformed(batch *b)
{
    return pt__df_bad(b->d, "ScalarNestedValue is no Arrow record batch of its schema");
}

static pt_status next_buffer(batch *b, pt_bytes_view *out)
{
    size_t count;
    size_t at = vector_field(b->header, 2, 16, &count);
    if (b->next_buffer >= count)
        return malformed(b);
    at += 16 * b->next_buffer++;
    uint64_t offset = number_at(b->header.bytes, at, 8);
    uint64_t size = number_at(b->header.bytes, at + 8, 8);
    if (offset > b->body.size_bytes || size > b->body.size_bytes - offset)
        return malformed(b);
    *out = (pt_bytes_view){b->body.data + offset, size};
    return PT_OK;
}

static int buffer_count(arrow_type *arrow)
{
    switch ((int)arrow->arrow_type_enum_case) {
    case ARROW(NONE_TYPE): return 0;
    case ARROW(STRUCT_TYPE):
    case ARROW(FIXED_SIZE_LIST_TYPE): return 1;
    case ARROW(UTF8_TYPE):
    case ARROW(LARGE_UTF8_TYPE):
    case ARROW(BINARY_TYPE):
    case ARROW(LARGE_BINARY_TYPE):
    case ARROW(LIST_VIEW_TYPE):
    case ARROW(LARGE_LIST_VIEW_TYPE): return 3;
    default: return 2;
    }
}

static pt_status view_data(batch *b, column *c)
{
    size_t count;
    size_t at = vector_field(b->header, 4, 8, &count);
    if (b->next_variadic >= count)
        return malformed(b);
    uint64_t buffers = number_at(b->header.bytes, at + 8 * b->next_variadic++, 8);
    if (buffers > b->header.bytes.size_bytes)
        return malformed(b);
    pt_bytes_view *data = pt__arena_array(b->d->arena, pt_bytes_view, buffers);
    for (size_t i = 0; i < buffers; i++)
        PT_TRY(next_buffer(b, &data[i]));
    c->data = data;
    c->data_count = buffers;
    return PT_OK;
}

static pt_status read_column(batch *b, arrow_type *arrow, column *out);

static pt_status read_children(batch *b, DatafusionCommon__Field *const *fields, size_t count, column *out)
{
    out->children = pt__arena_array(b->d->arena, column, count);
    out->child_count = count;
    for (size_t i = 0; i < count; i++)
        PT_TRY(read_column(b, fields[i]->arrow_type, &out->children[i]));
    return PT_OK;
}

static pt_status read_nested(batch *b, arrow_type *t, column *out)
{
    switch ((int)t->arrow_type_enum_case) {
    case ARROW(UTF8_VIEW_TYPE):
    case ARROW(BINARY_VIEW_TYPE): return view_data(b, out);
    case ARROW(LIST_TYPE): return read_children(b, &t->list_type->field_type, 1, out);
    case ARROW(LARGE_LIST_TYPE): return read_children(b, &t->large_list_type->field_type, 1, out);
    case ARROW(FIXED_SIZE_LIST_TYPE): return read_children(b, &t->fixed_size_list_type->field_type, 1, out);
    case ARROW(LIST_VIEW_TYPE): return read_children(b, &t->list_view_type->field_type, 1, out);
    case ARROW(LARGE_LIST_VIEW_TYPE): return read_children(b, &t->large_list_view_type->field_type, 1, out);
    case ARROW(MAP_TYPE): return read_children(b, &t->map_type->field_type, 1, out);
    case ARROW(STRUCT_TYPE):
        return read_children(b, t->struct_type->sub_field_types, t->struct_type->n_sub_field_types, out);
    case ARROW(DICTIONARY_TYPE): return pt__df_refuse(b->d, "a nested literal with a dictionary");
    default: return PT_OK;
    }
}

static pt_status read_column(batch *b, arrow_type *arrow, column *out)
{
    PT_TRY(pt__df_arrow_type(b->d->arena, arrow, &out->type, b->d->err)); /* checks that members are there */
    out->arrow = arrow;
    for (int i = 0; i < buffer_count(arrow); i++)
        PT_TRY(next_buffer(b, &out->buffers[i]));
    return read_nested(b, arrow, out);
}

/* ---- values ---- */

static pt_status value_at(batch *b, const column *c, size_t at, pt_value *out);

/* The number of `size` bytes at position `at` of a buffer. */
static pt_status fixed_at(batch *b, pt_bytes_view buffer, size_t at, size_t size, uint64_t *out)
{
    if (at > buffer.size_bytes / size || (at + 1) * size > buffer.size_bytes)
        return malformed(b);
    *out = number_at(buffer, at * size, size < 8 ? size : 8);
    return PT_OK;
}

static int64_t signed_of(uint64_t value, size_t size)
{
    unsigned shift = 64 - 8 * (unsigned)size;
    return (int64_t)(value << shift) >> shift;
}

static pt_status text_out(batch *b, pt_bytes_view data, uint64_t start, uint64_t size, pt_value *out)
{
    if (start > data.size_bytes || size > data.size_bytes - start)
        return malformed(b);
    const char *text = size == 0 ? "" : (const char *)data.data + start;
    out->as.text = (pt_text_view){pt__arena_copy_text(b->d->arena, text, size), size};
    return PT_OK;
}

static pt_status text_at(batch *b, const column *c, size_t at, size_t width, pt_value *out)
{
    uint64_t start = 0;
    uint64_t end = 0;
    PT_TRY(fixed_at(b, c->buffers[1], at, width, &start));
    PT_TRY(fixed_at(b, c->buffers[1], at + 1, width, &end));
    return end < start ? malformed(b) : text_out(b, c->buffers[2], start, end - start, out);
}

/* Up to 12 bytes stand in the view itself. */
static pt_status view_at(batch *b, const column *c, size_t at, pt_value *out)
{
    uint64_t ignored;
    PT_TRY(fixed_at(b, c->buffers[1], at, 16, &ignored));
    size_t size = number_at(c->buffers[1], 16 * at, 4);
    size_t buffer = number_at(c->buffers[1], 16 * at + 8, 4);
    if (size <= 12)
        return text_out(b, c->buffers[1], 16 * at + 4, size, out);
    if (buffer >= c->data_count)
        return malformed(b);
    return text_out(b, c->data[buffer], number_at(c->buffers[1], 16 * at + 12, 4), size, out);
}

static pt_status items_of(batch *b, const column *child, uint64_t start, uint64_t count, pt_value *out)
{
    if (count > ITEMS_MAX || b->items + count > ITEMS_MAX)
        return pt_error_set(b->d->err, PT_LIMIT, "ScalarNestedValue has more than %d items", ITEMS_MAX);
    pt_value *items = pt__arena_array(b->d->arena, pt_value, count);
    for (uint64_t i = 0; i < count; i++)
        PT_TRY(value_at(b, child, start + i, &items[i]));
    out->as.list.items = items;
    out->as.list.count = count;
    return PT_OK;
}

static pt_status list_at(batch *b, const column *c, size_t at, size_t width, pt_value *out)
{
    uint64_t start = 0;
    uint64_t end = 0;
    PT_TRY(fixed_at(b, c->buffers[1], at, width, &start));
    PT_TRY(fixed_at(b, c->buffers[1], at + 1, width, &end));
    return end < start ? malformed(b) : items_of(b, &c->children[0], start, end - start, out);
}

static pt_status list_view_at(batch *b, const column *c, size_t at, size_t width, pt_value *out)
{
    uint64_t start = 0;
    uint64_t count = 0;
    PT_TRY(fixed_at(b, c->buffers[1], at, width, &start));
    PT_TRY(fixed_at(b, c->buffers[2], at, width, &count));
    return items_of(b, &c->children[0], start, count, out);
}

/* The plan's maps are keys and values in turn. */
static pt_status map_at(batch *b, const column *c, size_t at, pt_value *out)
{
    pt_value entries = {0};
    PT_TRY(list_at(b, c, at, 4, &entries));
    pt_value *items = pt__arena_array(b->d->arena, pt_value, 2 * entries.as.list.count);
    for (size_t i = 0; i < entries.as.list.count; i++) {
        const pt_value *entry = &entries.as.list.items[i];
        if (entry->is_null || entry->as.list.count != 2)
            return malformed(b);
        items[2 * i] = entry->as.list.items[0];
        items[2 * i + 1] = entry->as.list.items[1];
    }
    out->as.list.items = items;
    out->as.list.count = 2 * entries.as.list.count;
    return PT_OK;
}

static pt_status struct_at(batch *b, const column *c, size_t at, pt_value *out)
{
    pt_value *items = pt__arena_array(b->d->arena, pt_value, c->child_count);
    for (size_t i = 0; i < c->child_count; i++)
        PT_TRY(value_at(b, &c->children[i], at, &items[i]));
    out->as.list.items = items;
    out->as.list.count = c->child_count;
    return PT_OK;
}

static size_t byte_width(const column *c)
{
    switch ((int)c->type->kind) {
    case PT_DF_INT8:
    case PT_DF_UINT8: return 1;
    case PT_DF_INT16:
    case PT_DF_UINT16: return 2;
    case PT_DF_INT32:
    case PT_DF_UINT32:
    case PT_DF_FLOAT32:
    case PT_DF_DATE:
    case PT_DF_INTERVAL_YEAR_MONTH: return 4;
    default: return 8;
    }
}

static pt_status decimal_at(batch *b, const column *c, size_t at, pt_value *out)
{
    uint64_t low;
    if (c->arrow->arrow_type_enum_case != ARROW(DECIMAL128_TYPE))
        return pt__df_refuse(b->d, "a nested literal with a decimal of other than 128 bits");
    PT_TRY(fixed_at(b, c->buffers[1], at, 16, &low));
    int64_t high = (int64_t)number_at(c->buffers[1], 16 * at + 8, 8);
    out->as.decimal = (pt_int128)high * ((pt_int128)1 << 64) + low;
    return PT_OK;
}

static pt_status real_at(batch *b, const column *c, size_t at, pt_value *out)
{
    uint64_t bits;
    PT_TRY(fixed_at(b, c->buffers[1], at, byte_width(c), &bits));
    if (c->type->kind == PT_DF_FLOAT32) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof(single));
        out->as.real = (double)single;
    } else {
        memcpy(&out->as.real, &bits, sizeof(bits));
    }
    return PT_OK;
}

static pt_status integer_at(batch *b, const column *c, size_t at, pt_value *out)
{
    uint64_t bits;
    size_t size = byte_width(c);
    PT_TRY(fixed_at(b, c->buffers[1], at, size, &bits));
    if (c->type->kind == PT_DF_UINT64 && bits > INT64_MAX)
        return pt__df_refuse(b->d, "a UInt64 above 9223372036854775807");
    out->as.integer = pt__df_is_unsigned(c->type) ? (int64_t)bits : signed_of(bits, size);
    return PT_OK;
}

static pt_status time_at(batch *b, const column *c, size_t at, pt_value *out)
{
    PT_TRY(integer_at(b, c, at, out));
    int64_t factor = c->type->unit == DATAFUSION_COMMON__TIME_UNIT__Second        ? 1000000
                     : c->type->unit == DATAFUSION_COMMON__TIME_UNIT__Millisecond ? 1000
                                                                                  : 1;
    if (c->type->unit == DATAFUSION_COMMON__TIME_UNIT__Nanosecond) {
        if (out->as.integer % 1000 != 0)
            return pt__df_refuse(b->d, "a literal with nanoseconds");
        out->as.integer /= 1000;
    } else if (__builtin_mul_overflow(out->as.integer, factor, &out->as.integer)) {
        return pt__df_bad(b->d, "ScalarNestedValue: a time is out of range");
    }
    return PT_OK;
}

static pt_status boolean_at(batch *b, const column *c, size_t at, pt_value *out)
{
    uint64_t byte;
    PT_TRY(fixed_at(b, c->buffers[1], at / 8, 1, &byte));
    out->as.boolean = byte >> (at % 8) & 1;
    return PT_OK;
}

static pt_status plain_at(batch *b, const column *c, size_t at, pt_value *out)
{
    switch ((int)c->type->kind) {
    case PT_DF_BOOLEAN: return boolean_at(b, c, at, out);
    case PT_DF_FLOAT32:
    case PT_DF_FLOAT64: return real_at(b, c, at, out);
    case PT_DF_DECIMAL: return decimal_at(b, c, at, out);
    case PT_DF_TIMESTAMP:
    case PT_DF_DURATION: return time_at(b, c, at, out);
    case PT_DF_TIME:
    case PT_DF_INTERVAL: return pt__df_refuse(b->d, "a nested literal with %s", pt__df_type_text(b->d->arena, c->type));
    default: return integer_at(b, c, at, out);
    }
}

static pt_status value_at(batch *b, const column *c, size_t at, pt_value *out)
{
    pt_bytes_view validity = c->buffers[0];
    b->items++;
    *out = (pt_value){0};
    if (c->type->kind == PT_DF_NULL ||
        (validity.size_bytes != 0 && at / 8 < validity.size_bytes && (validity.data[at / 8] >> (at % 8) & 1) == 0)) {
        out->is_null = true;
        return PT_OK;
    }
    switch ((int)c->arrow->arrow_type_enum_case) {
    case ARROW(UTF8_TYPE):
    case ARROW(BINARY_TYPE): return text_at(b, c, at, 4, out);
    case ARROW(LARGE_UTF8_TYPE):
    case ARROW(LARGE_BINARY_TYPE): return text_at(b, c, at, 8, out);
    case ARROW(UTF8_VIEW_TYPE):
    case ARROW(BINARY_VIEW_TYPE): return view_at(b, c, at, out);
    case ARROW(FIXED_SIZE_BINARY_TYPE): return pt__df_refuse(b->d, "a nested literal with FixedSizeBinary");
    case ARROW(LIST_TYPE): return list_at(b, c, at, 4, out);
    case ARROW(LARGE_LIST_TYPE): return list_at(b, c, at, 8, out);
    case ARROW(LIST_VIEW_TYPE): return list_view_at(b, c, at, 4, out);
    case ARROW(LARGE_LIST_VIEW_TYPE): return list_view_at(b, c, at, 8, out);
    case ARROW(FIXED_SIZE_LIST_TYPE): {
        int32_t size = c->arrow->fixed_size_list_type->list_size;
        return size < 0 ? malformed(b) : items_of(b, &c->children[0], (uint64_t)size * at, (uint64_t)size, out);
    }
    case ARROW(MAP_TYPE): return map_at(b, c, at, out);
    case ARROW(STRUCT_TYPE): return struct_at(b, c, at, out);
    default: return plain_at(b, c, at, out);
    }
}

pt_status pt__df_nested_literal(pt__df *d, const DatafusionCommon__ScalarNestedValue *m, pt__df_value *out)
{
    pt_bytes_view header = {m->ipc_message.data, m->ipc_message.len};
    pt_bytes_view body = {m->arrow_data.data, m->arrow_data.len};
    batch b = {.d = d, .body = body};
    column c = {0};
    pt_value value;
    table message = {header, number_at(header, 0, 4)};
    if (m->schema == NULL || m->schema->n_columns != 1)
        return pt__df_bad(d, "ScalarNestedValue.schema has not one column");
    size_t kind = field_at(message, 1);
    b.header = table_field(message, 2);
    if (kind == 0 || number_at(header, kind, 1) != RECORD_BATCH || b.header.at == 0)
        return malformed(&b);
    if (field_at(b.header, 3) != 0)
        return pt__df_refuse(d, "a nested literal that is compressed");
    size_t length = field_at(b.header, 0);
    if (length == 0 || number_at(header, length, 8) != 1)
        return pt__df_bad(d, "ScalarNestedValue has not one row");
    PT_TRY(read_column(&b, m->schema->columns[0]->arrow_type, &c));
    PT_TRY(value_at(&b, &c, 0, &value));
    out->type = c.type;
    out->expr = pt__expr_literal(d->arena, pt__df_plan_type(d->arena, c.type), value);
    return PT_OK;
}
