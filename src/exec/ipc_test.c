#include "base/test.h"
#include "exec/ipc_reader.h"
#include "exec/ipc_writer.h"
#include "exec/session_catalog.h"
#include "plan/arrow_schema.h"
#include "plan/text.h"

#include <nanoarrow/nanoarrow.h>

#include <stdlib.h>
#include <string.h>

enum { ROWS = 41 };

static const pt_type *sample_type(pt__arena *arena)
{
    pt_field *inner = pt__arena_array(arena, pt_field, 2);
    inner[0] = (pt_field){"i", PT_T(INT), true, NULL};
    inner[1] = (pt_field){"s", PT_T(STRING), true, NULL};
    pt_field *fields = pt__arena_array(arena, pt_field, 8);
    fields[0] = (pt_field){"flag", PT_T(BOOLEAN), true, NULL};
    fields[1] = (pt_field){"number", PT_T(LONG), false, NULL};
    fields[2] = (pt_field){"text", PT_T(STRING), true, "{\"comment\":\"hey\"}"};
    fields[3] = (pt_field){"amount", pt__type_decimal(arena, 20, 2), true, NULL};
    fields[4] = (pt_field){"list", pt__type_array(arena, PT_T(INT), true), true, NULL};
    fields[5] = (pt_field){"pair", pt__type_struct(arena, inner, 2), true, NULL};
    fields[6] = (pt_field){"map", pt__type_map(arena, PT_T(STRING), PT_T(SHORT), true), true, NULL};
    fields[7] = (pt_field){"nothing", PT_T(VOID), true, NULL};
    return pt__type_struct(arena, fields, 8);
}

static void make_schema(const pt_type *type, struct ArrowSchema *out)
{
    pt_column columns[8] = {{0}};
    for (size_t i = 0; i < type->field_count; i++)
        columns[i] = (pt_column){.name = type->fields[i].name,
                                 .type = type->fields[i].type,
                                 .nullable = type->fields[i].nullable,
                                 .metadata = type->fields[i].metadata};
    PT_CHECK_EQ(pt__arrow_schema(columns, type->field_count, "Europe/Berlin", out, NULL), PT_OK);
}

static void append_text(struct ArrowArray *array, int row)
{
    char text[64];
    memset(text, 'a' + row % 26, sizeof(text));
    ArrowArrayAppendString(array, (struct ArrowStringView){text, row % 13});
}

static void append_decimal(struct ArrowArray *array, int row)
{
    struct ArrowDecimal decimal;
    ArrowDecimalInit(&decimal, 128, 20, 2);
    ArrowDecimalSetInt(&decimal, (int64_t)row * -12345);
    ArrowArrayAppendDecimal(array, &decimal);
}

static void append_list(struct ArrowArray *array, int row)
{
    for (int i = 0; i < row % 5; i++) {
        if (i == 2)
            ArrowArrayAppendNull(array->children[0], 1);
        else
            ArrowArrayAppendInt(array->children[0], row * 100 + i);
    }
    ArrowArrayFinishElement(array);
}

static void append_pair(struct ArrowArray *array, int row)
{
    if (row % 4 == 0)
        ArrowArrayAppendNull(array->children[0], 1);
    else
        ArrowArrayAppendInt(array->children[0], row);
    append_text(array->children[1], row);
    ArrowArrayFinishElement(array);
}

static void append_map(struct ArrowArray *array, int row)
{
    for (int i = 0; i < row % 3; i++) {
        append_text(array->children[0]->children[0], i + 1);
        ArrowArrayAppendInt(array->children[0]->children[1], i);
        ArrowArrayFinishElement(array->children[0]);
    }
    ArrowArrayFinishElement(array);
}

static void append_row(struct ArrowArray *array, int row)
{
    struct ArrowArray **c = array->children;
    bool is_null = row % 7 == 3;
    if (is_null)
        ArrowArrayAppendNull(c[0], 1);
    else
        ArrowArrayAppendInt(c[0], row % 3 == 0);
    ArrowArrayAppendInt(c[1], row * 1000);
    if (is_null)
        ArrowArrayAppendNull(c[2], 1);
    else
        append_text(c[2], row);
    append_decimal(c[3], row);
    if (is_null)
        ArrowArrayAppendNull(c[4], 1);
    else
        append_list(c[4], row);
    if (is_null)
        ArrowArrayAppendNull(c[5], 1);
    else
        append_pair(c[5], row);
    append_map(c[6], row);
    ArrowArrayAppendNull(c[7], 1);
    ArrowArrayFinishElement(array);
}

static void make_array(const struct ArrowSchema *schema, struct ArrowArray *out)
{
    PT_CHECK_EQ(ArrowArrayInitFromSchema(out, schema, NULL), NANOARROW_OK);
    ArrowArrayStartAppending(out);
    for (int row = 0; row < ROWS; row++)
        append_row(out, row);
    PT_CHECK_EQ(ArrowArrayFinishBuildingDefault(out, NULL), NANOARROW_OK);
}

/* Rows `first` to `first + count` as text. */
static const char *text_of(pt__arena *arena, const pt_type *type, const struct ArrowArray *array, int64_t first,
                           int64_t count)
{
    pt__buffer text = PT_BUFFER_INIT;
    for (int64_t row = first; row < first + count; row++)
        for (size_t i = 0; i < type->field_count; i++) {
            const struct ArrowArray *column = array->children[i];
            pt_value value = pt__cell(arena, type->fields[i].type, column, column->offset + array->offset + row);
            pt__value_append_text(&text, type->fields[i].type, &value);
            pt__buffer_append_string(&text, i + 1 == type->field_count ? "\n" : "|");
        }
    const char *copy = pt__arena_copy_string(arena, pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    return copy;
}

typedef struct fixture {
    pt__arena *arena;
    const pt_type *type;
    struct ArrowSchema schema;
    pt__shared_array *shared;
    pt_bytes *message;
    pt__ipc_reader *reader;
} fixture;

static fixture begin(void)
{
    fixture f = {.arena = pt__arena_new(0)};
    struct ArrowArray array;
    f.type = sample_type(f.arena);
    make_schema(f.type, &f.schema);
    make_array(&f.schema, &array);
    f.shared = pt__shared_array_new(&array);
    PT_CHECK_EQ(pt__ipc_schema_message(&f.schema, &f.message, NULL), PT_OK);
    PT_CHECK_EQ(pt__ipc_reader_new(pt_bytes_get_view(f.message), &f.reader, NULL), PT_OK);
    return f;
}

static void end(fixture *f)
{
    pt__ipc_reader_free(f->reader);
    pt_bytes_unref(f->message);
    pt__shared_array_unref(f->shared);
    f->schema.release(&f->schema);
    pt__arena_free(f->arena);
}

static void check_slice(fixture *f, int64_t first, int64_t count)
{
    pt__spool_entry *entry = NULL;
    struct ArrowArray back;
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(pt__ipc_batch(&f->schema, f->shared, first, count, &entry, NULL) == PT_OK);
    PT_CHECK_EQ(entry->row_count, count);
    PT_CHECK_EQ(entry->body_bytes % 8, 0);
    PT_CHECK_EQ(pt__ipc_reader_entry(f->reader, entry, &back, &err), PT_OK);
    PT_CHECK_STR(err.message, "");
    PT_CHECK_EQ(back.length, count);
    PT_CHECK_STR(text_of(f->arena, f->type, &back, 0, count),
                 text_of(f->arena, f->type, pt__shared_array_get(f->shared), first, count));
    back.release(&back);
    pt__spool_entry_unref(entry);
}

PT_TEST(ipc_batches_of_any_slice_read_back_equal)
{
    fixture f = begin();
    for (int64_t first = 0; first < ROWS; first++)
        for (int64_t count = 0; count <= ROWS - first; count += 5)
            check_slice(&f, first, count);
    check_slice(&f, 0, ROWS);
    end(&f);
}

/* Arrays without rows may have no buffers at all. */
PT_TEST(ipc_batches_without_rows_need_no_buffers)
{
    fixture f = begin();
    struct ArrowArray array;
    PT_REQUIRE(ArrowArrayInitFromSchema(&array, &f.schema, NULL) == NANOARROW_OK);
    PT_REQUIRE(ArrowArrayFinishBuilding(&array, NANOARROW_VALIDATION_LEVEL_NONE, NULL) == NANOARROW_OK);
    pt__shared_array_unref(f.shared);
    f.shared = pt__shared_array_new(&array);
    check_slice(&f, 0, 0);
    end(&f);
}

PT_TEST(ipc_batches_of_arrays_with_offsets_read_back_equal)
{
    fixture f = begin();
    struct ArrowArray *array = (struct ArrowArray *)pt__shared_array_get(f.shared);
    array->offset = 3;
    array->length -= 3;
    for (int64_t first = 0; first < 12; first++)
        check_slice(&f, first, 20);
    array->offset = 0;
    array->length += 3;
    for (int64_t i = 0; i < array->n_children; i++) {
        array->children[i]->offset = 5;
        array->children[i]->length -= 5;
        array->children[i]->null_count = -1;
    }
    array->length -= 5;
    for (int64_t first = 0; first < 12; first++)
        check_slice(&f, first, 20);
    end(&f);
}

/* The fixture's rows as a stream of `batches` batches, with `shift` bytes before it to spoil its alignment. */
static pt_bytes_view make_stream(fixture *f, int batches, size_t shift)
{
    pt__buffer stream = PT_BUFFER_INIT;
    pt_bytes_view schema = pt_bytes_get_view(f->message);
    pt__buffer_append(&stream, "12345678", shift);
    pt__buffer_append(&stream, schema.data, schema.size_bytes);
    for (int i = 0; i < batches; i++) {
        pt__spool_entry *entry;
        PT_CHECK_EQ(pt__ipc_batch(&f->schema, f->shared, i, 10, &entry, NULL), PT_OK);
        pt_bytes_view header = pt_bytes_get_view(entry->header);
        pt__buffer_append(&stream, header.data, header.size_bytes);
        for (size_t j = 0; j < entry->body_count; j++)
            pt__buffer_append(&stream, entry->body[j].view.data, entry->body[j].view.size_bytes);
        pt__spool_entry_unref(entry);
    }
    pt__buffer_append(&stream, pt__ipc_end_of_stream().data, 8);
    pt_bytes_view view = {pt__arena_copy(f->arena, stream.data, stream.size_bytes), stream.size_bytes};
    pt__buffer_deinit(&stream);
    return (pt_bytes_view){view.data + shift, view.size_bytes - shift};
}

PT_TEST(ipc_streams_of_clients_are_read)
{
    fixture f = begin();
    for (size_t shift = 0; shift < 3; shift++) {
        pt_bytes_view streams[] = {make_stream(&f, 2, shift), make_stream(&f, 3, 0)};
        const pt_local_data *data = NULL;
        pt_error err = PT_ERROR_INIT;
        PT_CHECK_EQ(pt__ipc_read_streams(f.arena, streams, 2, &data, &err), PT_OK);
        PT_CHECK_STR(err.message, "");
        PT_REQUIRE(data != NULL);
        PT_CHECK_EQ(data->batch_count, 5);
        PT_CHECK_EQ(data->row_count, 50);
        PT_CHECK_STR(text_of(f.arena, f.type, data->batches[1], 0, 10),
                     text_of(f.arena, f.type, pt__shared_array_get(f.shared), 1, 10));
        const pt_type *type = NULL;
        PT_CHECK_EQ(pt__arrow_type(f.arena, data->schema, &type, NULL), PT_OK);
        PT_CHECK(pt__type_equal(type, f.type));
    }
    end(&f);
}

PT_TEST(ipc_streams_that_are_cut_or_damaged_are_refused_or_read)
{
    fixture f = begin();
    pt_bytes_view good = make_stream(&f, 1, 0);
    for (size_t size = 0; size < good.size_bytes - 8; size += 7) {
        pt_bytes_view cut = {good.data, size};
        const pt_local_data *data;
        pt_status status = pt__ipc_read_streams(f.arena, &cut, 1, &data, NULL);
        PT_CHECK(status == PT_INVALID_ARGUMENT || (status == PT_OK && data->batch_count == 0));
    }
    srand(7);
    for (int round = 0; round < 3000; round++) {
        pt__arena *arena = pt__arena_new(0);
        uint8_t *bytes = pt__arena_copy(arena, good.data, good.size_bytes);
        for (int i = 0; i < 3; i++)
            bytes[(size_t)rand() % good.size_bytes] = (uint8_t)rand();
        pt_bytes_view damaged = {bytes, good.size_bytes};
        const pt_local_data *data;
        pt__ipc_read_streams(arena, &damaged, 1, &data, NULL); /* must not crash */
        pt__arena_free(arena);
    }
    end(&f);
}

PT_TEST(ipc_large_text_becomes_plain_text)
{
    pt__arena *arena = pt__arena_new(0);
    struct ArrowSchema schema;
    struct ArrowArray array;
    ArrowSchemaInit(&schema);
    ArrowSchemaSetTypeStruct(&schema, 1);
    ArrowSchemaSetType(schema.children[0], NANOARROW_TYPE_LARGE_STRING);
    ArrowSchemaSetName(schema.children[0], "t");
    ArrowArrayInitFromSchema(&array, &schema, NULL);
    ArrowArrayStartAppending(&array);
    ArrowArrayAppendString(array.children[0], ArrowCharView("one"));
    ArrowArrayFinishElement(&array);
    ArrowArrayAppendString(array.children[0], ArrowCharView("\xc3\xa4"));
    ArrowArrayFinishElement(&array);
    ArrowArrayFinishBuildingDefault(&array, NULL);
    fixture f = {.arena = arena, .schema = schema, .shared = pt__shared_array_new(&array)};
    PT_CHECK_EQ(pt__ipc_schema_message(&f.schema, &f.message, NULL), PT_OK);
    pt__buffer stream = PT_BUFFER_INIT;
    pt__spool_entry *entry;
    pt_bytes_view message = pt_bytes_get_view(f.message);
    pt__buffer_append(&stream, message.data, message.size_bytes);
    PT_CHECK_EQ(pt__ipc_batch(&f.schema, f.shared, 0, 2, &entry, NULL), PT_OK);
    message = pt_bytes_get_view(entry->header);
    pt__buffer_append(&stream, message.data, message.size_bytes);
    pt__buffer_append(&stream, entry->body[0].view.data, entry->body[0].view.size_bytes);
    pt_bytes_view view = pt__buffer_view(&stream);
    const pt_local_data *data = NULL;
    PT_REQUIRE(pt__ipc_read_streams(arena, &view, 1, &data, NULL) == PT_OK);
    PT_CHECK_STR(data->schema->children[0]->format, "u");
    pt_value value = pt__cell(arena, PT_T(STRING), data->batches[0]->children[0], 1);
    PT_CHECK_STR(value.as.text.data, "\xc3\xa4");
    pt__spool_entry_unref(entry);
    end(&f);
    pt__buffer_deinit(&stream);
}
