# C messages of the wire protocols: those that set-up made from published descriptors, and those of proto/.
# Included as "spark/connect/base.pb-c.h", "google/rpc/status.pb-c.h" and so on.

find_program(PT_PROTOC_C protoc-c REQUIRED)
find_program(PT_PROTOC protoc REQUIRED)
find_program(PT_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PT_PYTHON NAMES python3 REQUIRED)

set(proto_root "${CMAKE_SOURCE_DIR}/proto")
set(proto_imports "${PT_THIRD_PARTY}/protocols/include")
set(proto_out "${CMAKE_BINARY_DIR}/protocols")
file(MAKE_DIRECTORY "${proto_out}")
file(GLOB_RECURSE published CONFIGURE_DEPENDS "${PT_THIRD_PARTY}/protocols/c/*.c")
file(GLOB_RECURSE proto_files CONFIGURE_DEPENDS RELATIVE "${proto_root}" "${proto_root}/*.proto")

set(proto_sources)
foreach(file ${proto_files})
    string(REGEX REPLACE "\\.proto$" ".pb-c" stem "${file}")
    add_custom_command(OUTPUT "${proto_out}/${stem}.c" "${proto_out}/${stem}.h"
        COMMAND "${PT_PROTOC_C}" "--proto_path=${proto_root}" "--proto_path=${proto_imports}" "--c_out=${proto_out}" "${file}"
        DEPENDS "${proto_root}/${file}" COMMENT "C messages of ${file}" VERBATIM)
    list(APPEND proto_sources "${proto_out}/${stem}.c" "${proto_out}/${stem}.h")
endforeach()

# The serialized descriptors of all of them, for server reflection: see src/wire/descriptors.h.
set(own_descriptors "${proto_out}/own.bin")
list(TRANSFORM proto_files PREPEND "${proto_root}/" OUTPUT_VARIABLE proto_paths)
add_custom_command(OUTPUT "${own_descriptors}"
    COMMAND "${PT_PROTOC}" "--proto_path=${proto_root}" "--proto_path=${proto_imports}" "--descriptor_set_out=${own_descriptors}" ${proto_files}
    DEPENDS ${proto_paths} VERBATIM)
add_custom_command(OUTPUT "${proto_out}/descriptors.c"
    COMMAND "${PT_PYTHON}" "${CMAKE_SOURCE_DIR}/cmake/embed_descriptors.py" "${proto_out}/descriptors.c"
        "${PT_THIRD_PARTY}/protocols/descriptors.bin" "${own_descriptors}"
    DEPENDS "${own_descriptors}" "${CMAKE_SOURCE_DIR}/cmake/embed_descriptors.py"
    COMMENT "Descriptors for reflection" VERBATIM)

add_library(pt_protocols STATIC ${published} ${proto_sources} "${proto_out}/descriptors.c")
target_include_directories(pt_protocols SYSTEM PUBLIC "${PT_THIRD_PARTY}/protocols/c" "${proto_out}")
target_include_directories(pt_protocols PRIVATE "${CMAKE_SOURCE_DIR}/src")
target_link_libraries(pt_protocols PRIVATE pt_foreign PUBLIC PkgConfig::core_libraries)
add_library(pt::protocols ALIAS pt_protocols)
