/**
 * The serialized descriptors of every protocol file that this build knows, for server reflection.
 *
 * The tables are made at build time by cmake/embed_descriptors.py and are constant.
 */
#ifndef PT_WIRE_DESCRIPTORS_H
#define PT_WIRE_DESCRIPTORS_H

#include <stddef.h>

/** One .proto file; `bytes` is its FileDescriptorProto as published. */
typedef struct pt__proto_file {
    const char *name;
    const unsigned char *bytes;
    size_t size_bytes;
    const unsigned short *imports; /* indexes into pt__proto_files of what it imports directly */
    size_t import_count;
} pt__proto_file;

/** A fully qualified service, message or enum and the file that defines it. */
typedef struct pt__proto_symbol {
    const char *name;
    unsigned short file; /* index into pt__proto_files */
} pt__proto_symbol;

extern const pt__proto_file pt__proto_files[];
extern const size_t pt__proto_file_count;
extern const pt__proto_symbol pt__proto_symbols[]; /* sorted by name, as strcmp does */
extern const size_t pt__proto_symbol_count;

#endif
