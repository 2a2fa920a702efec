"""What leaves the library, and what it keeps: only pt_ symbols, and no mutable globals."""
import pathlib
import re
import subprocess

import pytest

from program import BINARY

BUILD = pathlib.Path(BINARY).parent
HEADERS = pathlib.Path(__file__).parents[2] / "include/portico"
SHARED = BUILD / "libportico.so"

# Declared in headers and defined by others: the plug-in.
NOT_OURS = {"pt_plugin_open", "pt_plugin_open_function"}

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the sanitized presets have no shared library")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined(*options):
    return {line.split()[-1] for line in run("nm", "--defined-only", *options).splitlines() if len(line.split()) == 3}


def declared():
    names = set()
    for header in HEADERS.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        text = re.sub(r"^#.*(\\\n.*)*", "", text, flags=re.M)
        text = re.sub(r"static inline[^{]*\{.*?^\}", "", text, flags=re.S | re.M)
        names |= set(re.findall(r"^[a-z][\w \t*]*?\b(pt_\w+)\(", text, flags=re.M))
        names |= set(re.findall(r"^(pt_\w+)\(", text, flags=re.M))
        names |= set(re.findall(r"^extern const \w+ (pt_\w+);", text, flags=re.M))
    return {name for name in names if not name.startswith("pt__")} - NOT_OURS


def test_only_public_symbols_leave_the_shared_library():
    assert [name for name in defined("-D", str(SHARED)) if not re.match(r"pt_[^_]", name)] == []


def test_only_public_symbols_leave_the_static_library():
    assert [name for name in defined("-g", str(BUILD / "install/libportico.a")) if not re.match(r"pt_[^_]", name)] == []


def test_headers_and_library_agree():
    exported = defined("-D", str(SHARED))
    assert sorted(declared() - exported) == []
    assert sorted(exported - declared()) == []


def test_public_names_have_the_prefix():
    for header in HEADERS.glob("*.h"):
        if header.name == "arrow.h":
            continue  # the structs of Arrow's C data interface
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name in re.findall(r"^#define (\w+)", text, flags=re.M):
            assert re.match(r"PT_|PORTICO_|pt_", name), f"{header.name}: {name}"
        for name in re.findall(r"^\} (\w+);", text, flags=re.M):
            assert name.startswith("pt_"), f"{header.name}: {name}"


def test_every_table_says_its_size():
    for header in HEADERS.glob("*.h"):
        for name, body in re.findall(r"typedef struct (pt_\w+_vtable|pt_\w+_options|pt_\w+_request|pt_connection_info) \{(.*?)^\}",
                                     header.read_text(), flags=re.S | re.M):
            assert re.match(r"\s*(/\*.*?\*/\s*)?size_t size_bytes;", body, flags=re.S), f"{header.name}: {name}"


def test_there_is_no_process_wide_state():
    """State hangs off a host: our objects have nothing writable but what the loader relocates and then protects."""
    writable = []
    for line in run("objdump", "-t", str(BUILD / "libportico.a")).splitlines():
        found = re.match(r"\S+ .{7}\s*(\.data|\.bss|\.tdata|\.tbss|\*COM\*)(\.\S+)?\s+\S+\s+(?:\.hidden )?(\S+)$", line)
        if found and " O " in line and not (found[2] or "").startswith(".rel.ro"):
            writable.append(found[3])
    assert writable == []


def test_the_library_installs_no_signal_handler_and_starts_no_process():
    undefined = set(run("nm", "-u", str(BUILD / "libportico.a")).split())
    assert not undefined & {"signal", "sigaction", "sigprocmask", "pthread_sigmask", "alarm", "fork", "system", "popen",
                            "atexit", "exit", "_exit", "setenv", "putenv", "unsetenv", "setlocale", "chdir", "umask"}
