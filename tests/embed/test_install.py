"""An installed copy serves a CMake project and a plain compiler line, shared and static."""
import pathlib
import subprocess

import pytest

from program import BINARY

BUILD = pathlib.Path(BINARY).parent
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

pytestmark = [
    pytest.mark.skipif(not (BUILD / "libportico.so").exists(), reason="the sanitized presets are not installed"),
    pytest.mark.skipif(BUILD.name == "bin", reason="this is an installed copy"),
]

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(scratch LANGUAGES C)
find_package(portico 0.1 REQUIRED {components})
foreach(name IN ITEMS acme_decoder embed_epoll foreign_call)
    add_executable(${{name}} "{examples}/${{name}}.c")
    target_link_libraries(${{name}} PRIVATE portico::portico)
endforeach()
"""


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed, and then moved."""
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def libraries_of(program):
    return run("ldd", program)


@pytest.mark.parametrize("components", ["", "COMPONENTS static"])
def test_cmake_package(prefix, tmp_path, components):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(components=components, examples=EXAMPLES))
    run("cmake", "-S", tmp_path, "-B", tmp_path / "out", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "out")
    assert run(tmp_path / "out/acme_decoder", cwd=tmp_path) == "0\n70\n140\n"
    assert "id" in run(tmp_path / "out/foreign_call", cwd=tmp_path)
    assert ("libportico.so" in libraries_of(tmp_path / "out/acme_decoder")) == (components == "")


def test_cmake_package_names_what_it_does_not_have(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(components="COMPONENTS nonsense", examples=EXAMPLES))
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "out", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "nonsense" in done.stderr


def flags(prefix, *options):
    import os

    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    return run("pkg-config", *options, "portico", env=env).split()


def test_pkg_config_shared(prefix, tmp_path):
    program = tmp_path / "acme"
    run("gcc", "-std=c17", EXAMPLES / "acme_decoder.c", "-o", program, *flags(prefix, "--cflags", "--libs"),
        f"-Wl,-rpath,{prefix}/lib")
    assert run(program, cwd=tmp_path) == "0\n70\n140\n"
    assert flags(prefix, "--modversion") == ["0.1.0"]


def test_pkg_config_static(prefix, tmp_path):
    program = tmp_path / "acme"
    run("gcc", "-std=c17", EXAMPLES / "acme_decoder.c", "-o", program, prefix / "lib/libportico.a", "-Wl,--as-needed",
        *flags(prefix, "--static", "--cflags", "--libs"), f"-Wl,-rpath,{prefix}/lib")
    assert run(program, cwd=tmp_path) == "0\n70\n140\n"
    assert "libportico.so" not in libraries_of(program)


def test_the_installed_program_runs(prefix, tmp_path):
    assert "portico" in run(prefix / "bin/portico", "help", cwd=tmp_path).lower()
