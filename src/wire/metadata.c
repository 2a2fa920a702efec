#include "wire/metadata.h"

#include "wire/base64.h"

#include <string.h>

typedef struct entry_head {
    uint32_t name_size_bytes;
    uint32_t value_size_bytes;
} entry_head;

void pt__metadata_deinit(pt__metadata *metadata)
{
    pt__buffer_deinit(&metadata->entries);
}

static bool is_binary(pt_text_view name)
{
    return name.size_bytes > 4 && memcmp(name.data + name.size_bytes - 4, "-bin", 4) == 0;
}

/* Several values of one key may come joined by commas (gRPC over HTTP/2, "Custom-Metadata"); the first counts. */
static pt_text_view first_of_list(pt_text_view value)
{
    const char *comma = value.size_bytes == 0 ? NULL : memchr(value.data, ',', value.size_bytes);
    if (comma != NULL)
        value.size_bytes = (size_t)(comma - value.data);
    return value;
}

pt_status pt__metadata_add(pt__metadata *metadata, pt_text_view name, pt_text_view value, pt_error *err)
{
    pt__buffer *entries = &metadata->entries;
    size_t start = entries->size_bytes;
    entry_head head = {(uint32_t)name.size_bytes, (uint32_t)value.size_bytes};
    pt__buffer_append(entries, &head, sizeof(head));
    pt__buffer_append(entries, name.data, name.size_bytes);
    size_t value_start = entries->size_bytes;
    bool valid = true;
    if (is_binary(name))
        valid = pt__base64_decode(entries, first_of_list(value));
    else
        pt__buffer_append(entries, value.data, value.size_bytes);
    if (entries->failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the metadata of a call");
    if (!valid) {
        entries->size_bytes = start;
        return pt_error_set(err, PT_BAD_MESSAGE, "metadata \"%.*s\" is not valid base64", (int)name.size_bytes,
                            name.data);
    }
    head.value_size_bytes = (uint32_t)(entries->size_bytes - value_start);
    memcpy(entries->data + start, &head, sizeof(head));
    return PT_OK;
}

bool pt__metadata_get(const pt__metadata *metadata, const char *name, pt_bytes_view *value)
{
    size_t name_size = strlen(name);
    const uint8_t *at = metadata->entries.data;
    const uint8_t *end = at == NULL ? NULL : at + metadata->entries.size_bytes;
    while (at != end) {
        entry_head head;
        memcpy(&head, at, sizeof(head));
        const uint8_t *entry_name = at + sizeof(head);
        const uint8_t *entry_value = entry_name + head.name_size_bytes;
        if (head.name_size_bytes == name_size && memcmp(entry_name, name, name_size) == 0) {
            *value = (pt_bytes_view){entry_value, head.value_size_bytes};
            return true;
        }
        at = entry_value + head.value_size_bytes;
    }
    return false;
}
