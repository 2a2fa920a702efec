# What third_party/setup prepared, and the libraries of the system, as targets.

set(setup_script "${CMAKE_SOURCE_DIR}/third_party/setup")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${setup_script}" "${CMAKE_SOURCE_DIR}/third_party/pins.tsv" "${CMAKE_SOURCE_DIR}/third_party/make_protocols.py")
execute_process(COMMAND sh "${setup_script}" where
    OUTPUT_VARIABLE PT_THIRD_PARTY OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS "${PT_THIRD_PARTY}/.done")
    message(FATAL_ERROR "Run ./dev setup first: ${PT_THIRD_PARTY} is not there.")
endif()

# For code that is not ours: no warnings, and no undefined-behaviour checks (flatcc reads unaligned on purpose).
add_library(pt_foreign INTERFACE)
target_compile_options(pt_foreign INTERFACE -w)
if(PT_SANITIZE MATCHES "undefined")
    target_compile_options(pt_foreign INTERFACE -fno-sanitize=undefined)
endif()

find_package(PkgConfig REQUIRED)
set(PT_CORE_MODULES libnghttp2 openssl libprotobuf-c libpcre2-8 libutf8proc libzstd liblz4 zlib sqlite3)
pkg_check_modules(core_libraries REQUIRED IMPORTED_TARGET ${PT_CORE_MODULES})
# Only their headers: these are loaded when they are needed (base/library.h).
pkg_check_modules(loaded_libraries REQUIRED libcurl libpq)
pkg_check_modules(loop_library REQUIRED IMPORTED_TARGET libuv)
add_library(pt_libraries INTERFACE)
target_link_libraries(pt_libraries INTERFACE PkgConfig::core_libraries Threads::Threads ${CMAKE_DL_LIBS} m)
target_include_directories(pt_libraries SYSTEM INTERFACE ${loaded_libraries_INCLUDE_DIRS})
add_library(pt::libraries ALIAS pt_libraries)
add_library(pt::loop ALIAS PkgConfig::loop_library)

# nanoarrow and its IPC extension, with the run-time of flatcc.
set(nanoarrow "${PT_THIRD_PARTY}/nanoarrow/src/nanoarrow")
set(flatcc "${PT_THIRD_PARTY}/flatcc")
add_library(pt_nanoarrow STATIC
    "${nanoarrow}/common/array.c" "${nanoarrow}/common/array_stream.c" "${nanoarrow}/common/schema.c"
    "${nanoarrow}/common/utils.c" "${nanoarrow}/ipc/codecs.c" "${nanoarrow}/ipc/decoder.c"
    "${nanoarrow}/ipc/encoder.c" "${nanoarrow}/ipc/reader.c" "${nanoarrow}/ipc/writer.c"
    "${flatcc}/src/runtime/builder.c" "${flatcc}/src/runtime/emitter.c" "${flatcc}/src/runtime/refmap.c"
    "${flatcc}/src/runtime/verifier.c")
target_include_directories(pt_nanoarrow SYSTEM PUBLIC "${PT_THIRD_PARTY}/nanoarrow/src" "${flatcc}/include")
target_compile_definitions(pt_nanoarrow PRIVATE NANOARROW_IPC_WITH_ZSTD NANOARROW_IPC_WITH_LZ4)
target_link_libraries(pt_nanoarrow PRIVATE pt_foreign PUBLIC pt::libraries)
add_library(pt::nanoarrow ALIAS pt_nanoarrow)

# DuckDB: the pinned library, or one of the system by -DDUCKDB_ROOT.
set(DUCKDB_ROOT "${PT_THIRD_PARTY}/duckdb" CACHE PATH "Folder with include/duckdb.h and lib/libduckdb.so")
if(DUCKDB_ROOT MATCHES "/third_party-[0-9a-f]+/duckdb$")
    set(DUCKDB_ROOT "${PT_THIRD_PARTY}/duckdb") # a build folder of older pins follows the new ones
    set(PT_DUCKDB_IS_PINNED ON)
endif()
find_path(duckdb_include duckdb.h PATHS "${DUCKDB_ROOT}/include" "${DUCKDB_ROOT}" NO_DEFAULT_PATH NO_CACHE REQUIRED)
find_library(duckdb_library duckdb PATHS "${DUCKDB_ROOT}/lib" "${DUCKDB_ROOT}" NO_DEFAULT_PATH NO_CACHE REQUIRED)
add_library(pt_duckdb SHARED IMPORTED)
set_target_properties(pt_duckdb PROPERTIES IMPORTED_LOCATION "${duckdb_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${duckdb_include}")
add_library(pt::duckdb ALIAS pt_duckdb)
# An installed program finds the library beside it; with a DuckDB of the system, where that one is.
cmake_path(GET duckdb_library PARENT_PATH duckdb_folder)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
if(NOT PT_DUCKDB_IS_PINNED)
    list(APPEND CMAKE_INSTALL_RPATH "${duckdb_folder}")
endif()
