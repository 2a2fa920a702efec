"""Makes C sources of protocol messages out of the descriptors that a published Python package carries.

A generated `*_pb2.py` module holds its file's serialized descriptor as one bytes literal; reading that needs
neither importing the module nor the .proto text. protoc-c 1.4 refuses `optional` fields of proto3, so the mark
is cleared before C is generated: the field keeps its one-member oneof, and with it its presence.

Substrait removes deprecated fields from its messages while producers go on sending them, so the fields of an older
release are put back under their old numbers, which the newer one reserves.

Writes into --out:  c/PACKAGE/*.pb-c.{c,h},  descriptors.bin (the untouched descriptor set of Spark Connect),
substrait.bin (that of the merged Substrait messages)  and  include/google/protobuf/*.proto, what the definitions of
../proto import.
"""
import argparse
import ast
import os
import re
import subprocess
import tarfile
import tempfile

from google.protobuf import any_pb2, descriptor_pb2, empty_pb2, timestamp_pb2

SPARK = re.compile(r".*/pyspark/sql/connect/proto/(\w+)_pb2\.py$")
NOT_NEEDED = {"example_plugins"}
SUBSTRAIT = re.compile(r".*/src/substrait/((?:extensions/)?(?:algebra|extensions|plan|type))_pb2\.py$")
WELL_KNOWN = (any_pb2, timestamp_pb2)


def serialized_descriptor(module_text):
    """The longest bytes literal passed to AddSerializedFile in a generated module."""
    for node in ast.walk(ast.parse(module_text)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
            return ast.literal_eval(node.args[0])
    raise SystemExit("no descriptor in a generated module")


def files_of(archive, pattern):
    with tarfile.open(archive) as tar:
        for member in tar:
            found = pattern.match(member.name)
            if found and found[1] not in NOT_NEEDED:
                text = tar.extractfile(member).read().decode()
                yield descriptor_pb2.FileDescriptorProto.FromString(serialized_descriptor(text))


def in_order(files):
    """Imports before those that import them, as protoc wants them."""
    by_name, done = {f.name: f for f in files}, []

    def add(file):
        for name in file.dependency:
            add(by_name[name])
        if file not in done:
            done.append(file)

    for name in sorted(by_name):
        add(by_name[name])
    return done


def put_back_field(message, old_message, field):
    added = message.field.add()
    added.CopyFrom(field)
    if not field.HasField("oneof_index"):
        return
    name = old_message.oneof_decl[field.oneof_index].name
    names = [oneof.name for oneof in message.oneof_decl]
    if name not in names:
        message.oneof_decl.add(name=name)
        names.append(name)
    added.oneof_index = names.index(name)


def put_together(message):
    """The members of a oneof one after the other, as protoc wants them."""
    first = {}
    for at, field in enumerate(message.field):
        if field.HasField("oneof_index"):
            first.setdefault(field.oneof_index, at)
    fields = list(enumerate(message.field))
    fields.sort(key=lambda f: (first[f[1].oneof_index] if f[1].HasField("oneof_index") else f[0], f[0]))
    ordered = [descriptor_pb2.FieldDescriptorProto.FromString(f.SerializeToString()) for _, f in fields]
    del message.field[:]
    message.field.extend(ordered)


def put_back(messages, old_messages):
    """Adds the messages and fields that only the older release has."""
    by_name = {m.name: m for m in messages}
    for old in old_messages:
        if old.name not in by_name:
            messages.add().CopyFrom(old)
            continue
        message = by_name[old.name]
        numbers = {f.number for f in message.field}
        for field in old.field:
            if field.number not in numbers:
                put_back_field(message, old, field)
        del message.reserved_range[:]
        del message.reserved_name[:]
        put_together(message)
        put_back(message.nested_type, old.nested_type)


def substrait_files(newer, older):
    files = list(files_of(newer, SUBSTRAIT))
    old_files = {f.name: f for f in files_of(older, SUBSTRAIT)}
    for file in files:
        put_back(file.message_type, old_files[file.name].message_type)
    return files


def clear_optional(message):
    for field in message.field:
        field.ClearField("proto3_optional")
    for nested in message.nested_type:
        clear_optional(nested)


def write_importable(file, folder):
    """The .proto text of a well-known file, which has one flat message of scalar fields."""
    types = {number: name[5:].lower() for name, number in descriptor_pb2.FieldDescriptorProto.Type.items()}
    message = file.message_type[0]
    fields = "".join(f"  {types[f.type]} {f.name} = {f.number};\n" for f in message.field)
    os.makedirs(os.path.dirname(f"{folder}/{file.name}"), exist_ok=True)
    with open(f"{folder}/{file.name}", "w") as out:
        out.write(f'syntax = "proto3";\npackage {file.package};\nmessage {message.name} {{\n{fields}}}\n')


def write_c(files, out):
    """C of the files; their messages are changed."""
    for file in files:
        for message in file.message_type:
            clear_optional(message)
    names = [f.name for f in files]
    with tempfile.NamedTemporaryFile() as plain:
        plain.write(descriptor_pb2.FileDescriptorSet(file=files).SerializeToString(deterministic=True))
        plain.flush()
        subprocess.run(["protoc-c", "--descriptor_set_in=" + plain.name, "--c_out=" + out + "/c", *names], check=True)
    print(f"setup: C messages of {len(names)} protocol files")


def write_set(files, path):
    with open(path, "wb") as out:
        out.write(descriptor_pb2.FileDescriptorSet(file=files).SerializeToString(deterministic=True))


def well_known(modules):
    return [descriptor_pb2.FileDescriptorProto.FromString(m.DESCRIPTOR.serialized_pb) for m in modules]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--spark", required=True, help="source archive of pyspark-client")
    options.add_argument("--substrait", required=True, nargs=2, help="source archives: the newer and the older release")
    options.add_argument("--out", required=True)
    args = options.parse_args()
    known = well_known(WELL_KNOWN)
    for file in known:
        write_importable(file, args.out + "/include")
    os.makedirs(args.out + "/c", exist_ok=True)
    spark = in_order(known + list(files_of(args.spark, SPARK)))
    substrait = in_order(well_known((any_pb2, empty_pb2)) + substrait_files(*args.substrait))
    write_set(spark, args.out + "/descriptors.bin")
    write_set(substrait, args.out + "/substrait.bin")
    write_c(spark, args.out)
    write_c(substrait, args.out)


if __name__ == "__main__":
    main()
