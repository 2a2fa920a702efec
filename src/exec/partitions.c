/* Partition columns out of the names of folders: year=2024/month=01. */
#include "exec/files.h"

#include "base/civil.h"
#include "base/condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char null_partition[] = "__HIVE_DEFAULT_PARTITION__";

typedef struct pair {
    const char *name;
    const char *raw; /* decoded */
} pair;

/* The key=value folders of one folder with files, outermost first. */
typedef struct folder_pairs {
    const char *folder;
    pair *pairs;
    size_t count;
    const char *base; /* the folder above the first pair; NULL without pairs */
} folder_pairs;

/* ---- names of folders ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %3A is ':': how writers spell characters that file names must not have. */
static const char *unescape(pt__arena *arena, const char *text, size_t size)
{
    char *out = pt__arena_alloc_text(arena, size + 1);
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        int high = i + 2 < size && text[i] == '%' ? hex_digit(text[i + 1]) : -1;
        int low = high < 0 ? -1 : hex_digit(text[i + 2]);
        if (low < 0) {
            out[used++] = text[i];
        } else {
            out[used++] = (char)(high * 16 + low);
            i += 2;
        }
    }
    out[used] = '\0';
    return out;
}

const char *pt__unescape_path(pt__arena *arena, const char *text)
{
    return unescape(arena, text, strlen(text));
}

static bool read_pair(pt__arena *arena, const char *start, size_t size, pair *out)
{
    const char *equals = memchr(start, '=', size);
    if (equals == NULL || equals == start || equals == start + size - 1)
        return false;
    size_t name_size = (size_t)(equals - start);
    out->name = unescape(arena, start, name_size);
    out->raw = unescape(arena, equals + 1, size - name_size - 1);
    return true;
}

static bool is_base(const char *folder, size_t size, const char *base)
{
    return strlen(base) == size && strncmp(folder, base, size) == 0;
}

static const char *base_of(const pt__found_file *file, const pt__partition_options *options)
{
    if (options->base_path != NULL)
        return options->base_path;
    return file->root_is_file ? file->folder : file->root;
}

static void reverse(pair *pairs, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        pair p = pairs[i];
        pairs[i] = pairs[count - 1 - i];
        pairs[count - 1 - i] = p;
    }
}

/* Walks from the file's folder up to the base, or to the first folder that is no pair after pairs began. */
static folder_pairs read_folder(pt__arena *arena, const pt__found_file *file, const pt__partition_options *options)
{
    folder_pairs out = {.folder = file->folder};
    pt__list(pair) pairs = {NULL, 0, 0};
    const char *base = base_of(file, options);
    size_t size = strlen(file->folder);
    while (size > 0 && !is_base(file->folder, size, base)) {
        size_t start = size;
        while (start > 0 && file->folder[start - 1] != '/')
            start--;
        pair p;
        bool is_pair = read_pair(arena, file->folder + start, size - start, &p);
        if (!is_pair && pairs.count > 0)
            break;
        if (is_pair)
            pt__list_push(arena, &pairs, p);
        size = start == 0 ? 0 : start - 1;
    }
    reverse(pairs.items, pairs.count);
    out.pairs = pairs.items;
    out.count = pairs.count;
    out.base = pairs.count == 0 ? NULL : pt__arena_copy_text(arena, file->folder, size);
    return out;
}

/* ---- do the folders agree? ---- */

static bool same_columns(const folder_pairs *a, const folder_pairs *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcasecmp(a->pairs[i].name, b->pairs[i].name) != 0)
            return false;
    return true;
}

static const char *column_list(pt__arena *arena, const folder_pairs *f)
{
    const char *text = "";
    for (size_t i = 0; i < f->count; i++)
        text = pt__arena_printf(arena, "%s%s%s", text, i == 0 ? "" : ", ", f->pairs[i].name);
    return text;
}

static pt_status check_agreement(pt__arena *arena, const folder_pairs *first, const folder_pairs *other, pt_error *err)
{
    if (strcmp(first->base, other->base) != 0)
        return pt__raise(
            err, PT_COND_CONFLICTING_DIRECTORY_STRUCTURES, "discoveredBasePaths",
            pt__arena_printf(arena, "\n\t%s\n\t%s", pt__path_uri(arena, first->base), pt__path_uri(arena, other->base)),
            NULL);
    if (!same_columns(first, other))
        return pt__raise(
            err, PT_COND_CONFLICTING_PARTITION_COLUMN_NAMES, "distinctPartColLists",
            pt__arena_printf(arena, "\n\tPartition column name list #0: %s\n\tPartition column name list #1: %s\n",
                             column_list(arena, first), column_list(arena, other)),
            "suspiciousPaths",
            pt__arena_printf(arena, "\n\t%s\n\t%s", pt__path_uri(arena, first->folder),
                             pt__path_uri(arena, other->folder)),
            NULL);
    return PT_OK;
}

/* ---- types ---- */

static bool is_digits(const char *text)
{
    size_t sign = *text == '+' || *text == '-';
    return text[sign] != '\0' && text[sign + strspn(text + sign, "0123456789")] == '\0';
}

static bool read_long(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return is_digits(text) && errno == 0 && *end == '\0';
}

static bool read_real(const char *text, double *out)
{
    char *end;
    if (*text == '\0' || strpbrk(text, "xXpP") != NULL || strspn(text, " \t") != 0)
        return false;
    *out = strtod(text, &end);
    if (strcasecmp(end, "d") == 0 || strcasecmp(end, "f") == 0)
        end++;
    bool is_word = strspn(text, "+-0123456789.eE") == 0;
    return *end == '\0' && (!is_word || strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0);
}

static bool read_digits(const char **at, int count, int64_t *out)
{
    *out = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

/* yyyy-MM-dd, nothing else. */
static bool read_date(const char **at, int64_t *days)
{
    int64_t year;
    int64_t month;
    int64_t day;
    if (!read_digits(at, 4, &year) || *(*at)++ != '-' || !read_digits(at, 2, &month) || *(*at)++ != '-' ||
        !read_digits(at, 2, &day) || !pt__civil_is_date(year, month, day))
        return false;
    *days = pt__civil_to_days(year, (int32_t)month, (int32_t)day);
    return true;
}

static bool read_fraction(const char **at, int64_t *micros)
{
    *micros = 0;
    if (**at != '.')
        return true;
    (*at)++;
    int64_t scale = 100000;
    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; (*at)++, scale /= 10)
        *micros += (**at - '0') * scale;
    return true;
}

/* yyyy-MM-dd HH:mm:ss[.fraction], as local time. */
static bool read_timestamp(const char *text, char separator, int64_t *micros)
{
    int64_t days;
    int64_t hour;
    int64_t minute;
    int64_t second;
    int64_t fraction;
    const char *at = text;
    if (!read_date(&at, &days) || *at++ != separator)
        return false;
    if (!read_digits(&at, 2, &hour) || *at++ != ':' || !read_digits(&at, 2, &minute) || *at++ != ':' ||
        !read_digits(&at, 2, &second) || !read_fraction(&at, &fraction) || *at != '\0')
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *micros = days * PT_MICROS_PER_DAY + hour * PT_MICROS_PER_HOUR + minute * PT_MICROS_PER_MINUTE +
              second * PT_MICROS_PER_SECOND + fraction;
    return true;
}

bool pt__read_local_timestamp(const char *text, int64_t *out)
{
    const char *at = text;
    if (read_timestamp(text, 'T', out) || read_timestamp(text, ' ', out))
        return true;
    if (!read_date(&at, out) || *at != '\0')
        return false;
    *out *= PT_MICROS_PER_DAY;
    return true;
}

typedef enum guess_kind {
    GUESS_NULL,
    GUESS_INT,
    GUESS_LONG,
    GUESS_DECIMAL,
    GUESS_REAL,
    GUESS_DATE,
    GUESS_TIMESTAMP,
    GUESS_TEXT
} guess_kind;

typedef struct guess {
    guess_kind kind;
    int32_t digits; /* of whole numbers */
} guess;

static int32_t count_digits(const char *raw)
{
    return (int32_t)strspn(raw + (*raw == '-' || *raw == '+'), "0123456789");
}

static guess guess_type(const char *raw)
{
    int64_t integer;
    double real;
    const char *at = raw;
    if (strcmp(raw, null_partition) == 0)
        return (guess){GUESS_NULL, 0};
    if (read_long(raw, &integer))
        return integer == (int32_t)integer ? (guess){GUESS_INT, 10} : (guess){GUESS_LONG, 20};
    if (is_digits(raw) && count_digits(raw) <= PT_DECIMAL_PRECISION_MAX)
        return (guess){GUESS_DECIMAL, count_digits(raw)};
    if (read_real(raw, &real))
        return (guess){GUESS_REAL, 0};
    if (read_timestamp(raw, ' ', &integer))
        return (guess){GUESS_TIMESTAMP, 0};
    if (read_date(&at, &integer) && *at == '\0')
        return (guess){GUESS_DATE, 0};
    return (guess){GUESS_TEXT, 0};
}

/* Whole numbers widen to each other, int also to real, dates to timestamps; everything else is text. */
static guess widen(guess a, guess b)
{
    if (a.kind > b.kind)
        return widen(b, a);
    bool fits = a.kind == GUESS_NULL || a.kind == b.kind || b.kind <= GUESS_DECIMAL ||
                (a.kind == GUESS_INT && b.kind == GUESS_REAL) || (a.kind == GUESS_DATE && b.kind == GUESS_TIMESTAMP);
    return (guess){fits ? b.kind : GUESS_TEXT, a.digits > b.digits ? a.digits : b.digits};
}

static const pt_type *type_of(pt__arena *arena, guess g)
{
    switch (g.kind) {
    case GUESS_NULL: return PT_T(VOID);
    case GUESS_INT: return PT_T(INT);
    case GUESS_LONG: return PT_T(LONG);
    case GUESS_DECIMAL: return pt__type_decimal(arena, g.digits, 0);
    case GUESS_REAL: return PT_T(DOUBLE);
    case GUESS_DATE: return PT_T(DATE);
    case GUESS_TIMESTAMP: return PT_T(TIMESTAMP);
    case GUESS_TEXT: break;
    }
    return PT_T(STRING);
}

static const pt_field *given_field(const pt__partition_options *options, const char *name)
{
    for (size_t i = 0; options->given != NULL && i < options->given->field_count; i++)
        if (strcasecmp(options->given->fields[i].name, name) == 0)
            return &options->given->fields[i];
    return NULL;
}

static pt_field column_field(pt__arena *arena, const folder_pairs *const *folders, size_t count, size_t column,
                             const pt__partition_options *options)
{
    const char *name = folders[0]->pairs[column].name;
    const pt_field *given = given_field(options, name);
    if (given != NULL)
        return (pt_field){given->name, given->type, true, given->metadata};
    guess g = {options->infer_types ? GUESS_NULL : GUESS_TEXT, 0};
    for (size_t i = 0; i < count && g.kind != GUESS_TEXT; i++)
        g = widen(g, guess_type(folders[i]->pairs[column].raw));
    return (pt_field){name, type_of(arena, g), true, NULL};
}

/* ---- values ---- */

static pt_value null_value(void)
{
    return (pt_value){.is_null = true};
}

static pt_value decimal_value(const char *raw)
{
    pt_value value = {0};
    bool negative = *raw == '-';
    for (const char *at = raw + (*raw == '-' || *raw == '+'); *at >= '0' && *at <= '9'; at++)
        value.as.decimal = value.as.decimal * 10 + (*at - '0');
    if (negative)
        value.as.decimal = -value.as.decimal;
    return value;
}

static pt_value text_value(const char *raw)
{
    return (pt_value){.as.text = {raw, strlen(raw)}};
}

/* `zone` NULL: without one. */
static pt_value timestamp_value(const char *raw, const pt__zone *zone)
{
    pt_value value = {0};
    const char *at = raw;
    int64_t local = 0;
    if (!read_timestamp(raw, ' ', &local)) {
        if (!read_date(&at, &local) || *at != '\0')
            return null_value();
        local *= PT_MICROS_PER_DAY;
    }
    value.as.integer = zone == NULL ? local : pt__zone_to_instant(zone, local);
    return value;
}

/* Text that does not fit a type that the user gave becomes null. */
static pt_value read_value(const char *raw, const pt_type *type, const pt__zone *zone)
{
    pt_value value = {0};
    const char *at = raw;
    if (strcmp(raw, null_partition) == 0)
        return null_value();
    switch (type->id) {
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT:
    case PT_TYPE_INT:
    case PT_TYPE_LONG: return read_long(raw, &value.as.integer) ? value : null_value();
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return read_real(raw, &value.as.real) ? value : null_value();
    case PT_TYPE_DECIMAL: return is_digits(raw) && type->scale == 0 ? decimal_value(raw) : null_value();
    case PT_TYPE_BOOLEAN:
        value.as.boolean = strcasecmp(raw, "true") == 0;
        return value.as.boolean || strcasecmp(raw, "false") == 0 ? value : null_value();
    case PT_TYPE_DATE: return read_date(&at, &value.as.integer) ? value : null_value();
    case PT_TYPE_TIMESTAMP: return timestamp_value(raw, zone);
    case PT_TYPE_TIMESTAMP_NTZ: return timestamp_value(raw, NULL);
    case PT_TYPE_VOID: return null_value();
    default: return text_value(raw);
    }
}

static const pt_value *read_values(pt__arena *arena, const folder_pairs *folder, const pt_type *schema,
                                   const pt__zone *zone)
{
    pt_value *values = pt__arena_array(arena, pt_value, schema->field_count);
    for (size_t i = 0; i < schema->field_count; i++)
        values[i] = read_value(folder->pairs[i].raw, schema->fields[i].type, zone);
    return values;
}

/* ---- all together ---- */

/* One record per folder: files of a folder follow each other. */
static const folder_pairs **read_folders(pt__arena *arena, const pt__found_file *files, size_t count,
                                         const pt__partition_options *options)
{
    const folder_pairs **out = pt__arena_array(arena, const folder_pairs *, count);
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(files[i].folder, files[i - 1].folder) == 0 && files[i].root == files[i - 1].root;
        if (again) {
            out[i] = out[i - 1];
            continue;
        }
        folder_pairs read = read_folder(arena, &files[i], options);
        out[i] = pt__arena_copy(arena, &read, sizeof(read));
    }
    return out;
}

pt_status pt__find_partitions(pt__arena *arena, const pt__found_file *files, size_t count,
                              const pt__partition_options *options, const pt_type **schema,
                              const pt_value *const **values, pt_error *err)
{
    const folder_pairs **folders = read_folders(arena, files, count, options);
    const folder_pairs **used = pt__arena_array(arena, const folder_pairs *, count);
    size_t used_count = 0;
    *schema = NULL;
    *values = NULL;
    for (size_t i = 0; i < count; i++) {
        if (folders[i]->count == 0 || (used_count > 0 && used[used_count - 1] == folders[i]))
            continue;
        if (used_count > 0)
            PT_TRY(check_agreement(arena, used[0], folders[i], err));
        used[used_count++] = folders[i];
    }
    if (used_count == 0)
        return PT_OK;
    pt_field *fields = pt__arena_array(arena, pt_field, used[0]->count);
    for (size_t i = 0; i < used[0]->count; i++)
        fields[i] = column_field(arena, used, used_count, i, options);
    *schema = pt__type_struct(arena, fields, used[0]->count);
    const pt_value **list = pt__arena_array(arena, const pt_value *, count);
    for (size_t i = 0; i < count; i++)
        list[i] = folders[i]->count == 0                  ? NULL
                  : i > 0 && folders[i] == folders[i - 1] ? list[i - 1]
                                                          : read_values(arena, folders[i], *schema, options->zone);
    *values = list;
    return PT_OK;
}
