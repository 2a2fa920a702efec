/**
 * Proto files for reflection: those that this build knows (wire/descriptors.h), and those of the mounts.
 */
#ifndef PT_WIRE_PROTOFILE_H
#define PT_WIRE_PROTOFILE_H

#include <portico/frontend.h>

/** The FileDescriptorProto of that name; empty when unknown. Lives as long as the routes. */
pt_bytes_view pt__protofile_by_name(const pt_routes *routes, pt_text_view name);

/** That of the file which defines `symbol`, or what `symbol` is a part of (a method, a field). */
pt_bytes_view pt__protofile_by_symbol(const pt_routes *routes, const char *symbol);

#endif
