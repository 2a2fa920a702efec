#include "backend/duckdb/functions/typed_text.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/number_text.h"
#include "backend/duckdb/functions/time_text.h"
#include "backend/duckdb/functions/zones.h"
#include "backend/duckdb/lower.h"
#include "base/civil.h"
#include "base/format_datetime.h"
#include "base/format_double.h"
#include "base/loose_json.h"
#include "base/unconst.h"
#include "wire/base64.h"

#include <stdlib.h>
#include <strings.h>

/* ---- the reader ---- */

static void free_reader(void *value)
{
    pt__typed_reader *reader = value;
    pt__time_pattern_free(pt__unconst(reader->date));
    pt__time_pattern_free(pt__unconst(reader->timestamp));
    pt__time_pattern_free(pt__unconst(reader->timestamp_ntz));
    pt__arena_free(reader->arena);
    free(reader);
}

const char *pt__typed_option(const pt__typed_reader *reader, const char *name, const char *fallback)
{
    return pt__json_get_string(reader->options, name, fallback);
}

bool pt__typed_flag(const pt__typed_reader *reader, const char *name, bool fallback)
{
    const char *text = pt__typed_option(reader, name, NULL);
    return text == NULL ? fallback : strcasecmp(text, "true") == 0;
}

/* NULL when no pattern is asked for; fails the call for a bad one. */
static const pt__time_pattern *open_pattern(pt__fn_call *call, const pt__typed_reader *reader, const char *name,
                                            bool parsing)
{
    pt__time_pattern_error problem;
    const char *text = pt__typed_option(reader, name, NULL);
    if (text == NULL)
        return NULL;
    pt__time_pattern *made = pt__time_pattern_new(text, parsing, &problem);
    if (made == NULL)
        pt__fn_raise(call, PT_COND_INVALID_DATETIME_PATTERN_WITH_SUGGESTION, "pattern", text, "docroot",
                     "https://spark.apache.org/docs/latest", NULL);
    return made;
}

static bool read_arguments(pt__fn_call *call, pt__typed_reader *reader, size_t schema, bool parsing)
{
    pt_text_view type = pt__fn_text(call, schema, 0);
    pt_text_view options = pt__fn_text(call, schema + 1, 0);
    if (pt__type_parse_json(reader->arena, type.data, type.size_bytes, &reader->type, NULL) != PT_OK ||
        pt__json_parse(reader->arena, options.data, options.size_bytes, &reader->options, NULL) != PT_OK)
        return pt__fn_fail_type(call, schema);
    reader->zones = call->zones;
    pt_text_view zone = pt__fn_text(call, schema + 2, 0);
    const char *name = pt__typed_option(reader, "timezone", NULL);
    reader->zone = pt__find_zone(call->zones, name == NULL ? zone : (pt_text_view){name, strlen(name)});
    if (reader->zone == NULL)
        return pt__fn_raise(call, PT_COND_INVALID_TIMEZONE, "timeZone", name == NULL ? "" : name, NULL);
    reader->fails_fast = strcasecmp(pt__typed_option(reader, "mode", ""), "failfast") == 0;
    reader->corrupt_field = pt__typed_option(reader, "columnnameofcorruptrecord", "_corrupt_record");
    reader->date = open_pattern(call, reader, "dateformat", parsing);
    reader->timestamp = open_pattern(call, reader, "timestampformat", parsing);
    reader->timestamp_ntz = open_pattern(call, reader, "timestampntzformat", parsing);
    return !call->failed;
}

enum { READER_SLOT = 1 };

pt__typed_reader *pt__typed_reader_of(pt__fn_call *call, size_t schema, bool parsing)
{
    pt_text_view key = {"", 0};
    pt__typed_reader *known = pt__fn_recall(call->state, READER_SLOT, key);
    if (known != NULL)
        return known;
    pt__typed_reader *made = calloc(1, sizeof(*made));
    if (made != NULL)
        made->arena = pt__arena_new(0);
    if (made == NULL || made->arena == NULL) {
        free(made);
        pt__fn_fail_memory(call);
        return NULL;
    }
    if (!read_arguments(call, made, schema, parsing)) {
        free_reader(made);
        return NULL;
    }
    if (!pt__fn_remember(call->state, READER_SLOT, key, made, free_reader)) {
        pt__fn_fail_memory(call);
        return NULL;
    }
    return made;
}

/* ---- values ---- */

void pt__typed_append_double(pt__buffer *out, const pt_type *type, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    size_t size = type->id == PT_TYPE_FLOAT ? pt__format_float((float)value, text) : pt__format_double(value, text);
    pt__buffer_append_byte(out, '"');
    pt__buffer_append(out, text, size);
    pt__buffer_append_byte(out, '"');
}

void pt__typed_append_timestamp(pt__buffer *out, int64_t micros, bool is_instant)
{
    char text[PT_DATETIME_TEXT_MAX];
    size_t size = pt__format_timestamp(micros, text);
    pt__buffer_append_byte(out, '"');
    pt__buffer_append(out, text, size);
    pt__buffer_append_string(out, is_instant ? "+00\"" : "\"");
}

void pt__typed_append_bytes(pt__buffer *out, const uint8_t *bytes, size_t size_bytes)
{
    pt__buffer_append_byte(out, '"');
    for (size_t i = 0; i < size_bytes; i++)
        pt__buffer_printf(out, "\\\\x%02X", bytes[i]);
    pt__buffer_append_byte(out, '"');
}

void pt__typed_append_name(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, size_t ordinal)
{
    const char *name = pt__field_name(reader->arena, type, ordinal);
    pt__loose_append_quoted(out, name, strlen(name));
    pt__buffer_append_byte(out, ':');
}

bool pt__typed_append_decimal(pt__buffer *out, const pt_type *type, pt_text_view text)
{
    pt__exact number;
    bool too_large;
    pt_int128 value;
    char digits[PT_DECIMAL_TEXT_BYTES];
    if (!pt__exact_parse(pt__trim_text(text), &number, &too_large) ||
        !pt__exact_to_decimal(&number, type->precision, type->scale, &value))
        return false;
    size_t size = pt__decimal_format(value, type->scale, digits);
    pt__buffer_append_byte(out, '"');
    pt__buffer_append(out, digits, size);
    pt__buffer_append_byte(out, '"');
    return true;
}

static bool append_date(pt__buffer *out, const pt__typed_reader *reader, pt_text_view text)
{
    int32_t days;
    char date[PT_DATETIME_TEXT_MAX];
    if (reader->date != NULL) {
        pt__time_parsed parsed;
        if (!pt__time_pattern_parse(reader->date, reader->zones, text.data, text.size_bytes, &parsed))
            return false;
        days = (int32_t)pt__floor_divide(parsed.local_us, PT_MICROS_PER_DAY);
    } else if (!pt__parse_date(text, &days)) {
        return false;
    }
    pt__buffer_append_byte(out, '"');
    pt__buffer_append(out, date, pt__format_date(days, date));
    pt__buffer_append_byte(out, '"');
    return true;
}

static int64_t instant_of(const pt__typed_reader *reader, const pt__time_parsed *parsed)
{
    if (parsed->has_offset)
        return parsed->local_us - parsed->offset_seconds * PT_MICROS_PER_SECOND;
    return pt__zone_to_instant(parsed->zone != NULL ? parsed->zone : reader->zone, parsed->local_us);
}

static bool append_timestamp(pt__buffer *out, const pt__typed_reader *reader, pt_text_view text, bool is_instant)
{
    int64_t micros;
    const pt__time_pattern *pattern = is_instant ? reader->timestamp : reader->timestamp_ntz;
    if (pattern != NULL) {
        pt__time_parsed parsed;
        if (!pt__time_pattern_parse(pattern, reader->zones, text.data, text.size_bytes, &parsed))
            return false;
        micros = is_instant ? instant_of(reader, &parsed) : parsed.local_us;
    } else if (!(is_instant ? pt__parse_timestamp(text, reader->zones, reader->zone, &micros)
                            : pt__parse_timestamp_ntz(text, reader->zones, &micros))) {
        return false;
    }
    pt__typed_append_timestamp(out, micros, is_instant);
    return true;
}

static bool append_base64(pt__buffer *out, pt_text_view text)
{
    pt__buffer bytes = PT_BUFFER_INIT;
    bool ok = pt__base64_decode(&bytes, text);
    if (ok)
        pt__typed_append_bytes(out, bytes.data, bytes.size_bytes);
    pt__buffer_deinit(&bytes);
    return ok;
}

bool pt__typed_append_text(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, pt_text_view text)
{
    switch (type->id) {
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: pt__loose_append_quoted(out, text.data, text.size_bytes); return true;
    case PT_TYPE_DATE: return append_date(out, reader, text);
    case PT_TYPE_TIMESTAMP: return append_timestamp(out, reader, text, true);
    case PT_TYPE_TIMESTAMP_NTZ: return append_timestamp(out, reader, text, false);
    case PT_TYPE_DECIMAL: return pt__typed_append_decimal(out, type, text);
    case PT_TYPE_BINARY: return append_base64(out, text);
    default: return false;
    }
}

bool pt__typed_fail_record(pt__fn_call *call, pt_text_view record)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer_append(&text, record.data, record.size_bytes);
    pt__fn_raise(call, PT_COND_MALFORMED_RECORD_IN_PARSING, "badRecord", pt__buffer_string(&text), "failFastMode",
                 "FAILFAST", NULL);
    pt__buffer_deinit(&text);
    return false;
}
