# How everything of ours is compiled. Third-party code uses the optimization and sanitizers, not the warnings.

set(PT_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
option(PT_FUZZ "Build the libFuzzer targets (clang only)" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
find_package(Threads REQUIRED)

# Checkouts share one ccache: paths below the checkout count as relative to it.
find_program(PT_CCACHE ccache)
if(PT_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros ${PT_CCACHE})
endif()
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=." -fno-semantic-interposition -D_GNU_SOURCE)

if(PT_SANITIZE)
    add_compile_options("-fsanitize=${PT_SANITIZE}" -fno-sanitize-recover=all)
    add_link_options("-fsanitize=${PT_SANITIZE}")
endif()
if(PT_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(pt_flags INTERFACE)
target_compile_options(pt_flags INTERFACE
    -Wall -Wextra -Werror -Wconversion -Wno-sign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wvla -Wpointer-arith -Wwrite-strings)
target_include_directories(pt_flags INTERFACE "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src")
# Sanitizers rewrite expressions and gcc then warns about the rewriting; the other presets keep these warnings.
if(PT_SANITIZE)
    target_compile_options(pt_flags INTERFACE -Wno-conversion)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(pt_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow)
    endif()
endif()
