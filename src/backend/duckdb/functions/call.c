#include "backend/duckdb/functions/call.h"

#include <stdio.h>
#include <stdlib.h>

void pt__fn_set_null(pt__fn_call *call, idx_t row)
{
    if (call->out_validity == NULL) {
        duckdb_vector_ensure_validity_writable(call->output);
        call->out_validity = duckdb_vector_get_validity(call->output);
    }
    call->out_validity[row / 64] &= ~((uint64_t)1 << (row % 64));
}

void pt__fn_put_string(pt__fn_call *call, idx_t row, const char *string)
{
    pt__fn_put_text(call, row, string, strlen(string));
}

bool pt__fn_type_is_integer(const pt__fn_type *type)
{
    return type->id >= DUCKDB_TYPE_TINYINT && type->id <= DUCKDB_TYPE_BIGINT;
}

static void append_json(pt__buffer *out, const char *text)
{
    pt__buffer_append_byte(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++) {
        if (*at == '"' || *at == '\\')
            pt__buffer_append_byte(out, '\\');
        if (*at < 0x20)
            pt__buffer_printf(out, "\\u%04x", *at);
        else
            pt__buffer_append_byte(out, *at);
    }
    pt__buffer_append_byte(out, '"');
}

void pt__fn_append_condition(pt__buffer *text, pt__condition_id condition, va_list arguments)
{
    pt__buffer_printf(text, "[%s]{", pt__condition_get(condition)->name);
    const char *separator = "";
    for (const char *name = va_arg(arguments, const char *); name != NULL; name = va_arg(arguments, const char *)) {
        pt__buffer_append_string(text, separator);
        append_json(text, name);
        pt__buffer_append_byte(text, ':');
        append_json(text, va_arg(arguments, const char *));
        separator = ",";
    }
    pt__buffer_append_byte(text, '}');
}

bool pt__fn_raise(pt__fn_call *call, pt__condition_id condition, ...)
{
    pt__buffer text = PT_BUFFER_INIT;
    va_list arguments;
    va_start(arguments, condition);
    pt__fn_append_condition(&text, condition, arguments);
    va_end(arguments);
    duckdb_scalar_function_set_error(call->info, pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    call->failed = true;
    return false;
}

bool pt__fn_fail_memory(pt__fn_call *call)
{
    duckdb_scalar_function_set_error(call->info, "out of memory");
    call->failed = true;
    return false;
}

bool pt__fn_fail_type(pt__fn_call *call, size_t column)
{
    char text[160];
    snprintf(text, sizeof(text), "%s does not take an argument of DuckDB's type %d", call->row->name,
             (int)call->columns[column].type->id);
    duckdb_scalar_function_set_error(call->info, text);
    call->failed = true;
    return false;
}

static const char *simple_type_name(duckdb_type id)
{
    switch (id) {
    case DUCKDB_TYPE_BOOLEAN: return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT: return "TINYINT";
    case DUCKDB_TYPE_SMALLINT: return "SMALLINT";
    case DUCKDB_TYPE_INTEGER: return "INT";
    case DUCKDB_TYPE_BIGINT: return "BIGINT";
    case DUCKDB_TYPE_FLOAT: return "FLOAT";
    case DUCKDB_TYPE_DOUBLE: return "DOUBLE";
    case DUCKDB_TYPE_VARCHAR: return "STRING";
    case DUCKDB_TYPE_BLOB: return "BINARY";
    case DUCKDB_TYPE_DATE: return "DATE";
    case DUCKDB_TYPE_TIMESTAMP_TZ: return "TIMESTAMP";
    case DUCKDB_TYPE_TIMESTAMP: return "TIMESTAMP_NTZ";
    case DUCKDB_TYPE_INTERVAL: return "INTERVAL";
    default: return "VOID";
    }
}

void pt__fn_append_type(pt__buffer *out, const pt__fn_type *type)
{
    if (type->id == DUCKDB_TYPE_DECIMAL)
        pt__buffer_printf(out, "\"DECIMAL(%u,%u)\"", type->width, type->scale);
    else
        pt__buffer_printf(out, "\"%s\"", simple_type_name(type->id));
}

void *pt__fn_recall(pt__fn_state *state, size_t slot, pt_text_view key)
{
    const pt__fn_cache *cache = &state->caches[slot];
    if (cache->value == NULL || cache->key_bytes != key.size_bytes)
        return NULL;
    return memcmp(cache->key, key.data, key.size_bytes) == 0 ? cache->value : NULL;
}

bool pt__fn_remember(pt__fn_state *state, size_t slot, pt_text_view key, void *value, void (*free_value)(void *))
{
    pt__fn_cache *cache = &state->caches[slot];
    char *copy = realloc(cache->key, key.size_bytes + 1);
    if (copy == NULL) {
        free_value(value);
        return false;
    }
    memcpy(copy, key.data, key.size_bytes);
    if (cache->value != NULL)
        cache->free_value(cache->value);
    *cache = (pt__fn_cache){copy, key.size_bytes, value, free_value};
    return true;
}
