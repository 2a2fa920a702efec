"""Plans of DataFusion, byte by byte: what the tests of the backend submit. See proto/datafusion/plan.proto."""

INT32, INT64, FLOAT64, UTF8, UTF8_VIEW = 8, 10, 13, 14, 35


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value >= 128:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value)


def message(field, *parts):
    content = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field * 8 + 2) + varint(len(content)) + content


def column(name):
    return message(1, message(1, name))


def integer(value):
    return message(3, number(7, value))


def operation(word, *operands):
    return message(4, *[message(1, operand) for operand in operands], message(3, word))


def named(expression, name):
    return message(2, message(1, expression), message(2, name))


def aggregate(function, *arguments):
    return message(19, message(1, function), *[message(2, argument) for argument in arguments])


def scan(paths, columns, name="t", partitions=2):
    fields = [message(1, message(1, field), message(2, message(kind)), number(3, 1)) for field, kind in columns]
    return message(1, *[message(2, str(path)) for path in paths], message(3, ".parquet"), message(5, *fields),
                   number(9, partitions), message(11), message(14, message(1, message(1, name))))


def project(plan, *expressions):
    return message(3, message(1, plan), *[message(2, expression) for expression in expressions])


def where(plan, condition):
    return message(4, message(1, plan), message(2, condition))


def group(plan, keys, aggregates):
    return message(6, message(1, plan), *[message(2, key) for key in keys], *[message(3, one) for one in aggregates])


def sort(plan, *keys):
    return message(8, message(1, plan), *[message(2, message(1, key), number(2, 1), number(3, 0)) for key in keys],
                   number(3, -1))


def copy_to(plan, url):
    return message(29, message(1, plan), message(2, url))


ONE_ROW = message(10, number(1, 1))


def slow(folder, rounds):
    """Hashes the texts of many files so often and counts: work that executors can be told to stop."""
    hashed = column("s")
    for _ in range(rounds):
        hashed = message(20, message(1, "md5"), message(2, hashed))
    counted = [named(aggregate("count", hashed), "n")]
    return group(scan([folder], [("s", UTF8)]), [], counted)
