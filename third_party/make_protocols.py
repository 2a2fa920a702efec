"""Makes C sources of protocol messages out of the descriptors that a published Python package carries.

A generated `*_pb2.py` module holds its file's serialized descriptor as one bytes literal; reading that needs
neither importing the module nor the .proto text. protoc-c 1.4 refuses `optional` fields of proto3, so the mark
is cleared before C is generated: the field keeps its one-member oneof, and with it its presence.

Writes into --out:  c/PACKAGE/*.pb-c.{c,h},  descriptors.bin (the untouched descriptor set)  and
include/google/protobuf/*.proto, what the definitions of ../proto import.
"""
import argparse
import ast
import os
import re
import subprocess
import tarfile
import tempfile

from google.protobuf import any_pb2, descriptor_pb2, timestamp_pb2

SPARK = re.compile(r".*/pyspark/sql/connect/proto/(\w+)_pb2\.py$")
NOT_NEEDED = {"example_plugins"}
WELL_KNOWN = (any_pb2, timestamp_pb2)


def serialized_descriptor(module_text):
    """The longest bytes literal passed to AddSerializedFile in a generated module."""
    for node in ast.walk(ast.parse(module_text)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
            return ast.literal_eval(node.args[0])
    raise SystemExit("no descriptor in a generated module")


def spark_files(archive):
    with tarfile.open(archive) as tar:
        for member in tar:
            found = SPARK.match(member.name)
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


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--spark", required=True, help="source archive of pyspark-client")
    options.add_argument("--out", required=True)
    args = options.parse_args()
    known = [descriptor_pb2.FileDescriptorProto.FromString(m.DESCRIPTOR.serialized_pb) for m in WELL_KNOWN]
    for file in known:
        write_importable(file, args.out + "/include")
    files = in_order(known + list(spark_files(args.spark)))
    os.makedirs(args.out + "/c", exist_ok=True)
    whole = descriptor_pb2.FileDescriptorSet(file=files)
    with open(args.out + "/descriptors.bin", "wb") as out:
        out.write(whole.SerializeToString(deterministic=True))
    for file in whole.file:
        for message in file.message_type:
            clear_optional(message)
    with tempfile.NamedTemporaryFile() as plain:
        plain.write(whole.SerializeToString(deterministic=True))
        plain.flush()
        names = [f.name for f in whole.file]
        subprocess.run(["protoc-c", "--descriptor_set_in=" + plain.name, "--c_out=" + args.out + "/c", *names],
                       check=True)
    print(f"setup: C messages of {len(names)} protocol files")


if __name__ == "__main__":
    main()
