#include "analyze/json_schema.h"

#include "analyze/analyzer.h"
#include "base/arena_buffer.h"
#include "base/condition.h"
#include "base/csv_line.h"
#include "base/int128.h"
#include "base/list.h"
#include "decode/spark_sql/parser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- constants ---- */

static const pt_expr *without_casts(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST || expr->kind == PT_EXPR_ALIAS)
        expr = expr->kind == PT_EXPR_CAST ? pt__expr_as_cast(expr)->child : pt__expr_as_alias(expr)->child;
    return expr;
}

bool pt__constant_text(const pt_expr *expr, pt_text_view *out)
{
    expr = without_casts(expr);
    if (expr->kind != PT_EXPR_LITERAL || !pt__type_is_string(expr->type) || pt__expr_as_literal(expr)->value.is_null)
        return false;
    *out = pt__expr_as_literal(expr)->value.as.text;
    return true;
}

static void append_lower(pt__buffer *out, pt_text_view text)
{
    pt__buffer lower = PT_BUFFER_INIT;
    for (size_t i = 0; i < text.size_bytes; i++)
        pt__buffer_append_byte(&lower, (uint8_t)tolower((unsigned char)text.data[i]));
    pt__json_append_string(out, (const char *)lower.data, lower.size_bytes);
    pt__buffer_deinit(&lower);
}

/* A literal of a map, as DataFrames may send it. */
static bool append_map_literal(pt__buffer *out, const pt_expr *expr)
{
    const pt_value *value = &pt__expr_as_literal(expr)->value;
    if (expr->type->id != PT_TYPE_MAP || value->is_null || !pt__type_is_string(expr->type->key) ||
        !pt__type_is_string(expr->type->element))
        return false;
    for (size_t i = 0; i + 1 < value->as.list.count; i += 2) {
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        append_lower(out, value->as.list.items[i].as.text);
        pt__buffer_append_byte(out, ':');
        pt_text_view text = value->as.list.items[i + 1].as.text;
        pt__json_append_string(out, text.data, text.size_bytes);
    }
    return true;
}

static bool append_map_call(pt__buffer *out, const pt_expr_call *call)
{
    if (strcasecmp(call->name.parts[call->name.count - 1], "map") != 0)
        return false;
    for (size_t i = 0; i + 1 < call->argument_count; i += 2) {
        pt_text_view key;
        pt_text_view value;
        if (!pt__constant_text(call->arguments[i], &key) || !pt__constant_text(call->arguments[i + 1], &value))
            return false;
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        append_lower(out, key);
        pt__buffer_append_byte(out, ':');
        pt__json_append_string(out, value.data, value.size_bytes);
    }
    return true;
}

static bool append_options(pt__buffer *out, const pt_expr *expr)
{
    if (expr == NULL)
        return true;
    expr = without_casts(expr);
    if (expr->kind == PT_EXPR_LITERAL)
        return append_map_literal(out, expr);
    return expr->kind == PT_EXPR_CALL && append_map_call(out, pt__expr_as_call(expr));
}

bool pt__constant_options(pt__arena *arena, const pt_expr *expr, pt__options *out)
{
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer_append_byte(text, '{');
    bool ok = append_options(text, expr);
    pt__buffer_append_byte(text, '}');
    ok = ok && pt__json_parse(arena, (const char *)text->data, text->size_bytes, out, NULL) == PT_OK;
    return ok;
}

const char *pt__options_text(pt__arena *arena, pt__options options)
{
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer_append_byte(text, '{');
    for (size_t i = 0; i < options->count; i++) {
        pt__buffer_append_string(text, i == 0 ? "" : ",");
        pt__json_append_string(text, options->items[i].key, strlen(options->items[i].key));
        pt__buffer_append_byte(text, ':');
        pt__json_append_string(text, options->items[i].text, options->items[i].text_bytes);
    }
    pt__buffer_append_byte(text, '}');
    return pt__arena_buffer_take(arena, text);
}

static bool flag(pt__options options, const char *name, bool fallback)
{
    const char *text = pt__json_get_string(options, name, NULL);
    return text == NULL ? fallback : strcasecmp(text, "true") == 0;
}

unsigned pt__json_features(pt__options options)
{
    static const struct {
        const char *name;
        unsigned feature;
        bool fallback;
    } FEATURES[] = {
        {"allowsinglequotes", PT_LOOSE_SINGLE_QUOTES, true},
        {"allowunquotedfieldnames", PT_LOOSE_UNQUOTED_NAMES, false},
        {"allowcomments", PT_LOOSE_COMMENTS, false},
        {"allownumericleadingzeros", PT_LOOSE_LEADING_ZEROS, false},
        {"allowunquotedcontrolchars", PT_LOOSE_CONTROL_CHARACTERS, false},
        {"allowbackslashescapinganycharacter", PT_LOOSE_BACKSLASH_ANY, false},
        {"allownonnumericnumbers", PT_LOOSE_NON_NUMERIC, true},
    };
    unsigned allowed = 0;
    for (size_t i = 0; i < sizeof(FEATURES) / sizeof(FEATURES[0]); i++)
        allowed |= flag(options, FEATURES[i].name, FEATURES[i].fallback) ? FEATURES[i].feature : 0;
    return allowed;
}

/* ---- JSON ---- */

static const pt_type *decimal_of(pt__arena *arena, pt_text_view text)
{
    pt__decimal number;
    if (pt__decimal_parse(text.data, text.size_bytes, &number) != PT_DECIMAL_OK)
        return PT_T(DOUBLE);
    int32_t scale = number.scale > 0 ? number.scale : 0;
    int32_t digits = pt__int128_digits(number.unscaled) + (number.scale < 0 ? -number.scale : 0);
    int32_t precision = digits > scale ? digits : scale;
    return precision <= PT_DECIMAL_PRECISION_MAX ? pt__type_decimal(arena, precision, scale) : PT_T(DOUBLE);
}

static bool fits_long(pt_text_view text)
{
    pt__decimal number;
    return pt__decimal_parse(text.data, text.size_bytes, &number) == PT_DECIMAL_OK && number.unscaled >= INT64_MIN &&
           number.unscaled <= INT64_MAX;
}

/* 2020-01-01T10:00 with what may follow; seconds and zones are not looked into. */
static bool looks_like_timestamp(pt_text_view text)
{
    static const char SHAPE[] = "dddd-dd-ddTdd:dd";
    if (text.size_bytes < sizeof(SHAPE) - 1)
        return false;
    for (size_t i = 0; i < sizeof(SHAPE) - 1; i++) {
        char c = text.data[i];
        if (SHAPE[i] == 'd' ? c < '0' || c > '9' : SHAPE[i] == 'T' ? c != 'T' && c != ' ' : c != SHAPE[i])
            return false;
    }
    return true;
}

static const pt_type *string_type(pt__arena *arena, pt_text_view text, pt__options options)
{
    if (text.size_bytes == 0)
        return PT_T(VOID);
    pt__decimal number;
    if (flag(options, "prefersdecimal", false) &&
        pt__decimal_parse(text.data, text.size_bytes, &number) == PT_DECIMAL_OK)
        return decimal_of(arena, text);
    if (flag(options, "infertimestamp", false) && looks_like_timestamp(text))
        return PT_T(TIMESTAMP);
    return PT_T(STRING);
}

static const pt_type *number_type(pt__arena *arena, const pt__loose_node *node, pt__options options)
{
    if (flag(options, "primitivesasstring", false))
        return PT_T(STRING);
    if (node->kind == PT_LOOSE_INT)
        return fits_long(node->text) ? PT_T(LONG) : decimal_of(arena, node->text);
    return flag(options, "prefersdecimal", false) ? decimal_of(arena, node->text) : PT_T(DOUBLE);
}

static int compare_fields(const void *a, const void *b)
{
    return strcmp(((const pt_field *)a)->name, ((const pt_field *)b)->name);
}

static const char *key_text(pt__arena *arena, const pt__loose_node *node)
{
    pt__buffer *key = pt__arena_buffer(arena);
    pt__loose_append_text(key, node->key, node->key_escaped);
    return pt__arena_buffer_take(arena, key);
}

static const pt_type *object_type(pt__arena *arena, const pt__loose_json *json, uint32_t node, pt__options options)
{
    pt__list(pt_field) fields = {0};
    PT_LOOSE_EACH(json, node, child)
    {
        pt_field field = {key_text(arena, &json->nodes[child]), pt__json_type(arena, json, child, options), true, NULL};
        pt__list_push(arena, &fields, field);
    }
    if (fields.count > 1)
        qsort(fields.items, fields.count, sizeof(pt_field), compare_fields);
    return pt__type_struct(arena, fields.items, fields.count);
}

const pt_type *pt__json_type(pt__arena *arena, const pt__loose_json *json, uint32_t node, pt__options options)
{
    const pt__loose_node *value = &json->nodes[node];
    bool as_string = flag(options, "primitivesasstring", false);
    const pt_type *element = PT_T(VOID);
    switch (value->kind) {
    case PT_LOOSE_NULL: return PT_T(VOID);
    case PT_LOOSE_TRUE:
    case PT_LOOSE_FALSE: return as_string ? PT_T(STRING) : PT_T(BOOLEAN);
    case PT_LOOSE_INT:
    case PT_LOOSE_FLOAT: return number_type(arena, value, options);
    case PT_LOOSE_STRING: return string_type(arena, value->text, options);
    case PT_LOOSE_OBJECT: return object_type(arena, json, node, options);
    case PT_LOOSE_ARRAY:
        PT_LOOSE_EACH(json, node, child)
        element = pt__merge_inferred(arena, element, pt__json_type(arena, json, child, options), PT_T(STRING));
        return pt__type_array(arena, element, true);
    }
    return PT_T(STRING);
}

static const pt_type *merge_structs(pt__arena *arena, const pt_type *a, const pt_type *b, const pt_type *otherwise)
{
    pt_field *fields = pt__arena_array(arena, pt_field, a->field_count + b->field_count + 1);
    size_t count = 0;
    size_t i = 0;
    size_t k = 0;
    while (i < a->field_count || k < b->field_count) {
        int order = i == a->field_count ? 1 : k == b->field_count ? -1 : strcmp(a->fields[i].name, b->fields[k].name);
        fields[count] = order <= 0 ? a->fields[i] : b->fields[k];
        if (order == 0)
            fields[count].type = pt__merge_inferred(arena, a->fields[i].type, b->fields[k].type, otherwise);
        count++;
        i += order <= 0;
        k += order >= 0;
    }
    return pt__type_struct(arena, fields, count);
}

static const pt_type *merge_decimals(pt__arena *arena, const pt_type *a, const pt_type *b)
{
    int32_t scale = a->scale > b->scale ? a->scale : b->scale;
    int32_t whole =
        a->precision - a->scale > b->precision - b->scale ? a->precision - a->scale : b->precision - b->scale;
    return whole + scale > PT_DECIMAL_PRECISION_MAX ? PT_T(DOUBLE) : pt__type_decimal(arena, whole + scale, scale);
}

static const pt_type *as_decimal(pt__arena *arena, const pt_type *type)
{
    return type->id == PT_TYPE_LONG ? pt__type_decimal(arena, 20, 0) : type;
}

const pt_type *pt__merge_inferred(pt__arena *arena, const pt_type *a, const pt_type *b, const pt_type *otherwise)
{
    if (a->id == PT_TYPE_VOID || b->id == PT_TYPE_VOID)
        return a->id == PT_TYPE_VOID ? b : a;
    if (a->id == PT_TYPE_STRUCT && b->id == PT_TYPE_STRUCT)
        return merge_structs(arena, a, b, otherwise);
    if (a->id == PT_TYPE_ARRAY && b->id == PT_TYPE_ARRAY)
        return pt__type_array(arena, pt__merge_inferred(arena, a->element, b->element, otherwise), true);
    if (pt__type_equal(a, b))
        return a;
    if (!pt__type_is_numeric(a) || !pt__type_is_numeric(b))
        return otherwise;
    if (a->id == PT_TYPE_DOUBLE || b->id == PT_TYPE_DOUBLE || a->id == PT_TYPE_FLOAT || b->id == PT_TYPE_FLOAT)
        return PT_T(DOUBLE);
    return merge_decimals(arena, as_decimal(arena, a), as_decimal(arena, b));
}

const pt_type *pt__json_settle(pt__arena *arena, const pt_type *type)
{
    if (type->id == PT_TYPE_VOID)
        return PT_T(STRING);
    if (type->id == PT_TYPE_ARRAY) {
        const pt_type *element = pt__json_settle(arena, type->element);
        return element == NULL ? NULL : pt__type_array(arena, element, true);
    }
    if (type->id != PT_TYPE_STRUCT)
        return type;
    pt_field *fields = pt__arena_array(arena, pt_field, type->field_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        fields[count] = type->fields[i];
        fields[count].type = pt__json_settle(arena, type->fields[i].type);
        count += fields[count].type != NULL;
    }
    return count == 0 ? NULL : pt__type_struct(arena, fields, count);
}

pt_status pt__infer_json(pt__arena *arena, pt_text_view text, pt__options options, const pt_type **out, pt_error *err)
{
    pt__loose_json json = PT_LOOSE_JSON_INIT;
    pt__loose_result result = pt__loose_json_read(&json, text, pt__json_features(options));
    const pt_type *type = PT_T(VOID);
    if (result == PT_LOOSE_OK)
        type = pt__json_type(arena, &json, 0, options);
    pt__loose_json_deinit(&json);
    if (result == PT_LOOSE_NO_MEMORY)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read JSON");
    if (result == PT_LOOSE_MALFORMED)
        return pt__raise(err, PT_COND_INVALID_JSON_TEXT, "text", pt__arena_copy_text(arena, text.data, text.size_bytes),
                         NULL);
    *out = pt__json_settle(arena, type);
    if (*out == NULL)
        *out = pt__type_struct(arena, NULL, 0);
    return PT_OK;
}

/* ---- options of readers ---- */

pt__options pt__options_of(pt__arena *arena, const pt_options *pairs)
{
    const pt__json *object = NULL;
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer_append_string(text, "{");
    for (size_t i = 0; i < pairs->count; i++) {
        const char *key = pairs->items[i].key;
        const char *value = pairs->items[i].value == NULL ? "" : pairs->items[i].value;
        pt__buffer_append_string(text, i == 0 ? "" : ",");
        append_lower(text, (pt_text_view){key, strlen(key)});
        pt__buffer_append_string(text, ":");
        pt__json_append_cstring(text, value);
    }
    pt__buffer_append_string(text, "}");
    const char *copy = pt__arena_buffer_take(arena, text);
    pt__json_parse(arena, copy, strlen(copy), &object, NULL);
    return object;
}

/* ---- many records ---- */

enum { RECORDS_BETWEEN_RESETS = 2000 };

bool pt__json_inference_init(pt__json_inference *in, pt__arena *arena, pt__options options)
{
    *in = (pt__json_inference){.arena = arena, .scratch = pt__arena_new(0), .options = options, .type = PT_T(VOID)};
    return in->scratch != NULL;
}

void pt__json_inference_deinit(pt__json_inference *in)
{
    pt__loose_json_deinit(&in->json);
    pt__arena_free(in->scratch);
}

static void add_record(pt__json_inference *in, pt_text_view text)
{
    if (pt__loose_json_read(&in->json, text, pt__json_features(in->options)) != PT_LOOSE_OK) {
        in->has_bad = true;
        return;
    }
    const pt_type *type = pt__json_type(in->scratch, &in->json, 0, in->options);
    if (type->id == PT_TYPE_ARRAY)
        type = type->element;
    if (type->id != PT_TYPE_STRUCT)
        in->has_bad = in->has_bad || type->id != PT_TYPE_VOID;
    else
        in->type = pt__merge_inferred(in->scratch, in->type, type, PT_T(STRING));
}

void pt__json_inference_add(pt__json_inference *in, pt_text_view text)
{
    in->record_count++;
    if (text.data == NULL)
        in->has_bad = true;
    else
        add_record(in, text);
    if (in->record_count % RECORDS_BETWEEN_RESETS != 0)
        return;
    in->type = pt__type_copy(in->arena, in->type);
    pt__arena_reset(in->scratch);
}

static int compare_field_names(const void *a, const void *b)
{
    return strcmp(((const pt_field *)a)->name, ((const pt_field *)b)->name);
}

static const pt_type *with_corrupt_record(const pt__json_inference *in, const pt_type *type)
{
    size_t count = type == NULL ? 0 : type->field_count;
    pt_field *fields = pt__arena_array(in->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++)
        fields[i + 1] = type->fields[i];
    const char *name = pt__json_get_string(in->options, "columnnameofcorruptrecord", "_corrupt_record");
    fields[0] = (pt_field){pt__arena_copy_string(in->arena, name), PT_T(STRING), true, NULL};
    qsort(fields, count + 1, sizeof(*fields), compare_field_names);
    return pt__type_struct(in->arena, fields, count + 1);
}

const pt_type *pt__json_inference_end(const pt__json_inference *in)
{
    const pt_type *found = pt__type_copy(in->arena, in->type);
    const pt_type *type = found->id == PT_TYPE_STRUCT ? pt__json_settle(in->arena, found) : NULL;
    const char *mode = pt__json_get_string(in->options, "mode", "PERMISSIVE");
    bool is_permissive = strcasecmp(mode, "DROPMALFORMED") != 0 && strcasecmp(mode, "FAILFAST") != 0;
    if (in->has_bad && is_permissive)
        type = with_corrupt_record(in, type);
    return type == NULL ? pt__type_struct(in->arena, NULL, 0) : type;
}

/* ---- CSV ---- */

static bool all_digits(pt_text_view text)
{
    size_t i = text.size_bytes > 1 && (text.data[0] == '-' || text.data[0] == '+');
    for (; i < text.size_bytes; i++)
        if (!isdigit((unsigned char)text.data[i]))
            return false;
    return text.size_bytes > 0;
}

static const pt_type *whole_type(pt__arena *arena, pt_text_view text)
{
    pt__decimal number;
    if (pt__decimal_parse(text.data, text.size_bytes, &number) != PT_DECIMAL_OK)
        return PT_T(DOUBLE);
    if (number.unscaled >= INT32_MIN && number.unscaled <= INT32_MAX)
        return PT_T(INT);
    return fits_long(text) ? PT_T(LONG) : decimal_of(arena, text);
}

static bool is_double(const char *text)
{
    char *end;
    if (text[0] == '\0')
        return false;
    strtod(text, &end);
    return *end == '\0' && strpbrk(text, "xXpPiI") == NULL;
}

static bool is_date(pt_text_view text)
{
    static const char SHAPE[] = "dddd-dd-dd";
    if (text.size_bytes != sizeof(SHAPE) - 1)
        return false;
    for (size_t i = 0; i < text.size_bytes; i++)
        if (SHAPE[i] == 'd' ? !isdigit((unsigned char)text.data[i]) : text.data[i] != SHAPE[i])
            return false;
    return true;
}

static const pt_type *csv_type(pt__arena *arena, const char *text, pt__options options)
{
    pt_text_view view = {text, strlen(text)};
    if (strcmp(text, pt__json_get_string(options, "nullvalue", "")) == 0)
        return PT_T(STRING);
    if (all_digits(view))
        return whole_type(arena, view);
    if (is_double(text) || strcmp(text, "NaN") == 0 || strcmp(text, "Inf") == 0 || strcmp(text, "-Inf") == 0)
        return PT_T(DOUBLE);
    if (is_date(view))
        return PT_T(DATE);
    if (looks_like_timestamp(view))
        return PT_T(TIMESTAMP);
    return strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0 ? PT_T(BOOLEAN) : PT_T(STRING);
}

static pt__csv_format csv_format(pt__options options)
{
    const char *separator = pt__json_get_string(options, "sep", pt__json_get_string(options, "delimiter", ","));
    return (pt__csv_format){
        separator, pt__json_get_string(options, "quote", "\"")[0], pt__json_get_string(options, "escape", "\\")[0],
        flag(options, "ignoreleadingwhitespace", false), flag(options, "ignoretrailingwhitespace", false)};
}

typedef pt__list(const char *) field_list;

static field_list csv_fields(pt__arena *arena, pt_text_view line, pt__options options)
{
    pt__csv_format format = csv_format(options);
    pt__csv_line reader;
    pt__buffer *field = pt__arena_buffer(arena);
    bool was_quoted;
    field_list fields = {0};
    pt__csv_line_start(&reader, &format, line);
    while (pt__csv_line_next(&reader, field, &was_quoted)) {
        const char *text = pt__arena_buffer_take(arena, field);
        pt__list_push(arena, &fields, text);
    }
    return fields;
}

const pt_type *pt__infer_csv(pt__arena *arena, pt_text_view line, pt__options options)
{
    field_list texts = csv_fields(arena, line, options);
    pt_field *fields = pt__arena_array(arena, pt_field, texts.count + 1);
    for (size_t i = 0; i < texts.count; i++)
        fields[i] =
            (pt_field){pt__arena_printf(arena, "_c%zu", i), csv_type(arena, texts.items[i], options), true, NULL};
    return pt__type_struct(arena, fields, texts.count);
}

static bool is_repeated(const field_list *names, size_t index)
{
    for (size_t i = 0; i < names->count; i++) {
        if (i != index && strcasecmp(names->items[i], names->items[index]) == 0)
            return true;
    }
    return false;
}

const char *const *pt__csv_names(pt__arena *arena, pt_text_view line, pt__options options, size_t *count)
{
    field_list texts = csv_fields(arena, line, options);
    const char **names = pt__arena_array(arena, const char *, texts.count + 1);
    bool has_header = flag(options, "header", false);
    for (size_t i = 0; i < texts.count; i++) {
        const char *text = texts.items[i];
        if (!has_header || text[0] == '\0' || strcmp(text, pt__json_get_string(options, "nullvalue", "")) == 0)
            names[i] = pt__arena_printf(arena, "_c%zu", i);
        else
            names[i] = is_repeated(&texts, i) ? pt__arena_printf(arena, "%s%zu", text, i) : text;
    }
    *count = texts.count;
    return names;
}

/* Whole numbers and reals by what they can hold; a timestamp holds dates; text holds the rest. */
static const pt_type *csv_common(pt__arena *arena, const pt_type *a, const pt_type *b)
{
    static const pt_type_id NUMBERS[] = {PT_TYPE_INT, PT_TYPE_LONG, PT_TYPE_DECIMAL, PT_TYPE_DOUBLE};
    int ranks[2] = {-1, -1};
    if (a->id == PT_TYPE_VOID || b->id == PT_TYPE_VOID)
        return a->id == PT_TYPE_VOID ? b : a;
    for (int i = 0; i < 4; i++) {
        ranks[0] = a->id == NUMBERS[i] ? i : ranks[0];
        ranks[1] = b->id == NUMBERS[i] ? i : ranks[1];
    }
    if (a->id == PT_TYPE_DECIMAL && b->id == PT_TYPE_DECIMAL)
        return a->precision >= b->precision ? a : b;
    const pt_type *decimal = a->id == PT_TYPE_DECIMAL ? a : b;
    if (ranks[0] >= 0 && ranks[1] >= 0 && (ranks[0] == 2 || ranks[1] == 2) && ranks[0] < 3 && ranks[1] < 3)
        return decimal->precision >= 20 ? decimal : pt__type_decimal(arena, 20, 0);
    if (ranks[0] >= 0 && ranks[1] >= 0)
        return ranks[0] > ranks[1] ? a : b;
    bool are_times =
        (a->id == PT_TYPE_DATE || a->id == PT_TYPE_TIMESTAMP) && (b->id == PT_TYPE_DATE || b->id == PT_TYPE_TIMESTAMP);
    if (are_times)
        return a->id == PT_TYPE_TIMESTAMP ? a : b;
    return a->id == b->id ? a : PT_T(STRING);
}

void pt__csv_merge_line(pt__arena *arena, pt__arena *scratch, pt_text_view line, pt__options options,
                        const pt_type **types, size_t count)
{
    field_list texts = csv_fields(scratch, line, options);
    for (size_t i = 0; i < texts.count && i < count; i++) {
        const char *text = texts.items[i];
        if (text[0] == '\0' || strcmp(text, pt__json_get_string(options, "nullvalue", "")) == 0)
            continue;
        const pt_type *both = csv_common(scratch, types[i], csv_type(scratch, text, options));
        if (both != types[i])
            types[i] = pt__type_copy(arena, both);
    }
}

/* ---- schemas ---- */

static pt_status not_constant(pt__arena *arena, const pt_expr *expr, pt_error *err)
{
    return pt__raise(err, PT_COND_INVALID_SCHEMA_NON_STRING_LITERAL, "inputSchema", pt__quote_expr(arena, expr), NULL);
}

static pt_status schema_of_call(pt__arena *arena, const pt_expr_call *call, const pt_type **out, pt_error *err)
{
    const char *name = call->name.parts[call->name.count - 1];
    bool is_json = strcasecmp(name, "schema_of_json") == 0;
    pt_text_view text;
    pt__options options;
    if ((!is_json && strcasecmp(name, "schema_of_csv") != 0) || call->argument_count == 0 ||
        !pt__constant_text(call->arguments[0], &text) ||
        !pt__constant_options(arena, call->argument_count > 1 ? call->arguments[1] : NULL, &options))
        return not_constant(arena, &call->base, err);
    if (is_json)
        return pt__infer_json(arena, text, options, out, err);
    *out = pt__infer_csv(arena, text, options);
    return PT_OK;
}

pt_status pt__schema_argument(pt__arena *arena, const pt_expr *expr, const pt_type **out, pt_error *err)
{
    pt_text_view text;
    expr = without_casts(expr);
    if (expr->kind == PT_EXPR_CALL)
        return schema_of_call(arena, pt__expr_as_call(expr), out, err);
    if (!pt__constant_text(expr, &text))
        return not_constant(arena, expr, err);
    size_t start = 0;
    while (start < text.size_bytes && isspace((unsigned char)text.data[start]))
        start++;
    bool may_be_json = start < text.size_bytes && (text.data[start] == '{' || text.data[start] == '"');
    if (may_be_json && pt__type_parse_json(arena, text.data, text.size_bytes, out, NULL) == PT_OK)
        return PT_OK;
    return pt__sql_parse_type(arena, text, NULL, out, err);
}
