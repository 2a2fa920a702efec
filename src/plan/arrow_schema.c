#include "plan/arrow_schema.h"

#include "base/condition.h"

#include <nanoarrow/nanoarrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char metadata_key[] = "SPARK::metadata::json";

/* ---- from our types ---- */

typedef struct writer {
    const char *time_zone;
    pt_error *err;
} writer;

static pt_status checked(writer *w, ArrowErrorCode code)
{
    return code == NANOARROW_OK ? PT_OK : pt_error_set(w->err, PT_NO_MEMORY, "no memory for a result's schema");
}

static pt_status set_metadata(writer *w, struct ArrowSchema *out, const char *key, const char *value)
{
    struct ArrowBuffer buffer;
    ArrowErrorCode code = ArrowMetadataBuilderInit(&buffer, NULL);
    if (code == NANOARROW_OK)
        code = ArrowMetadataBuilderAppend(&buffer, ArrowCharView(key), ArrowCharView(value));
    if (code == NANOARROW_OK)
        code = ArrowSchemaSetMetadata(out, (const char *)buffer.data);
    ArrowBufferReset(&buffer);
    return checked(w, code);
}

static pt_status write_field(writer *w, const char *name, const pt_type *type, bool nullable, const char *metadata,
                             struct ArrowSchema *out);

static pt_status begin_children(writer *w, struct ArrowSchema *out, const char *format, int64_t count)
{
    PT_TRY(checked(w, ArrowSchemaSetFormat(out, format)));
    PT_TRY(checked(w, ArrowSchemaAllocateChildren(out, count)));
    for (int64_t i = 0; i < count; i++)
        ArrowSchemaInit(out->children[i]);
    return PT_OK;
}

static pt_status write_list(writer *w, const pt_type *type, struct ArrowSchema *out)
{
    PT_TRY(begin_children(w, out, "+l", 1));
    return write_field(w, "element", type->element, type->contains_null, NULL, out->children[0]);
}

static pt_status write_map(writer *w, const pt_type *type, struct ArrowSchema *out)
{
    PT_TRY(begin_children(w, out, "+m", 1));
    struct ArrowSchema *entries = out->children[0];
    PT_TRY(begin_children(w, entries, "+s", 2));
    PT_TRY(checked(w, ArrowSchemaSetName(entries, "entries")));
    entries->flags = 0;
    PT_TRY(write_field(w, "key", type->key, false, NULL, entries->children[0]));
    return write_field(w, "value", type->element, type->contains_null, NULL, entries->children[1]);
}

static pt_status write_struct(writer *w, const pt_type *type, struct ArrowSchema *out)
{
    PT_TRY(begin_children(w, out, "+s", (int64_t)type->field_count));
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_field *f = &type->fields[i];
        PT_TRY(write_field(w, f->name, f->type, f->nullable, f->metadata, out->children[i]));
    }
    return PT_OK;
}

static pt_status write_variant(writer *w, struct ArrowSchema *out)
{
    PT_TRY(begin_children(w, out, "+s", 2));
    PT_TRY(write_field(w, "value", PT_T(BINARY), false, NULL, out->children[0]));
    PT_TRY(write_field(w, "metadata", PT_T(BINARY), false, NULL, out->children[1]));
    return set_metadata(w, out->children[1], "variant", "true");
}

static pt_status write_decimal(writer *w, const pt_type *type, struct ArrowSchema *out)
{
    char format[32];
    snprintf(format, sizeof(format), "d:%d,%d", (int)type->precision, (int)type->scale);
    return checked(w, ArrowSchemaSetFormat(out, format));
}

static pt_status write_timestamp(writer *w, struct ArrowSchema *out)
{
    char format[160];
    if (snprintf(format, sizeof(format), "tsu:%s", w->time_zone) >= (int)sizeof(format))
        return pt_error_set(w->err, PT_INVALID_ARGUMENT, "the name of the time zone is too long");
    return checked(w, ArrowSchemaSetFormat(out, format));
}

static pt_status write_plain(writer *w, struct ArrowSchema *out, const char *format)
{
    return checked(w, ArrowSchemaSetFormat(out, format));
}

static pt_status write_type(writer *w, const pt_type *type, struct ArrowSchema *out)
{
    switch (type->id) {
    case PT_TYPE_VOID: return write_plain(w, out, "n");
    case PT_TYPE_BOOLEAN: return write_plain(w, out, "b");
    case PT_TYPE_BYTE: return write_plain(w, out, "c");
    case PT_TYPE_SHORT: return write_plain(w, out, "s");
    case PT_TYPE_INT: return write_plain(w, out, "i");
    case PT_TYPE_LONG: return write_plain(w, out, "l");
    case PT_TYPE_FLOAT: return write_plain(w, out, "f");
    case PT_TYPE_DOUBLE: return write_plain(w, out, "g");
    case PT_TYPE_DECIMAL: return write_decimal(w, type, out);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return write_plain(w, out, "u");
    case PT_TYPE_BINARY: return write_plain(w, out, "z");
    case PT_TYPE_DATE: return write_plain(w, out, "tdD");
    case PT_TYPE_TIME: return write_plain(w, out, "ttn");
    case PT_TYPE_TIMESTAMP: return write_timestamp(w, out);
    case PT_TYPE_TIMESTAMP_NTZ: return write_plain(w, out, "tsu:");
    case PT_TYPE_INTERVAL_YEAR_MONTH: return write_plain(w, out, "tiM");
    case PT_TYPE_INTERVAL_DAY_TIME: return write_plain(w, out, "tDu");
    case PT_TYPE_INTERVAL_CALENDAR: return write_plain(w, out, "tin");
    case PT_TYPE_ARRAY: return write_list(w, type, out);
    case PT_TYPE_MAP: return write_map(w, type, out);
    case PT_TYPE_STRUCT: return write_struct(w, type, out);
    case PT_TYPE_VARIANT: return write_variant(w, out);
    case PT_TYPE_UDT: return write_type(w, type->element, out);
    case PT_TYPE_COUNT: break;
    }
    return pt_error_set(w->err, PT_INTERNAL, "a column has no type");
}

static pt_status write_field(writer *w, const char *name, const pt_type *type, bool nullable, const char *metadata,
                             struct ArrowSchema *out)
{
    PT_TRY(write_type(w, type, out));
    PT_TRY(checked(w, ArrowSchemaSetName(out, name)));
    out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    return metadata == NULL || strcmp(metadata, "{}") == 0 ? PT_OK : set_metadata(w, out, metadata_key, metadata);
}

pt_status pt__arrow_schema(const pt_column *columns, size_t column_count, const char *time_zone,
                           struct ArrowSchema *out, pt_error *err)
{
    writer w = {time_zone == NULL ? "UTC" : time_zone, err};
    struct ArrowSchema made;
    ArrowSchemaInit(&made);
    pt_status status = begin_children(&w, &made, "+s", (int64_t)column_count);
    for (size_t i = 0; status == PT_OK && i < column_count; i++)
        status = write_field(&w, columns[i].name, columns[i].type, columns[i].nullable, columns[i].metadata,
                             made.children[i]);
    if (status != PT_OK) {
        ArrowSchemaRelease(&made);
        return status;
    }
    made.flags = 0;
    *out = made;
    return PT_OK;
}

/* ---- to our types ---- */

static pt_status refuse(const char *name, pt_error *err)
{
    return pt__raise(err, PT_COND_UNSUPPORTED_ARROWTYPE, "typeName", name, NULL);
}

static const char *unit_name(char unit)
{
    switch (unit) {
    case 's': return "SECOND";
    case 'm': return "MILLISECOND";
    case 'u': return "MICROSECOND";
    default: return "NANOSECOND";
    }
}

/* As Arrow's Java library, whose names Spark shows, spells the types that are refused. */
static pt_status refuse_format(pt__arena *arena, const char *format, pt_error *err)
{
    switch (format[0]) {
    case 'C': return refuse("Int(8, false)", err);
    case 'S': return refuse("Int(16, false)", err);
    case 'I': return refuse("Int(32, false)", err);
    case 'L': return refuse("Int(64, false)", err);
    case 'e': return refuse("FloatingPoint(HALF)", err);
    case 'w': return refuse(pt__arena_printf(arena, "FixedSizeBinary(%s)", format + 2), err);
    default: break;
    }
    if (strcmp(format, "tdm") == 0)
        return refuse("Date(MILLISECOND)", err);
    if (strncmp(format, "ts", 2) == 0)
        return refuse(
            pt__arena_printf(arena, "Timestamp(%s, %s)", unit_name(format[2]), format[4] == '\0' ? "null" : format + 4),
            err);
    if (strncmp(format, "tD", 2) == 0)
        return refuse(pt__arena_printf(arena, "Duration(%s)", unit_name(format[2])), err);
    return refuse(pt__arena_printf(arena, "Arrow format %s", format), err);
}

typedef struct simple_format {
    const char *format;
    pt_type_id id;
} simple_format;

static const simple_format simple_formats[] = {
    {"n", PT_TYPE_VOID},
    {"b", PT_TYPE_BOOLEAN},
    {"c", PT_TYPE_BYTE},
    {"s", PT_TYPE_SHORT},
    {"i", PT_TYPE_INT},
    {"l", PT_TYPE_LONG},
    {"f", PT_TYPE_FLOAT},
    {"g", PT_TYPE_DOUBLE},
    {"u", PT_TYPE_STRING},
    {"U", PT_TYPE_STRING},
    {"z", PT_TYPE_BINARY},
    {"Z", PT_TYPE_BINARY},
    {"tdD", PT_TYPE_DATE},
    {"tDu", PT_TYPE_INTERVAL_DAY_TIME},
    {"tiM", PT_TYPE_INTERVAL_YEAR_MONTH},
    {"tin", PT_TYPE_INTERVAL_CALENDAR},
    {"tsu:", PT_TYPE_TIMESTAMP_NTZ},
};

static const pt_type *find_simple(const char *format)
{
    for (size_t i = 0; i < sizeof(simple_formats) / sizeof(simple_formats[0]); i++)
        if (strcmp(simple_formats[i].format, format) == 0)
            return pt__type_simple(simple_formats[i].id);
    return NULL;
}

static const char *field_metadata(pt__arena *arena, const struct ArrowSchema *schema)
{
    struct ArrowStringView value = {NULL, 0};
    if (schema->metadata == NULL ||
        ArrowMetadataGetValue(schema->metadata, ArrowCharView(metadata_key), &value) != NANOARROW_OK ||
        value.data == NULL)
        return NULL;
    return pt__arena_copy_text(arena, value.data, (size_t)value.size_bytes);
}

/* As many of the numbers, which commas separate, as there are; their count. */
static size_t read_numbers(const char *text, long *out, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text)
            return i;
        out[i] = number;
        if (*end != ',')
            return i + 1;
        text = end + 1;
    }
    return most;
}

/* d:precision,scale[,bits] */
static pt_status read_decimal(pt__arena *arena, const char *format, const pt_type **out, pt_error *err)
{
    long numbers[] = {0, 0, 128};
    size_t count = strncmp(format, "d:", 2) == 0 ? read_numbers(format + 2, numbers, 3) : 0;
    long precision = numbers[0];
    long scale = numbers[1];
    if (count < 2 || numbers[2] != 128 || precision < 1 || precision > PT_DECIMAL_PRECISION_MAX || scale < 0 ||
        scale > precision)
        return refuse(pt__arena_printf(arena, "Decimal(%ld, %ld, %ld)", precision, scale, numbers[2]), err);
    *out = pt__type_decimal(arena, (int32_t)precision, (int32_t)scale);
    return PT_OK;
}

static bool is_nullable(const struct ArrowSchema *schema)
{
    return (schema->flags & ARROW_FLAG_NULLABLE) != 0;
}

static pt_status read_list(pt__arena *arena, const struct ArrowSchema *schema, const pt_type **out, pt_error *err)
{
    const pt_type *element = NULL;
    PT_TRY(pt__arrow_type(arena, schema->children[0], &element, err));
    *out = pt__type_array(arena, element, is_nullable(schema->children[0]));
    return PT_OK;
}

static pt_status read_map(pt__arena *arena, const struct ArrowSchema *schema, const pt_type **out, pt_error *err)
{
    const struct ArrowSchema *entries = schema->children[0];
    const pt_type *key = NULL;
    const pt_type *value = NULL;
    PT_TRY(pt__arrow_type(arena, entries->children[0], &key, err));
    PT_TRY(pt__arrow_type(arena, entries->children[1], &value, err));
    *out = pt__type_map(arena, key, value, is_nullable(entries->children[1]));
    return PT_OK;
}

static bool is_variant(const struct ArrowSchema *schema)
{
    struct ArrowStringView value = {NULL, 0};
    if (schema->n_children != 2 || strcmp(schema->children[0]->name, "value") != 0 ||
        strcmp(schema->children[1]->name, "metadata") != 0 || schema->children[1]->metadata == NULL)
        return false;
    return ArrowMetadataGetValue(schema->children[1]->metadata, ArrowCharView("variant"), &value) == NANOARROW_OK &&
           value.data != NULL && value.size_bytes == 4 && memcmp(value.data, "true", 4) == 0;
}

static pt_status read_struct(pt__arena *arena, const struct ArrowSchema *schema, const pt_type **out, pt_error *err)
{
    if (is_variant(schema)) {
        *out = PT_T(VARIANT);
        return PT_OK;
    }
    size_t count = (size_t)schema->n_children;
    pt_field *fields = pt__arena_array(arena, pt_field, count);
    for (size_t i = 0; i < count; i++) {
        const struct ArrowSchema *child = schema->children[i];
        PT_TRY(pt__arrow_type(arena, child, &fields[i].type, err));
        fields[i].name = pt__arena_copy_string(arena, child->name == NULL ? "" : child->name);
        fields[i].nullable = is_nullable(child);
        fields[i].metadata = field_metadata(arena, child);
    }
    *out = pt__type_struct(arena, fields, count);
    return PT_OK;
}

pt_status pt__arrow_type(pt__arena *arena, const struct ArrowSchema *schema, const pt_type **out, pt_error *err)
{
    const char *format = schema->format;
    if (schema->dictionary != NULL)
        return refuse("Dictionary", err);
    *out = find_simple(format);
    if (*out != NULL)
        return PT_OK;
    if (strncmp(format, "d:", 2) == 0)
        return read_decimal(arena, format, out, err);
    if (strncmp(format, "tsu:", 4) == 0) {
        *out = PT_T(TIMESTAMP);
        return PT_OK;
    }
    if (strcmp(format, "ttn") == 0) {
        *out = pt__type_time(arena, 6); /* microseconds: what Spark gives Arrow's 64-bit times */
        return PT_OK;
    }
    if (strcmp(format, "+l") == 0)
        return read_list(arena, schema, out, err);
    if (strcmp(format, "+m") == 0)
        return read_map(arena, schema, out, err);
    if (strcmp(format, "+s") == 0)
        return read_struct(arena, schema, out, err);
    return refuse_format(arena, format, err);
}
