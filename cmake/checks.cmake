# check_headers: every header of ours compiles as the only include of a file, the public ones in C++17, too.

file(GLOB_RECURSE own_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" include/*.h src/*.h)
set(check_sources)
foreach(header ${own_headers})
    string(REGEX REPLACE "^(include|src)/" "" included "${header}")
    set(source "${CMAKE_BINARY_DIR}/check_headers/${included}.c")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${included}\"\n")
    list(APPEND check_sources "${source}")
endforeach()
if(check_sources)
    add_library(check_headers OBJECT EXCLUDE_FROM_ALL ${check_sources})
    target_link_libraries(check_headers PRIVATE pt_flags pt::protocols pt::nanoarrow pt::duckdb pt::libraries pt::loop)
    target_compile_options(check_headers PRIVATE -Wno-unused-function)
endif()

# The public headers are for C++, too: each alone in C++17, with nothing but the headers themselves.
find_program(PT_CXX NAMES g++ clang++-14)
file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/include" include/portico/*.h)
set(public_paths ${public_headers})
list(TRANSFORM public_paths PREPEND "${CMAKE_SOURCE_DIR}/include/")
set(cxx_stamps)
foreach(header ${public_headers})
    string(REPLACE "/" "_" name "${header}")
    set(stamp "${CMAKE_BINARY_DIR}/check_headers/${name}.cxx-ok")
    add_custom_command(OUTPUT "${stamp}"
        COMMAND "${PT_CXX}" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "${CMAKE_SOURCE_DIR}/include"
            -x c++ "${CMAKE_BINARY_DIR}/check_headers/${header}.c"
        COMMAND "${CMAKE_C_COMPILER}" -std=c17 -Wall -Wextra -Werror -fsyntax-only
            -I "${CMAKE_SOURCE_DIR}/include" "${CMAKE_BINARY_DIR}/check_headers/${header}.c"
        COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
        DEPENDS ${public_paths} COMMENT "${header} alone in C++17 and C17" VERBATIM)
    list(APPEND cxx_stamps "${stamp}")
endforeach()
add_custom_target(check_headers_cxx DEPENDS ${cxx_stamps})
add_dependencies(check_headers check_headers_cxx)
