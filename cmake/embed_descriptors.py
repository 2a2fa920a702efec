"""Writes C tables of serialized protocol descriptors: embed_descriptors.py OUT.c SET.bin...

Reads the descriptor sets on the wire level, so that the build needs Python only, not its protobuf package.
Field numbers are those of descriptor.proto.
"""
import sys

FILE, NAME, PACKAGE, DEPENDENCY = 1, 1, 2, 3
FILE_MESSAGE, FILE_ENUM, FILE_SERVICE = 4, 5, 6
NESTED_MESSAGE, NESTED_ENUM = 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, bytes) of each length-delimited field."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            _, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            at += {1: 8, 5: 4}[kind]


def first(data, number):
    return next((v.decode() for n, v in fields(data) if n == number), "")


def message_symbols(message, prefix):
    name = prefix + first(message, NAME)
    yield name
    for number, nested in fields(message):
        if number == NESTED_MESSAGE:
            yield from message_symbols(nested, name + ".")
        elif number == NESTED_ENUM:
            yield name + "." + first(nested, NAME)


def file_symbols(file):
    package = first(file, PACKAGE)
    prefix = package + "." if package else ""
    for number, part in fields(file):
        if number == FILE_MESSAGE:
            yield from message_symbols(part, prefix)
        elif number in (FILE_ENUM, FILE_SERVICE):
            yield prefix + first(part, NAME)


def c_bytes(data):
    rows = [data[i:i + 24] for i in range(0, len(data), 24)]
    return ",\n".join("    " + ",".join(str(b) for b in row) for row in rows)


def main():
    files = {}
    for path in sys.argv[2:]:
        with open(path, "rb") as source:
            for number, file in fields(source.read()):
                if number == FILE:
                    files.setdefault(first(file, NAME), file)
    order = {name: i for i, name in enumerate(files)}
    out = ['/* Made by cmake/embed_descriptors.py. */', '#include "wire/descriptors.h"', ""]
    rows, symbols = [], []
    for i, (name, file) in enumerate(files.items()):
        imports = [order[v.decode()] for n, v in fields(file) if n == DEPENDENCY]
        out.append(f"static const unsigned char file_{i}[] = {{\n{c_bytes(file)}}};")
        out.append(f"static const unsigned short imports_{i}[] = {{{', '.join(map(str, imports)) or '0'}}};")
        rows.append(f'    {{"{name}", file_{i}, sizeof file_{i}, imports_{i}, {len(imports)}}},')
        symbols += [(symbol, i) for symbol in file_symbols(file)]
    out += ["const pt__proto_file pt__proto_files[] = {", *rows, "};"]
    out.append(f"const size_t pt__proto_file_count = {len(rows)};")
    out.append("const pt__proto_symbol pt__proto_symbols[] = {")
    out += [f'    {{"{symbol}", {i}}},' for symbol, i in sorted(symbols)]
    out += ["};", f"const size_t pt__proto_symbol_count = {len(symbols)};", ""]
    with open(sys.argv[1], "w") as target:
        target.write("\n".join(out))


main()
