#include "wire/protofile.h"

#include "wire/descriptors.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>

/* google/protobuf/descriptor.proto */
enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_SERVICE = 6,
    DEFINITION_NAME = 1
};

static const pt_bytes_view nothing = {(const uint8_t *)"", 0};

static bool same(pt_bytes_view a, pt_text_view b)
{
    return a.size_bytes == b.size_bytes && memcmp(a.data, b.data, b.size_bytes) == 0;
}

static bool has_name(pt_bytes_view file, pt_text_view name)
{
    return same(pt__proto_find_bytes(file, FILE_NAME), name);
}

/* Whether the file defines `symbol` at its top level. */
static bool defines(pt_bytes_view file, pt_text_view symbol)
{
    pt_bytes_view package = pt__proto_find_bytes(file, FILE_PACKAGE);
    pt_text_view local = symbol;
    if (package.size_bytes != 0) {
        pt_text_view prefix = {symbol.data, package.size_bytes};
        if (symbol.size_bytes <= package.size_bytes + 1 || !same(package, prefix) ||
            symbol.data[package.size_bytes] != '.')
            return false;
        local.data += package.size_bytes + 1;
        local.size_bytes -= package.size_bytes + 1;
    }
    pt__proto_field field;
    while (pt__proto_next(&file, &field) == PT_PROTO_FIELD) {
        bool definition = field.number == FILE_MESSAGE || field.number == FILE_ENUM || field.number == FILE_SERVICE;
        if (definition && same(pt__proto_find_bytes(field.bytes, DEFINITION_NAME), local))
            return true;
    }
    return false;
}

/* The first file of all mounts for which matches(file, text) holds. */
static pt_bytes_view find_in_mounts(const pt_routes *routes, bool (*matches)(pt_bytes_view, pt_text_view),
                                    pt_text_view text)
{
    const pt_frontend_vtable *frontend;
    void *mount;
    for (size_t i = 0; pt_routes_mount_at(routes, i, &frontend, &mount); i++) {
        pt_bytes_view set = frontend->descriptors == NULL ? nothing : frontend->descriptors(mount);
        pt__proto_field field;
        while (pt__proto_next(&set, &field) == PT_PROTO_FIELD)
            if (field.number == SET_FILE && matches(field.bytes, text))
                return field.bytes;
    }
    return nothing;
}

static pt_bytes_view known_file(size_t index)
{
    return (pt_bytes_view){pt__proto_files[index].bytes, pt__proto_files[index].size_bytes};
}

pt_bytes_view pt__protofile_by_name(const pt_routes *routes, pt_text_view name)
{
    for (size_t i = 0; i < pt__proto_file_count; i++)
        if (strlen(pt__proto_files[i].name) == name.size_bytes &&
            memcmp(pt__proto_files[i].name, name.data, name.size_bytes) == 0)
            return known_file(i);
    return find_in_mounts(routes, has_name, name);
}

static int compare_symbol(const void *key, const void *element)
{
    return strcmp(key, ((const pt__proto_symbol *)element)->name);
}

static pt_bytes_view find_symbol(const pt_routes *routes, const char *symbol)
{
    const pt__proto_symbol *known =
        bsearch(symbol, pt__proto_symbols, pt__proto_symbol_count, sizeof(*known), compare_symbol);
    if (known != NULL)
        return known_file(known->file);
    return find_in_mounts(routes, defines, (pt_text_view){symbol, strlen(symbol)});
}

pt_bytes_view pt__protofile_by_symbol(const pt_routes *routes, const char *symbol)
{
    char *part = strdup(symbol);
    pt_bytes_view found = nothing;
    while (part != NULL && found.size_bytes == 0) {
        found = find_symbol(routes, part);
        char *dot = strrchr(part, '.');
        if (dot == NULL)
            break;
        *dot = '\0';
    }
    free(part);
    return found;
}
