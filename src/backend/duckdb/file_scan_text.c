#include "backend/duckdb/file_scan.h"

#include "analyze/json_schema.h"
#include "base/arena_buffer.h"
#include "base/json.h"

#include <string.h>
#include <strings.h>

/* ---- fields that DuckDB's reader of CSV gives as text ---- */

/* Casts a text read from a file: what does not fit is NULL. */
static pt_status bind_read_text(pt__lower *lower, const pt__file_scan *scan, size_t index, const char *text,
                                const pt_type *from, pt_error *err)
{
    const pt_column *column = &scan->node->base.columns[index];
    size_t mark = lower->text.size_bytes;
    PT_TRY(pt__put_cast(lower, PT_CAST_TRY, text, from, column->type, err));
    bool is_plain = pt__type_is_string(column->type);
    pt__bind_text(lower, column->id, pt__cut(lower, mark), is_plain ? PT_TEXT_COLUMN : PT_TEXT_COMPUTED, 2);
    return PT_OK;
}

static pt_status bind_csv(pt__lower *lower, const pt__file_scan *scan, pt_error *err)
{
    bool trims_left = pt__option_is_true(&scan->node->options, "ignoreLeadingWhiteSpace", false);
    bool trims_right = pt__option_is_true(&scan->node->options, "ignoreTrailingWhiteSpace", false);
    for (size_t i = 0; i < scan->data->field_count; i++) {
        const char *text = pt__arena_printf(lower->arena, "s%u.c%zu", scan->alias, i);
        if (trims_left || trims_right)
            text = pt__arena_printf(lower->arena, "%s(%s)",
                                    trims_left && trims_right ? "trim"
                                    : trims_left              ? "ltrim"
                                                              : "rtrim",
                                    text);
        PT_TRY(bind_read_text(lower, scan, i, text, PT_T(STRING), err));
    }
    return PT_OK;
}

/* ---- rows parsed by our own functions: from_json and from_csv ---- */

static const char *corrupt_name(const pt__file_scan *scan)
{
    const char *name = pt__options_get(&scan->node->options, "columnNameOfCorruptRecord");
    return name == NULL ? "_corrupt_record" : name;
}

static bool reads_corrupt(const pt__file_scan *scan)
{
    for (size_t i = 0; i < scan->data->field_count; i++) {
        if (strcmp(scan->data->fields[i].name, corrupt_name(scan)) == 0)
            return true;
    }
    return false;
}

static bool has_mode(const pt__file_scan *scan, const char *mode)
{
    const char *given = pt__options_get(&scan->node->options, "mode");
    return given != NULL && strcasecmp(given, mode) == 0;
}

static const pt_expr *text_expr(pt__arena *arena, const char *text)
{
    return pt__expr_string(arena, text);
}

/* The options as a map literal; DROPMALFORMED is PERMISSIVE with a filter above. */
static const pt_expr *options_expr(pt__arena *arena, const pt_options *options, bool has_records)
{
    pt_value *items = pt__arena_array(arena, pt_value, 2 * options->count + 4);
    size_t count = 0;
    if (has_records) {
        items[count++].as.text = (pt_text_view){PT_JSON_RECORDS_OPTION, strlen(PT_JSON_RECORDS_OPTION)};
        items[count++].as.text = (pt_text_view){"true", 4};
    }
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->items[i].key;
        const char *value = options->items[i].value == NULL ? "" : options->items[i].value;
        if (strcasecmp(key, "mode") == 0 && strcasecmp(value, "DROPMALFORMED") == 0)
            continue;
        if (strcasecmp(key, "delimiter") == 0)
            key = "sep";
        items[count++].as.text = (pt_text_view){key, strlen(key)};
        items[count++].as.text = (pt_text_view){value, strlen(value)};
    }
    pt_value map = {.as.list = {items, count}};
    return pt__expr_literal(arena, pt__type_map(arena, PT_T(STRING), PT_T(STRING), false), map);
}

/* The data schema; with a field for corrupt records when rows are dropped for them. */
static const pt_type *parsed_type(pt__lower *lower, const pt__file_scan *scan)
{
    if (!has_mode(scan, "DROPMALFORMED") || reads_corrupt(scan))
        return scan->data;
    size_t count = scan->data->field_count;
    pt_field *fields = pt__arena_array(lower->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++)
        fields[i] = scan->data->fields[i];
    fields[count] = (pt_field){corrupt_name(scan), PT_T(STRING), true, NULL};
    return pt__type_struct(lower->arena, fields, count + 1);
}

/* `from_json(text, type, options)`, as SQL; of an array type: the list of the text's records. */
static pt_status put_parse(pt__lower *lower, const pt__file_scan *scan, const char *function, const char *text,
                           const pt_type *type, pt_error *err)
{
    size_t overloads;
    pt__arena *arena = lower->arena;
    pt_expr_column *line = pt__expr_make(arena, COLUMN, column, scan->node->base.origin);
    line->base.type = PT_T(STRING);
    line->base.nullable = true;
    line->name = "line";
    line->id = ++lower->last_id;
    pt__bind_text(lower, line->id, text, PT_TEXT_COLUMN, 0);
    const pt_expr **arguments = pt__arena_array(arena, const pt_expr *, 3);
    arguments[0] = &line->base;
    arguments[1] = text_expr(arena, "");
    arguments[2] = options_expr(arena, &scan->node->options, type->id == PT_TYPE_ARRAY);
    pt_expr_call *call = pt__expr_make(arena, CALL, call, scan->node->base.origin);
    call->base.type = type;
    call->base.nullable = true;
    call->name = pt__name_one(arena, function);
    call->function = pt__function_find(function, &overloads);
    call->arguments = arguments;
    call->argument_count = 3;
    call->mode = PT_CAST_ANSI;
    return pt__lower_call(lower, call, NULL, err);
}

/* ---- inferred JSON: DuckDB's own reader, which is some times as fast and exact where every value has its type ---- */

static bool is_plain_json(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BOOLEAN:
    case PT_TYPE_LONG:
    case PT_TYPE_DOUBLE:
    case PT_TYPE_STRING: return true;
    case PT_TYPE_ARRAY: return is_plain_json(type->element);
    case PT_TYPE_STRUCT: break;
    default: return false;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        if (!is_plain_json(type->fields[i].type))
            return false;
    }
    return type->field_count > 0;
}

/* Options that do not change how values are read. */
static bool has_plain_options(const pt_options *options)
{
    static const char *const PLAIN[] = {"path", "multiLine", "samplingRatio", "recursiveFileLookup", "pathGlobFilter"};
    for (size_t i = 0; i < options->count; i++) {
        bool is_plain = false;
        for (size_t k = 0; k < sizeof(PLAIN) / sizeof(*PLAIN); k++)
            is_plain = is_plain || strcasecmp(options->items[i].key, PLAIN[k]) == 0;
        if (!is_plain)
            return false;
    }
    return true;
}

static void put_json_structure(pt__buffer *out, const pt_type *type)
{
    if (type->id == PT_TYPE_ARRAY) {
        pt__buffer_append_string(out, "[");
        put_json_structure(out, type->element);
        pt__buffer_append_string(out, "]");
        return;
    }
    if (type->id != PT_TYPE_STRUCT) {
        pt__buffer_append_string(out, type->id == PT_TYPE_BOOLEAN  ? "\"BOOLEAN\""
                                      : type->id == PT_TYPE_LONG   ? "\"BIGINT\""
                                      : type->id == PT_TYPE_DOUBLE ? "\"DOUBLE\""
                                                                   : "\"VARCHAR\"");
        return;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        pt__buffer_append_string(out, i == 0 ? "{" : ",");
        pt__json_append_cstring(out, type->fields[i].name);
        pt__buffer_append_string(out, ":");
        put_json_structure(out, type->fields[i].type);
    }
    pt__buffer_append_string(out, "}");
}

/* The list of the records. */
static void put_transform(pt__lower *lower, const pt_type *type)
{
    pt__buffer *structure = pt__arena_buffer(lower->arena);
    put_json_structure(structure, type);
    pt__put(lower, "CASE WHEN starts_with(json, '[') THEN json_transform(json, ");
    pt__put_string(lower, pt__arena_printf(lower->arena, "[%s]", pt__buffer_string(structure)),
                   structure->size_bytes + 2);
    pt__put(lower, ") ELSE [json_transform(json, ");
    pt__put_string(lower, pt__buffer_string(structure), structure->size_bytes);
    pt__put(lower, ")] END");
}

static bool names_are_kept(pt__arena *arena, const pt_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (strcmp(pt__field_name(arena, type, i), type->fields[i].name) != 0 ||
            !names_are_kept(arena, type->fields[i].type))
            return false;
    }
    return type->element == NULL || names_are_kept(arena, type->element);
}

/* ---- rows out of parsed records ---- */

/* (SELECT unnest(from_json(line, …)) AS j FROM portico_lines(…)) */
static pt_status put_parsed_lines(pt__lower *lower, const pt__file_scan *scan, const char *function, const char *text,
                                  const pt_type *type, bool with_partitions, pt_error *err)
{
    const pt_type *partitions = scan->reader.partition_schema;
    bool is_json = strcasecmp(scan->node->format, "json") == 0;
    pt__put(lower, is_json ? "(SELECT unnest(" : "(SELECT ");
    if (function == NULL)
        put_transform(lower, type);
    else
        PT_TRY(put_parse(lower, scan, function, text, is_json ? pt__type_array(lower->arena, type, true) : type, err));
    pt__put(lower, is_json ? ") AS j" : " AS j");
    for (size_t i = 0; with_partitions && i < partitions->field_count; i++) {
        pt__put(lower, ", ");
        pt__put_identifier(lower, partitions->fields[i].name);
    }
    pt__put(lower, " FROM ");
    return PT_OK;
}

static void bind_parsed(pt__lower *lower, const pt__file_scan *scan, pt__block *out, const pt_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const char *name = pt__field_name(lower->arena, type, i);
        size_t mark = lower->text.size_bytes;
        pt__putf(lower, "struct_extract(s%u.j, ", scan->alias);
        pt__put_string(lower, name, strlen(name));
        pt__put(lower, ")");
        const char *text = pt__cut(lower, mark);
        if (i < scan->data->field_count)
            pt__bind_text(lower, scan->node->base.columns[i].id, text, PT_TEXT_COLUMN, 1);
        bool drops = has_mode(scan, "DROPMALFORMED") && strcmp(type->fields[i].name, corrupt_name(scan)) == 0;
        if (drops)
            pt__list_push(lower->arena, &out->where, pt__arena_printf(lower->arena, "%s IS NULL", text));
    }
}

/* Lines, or values that DuckDB has found in the files when records span lines or folders are partitions. */
pt_status pt__scan_json(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err)
{
    const pt_type *partitions = scan->reader.partition_schema;
    bool has_partitions = partitions != NULL && partitions->field_count > 0;
    bool is_plain = scan->node->schema == NULL && is_plain_json(scan->data) && !reads_corrupt(scan) &&
                    has_plain_options(&scan->node->options) && names_are_kept(lower->arena, scan->data);
    bool by_lines = !is_plain && !has_partitions && !pt__option_is_true(&scan->node->options, "multiLine", false);
    const pt_type *type = parsed_type(lower, scan);
    size_t mark = lower->text.size_bytes;
    const char *function = is_plain ? NULL : "from_json";
    PT_TRY(put_parsed_lines(lower, scan, function, by_lines ? "line" : "CAST(json AS VARCHAR)", type, has_partitions,
                            err));
    if (by_lines) {
        pt__put_line_reader(lower, &scan->reader);
        pt__put(lower, " WHERE trim(line) <> '')");
    } else {
        pt__put_json_reader(lower, &scan->reader);
        pt__put(lower, ")");
    }
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_parsed(lower, scan, out, type);
    return PT_OK;
}

/* What DuckDB's reader of CSV cannot do as Spark does. */
static bool needs_own_csv(const pt__file_scan *scan)
{
    static const char *const OPTIONS[] = {"dateFormat",
                                          "timestampFormat",
                                          "timestampNTZFormat",
                                          "unescapedQuoteHandling",
                                          "charToEscapeQuoteEscaping",
                                          "emptyValue",
                                          "nanValue",
                                          "positiveInf",
                                          "negativeInf"};
    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(*OPTIONS); i++) {
        if (pt__options_get(&scan->node->options, OPTIONS[i]) != NULL)
            return true;
    }
    return reads_corrupt(scan) || has_mode(scan, "FAILFAST") || has_mode(scan, "DROPMALFORMED");
}

static pt_status lower_csv_lines(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err)
{
    const pt_type *type = parsed_type(lower, scan);
    const char *comment = pt__csv_character(&scan->node->options, "comment", "");
    size_t mark = lower->text.size_bytes;
    scan->reader.skips_header = pt__option_is_true(&scan->node->options, "header", false);
    PT_TRY(put_parsed_lines(lower, scan, "from_csv", "line", type, false, err));
    pt__put_line_reader(lower, &scan->reader);
    pt__put(lower, " WHERE trim(line) <> ''");
    if (comment[0] != '\0') {
        pt__put(lower, " AND NOT starts_with(line, ");
        pt__put_string(lower, comment, strlen(comment));
        pt__put(lower, ")");
    }
    pt__putf(lower, ") AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_parsed(lower, scan, out, type);
    return PT_OK;
}

pt_status pt__scan_csv(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err)
{
    const pt_type *partitions = scan->reader.partition_schema;
    bool has_partitions = partitions != NULL && partitions->field_count > 0;
    if (needs_own_csv(scan)) {
        if (has_partitions || pt__option_is_true(&scan->node->options, "multiLine", false))
            return pt__lower_unsupported(
                err, scan->node->base.origin,
                "these options of CSV files with partition folders or records of several lines");
        return lower_csv_lines(lower, scan, out, err);
    }
    size_t mark = lower->text.size_bytes;
    pt__put_csv_reader(lower, &scan->reader, scan->data->field_count);
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    return bind_csv(lower, scan, err);
}

/* ---- lines ---- */

pt_status pt__scan_text(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err)
{
    (void)err;
    size_t mark = lower->text.size_bytes;
    pt__put_line_reader(lower, &scan->reader);
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    for (size_t i = 0; i < scan->data->field_count; i++)
        pt__bind_text(lower, scan->node->base.columns[i].id, pt__arena_printf(lower->arena, "s%u.line", scan->alias),
                      PT_TEXT_COLUMN, 0);
    return PT_OK;
}
