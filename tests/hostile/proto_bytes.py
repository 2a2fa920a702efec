"""Protobuf by hand: what no library would write."""


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def nested(levels, innermost, *path):
    """`innermost` within `levels` messages, each in the fields of `path`, outermost first."""
    heads, size = [], len(innermost)
    for _ in range(levels):
        for number in reversed(path):
            head = varint(number << 3 | 2) + varint(size)
            heads.append(head)
            size += len(head)
    return b"".join(reversed(heads)) + innermost


SQL_RELATION = field(10, field(1, b"select 1 as a"))
LITERAL_ONE = field(1, b"\x30\x01")  # Expression.literal { integer: 1 }


def execute_request(session, plan, more=b""):
    """An ExecutePlanRequest; `plan` are the bytes of a Plan."""
    return field(1, session.encode()) + field(2, field(1, b"probe")) + field(3, plan) + more


def root(relation):
    return field(1, relation)


def command(content):
    return field(2, content)


def project(expression, relation=SQL_RELATION):
    return field(3, field(1, relation) + field(3, expression))
