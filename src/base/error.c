#include <portico/error.h>

#include "base/condition.h"

#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameter {
    char *name;
    char *value;
} parameter;

typedef struct context {
    bool is_sql;
    int32_t start;
    int32_t stop;
    char *fragment;
    char *call_site;
    char *sql;
} context;

struct pt_error_detail {
    char *full_message; /* NULL: the inline one is whole */
    parameter *parameters;
    size_t parameter_count;
    context *contexts;
    size_t context_count;
};

static const char *const STATUS_TEXTS[] = {
#define PT_STATUS_TEXT(name, text) text,
    PT_STATUS_MAP(PT_STATUS_TEXT)
#undef PT_STATUS_TEXT
};

const char *pt_status_text(pt_status status)
{
    return (unsigned)status < PT_STATUS_COUNT ? STATUS_TEXTS[status] : "unknown status";
}

static void free_detail(pt_error_detail *detail)
{
    if (detail == NULL)
        return;
    for (size_t i = 0; i < detail->parameter_count; i++) {
        free(detail->parameters[i].name);
        free(detail->parameters[i].value);
    }
    for (size_t i = 0; i < detail->context_count; i++) {
        free(detail->contexts[i].fragment);
        free(detail->contexts[i].call_site);
        free(detail->contexts[i].sql);
    }
    free(detail->parameters);
    free(detail->contexts);
    free(detail->full_message);
    free(detail);
}

/* Errors are cleared far more often than they happen: the texts are emptied, not wiped. */
static void empty(pt_error *err)
{
    err->status = PT_OK;
    err->sqlstate[0] = '\0';
    err->condition[0] = '\0';
    err->message[0] = '\0';
    err->detail = NULL;
}

void pt_error_clear(pt_error *err)
{
    if (err == NULL)
        return;
    free_detail(err->detail);
    empty(err);
}

void pt_error_move(pt_error *to, pt_error *from)
{
    pt_error_clear(to);
    if (from->status == PT_OK && from->detail == NULL)
        return;
    *to = *from;
    empty(from);
}

static pt_error_detail *need_detail(pt_error *err)
{
    if (err->detail == NULL)
        err->detail = calloc(1, sizeof(*err->detail));
    return err->detail;
}

/* The longest prefix of at most `limit` bytes that ends at a character boundary. */
static size_t utf8_prefix(const char *text, size_t size, size_t limit)
{
    if (size <= limit)
        return size;
    size_t end = limit;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    return end;
}

static void set_message(pt_error *err, const char *text, size_t size)
{
    size_t inline_size = utf8_prefix(text, size, PT_ERROR_MESSAGE_MAX);
    memcpy(err->message, text, inline_size);
    err->message[inline_size] = '\0';
    if (inline_size < size && need_detail(err) != NULL)
        err->detail->full_message = strndup(text, size);
}

pt_status pt_error_set(pt_error *err, pt_status status, const char *format, ...)
{
    if (err == NULL)
        return status;
    pt__buffer text = PT_BUFFER_INIT; /* before clearing: the arguments may point into err */
    va_list arguments;
    va_start(arguments, format);
    pt__buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    pt_error_clear(err);
    err->status = status;
    set_message(err, (const char *)text.data, text.failed ? 0 : text.size_bytes);
    pt__buffer_deinit(&text);
    return status;
}

const char *pt_error_full_message(const pt_error *err)
{
    if (err->detail != NULL && err->detail->full_message != NULL)
        return err->detail->full_message;
    return err->message;
}

size_t pt_error_parameter_count(const pt_error *err)
{
    return err->detail == NULL ? 0 : err->detail->parameter_count;
}

bool pt_error_parameter(const pt_error *err, size_t index, const char **name, const char **value)
{
    if (index >= pt_error_parameter_count(err))
        return false;
    *name = err->detail->parameters[index].name;
    *value = err->detail->parameters[index].value;
    return true;
}

void pt_error_add_parameter(pt_error *err, const char *name, const char *value)
{
    if (err == NULL || need_detail(err) == NULL)
        return;
    pt_error_detail *detail = err->detail;
    parameter *grown = realloc(detail->parameters, (detail->parameter_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return;
    detail->parameters = grown;
    parameter added = {strdup(name), strdup(value)};
    if (added.name == NULL || added.value == NULL) {
        free(added.name);
        free(added.value);
        return;
    }
    grown[detail->parameter_count++] = added;
}

size_t pt_error_context_count(const pt_error *err)
{
    return err->detail == NULL ? 0 : err->detail->context_count;
}

bool pt_error_context_at(const pt_error *err, size_t index, pt_error_context *out)
{
    if (index >= pt_error_context_count(err))
        return false;
    const context *c = &err->detail->contexts[index];
    *out = (pt_error_context){c->is_sql, c->start, c->stop, c->fragment, c->call_site, c->sql};
    return true;
}

static char *copy_or_empty(const char *text)
{
    return strdup(text == NULL ? "" : text);
}

void pt_error_add_context(pt_error *err, const pt_error_context *added)
{
    if (err == NULL || need_detail(err) == NULL)
        return;
    pt_error_detail *detail = err->detail;
    context *grown = realloc(detail->contexts, (detail->context_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return;
    detail->contexts = grown;
    context copy = {added->is_sql,
                    added->start,
                    added->stop,
                    copy_or_empty(added->fragment),
                    copy_or_empty(added->call_site),
                    copy_or_empty(added->sql)};
    if (copy.fragment == NULL || copy.call_site == NULL || copy.sql == NULL) {
        free(copy.fragment);
        free(copy.call_site);
        free(copy.sql);
        return;
    }
    grown[detail->context_count++] = copy;
}

void pt_error_copy(pt_error *to, const pt_error *from)
{
    pt_error copy = *from;
    copy.detail = NULL;
    const char *full = pt_error_full_message(from);
    if (full != from->message && need_detail(&copy) != NULL)
        copy.detail->full_message = strdup(full);
    const char *name;
    const char *value;
    for (size_t i = 0; pt_error_parameter(from, i, &name, &value); i++)
        pt_error_add_parameter(&copy, name, value);
    pt_error_context c;
    for (size_t i = 0; pt_error_context_at(from, i, &c); i++)
        pt_error_add_context(&copy, &c);
    pt_error_move(to, &copy);
}

/* ---- conditions ---- */

static const pt__condition CONDITIONS[] = {
#define PT_CONDITION(id, name, sqlstate, kind, status, text) {name, sqlstate, PT_ERROR_KIND_##kind, PT_##status, text},
#include "base/conditions.def"
#undef PT_CONDITION
};

const pt__condition *pt__condition_get(pt__condition_id id)
{
    return &CONDITIONS[id];
}

const pt__condition *pt__condition_find(const char *name)
{
    for (size_t i = 0; i < sizeof(CONDITIONS) / sizeof(CONDITIONS[0]); i++) {
        if (strcmp(CONDITIONS[i].name, name) == 0)
            return &CONDITIONS[i];
    }
    return NULL;
}

/* Appends `text` with each <name> replaced by its parameter's value. */
static void expand(pt__buffer *out, const char *text, const pt__parameter *parameters, size_t count)
{
    while (*text != '\0') {
        const char *close = *text == '<' ? strchr(text, '>') : NULL;
        size_t i = count;
        if (close != NULL) {
            for (i = 0; i < count; i++) {
                if (strlen(parameters[i].name) == (size_t)(close - text - 1) &&
                    memcmp(parameters[i].name, text + 1, (size_t)(close - text - 1)) == 0)
                    break;
            }
        }
        if (i < count) {
            pt__buffer_append_string(out, parameters[i].value);
            text = close + 1;
        } else {
            pt__buffer_append_byte(out, (uint8_t)*text++);
        }
    }
}

pt_status pt__raise_with(pt_error *err, pt__condition_id id, const pt__parameter *parameters, size_t count)
{
    const pt__condition *condition = &CONDITIONS[id];
    if (err == NULL)
        return condition->status;
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer_printf(&text, "[%s] ", condition->name);
    expand(&text, condition->text, parameters, count);
    pt__buffer_printf(&text, " SQLSTATE: %s", condition->sqlstate);
    pt_error raised = PT_ERROR_INIT;
    raised.status = condition->status;
    snprintf(raised.sqlstate, sizeof(raised.sqlstate), "%s", condition->sqlstate);
    snprintf(raised.condition, sizeof(raised.condition), "%s", condition->name);
    set_message(&raised, text.failed ? "" : (const char *)text.data, text.failed ? 0 : text.size_bytes);
    pt__buffer_deinit(&text);
    for (size_t i = 0; i < count; i++)
        pt_error_add_parameter(&raised, parameters[i].name, parameters[i].value);
    pt_error_move(err, &raised);
    return condition->status;
}

pt_status pt__raise(pt_error *err, pt__condition_id id, ...)
{
    pt__parameter parameters[PT_RAISE_PARAMETERS_MAX];
    size_t count = 0;
    va_list arguments;
    va_start(arguments, id);
    for (;;) {
        const char *name = va_arg(arguments, const char *);
        if (name == NULL || count == PT_RAISE_PARAMETERS_MAX)
            break;
        const char *value = va_arg(arguments, const char *);
        parameters[count++] = (pt__parameter){name, value == NULL ? "" : value};
    }
    va_end(arguments);
    return pt__raise_with(err, id, parameters, count);
}
