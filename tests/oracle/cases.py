"""Calls to compare: for every row of the function table calls that fit it and calls that do not.

A case is (name, kind, expression, form). Kinds say what is asked for:

  columns    the arguments are columns that hold no NULL       nulls     columns that may hold NULL
  literals   the arguments are literals                        wrong     one argument has another type
  count      one argument too few or too many

The form says how the expression stands in a statement: "scalar", "aggregate", "window", "generator".
"""
import itertools, os, re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "src", "analyze", "functions.def")
RULES = os.path.join(ROOT, "src", "analyze", "type_rules.def")

# type: column, first value, second value, literal
TYPES = {
    "boolean": ("b", "true", "false", "true"),
    "tinyint": ("t", "1Y", "2Y", "1Y"),
    "smallint": ("h", "1S", "2S", "1S"),
    "int": ("i", "1", "2", "1"),
    "bigint": ("l", "1L", "2L", "1L"),
    "float": ("f", "CAST(1.5 AS FLOAT)", "CAST(0.5 AS FLOAT)", "CAST(1.5 AS FLOAT)"),
    "double": ("d", "1.5D", "0.25D", "0.5D"),
    "decimal": ("c", "1.50", "2.25", "1.50"),
    "string": ("s", "'abc'", "'2020-02-29'", "'abc'"),
    "binary": ("y", "X'616263'", "X'FF'", "X'6162'"),
    "date": ("e", "DATE'2020-02-29'", "DATE'1969-12-31'", "DATE'2020-02-29'"),
    "timestamp": ("p", "TIMESTAMP'2020-02-29 12:30:45.5'", "TIMESTAMP'1969-12-31 23:59:59'",
                  "TIMESTAMP'2020-02-29 12:30:45'"),
    "timestamp_ntz": ("n", "TIMESTAMP_NTZ'2020-02-29 12:30:45.5'", "TIMESTAMP_NTZ'1969-12-31 23:59:59'",
                      "TIMESTAMP_NTZ'2020-02-29 12:30:45'"),
    "dt": ("q", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '0 00:00:01' DAY TO SECOND", "INTERVAL '2' DAY"),
    "ym": ("r", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '0-1' YEAR TO MONTH", "INTERVAL '3' MONTH"),
    "array<int>": ("ai", "array(1, 2, 1)", "array(3)", "array(1, 2)"),
    "array<double>": ("ad", "array(1.5D, 2.5D)", "array(0.5D)", "array(1.5D)"),
    "array<float>": ("af", "array(CAST(1.5 AS FLOAT))", "array(CAST(2 AS FLOAT))", "array(CAST(1 AS FLOAT))"),
    "array<string>": ("as", "array('a', 'b')", "array('c')", "array('a', 'b')"),
    "array<array<int>>": ("aa", "array(array(1), array(2, 3))", "array(array(4))", "array(array(1))"),
    "map<string,int>": ("m", "map('a', 1)", "map('b', 2, 'c', 3)", "map('a', 1)"),
    "struct": ("st", "named_struct('a', 1, 'b', 'x')", "named_struct('a', 2, 'b', 'y')", "named_struct('a', 1)"),
    "variant": ("w", "parse_json('{\"a\":1}')", "parse_json('[1]')", "parse_json('1')"),
}
WRONG = ["boolean", "int", "double", "decimal", "string", "binary", "date", "timestamp", "dt", "array<int>", "map<string,int>", "struct"]
WRONG_LITERALS = ["NULL", "'1'", "-1", "9223372036854775807L"]
FEW_WRONG, FEW_LITERALS = ["boolean", "double", "string", "array<int>"], ["NULL", "'1'"]  # for calls of many arguments

# words of signatures that are no type
CLASSES = {"any": "int", "numeric": "double", "integral": "bigint", "fractional": "double", "atomic": "int", "datetime": "timestamp",
           "strings": "string", "void": "int", "interval": None, "time": None}

# Arguments for rules that a signature does not tell: types, as many lists as there are ways to call it.
BY_RULE = [["int"], ["double"], ["decimal"], ["string"], ["array<int>"], ["map<string,int>"], ["date"], ["int", "int"],
           ["double", "double"], ["decimal", "decimal"], ["string", "string"], ["timestamp", "timestamp"],
           ["array<int>", "array<int>"], ["dt", "int"], ["int", "int", "int"], ["string", "string", "string"], ["boolean", "int", "int"]]

INFIX = set("% & * + - / < << <= <=> = == > >= >> >>> ^ | and or div".split())
FORMS = {"!": "(! {0})", "~": "(~ {0})", "not": "(NOT {0})", "between": "({0} BETWEEN {1} AND {2})",
         "when": "CASE WHEN {0} THEN {1} ELSE {2} END"}
# What every call answers otherwise, and what stops the other server.
UNSTABLE = set("""current_date current_timestamp curdate current_time current_user user session_user now localtimestamp rand randn random randstr
    uuid shuffle uniform unix_timestamp version current_timezone current_catalog current_database current_schema monotonically_increasing_id
    input_file_name spark_partition_id aes_encrypt sleep distributed_sequence_id""".split())
NO_ROW = "FROM VALUES (1) one(x)"


def source():
    """A table with two rows: for each type a column without NULLs, and one of the same name and an n with a NULL."""
    columns, one, two = [], [], []
    for column, first, second, _ in TYPES.values():
        columns += [f"`{column}`", f"`{column}n`"]
        one += [first, first]
        two += [second, "NULL"]
    return f"FROM VALUES ({', '.join(one)}), ({', '.join(two)}) AS v({', '.join(columns)})"


def rows():
    """(name, kind, signature) of every row of the function table that can be written in SQL."""
    with open(TABLE) as table:
        for line in table:
            match = re.match(r'PT_\w*FUNCTION\("([^"]+)", (\w+), "([^"]*)"', line)
            if match and " " not in match[1]:
                yield match.groups()


def split(text):
    parts, depth, current, before = [], 0, "", ""
    for c in text:
        depth += c in "<("
        depth -= c == ")" or (c == ">" and before != "-")
        before = c
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return [p for p in parts + [current.strip()] if p]


def known_type(word):
    """The type of TYPES that a word of a signature takes; None: it is a lambda, or nothing we can write."""
    word = re.sub(r"[!?]", "", word.replace("const ", "")).strip()
    if word in CLASSES:
        return CLASSES[word]
    if word in TYPES:
        return word
    if len(word) == 1:
        return "int"
    if word.startswith("array<array<"):
        return "array<array<int>>"
    if word.startswith("array<"):
        return {"array<string>": "array<string>", "array<float>": "array<float>"}.get(word, "array<int>")
    return "map<string,int>" if word.startswith("map<") else None


def variable_types(words):
    """Types of the parameters; keys of maps and values of theirs by their letters."""
    letters = {}
    for word in words:
        nested = re.match(r"map<(\w), ?(\w)>", word)
        if nested:
            letters[nested[1]] = "string"
    types = []
    for word in words:
        bare = word.rstrip("?*+").replace("const ", "").strip()
        types.append(letters.get(bare) or known_type(bare))
    return types


def rule_counts():
    """{rule: (fewest, most)} arguments."""
    with open(RULES) as table:
        found = re.findall(r"^PT_TYPE_RULE\((\w+), (\d+), (\w+)\)", table.read(), re.M)
    return {name: (int(fewest), 99 if most == "ANY" else int(most)) for name, fewest, most in found}


def argument_lists(signature):
    """Lists of types that a row takes."""
    if signature.startswith("@"):
        fewest, most = rule_counts()[signature[1:]]
        return [types for types in BY_RULE if fewest <= len(types) <= most]
    words = split(signature.rsplit("->", 1)[0] if "fn(" not in signature else signature[:signature.rindex(" -> ")])
    types = variable_types(words)
    if None in types:
        return []
    fewest = sum(not w.endswith(("?", "*")) for w in words)
    lists = [types[:n] for n in range(fewest, len(types) + 1)]
    if words and words[-1].endswith(("*", "+")):
        lists.append(types + types[-1:])
    return lists


def write(name, arguments):
    if name in FORMS and len(arguments) >= FORMS[name].count("{"):
        return FORMS[name].format(*arguments)
    if name in INFIX and len(arguments) == 2:
        return f"({arguments[0]} {name} {arguments[1]})"
    if not re.match(r"^[a-z]\w*$", name):
        return None
    return f"{name}({', '.join(arguments)})"


def calls(signature, counts):
    """(kind, arguments) of every case of a row; `counts` are the numbers of arguments that other rows of the name had."""
    constant = [w.startswith("const ") for w in split(signature.rsplit("->", 1)[0])] if "@" != signature[:1] else []
    for types in argument_lists(signature):
        fixed = [n < len(constant) and constant[n] for n in range(len(types))]
        columns = [TYPES[t][3] if c else TYPES[t][0] for t, c in zip(types, fixed)]
        yield "columns", columns
        yield "nulls", [TYPES[t][3] if c else TYPES[t][0] + "n" for t, c in zip(types, fixed)]
        yield "literals", [TYPES[t][3] for t in types]
        if len(types) in counts:
            continue
        counts.add(len(types))
        wrong_types, wrong_literals = (WRONG, WRONG_LITERALS) if len(types) < 3 else (FEW_WRONG, FEW_LITERALS)
        for n in range(len(types)):
            for wrong in [TYPES[w][0] for w in wrong_types] + wrong_literals:
                yield "wrong", columns[:n] + [wrong] + columns[n + 1:]
        if types:
            yield "count", columns[:-1]
        yield "count", columns + ["i"]


def cases(only=None):
    seen, counts = set(), {}
    for name, kind, signature in rows():
        if only and name not in only:
            continue
        form = {"SCALAR": "scalar", "VOLATILE": "scalar"}.get(kind, kind.lower())
        for what, arguments in calls(signature, counts.setdefault(name, set())):
            text = write(name, ["`as`" if a == "as" else a for a in arguments])
            if text is None or text in seen:
                continue
            seen.add(text)
            yield name, what, text, form


def statement(expressions, form):
    """One statement for expressions of one form."""
    over = " OVER (ORDER BY i)" if form == "window" else ""
    return f"SELECT {', '.join(e + over for e in expressions)} {source()}"
