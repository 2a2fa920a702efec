/* Members of nodes as ` name=value`. */
#include "base/map.h"
#include "plan/text_parts.h"

#include <string.h>

bool pt__member_holds_plans(const pt__member *member)
{
    if (member->form == PT_FORM_PLAN || member->form == PT_FORM_PLANS)
        return true;
    if (member->form != PT_FORM_RECORD && member->form != PT_FORM_RECORDS)
        return false;
    for (const pt__member *m = member->record->members; m->form != PT_FORM_END; m++) {
        if (pt__member_holds_plans(m))
            return true;
    }
    return false;
}

void pt__name_append_text(pt__buffer *out, const pt_name *name)
{
    for (size_t i = 0; i < name->count; i++) {
        if (i != 0)
            pt__buffer_append_byte(out, '.');
        pt__append_quoted_if_needed(out, name->parts[i]);
    }
}

static const void *load_pointer(const void *items, size_t index)
{
    const void *pointer;
    memcpy(&pointer, (const char *)items + index * sizeof(pointer), sizeof(pointer));
    return pointer;
}

/* Whether a member that is no array is at its default. */
static bool is_default(const pt__member *member, const void *data)
{
    switch ((int)member->form) {
    case PT_FORM_PLAN:
    case PT_FORM_EXPR:
    case PT_FORM_TYPE:
    case PT_FORM_TEXT: return load_pointer(data, 0) == NULL;
    case PT_FORM_NAME: return ((const pt_name *)data)->count == 0;
    case PT_FORM_BOOL: return !*(const bool *)data;
    case PT_FORM_INT32:
    case PT_FORM_UINT32: return *(const uint32_t *)data == 0;
    case PT_FORM_SIZE:
    case PT_FORM_INT64: return *(const uint64_t *)data == 0;
    case PT_FORM_ID: return *(const int64_t *)data < 0;
    case PT_FORM_DOUBLE: return pt__same_bits(*(const double *)data, 0.0);
    case PT_FORM_BYTES: return ((const pt_bytes_view *)data)->size_bytes == 0;
    default: return false;
    }
}

static void append_text(pt__buffer *out, const char *text)
{
    pt__append_string_literal(out, text, text == NULL ? 0 : strlen(text));
}

static void append_expr(pt__buffer *out, const pt_expr *expr)
{
    if (expr == NULL)
        pt__buffer_append_string(out, "null");
    else
        pt__expr_append_text(out, expr);
}

static void append_bytes(pt__buffer *out, const pt_bytes_view *bytes)
{
    pt__buffer_printf(out, "%zu bytes %016llx", bytes->size_bytes,
                      (unsigned long long)pt__hash_bytes(bytes->data, bytes->size_bytes));
}

static void append_real(pt__buffer *out, double value)
{
    pt_value wrapped = {.is_null = false, .as.real = value};
    pt__value_append_text(out, PT_T(DOUBLE), &wrapped);
}

static void append_record(pt__buffer *out, const pt__record *record, const void *item)
{
    if (record == &pt__record_option) {
        const pt_option *option = item;
        append_text(out, option->key);
        pt__buffer_append_byte(out, ':');
        append_text(out, option->value);
        return;
    }
    pt__buffer_append_byte(out, '(');
    size_t start = out->size_bytes;
    pt__record_append_members(out, record, item, true);
    if (out->size_bytes > start) { /* no space behind the parenthesis */
        memmove(out->data + start, out->data + start + 1, out->size_bytes - start - 1);
        out->size_bytes--;
    }
    pt__buffer_append_byte(out, ')');
}

static void append_item(pt__buffer *out, const pt__member *member, const void *data, size_t i)
{
    switch (member->form) {
    case PT_FORM_END:
    case PT_FORM_VALUE: return; /* literals are written with their type */
    case PT_FORM_PLAN:
    case PT_FORM_PLANS: pt__plan_append_inline(out, load_pointer(data, i)); return;
    case PT_FORM_EXPR:
    case PT_FORM_EXPRS: append_expr(out, load_pointer(data, i)); return;
    case PT_FORM_TEXT:
    case PT_FORM_TEXTS: append_text(out, load_pointer(data, i)); return;
    case PT_FORM_NAME:
    case PT_FORM_NAMES: pt__name_append_text(out, (const pt_name *)data + i); return;
    case PT_FORM_BOOL: return; /* its name says it */
    case PT_FORM_INT32: pt__buffer_printf(out, "%d", *(const int32_t *)data); return;
    case PT_FORM_UINT32:
    case PT_FORM_UINT32S: pt__buffer_printf(out, "%u", ((const uint32_t *)data)[i]); return;
    case PT_FORM_ID:
    case PT_FORM_INT64: pt__buffer_printf(out, "%lld", (long long)*(const int64_t *)data); return;
    case PT_FORM_SIZE: pt__buffer_printf(out, "%zu", *(const size_t *)data); return;
    case PT_FORM_DOUBLE:
    case PT_FORM_DOUBLES: append_real(out, ((const double *)data)[i]); return;
    case PT_FORM_ENUM: pt__buffer_append_string(out, member->names[*(const unsigned *)data]); return;
    case PT_FORM_TYPE: pt__type_append_sql(out, load_pointer(data, 0)); return;
    case PT_FORM_BYTES: append_bytes(out, data); return;
    case PT_FORM_RECORD:
    case PT_FORM_RECORDS:
        append_record(out, member->record, (const char *)data + i * member->record->size_bytes);
        return;
    }
}

static void append_array(pt__buffer *out, const pt__member *member, const void *data, size_t count)
{
    pt__buffer_printf(out, " %s=[", member->name);
    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        append_item(out, member, data, i);
    }
    pt__buffer_append_byte(out, ']');
}

void pt__record_append_members(pt__buffer *out, const pt__record *record, const void *node, bool with_plans)
{
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++) {
        const void *data = pt__member_data(m, node);
        size_t count = pt__member_count(m, node);
        if (!with_plans && pt__member_holds_plans(m))
            continue;
        if (pt__member_is_array(m)) {
            if (count != 0)
                append_array(out, m, data, count);
            continue;
        }
        if (is_default(m, data))
            continue;
        pt__buffer_printf(out, m->form == PT_FORM_BOOL ? " %s" : " %s=", m->name);
        append_item(out, m, data, 0);
    }
}
