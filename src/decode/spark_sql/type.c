/* Data types and column lists. */
#include "decode/spark_sql/internal.h"

#include "base/arena_buffer.h"
#include "base/json.h"

#include <string.h>

static pt_status unsupported_type(pt__sql_parser *p, size_t first)
{
    char *text = pt__arena_copy_string(p->arena, pt__sql_text_from(p, first));
    for (char *c = text; *c != '\0'; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    pt_status status =
        pt__raise(p->err, PT_COND_UNSUPPORTED_DATATYPE, "typeName", pt__arena_printf(p->arena, "\"%s\"", text), NULL);
    return pt__sql_locate_error(p, first, status);
}

static pt_status incomplete_type(pt__sql_parser *p, size_t first, pt__condition_id condition)
{
    return pt__sql_locate_error(p, first, pt__raise(p->err, condition, NULL));
}

/* ---- nested types ---- */

static pt_status array_type(pt__sql_parser *p, size_t first, const pt_type **out)
{
    const pt_type *element = NULL;
    if (!pt__sql_accept(p, '<'))
        return incomplete_type(p, first, PT_COND_INCOMPLETE_TYPE_DEFINITION_ARRAY);
    PT_TRY(pt__sql_type(p, &element));
    PT_TRY(pt__sql_expect(p, '>'));
    *out = pt__type_array(p->arena, element, true);
    return PT_OK;
}

static pt_status map_type(pt__sql_parser *p, size_t first, const pt_type **out)
{
    const pt_type *key = NULL;
    const pt_type *value = NULL;
    if (!pt__sql_accept(p, '<'))
        return incomplete_type(p, first, PT_COND_INCOMPLETE_TYPE_DEFINITION_MAP);
    PT_TRY(pt__sql_type(p, &key));
    PT_TRY(pt__sql_expect(p, ','));
    PT_TRY(pt__sql_type(p, &value));
    PT_TRY(pt__sql_expect(p, '>'));
    *out = pt__type_map(p->arena, key, value, true);
    return PT_OK;
}

static pt_status struct_type(pt__sql_parser *p, size_t first, const pt_type **out)
{
    if (pt__sql_accept(p, PT_TOKEN_NOT_EQUAL)) {
        *out = pt__type_struct(p->arena, NULL, 0);
        return PT_OK;
    }
    if (!pt__sql_accept(p, '<'))
        return incomplete_type(p, first, PT_COND_INCOMPLETE_TYPE_DEFINITION_STRUCT);
    PT_TRY(pt__sql_field_list(p, '>', out));
    return pt__sql_expect(p, '>');
}

/* ---- intervals ---- */

static int interval_field(int32_t keyword, bool *year_month)
{
    *year_month = keyword == PT_KW_YEAR || keyword == PT_KW_MONTH;
    switch (keyword) {
    case PT_KW_YEAR: return 0;
    case PT_KW_MONTH: return 1;
    case PT_KW_DAY: return 0;
    case PT_KW_HOUR: return 1;
    case PT_KW_MINUTE: return 2;
    case PT_KW_SECOND: return 3;
    default: return -1;
    }
}

static pt_status interval_type(pt__sql_parser *p, size_t first, const pt_type **out)
{
    bool year_month = false;
    bool end_year_month = false;
    int start = interval_field(pt__sql_peek(p, 0), &year_month);
    if (start < 0) {
        *out = PT_T(INTERVAL_CALENDAR);
        return PT_OK;
    }
    int end = start;
    pt__sql_skip(p, 1);
    if (pt__sql_at(p, PT_KW_TO)) {
        end = interval_field(pt__sql_peek(p, 1), &end_year_month);
        pt__sql_skip(p, end < 0 ? 1 : 2);
        if (end < 0)
            return pt__sql_syntax_error(p);
        if (end_year_month != year_month || end <= start)
            return unsupported_type(p, first);
    }
    pt_type_id id = year_month ? PT_TYPE_INTERVAL_YEAR_MONTH : PT_TYPE_INTERVAL_DAY_TIME;
    *out = pt__type_interval(p->arena, id, (uint8_t)start, (uint8_t)end);
    return PT_OK;
}

/* ---- simple types ---- */

typedef struct type_name {
    const char *name;
    pt_type_id id;
} type_name;

static const type_name TYPE_NAMES[] = {
    {"boolean", PT_TYPE_BOOLEAN},
    {"tinyint", PT_TYPE_BYTE},
    {"byte", PT_TYPE_BYTE},
    {"smallint", PT_TYPE_SHORT},
    {"short", PT_TYPE_SHORT},
    {"int", PT_TYPE_INT},
    {"integer", PT_TYPE_INT},
    {"bigint", PT_TYPE_LONG},
    {"long", PT_TYPE_LONG},
    {"float", PT_TYPE_FLOAT},
    {"real", PT_TYPE_FLOAT},
    {"double", PT_TYPE_DOUBLE},
    {"decimal", PT_TYPE_DECIMAL},
    {"dec", PT_TYPE_DECIMAL},
    {"numeric", PT_TYPE_DECIMAL},
    {"string", PT_TYPE_STRING},
    {"char", PT_TYPE_CHAR},
    {"character", PT_TYPE_CHAR},
    {"varchar", PT_TYPE_VARCHAR},
    {"binary", PT_TYPE_BINARY},
    {"date", PT_TYPE_DATE},
    {"time", PT_TYPE_TIME},
    {"timestamp", PT_TYPE_TIMESTAMP},
    {"timestamp_ltz", PT_TYPE_TIMESTAMP},
    {"timestamp_ntz", PT_TYPE_TIMESTAMP_NTZ},
    {"void", PT_TYPE_VOID},
    {"variant", PT_TYPE_VARIANT},
};

static const type_name *find_type_name(const pt__sql_parser *p, size_t token)
{
    const pt__sql_token *t = &p->tokens[token];
    size_t size = t->end_byte - t->start_byte;
    for (size_t i = 0; i < sizeof(TYPE_NAMES) / sizeof(TYPE_NAMES[0]); i++) {
        const char *name = TYPE_NAMES[i].name;
        size_t at = 0;
        while (at < size && name[at] != '\0' && (p->sql[t->start_byte + at] | 0x20) == (name[at] | 0x20))
            at++;
        if (at == size && name[at] == '\0')
            return &TYPE_NAMES[i];
    }
    return NULL;
}

/* (precision, scale) */
static pt_status type_parameters(pt__sql_parser *p, int64_t parameters[2], size_t *count)
{
    *count = 0;
    if (!pt__sql_accept(p, '('))
        return PT_OK;
    do {
        if (*count == 2)
            return pt__sql_syntax_error(p);
        PT_TRY(pt__sql_integer(p, &parameters[(*count)++]));
    } while (pt__sql_accept(p, ','));
    return pt__sql_expect(p, ')');
}

static pt_status decimal_type(pt__sql_parser *p, const int64_t *parameters, size_t count, const pt_type **out)
{
    int64_t precision = count > 0 ? parameters[0] : 10;
    int64_t scale = count > 1 ? parameters[1] : 0;
    const char *precision_text = pt__arena_printf(p->arena, "%lld", (long long)precision);
    if (precision > PT_DECIMAL_PRECISION_MAX)
        return pt__raise(p->err, PT_COND_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, "precision", precision_text,
                         "maxPrecision", "38", NULL);
    if (scale > precision)
        return pt__raise(p->err, PT_COND_DECIMAL_SCALE_EXCEEDS_PRECISION, "scale",
                         pt__arena_printf(p->arena, "%lld", (long long)scale), "precision", precision_text, NULL);
    *out = pt__type_decimal(p->arena, (int32_t)precision, (int32_t)scale);
    return PT_OK;
}

static pt_status char_type(pt__sql_parser *p, size_t first, pt_type_id id, const int64_t *parameters, size_t count,
                           const pt_type **out)
{
    if (count == 0) {
        const char *name = id == PT_TYPE_CHAR ? "\"CHAR\"" : "\"VARCHAR\"";
        return pt__sql_locate_error(p, first, pt__raise(p->err, PT_COND_DATATYPE_MISSING_SIZE, "type", name, NULL));
    }
    if (count > 1 || parameters[0] < 1 || parameters[0] > INT32_MAX)
        return unsupported_type(p, first);
    *out = pt__type_char(p->arena, id, (int32_t)parameters[0]);
    return PT_OK;
}

static pt_status string_type(pt__sql_parser *p, const pt_type **out)
{
    *out = PT_T(STRING);
    if (!pt__sql_accept(p, PT_KW_COLLATE))
        return PT_OK;
    const char *collation = NULL;
    PT_TRY(pt__sql_identifier(p, &collation));
    char *upper = pt__arena_copy_string(p->arena, collation);
    for (char *c = upper; *c != '\0'; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    if (strcmp(upper, "UTF8_BINARY") == 0)
        return PT_OK;
    pt_type *type = pt__arena_make(p->arena, pt_type);
    *type = *PT_T(STRING);
    type->collation = upper;
    *out = type;
    return PT_OK;
}

/* WITHOUT TIME ZONE, WITH LOCAL TIME ZONE: the same type whatever TIMESTAMP alone means. */
static pt_status timestamp_type(pt__sql_parser *p, bool plain, const pt_type **out)
{
    if (plain && pt__sql_at_two(p, PT_KW_WITHOUT, PT_KW_TIME)) {
        pt__sql_skip(p, 2);
        *out = PT_T(TIMESTAMP_NTZ);
        return pt__sql_expect(p, PT_KW_ZONE);
    }
    if (plain && pt__sql_at_two(p, PT_KW_WITH, PT_KW_LOCAL)) {
        pt__sql_skip(p, 2);
        *out = PT_T(TIMESTAMP);
        return pt__sql_expect_two(p, PT_KW_TIME, PT_KW_ZONE);
    }
    *out = plain && p->options->timestamp_is_ntz ? PT_T(TIMESTAMP_NTZ) : PT_T(TIMESTAMP);
    return PT_OK;
}

static pt_status time_type(pt__sql_parser *p, size_t first, const int64_t *parameters, size_t count,
                           const pt_type **out)
{
    if (count > 1)
        return unsupported_type(p, first);
    if (count == 1 && parameters[0] > 6)
        return pt__sql_locate_error(p, first,
                                    pt__raise(p->err, PT_COND_UNSUPPORTED_TIME_PRECISION, "precision",
                                              pt__arena_printf(p->arena, "%lld", (long long)parameters[0]), NULL));
    if (pt__sql_at_two(p, PT_KW_WITHOUT, PT_KW_TIME)) {
        pt__sql_skip(p, 2);
        PT_TRY(pt__sql_expect(p, PT_KW_ZONE));
    }
    pt_type *type = pt__arena_make(p->arena, pt_type);
    *type = *PT_T(TIME);
    type->precision = count == 1 ? (int32_t)parameters[0] : 6;
    *out = type;
    return PT_OK;
}

static pt_status named_type(pt__sql_parser *p, size_t first, const pt_type **out)
{
    const type_name *name = find_type_name(p, first);
    bool plain_timestamp = pt__sql_at(p, PT_KW_TIMESTAMP);
    int64_t parameters[2] = {0};
    size_t count = 0;
    if (!pt__sql_is_name(pt__sql_peek(p, 0)))
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    PT_TRY(type_parameters(p, parameters, &count));
    if (name == NULL)
        return unsupported_type(p, first);
    if (name->id == PT_TYPE_DECIMAL)
        return decimal_type(p, parameters, count, out);
    if (name->id == PT_TYPE_CHAR || name->id == PT_TYPE_VARCHAR)
        return char_type(p, first, name->id, parameters, count, out);
    if (name->id == PT_TYPE_TIME)
        return time_type(p, first, parameters, count, out);
    if (count > 0)
        return unsupported_type(p, first);
    if (name->id == PT_TYPE_STRING)
        return string_type(p, out);
    if (name->id == PT_TYPE_TIMESTAMP)
        return timestamp_type(p, plain_timestamp, out);
    *out = pt__type_simple(name->id);
    return PT_OK;
}

static pt_status type_by_keyword(pt__sql_parser *p, size_t first, const pt_type **out)
{
    if (pt__sql_accept(p, PT_KW_ARRAY))
        return array_type(p, first, out);
    if (pt__sql_accept(p, PT_KW_MAP))
        return map_type(p, first, out);
    if (pt__sql_accept(p, PT_KW_STRUCT))
        return struct_type(p, first, out);
    if (pt__sql_accept(p, PT_KW_INTERVAL))
        return interval_type(p, first, out);
    return named_type(p, first, out);
}

pt_status pt__sql_type(pt__sql_parser *p, const pt_type **out)
{
    PT_TRY(pt__sql_enter(p));
    PT_TRY(type_by_keyword(p, p->position, out));
    p->depth--;
    return PT_OK;
}

/* ---- columns ---- */

/* What Spark keeps of a column beyond its type: {"comment":…,"CURRENT_DEFAULT":…}. */
static pt_status column_metadata(pt__sql_parser *p, const char *comment, const char *default_text, const char **out)
{
    if (comment == NULL && default_text == NULL)
        return PT_OK;
    pt__buffer *json = pt__arena_buffer(p->arena);
    pt__buffer_append_byte(json, '{');
    if (default_text != NULL) {
        pt__buffer_append_string(json, "\"CURRENT_DEFAULT\":");
        pt__json_append_cstring(json, default_text);
        pt__buffer_append_string(json, ",\"EXISTS_DEFAULT\":");
        pt__json_append_cstring(json, default_text);
    }
    if (comment != NULL) {
        pt__buffer_append_string(json, default_text != NULL ? ",\"comment\":" : "\"comment\":");
        pt__json_append_cstring(json, comment);
    }
    pt__buffer_append_byte(json, '}');
    *out = pt__buffer_string(json);
    return json->failed ? pt_error_set(p->err, PT_NO_MEMORY, "out of memory") : PT_OK;
}

static pt_status default_text(pt__sql_parser *p, const char **out)
{
    const pt_expr *unused = NULL;
    size_t first = p->position;
    PT_TRY(pt__sql_expression(p, &unused));
    *out = pt__sql_text_from(p, first);
    return PT_OK;
}

static pt_status duplicate_descriptor(pt__sql_parser *p, size_t first, const char *column, const char *descriptor)
{
    pt_status status = pt__raise(p->err, PT_COND_CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE, "columnName",
                                 pt__arena_printf(p->arena, "%s", column), "optionName", descriptor, NULL);
    return pt__sql_locate_error(p, first, status);
}

static pt_status field_attributes(pt__sql_parser *p, pt_field *out)
{
    const char *comment = NULL;
    const char *value = NULL;
    for (;;) {
        size_t first = p->position;
        bool is_not_null = pt__sql_at_two(p, PT_KW_NOT, PT_KW_NULL);
        if (is_not_null && !out->nullable)
            return duplicate_descriptor(p, first, out->name, "NOT NULL");
        if (pt__sql_at(p, PT_KW_COMMENT) && comment != NULL)
            return duplicate_descriptor(p, first, out->name, "COMMENT");
        if (pt__sql_at(p, PT_KW_DEFAULT) && value != NULL)
            return duplicate_descriptor(p, first, out->name, "DEFAULT");
        if (is_not_null) {
            out->nullable = false;
            pt__sql_skip(p, 2);
        } else if (pt__sql_accept(p, PT_KW_COMMENT)) {
            PT_TRY(pt__sql_string_text(p, &comment));
        } else if (pt__sql_accept(p, PT_KW_DEFAULT)) {
            PT_TRY(default_text(p, &value));
        } else if (pt__sql_at(p, PT_KW_GENERATED)) {
            return pt__sql_unsupported(p, "generated columns");
        } else {
            break;
        }
    }
    return column_metadata(p, comment, value, &out->metadata);
}

pt_status pt__sql_field(pt__sql_parser *p, pt_field *out)
{
    *out = (pt_field){.nullable = true};
    PT_TRY(pt__sql_checked_identifier(p, &out->name));
    (void)pt__sql_accept(p, ':');
    PT_TRY(pt__sql_type(p, &out->type));
    return field_attributes(p, out);
}

pt_status pt__sql_field_list(pt__sql_parser *p, int32_t end, const pt_type **out)
{
    pt__list(pt_field) fields = {0};
    while (!pt__sql_at(p, end)) {
        pt_field field;
        if (fields.count > 0)
            PT_TRY(pt__sql_expect(p, ','));
        PT_TRY(pt__sql_field(p, &field));
        pt__list_push(p->arena, &fields, field);
    }
    *out = pt__type_struct(p->arena, fields.items, fields.count);
    return PT_OK;
}
