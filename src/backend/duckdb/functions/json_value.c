/* to_json, and the two ways in which its text can be rearranged. */
#include "backend/duckdb/functions/json_state.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/typed_value.h"

#include <stdlib.h>

/** How a document is written again. */
typedef struct arrangement {
    const pt__loose_json *json;
    pt__buffer *out;
    bool pretty; /* one member a line, two spaces a level */
    bool sorted; /* members by name */
} arrangement;

static void arrange(const arrangement *a, uint32_t node, int level);

static void new_line(const arrangement *a, int level)
{
    if (a->pretty)
        pt__buffer_printf(a->out, "\n%*s", 2 * level, "");
}

static int compare_keys(const arrangement *a, uint32_t x, uint32_t y)
{
    pt_text_view first = a->json->nodes[x].key;
    pt_text_view second = a->json->nodes[y].key;
    size_t common = first.size_bytes < second.size_bytes ? first.size_bytes : second.size_bytes;
    int order = memcmp(first.data, second.data, common);
    return order != 0 ? order : (first.size_bytes > second.size_bytes) - (first.size_bytes < second.size_bytes);
}

/* The member that comes after `last` by name; 0: the first one. Names are unique. */
static uint32_t next_by_name(const arrangement *a, uint32_t object, uint32_t last)
{
    uint32_t next = 0;
    PT_LOOSE_EACH(a->json, object, child)
    {
        bool later = last == 0 || compare_keys(a, child, last) > 0;
        if (later && (next == 0 || compare_keys(a, child, next) < 0))
            next = child;
    }
    return next;
}

static uint32_t next_member(const arrangement *a, uint32_t object, uint32_t last)
{
    if (a->sorted)
        return next_by_name(a, object, last);
    return last == 0 ? a->json->nodes[object].first : a->json->nodes[last].next;
}

static void arrange_object(const arrangement *a, uint32_t node, int level)
{
    if (a->json->nodes[node].first == 0) {
        pt__buffer_append_string(a->out, a->pretty ? "{ }" : "{}");
        return;
    }
    pt__buffer_append_byte(a->out, '{');
    for (uint32_t child = next_member(a, node, 0), first = child; child != 0; child = next_member(a, node, child)) {
        pt_text_view key = a->json->nodes[child].key;
        pt__buffer_append_string(a->out, child == first ? "" : ",");
        new_line(a, level + 1);
        pt__buffer_append_byte(a->out, '"');
        pt__buffer_append(a->out, key.data, key.size_bytes);
        pt__buffer_append_string(a->out, a->pretty ? "\" : " : "\":");
        arrange(a, child, level + 1);
    }
    new_line(a, level);
    pt__buffer_append_byte(a->out, '}');
}

static void arrange_array(const arrangement *a, uint32_t node, int level)
{
    pt__buffer_append_string(a->out, a->pretty ? "[ " : "[");
    PT_LOOSE_EACH(a->json, node, child)
    {
        if (child != a->json->nodes[node].first)
            pt__buffer_append_string(a->out, a->pretty ? ", " : ",");
        arrange(a, child, level);
    }
    bool is_empty = a->json->nodes[node].first == 0;
    pt__buffer_append_string(a->out, a->pretty && !is_empty ? " ]" : "]");
}

static void arrange(const arrangement *a, uint32_t node, int level)
{
    const pt__loose_node *value = &a->json->nodes[node];
    switch (value->kind) {
    case PT_LOOSE_OBJECT: arrange_object(a, node, level); break;
    case PT_LOOSE_ARRAY: arrange_array(a, node, level); break;
    case PT_LOOSE_STRING:
        pt__buffer_append_byte(a->out, '"');
        pt__buffer_append(a->out, value->text.data, value->text.size_bytes);
        pt__buffer_append_byte(a->out, '"');
        break;
    default: pt__buffer_append(a->out, value->text.data, value->text.size_bytes);
    }
}

/* (value, type, options, zone) */
static bool to_json(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 1, false);
    pt__buffer *out = &call->state->scratch;
    if (reader == NULL)
        return false;
    pt__buffer_reset(out);
    pt__typed_append_json(out, reader, reader->type, &call->columns[0], row);
    bool pretty = pt__typed_flag(reader, "pretty", false);
    bool sorted = pt__typed_flag(reader, "sortkeys", false);
    if (!pretty && !sorted)
        return pt__fn_put_buffer(call, row, out);
    pt__loose_json *json = pt__json_of_call(call);
    if (json == NULL ||
        pt__loose_json_read(json, (pt_text_view){(const char *)out->data, out->size_bytes}, 0) != PT_LOOSE_OK)
        return pt__fn_fail_memory(call);
    arrangement a = {json, &call->state->scratch2, pretty, sorted};
    pt__buffer_reset(a.out);
    arrange(&a, 0, 0);
    return pt__fn_put_buffer(call, row, a.out);
}

void pt__fn_to_json(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_json(call, r));
}
