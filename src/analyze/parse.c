/*
 * read.json(df) and read.csv(df): the lines of a DataFrame's only column become records.
 *
 * Behaviour: that of Spark's readers over a Dataset of strings. Lines of CSV that are NULL, blank or comments are
 * passed over, and with a header all that equal the first one. A NULL is a bad record of JSON.
 */
#include "analyze/build.h"
#include "analyze/json_schema.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct parse {
    pt__analyzer *a;
    const pt_plan_parse *node;
    pt__options options;
    const pt_plan *input;
    const char *first_line; /* of CSV; NULL: not asked for, or none */
    const pt_type *schema;
} parse;

static bool option_is(const parse *p, const char *name, const char *value)
{
    return strcasecmp(pt__json_get_string(p->options, name, ""), value) == 0;
}

static const char *corrupt_name(const parse *p)
{
    const char *fallback = p->a->catalog->vtable->conf(p->a->catalog, "spark.sql.columnNameOfCorruptRecord");
    return pt__json_get_string(p->options, "columnnameofcorruptrecord",
                               fallback == NULL ? "_corrupt_record" : fallback);
}

static pt_status check_input(const parse *p, pt_error *err)
{
    const pt_plan *input = p->input;
    pt__arena *arena = p->a->arena;
    if (pt__visible_count(input) != 1)
        return pt__raise(err, PT_COND_DATAFRAME_INPUT_NOT_SINGLE_COLUMN, "numColumns",
                         pt__arena_printf(arena, "%zu", pt__visible_count(input)), NULL);
    size_t count;
    const pt_expr *const *line = pt__visible_refs(p->a, input, &count);
    if (!pt__type_is_string(line[0]->type))
        return pt__raise(err, PT_COND_DATAFRAME_INPUT_NOT_STRING_TYPE, "dataType", pt__quote_type(arena, line[0]->type),
                         NULL);
    return PT_OK;
}

static const pt_expr *line_of(const parse *p)
{
    size_t count;
    return pt__visible_refs(p->a, p->input, &count)[0];
}

/* ---- CSV: the lines that count ---- */

static pt_status keep_lines(parse *p, pt_error *err)
{
    pt__arena *arena = p->a->arena;
    pt__build b = {p->a, PT_OK, err};
    const pt_expr *length = pt__build_call(&b, "length", 1, pt__build_call(&b, "trim", 1, line_of(p)));
    const pt_expr *condition = pt__build_call(&b, ">", 2, length, pt__expr_int(arena, 0));
    const char *comment = pt__json_get_string(p->options, "comment", "");
    if (comment[0] != '\0') {
        const pt_expr *starts = pt__build_call(&b, "startswith", 2, line_of(p), pt__expr_string(arena, comment));
        condition = pt__build_call(&b, "and", 2, condition, pt__build_call(&b, "not", 1, starts));
    }
    PT_TRY(b.status);
    p->input = pt__filter(p->a, p->input, condition, NULL);
    return PT_OK;
}

static pt_status drop_header(parse *p, pt_error *err)
{
    pt__build b = {p->a, PT_OK, err};
    const pt_expr *is_header = pt__build_call(&b, "==", 2, line_of(p), pt__expr_string(p->a->arena, p->first_line));
    const pt_expr *condition = pt__build_call(&b, "not", 1, is_header);
    PT_TRY(b.status);
    p->input = pt__filter(p->a, p->input, condition, NULL);
    return PT_OK;
}

static pt_status take_first_line(parse *p, pt_error *err)
{
    pt_plan_limit *limit = pt__plan_make(p->a->arena, LIMIT, limit, NULL);
    limit->input = p->input;
    limit->limit = pt__expr_int(p->a->arena, 1);
    pt__pass_columns(&limit->base, p->input);
    const pt_value *cells;
    size_t rows;
    PT_TRY(p->a->catalog->vtable->collect(p->a->catalog, p->a->arena, &limit->base, &cells, &rows, err));
    if (rows == 1)
        p->first_line = pt__arena_copy_text(p->a->arena, cells[0].as.text.data, cells[0].as.text.size_bytes);
    return PT_OK;
}

/* With enforceSchema=false the header must name the columns of the schema. */
static pt_status check_header(const parse *p, pt_error *err)
{
    size_t count;
    if (!option_is(p, "enforceschema", "false") || p->schema == NULL)
        return PT_OK;
    const char *const *names =
        pt__csv_names(p->a->arena, (pt_text_view){p->first_line, strlen(p->first_line)}, p->options, &count);
    if (count != p->schema->field_count)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the CSV header has %zu columns, the schema %zu", count,
                            p->schema->field_count);
    for (size_t i = 0; i < count; i++) {
        if (!pt__same_name(p->a, names[i], p->schema->fields[i].name))
            return pt_error_set(err, PT_INVALID_ARGUMENT, "the CSV header names column %zu %s, the schema %s", i + 1,
                                names[i], p->schema->fields[i].name);
    }
    return PT_OK;
}

/* ---- types ---- */

/* Part of the rows when a ratio below 1 is given; the same ones each time. */
static const pt_plan *sampled(const parse *p)
{
    double ratio = strtod(pt__json_get_string(p->options, "samplingratio", "1"), NULL);
    if (!(ratio > 0 && ratio < 1))
        return p->input;
    pt_plan_sample *sample = pt__plan_make(p->a->arena, SAMPLE, sample, NULL);
    sample->input = p->input;
    sample->upper = ratio;
    sample->seed = 1;
    sample->has_seed = true;
    sample->row_limit = -1;
    pt__pass_columns(&sample->base, p->input);
    return &sample->base;
}

static pt_status infer_json_line(void *context, pt_text_view text, pt_error *err)
{
    pt__json_inference *in = context;
    (void)err;
    pt__json_inference_add(in, text);
    return PT_OK;
}

static void end_inference(void *in)
{
    pt__json_inference_deinit(in);
}

static pt_status infer_json(parse *p, pt_error *err)
{
    pt__json_inference *in = pt__arena_make(p->a->arena, pt__json_inference);
    if (!pt__json_inference_init(in, p->a->arena, p->options))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to infer a schema");
    pt__arena_defer(p->a->arena, end_inference, in);
    PT_TRY(p->a->catalog->vtable->each_text(p->a->catalog, sampled(p), infer_json_line, in, err));
    p->schema = pt__json_inference_end(in);
    return PT_OK;
}

typedef struct csv_inference {
    parse *p;
    pt__arena *scratch; /* of one line */
    const pt_type **types;
    size_t count;
} csv_inference;

static pt_status infer_csv_line(void *context, pt_text_view text, pt_error *err)
{
    csv_inference *in = context;
    (void)err;
    pt__csv_merge_line(in->p->a->arena, in->scratch, text, in->p->options, in->types, in->count);
    pt__arena_reset(in->scratch);
    return PT_OK;
}

static void free_arena(void *arena)
{
    pt__arena_free(arena);
}

static pt_status infer_csv_types(csv_inference *in, pt_error *err)
{
    pt__catalog *catalog = in->p->a->catalog;
    in->scratch = pt__arena_new(0);
    if (in->scratch == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to infer a schema");
    pt__arena_defer(in->p->a->arena, free_arena, in->scratch);
    return catalog->vtable->each_text(catalog, sampled(in->p), infer_csv_line, in, err);
}

static pt_status infer_csv(parse *p, pt_error *err)
{
    pt__arena *arena = p->a->arena;
    csv_inference in = {.p = p};
    if (p->first_line == NULL) {
        p->schema = pt__type_struct(arena, NULL, 0);
        return PT_OK;
    }
    pt_text_view line = {p->first_line, strlen(p->first_line)};
    const char *const *names = pt__csv_names(arena, line, p->options, &in.count);
    in.types = pt__arena_array(arena, const pt_type *, in.count + 1);
    for (size_t i = 0; i < in.count; i++)
        in.types[i] = PT_T(VOID);
    if (option_is(p, "inferschema", "true"))
        PT_TRY(infer_csv_types(&in, err));
    pt_field *fields = pt__arena_array(arena, pt_field, in.count + 1);
    for (size_t i = 0; i < in.count; i++)
        fields[i] = (pt_field){names[i], in.types[i]->id == PT_TYPE_VOID ? PT_T(STRING) : in.types[i], true, NULL};
    p->schema = pt__type_struct(arena, fields, in.count);
    return PT_OK;
}

static pt_status find_schema(parse *p, pt_error *err)
{
    bool is_csv = strcmp(p->node->format, "csv") == 0;
    p->schema = p->node->schema == NULL ? NULL : pt__type_as_nullable(p->a->arena, p->node->schema);
    if (is_csv) {
        bool has_header = option_is(p, "header", "true");
        PT_TRY(keep_lines(p, err));
        if (has_header || p->schema == NULL)
            PT_TRY(take_first_line(p, err));
        if (has_header && p->first_line != NULL) {
            PT_TRY(check_header(p, err));
            PT_TRY(drop_header(p, err));
        }
    }
    if (p->schema != NULL)
        return PT_OK;
    return is_csv ? infer_csv(p, err) : infer_json(p, err);
}

/* ---- records ---- */

static bool drops_bad(const parse *p)
{
    return option_is(p, "mode", "DROPMALFORMED");
}

/* The schema, with a field for bad records when rows are dropped for them. */
static const pt_type *record_type(const parse *p)
{
    size_t count = p->schema->field_count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(p->schema->fields[i].name, corrupt_name(p)) == 0)
            return p->schema;
    }
    if (!drops_bad(p))
        return p->schema;
    pt_field *fields = pt__arena_array(p->a->arena, pt_field, count + 1);
    if (count != 0)
        memcpy(fields, p->schema->fields, count * sizeof(*fields));
    fields[count] = (pt_field){corrupt_name(p), PT_T(STRING), true, NULL};
    return pt__type_struct(p->a->arena, fields, count + 1);
}

static void add_option(pt_value *items, size_t *count, const char *key, const char *value)
{
    items[(*count)++].as.text = (pt_text_view){key, strlen(key)};
    items[(*count)++].as.text = (pt_text_view){value, strlen(value)};
}

/* The reader's options for from_json and from_csv; bad records are dropped by a filter. */
static const pt_expr *options_literal(const parse *p, bool has_records)
{
    pt__arena *arena = p->a->arena;
    const pt_options *options = &p->node->options;
    pt_value *items = pt__arena_array(arena, pt_value, 2 * options->count + 6);
    size_t count = 0;
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->items[i].key;
        if (strcasecmp(key, "mode") != 0 || !drops_bad(p))
            add_option(items, &count, strcasecmp(key, "delimiter") == 0 ? "sep" : key,
                       options->items[i].value == NULL ? "" : options->items[i].value);
    }
    if (has_records)
        add_option(items, &count, PT_JSON_RECORDS_OPTION, "true");
    add_option(items, &count, "columnNameOfCorruptRecord", corrupt_name(p));
    pt_value map = {.as.list = {items, count}};
    return pt__expr_literal(arena, pt__type_map(arena, PT_T(STRING), PT_T(STRING), false), map);
}

static const pt_expr *read_call(const parse *p, const char *function, const pt_type *type)
{
    size_t overloads;
    pt_expr_call *call = pt__expr_make(p->a->arena, CALL, call, p->node->base.origin);
    const pt_expr **arguments = pt__arena_array(p->a->arena, const pt_expr *, 3);
    arguments[0] = line_of(p);
    arguments[1] = pt__expr_string(p->a->arena, "");
    arguments[2] = options_literal(p, type->id == PT_TYPE_ARRAY);
    call->base.type = type;
    call->base.nullable = true;
    call->name = pt__name_one(p->a->arena, function);
    call->function = pt__function_find(function, &overloads);
    call->arguments = arguments;
    call->argument_count = 3;
    call->mode = PT_CAST_ANSI;
    return &call->base;
}

/* A list of records for each line; a NULL gives a record of NULLs. */
static pt_status json_records(parse *p, const pt_type *type, const pt_plan **out, pt_error *err)
{
    pt__build b = {p->a, PT_OK, err};
    const pt_type *list = pt__type_array(p->a->arena, type, true);
    const pt_value null = {.is_null = true};
    const pt_value one_null = {.as.list = {pt__arena_copy(p->a->arena, &null, sizeof(null)), 1}};
    const pt_expr *records =
        pt__build_call(&b, "if", 3, pt__build_call(&b, "isnull", 1, line_of(p)),
                       pt__expr_literal(p->a->arena, list, one_null), read_call(p, "from_json", list));
    const pt_expr *rows = pt__build_call(&b, "inline", 1, records);
    PT_TRY(b.status);
    return pt__select(p->a, p->input, &rows, 1, NULL, out, err);
}

static const pt_expr *field_of(const parse *p, const pt_expr *record, size_t ordinal)
{
    const pt_field *f = &record->type->fields[ordinal];
    pt_expr_field *field = pt__expr_make(p->a->arena, FIELD, field, NULL);
    field->child = record;
    field->name = f->name;
    field->ordinal = (uint32_t)ordinal;
    field->base.type = f->type;
    field->base.nullable = true;
    return &field->base;
}

static pt_status csv_records(parse *p, const pt_type *type, const pt_plan **out, pt_error *err)
{
    pt__build b = {p->a, PT_OK, err};
    const pt_expr *record = pt__build_alias(&b, read_call(p, "from_csv", type), "record");
    const pt_expr *const *records = pt__arena_copy(p->a->arena, &record, sizeof(record)); /* the node keeps the list */
    const pt_plan *read = pt__project(p->a, p->input, records, 1, NULL);
    const pt_expr **fields = pt__arena_array(p->a->arena, const pt_expr *, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_expr *field = field_of(p, pt__column_ref(p->a, &read->columns[0]), i);
        fields[i] = pt__build_alias(&b, field, type->fields[i].name);
    }
    *out = pt__project(p->a, read, fields, type->field_count, NULL);
    return PT_OK;
}

/* Rows without columns. */
static const pt_plan *no_columns(const parse *p)
{
    return pt__project(p->a, p->input, NULL, 0, &p->node->base);
}

/* Leaves out bad records, and the column that is there for them alone. */
static pt_status drop_bad(const parse *p, const pt_plan **plan, pt_error *err)
{
    pt__build b = {p->a, PT_OK, err};
    size_t count = p->schema->field_count;
    for (size_t i = 0; i < (*plan)->column_count && drops_bad(p); i++) {
        const pt_column *column = &(*plan)->columns[i];
        if (strcmp(column->name, corrupt_name(p)) != 0)
            continue;
        const pt_expr *condition = pt__build_call(&b, "isnull", 1, pt__column_ref(p->a, column));
        PT_TRY(b.status);
        *plan = pt__filter(p->a, *plan, condition, NULL);
        break;
    }
    size_t all;
    const pt_expr *const *refs = pt__visible_refs(p->a, *plan, &all);
    *plan = pt__project(p->a, *plan, refs, count, &p->node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(parse)
{
    parse p = {.a = a, .node = node, .options = pt__options_of(a->arena, &node->options)};
    PT_TRY(pt__analyze_plan(a, node->input, &p.input, err));
    PT_TRY(check_input(&p, err));
    if (node->schema != NULL && node->schema->id != PT_TYPE_STRUCT)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the schema of a reader must be a struct");
    PT_TRY(find_schema(&p, err));
    const pt_type *type = record_type(&p);
    if (type->field_count == 0) {
        *out = no_columns(&p);
        return PT_OK;
    }
    const pt_plan *records;
    PT_TRY(strcmp(node->format, "csv") == 0 ? csv_records(&p, type, &records, err)
                                            : json_records(&p, type, &records, err));
    PT_TRY(drop_bad(&p, &records, err));
    *out = records;
    return PT_OK;
}
