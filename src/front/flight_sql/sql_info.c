#include "front/flight_sql/sql_info.h"

#include "base/list.h"

#include <portico/version.h>

#include <arrow/flight_sql.pb-c.h>
#include <nanoarrow/nanoarrow.h>
#include <string.h>

/** Children of the union, in the order that its type ids count. */
enum { STRING, BOOL, LONG, INT, LIST, MAP, CHILD_COUNT };

typedef struct fact {
    uint32_t code;
    int8_t child;
    const char *text; /* STRING; LIST: the class of functions, NULL for keywords */
    int64_t number;   /* BOOL, LONG, INT */
} fact;

static const fact FACTS[] = {
#define PT_INFO_STRING(code, text) {code, STRING, text, 0},
#define PT_INFO_BOOL(code, value) {code, BOOL, NULL, value},
#define PT_INFO_LONG(code, value) {code, LONG, NULL, value},
#define PT_INFO_INT(code, value) {code, INT, NULL, value},
#define PT_INFO_LIST(code, source) {code, LIST, source, 0},
#define PT_INFO_CONVERT(code) {code, MAP, NULL, 0},
#include "front/flight_sql/sql_info.def"
};

enum { FACT_COUNT = sizeof(FACTS) / sizeof(FACTS[0]) };

/* ---- schema ---- */

static ArrowErrorCode set_field(struct ArrowSchema *schema, const char *name, enum ArrowType type, bool nullable)
{
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetType(schema, type));
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetName(schema, name));
    schema->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    return NANOARROW_OK;
}

/* map<int32, list<int32>> */
static ArrowErrorCode set_map(struct ArrowSchema *schema)
{
    NANOARROW_RETURN_NOT_OK(set_field(schema, "int32_to_int32_list_map", NANOARROW_TYPE_MAP, true));
    struct ArrowSchema *entries = schema->children[0];
    NANOARROW_RETURN_NOT_OK(set_field(entries->children[0], "key", NANOARROW_TYPE_INT32, false));
    NANOARROW_RETURN_NOT_OK(set_field(entries->children[1], "value", NANOARROW_TYPE_LIST, true));
    return set_field(entries->children[1]->children[0], "item", NANOARROW_TYPE_INT32, true);
}

static ArrowErrorCode set_value(struct ArrowSchema *schema)
{
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetTypeUnion(schema, NANOARROW_TYPE_DENSE_UNION, CHILD_COUNT));
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetName(schema, "value"));
    schema->flags = 0;
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[STRING], "string_value", NANOARROW_TYPE_STRING, true));
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[BOOL], "bool_value", NANOARROW_TYPE_BOOL, true));
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[LONG], "bigint_value", NANOARROW_TYPE_INT64, true));
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[INT], "int32_bitmask", NANOARROW_TYPE_INT32, true));
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[LIST], "string_list", NANOARROW_TYPE_LIST, true));
    NANOARROW_RETURN_NOT_OK(set_field(schema->children[LIST]->children[0], "item", NANOARROW_TYPE_STRING, true));
    return set_map(schema->children[MAP]);
}

static ArrowErrorCode fill_schema(struct ArrowSchema *out)
{
    ArrowSchemaInit(out);
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetTypeStruct(out, 2));
    NANOARROW_RETURN_NOT_OK(set_field(out->children[0], "info_name", NANOARROW_TYPE_UINT32, false));
    return set_value(out->children[1]);
}

pt_status pt__flight_sql_info_schema(struct ArrowSchema *out, pt_error *err)
{
    out->release = NULL;
    if (fill_schema(out) == NANOARROW_OK)
        return PT_OK;
    if (out->release != NULL)
        out->release(out);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
}

/* ---- words of the backend ---- */

typedef struct words {
    pt__list(const char *) classes; /* of functions; of keywords NULL */
    pt__list(const char *) names;
} words;

static const char *text_at(pt__arena *arena, const struct ArrowArrayView *column, int64_t row)
{
    struct ArrowStringView text = ArrowArrayViewGetStringUnsafe(column, row);
    return pt__arena_copy_text(arena, text.data, (size_t)text.size_bytes);
}

static pt_status add_batch(words *w, pt__arena *arena, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                           pt_error *err)
{
    struct ArrowArrayView view;
    if (ArrowArrayViewInitFromSchema(&view, schema, NULL) != NANOARROW_OK ||
        ArrowArrayViewSetArray(&view, batch, NULL) != NANOARROW_OK)
        return pt_error_set(err, PT_INTERNAL, "the backend's words cannot be read");
    bool has_class = schema->n_children == 2;
    for (int64_t row = 0; row < batch->length; row++) {
        pt__list_push(arena, &w->classes, has_class ? text_at(arena, view.children[0], row) : NULL);
        pt__list_push(arena, &w->names, text_at(arena, view.children[has_class], row));
    }
    ArrowArrayViewReset(&view);
    return PT_OK;
}

static pt_status read_words(words *w, pt__flight_session *session, pt__arena *arena, pt_metadata_kind kind,
                            pt_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    pt_metadata_request request = {.size_bytes = sizeof(request), .kind = kind};
    PT_TRY(pt__session_metadata(session->session, &request, &stream, err));
    pt_status status = PT_OK;
    if (stream.get_schema(&stream, &schema) != 0) {
        status = pt_error_set(err, PT_EXECUTION, "%s", stream.get_last_error(&stream));
        stream.release(&stream);
        return status;
    }
    while (status == PT_OK && stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        status = add_batch(w, arena, &schema, &batch, err);
        batch.release(&batch);
    }
    schema.release(&schema);
    stream.release(&stream);
    return status;
}

static bool is_of(const words *w, size_t index, const char *class)
{
    const char *own = w->classes.items[index];
    return class == NULL || own == NULL ? class == own : strcmp(class, own) == 0;
}

/* ---- rows ---- */

static ArrowErrorCode append_list(struct ArrowArray *list, const words *w, const char *class)
{
    for (size_t i = 0; i < w->names.count; i++) {
        if (is_of(w, i, class))
            NANOARROW_RETURN_NOT_OK(ArrowArrayAppendString(list->children[0], ArrowCharView(w->names.items[i])));
    }
    return ArrowArrayFinishElement(list);
}

/* Everything converts to text, and the numbers to each other: from SqlSupportsConvert, by number. */
static ArrowErrorCode append_conversions(struct ArrowArray *map)
{
    static const int32_t numeric[] = {0, 5, 7, 8, 9, 14, 15, 16}; /* bigint … tinyint */
    struct ArrowArray *entries = map->children[0];
    for (size_t i = 0; i < sizeof(numeric) / sizeof(numeric[0]); i++) {
        NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(entries->children[0], numeric[i]));
        for (size_t j = 0; j < sizeof(numeric) / sizeof(numeric[0]); j++)
            NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(entries->children[1]->children[0], numeric[j]));
        NANOARROW_RETURN_NOT_OK(ArrowArrayFinishElement(entries->children[1]));
        NANOARROW_RETURN_NOT_OK(ArrowArrayFinishElement(entries));
    }
    return ArrowArrayFinishElement(map);
}

static ArrowErrorCode append_value(struct ArrowArray *value, const fact *f, const words *w)
{
    struct ArrowArray *child = value->children[f->child];
    switch (f->child) {
    case STRING: NANOARROW_RETURN_NOT_OK(ArrowArrayAppendString(child, ArrowCharView(f->text))); break;
    case LIST: NANOARROW_RETURN_NOT_OK(append_list(child, w, f->text)); break;
    case MAP: NANOARROW_RETURN_NOT_OK(append_conversions(child)); break;
    default: NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(child, f->number)); break;
    }
    return ArrowArrayFinishUnionElement(value, f->child);
}

static ArrowErrorCode append_fact(struct ArrowArray *rows, const fact *f, const words *w)
{
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendUInt(rows->children[0], f->code));
    NANOARROW_RETURN_NOT_OK(append_value(rows->children[1], f, w));
    return ArrowArrayFinishElement(rows);
}

static const fact *find_fact(uint32_t code)
{
    for (size_t i = 0; i < FACT_COUNT; i++) {
        if (FACTS[i].code == code)
            return &FACTS[i];
    }
    return NULL;
}

/* In the order of the question; numbers that are not known have no row. */
static ArrowErrorCode append_facts(struct ArrowArray *rows, const uint32_t *codes, size_t count, const words *w)
{
    for (size_t i = 0; i < count; i++) {
        const fact *f = find_fact(codes[i]);
        if (f != NULL)
            NANOARROW_RETURN_NOT_OK(append_fact(rows, f, w));
    }
    for (size_t i = 0; count == 0 && i < FACT_COUNT; i++)
        NANOARROW_RETURN_NOT_OK(append_fact(rows, &FACTS[i], w));
    return ArrowArrayFinishBuildingDefault(rows, NULL);
}

static bool wants_words(const uint32_t *codes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const fact *f = find_fact(codes[i]);
        if (f != NULL && f->child == LIST)
            return true;
    }
    return count == 0;
}

static pt_status build(struct ArrowSchema *schema, const uint32_t *codes, size_t count, const words *w,
                       struct ArrowArrayStream *out, pt_error *err)
{
    struct ArrowArray rows = {0};
    bool built = ArrowArrayInitFromSchema(&rows, schema, NULL) == NANOARROW_OK &&
                 ArrowArrayStartAppending(&rows) == NANOARROW_OK &&
                 append_facts(&rows, codes, count, w) == NANOARROW_OK &&
                 ArrowBasicArrayStreamInit(out, schema, 1) == NANOARROW_OK;
    if (built) {
        ArrowBasicArrayStreamSetArray(out, 0, &rows);
        return PT_OK;
    }
    if (rows.release != NULL)
        rows.release(&rows);
    if (schema->release != NULL)
        schema->release(schema);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
}

pt_status pt__flight_sql_info_rows(pt__flight_session *session, pt__arena *arena, const pt__flight_command *command,
                                   struct ArrowArrayStream *out, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetSqlInfo *c;
    words w = {0};
    struct ArrowSchema schema;
    PT_TRY(pt__flight_command_unpack(arena, command, &arrow__flight__protocol__sql__command_get_sql_info__descriptor,
                                     (ProtobufCMessage **)&c, err));
    if (wants_words(c->info, c->n_info)) {
        PT_TRY(read_words(&w, session, arena, PT_METADATA_KEYWORDS, err));
        PT_TRY(read_words(&w, session, arena, PT_METADATA_FUNCTIONS, err));
    }
    PT_TRY(pt__flight_sql_info_schema(&schema, err));
    return build(&schema, c->info, c->n_info, &w, out, err);
}
