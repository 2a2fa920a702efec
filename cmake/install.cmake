# What an installation holds for embedders: headers, libportico.so, libportico.a, a CMake package and portico.pc.
# Everything is found relative to its own place, so that the folder can be moved.

# One object with our code, the protocol messages and nanoarrow in it, of which only pt_ symbols can be seen: a program's
# own nanoarrow or messages do not clash with them.
set(static_library "${CMAKE_BINARY_DIR}/install/libportico.a")
add_custom_command(OUTPUT "${static_library}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/install"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${static_library}"
    COMMAND ${CMAKE_LINKER} -r -o install/portico.o
        --whole-archive "$<TARGET_FILE:portico_core>" "$<TARGET_FILE:pt_protocols>" "$<TARGET_FILE:pt_nanoarrow>"
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --wildcard "--keep-global-symbol=pt_[!_]*" install/portico.o
    COMMAND ${CMAKE_AR} rcs "${static_library}" install/portico.o
    DEPENDS portico_core pt_protocols pt_nanoarrow
    WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
    COMMENT "Static library to install" VERBATIM)
add_custom_target(portico_static ALL DEPENDS "${static_library}")

# Beside ours when it is the pinned one, else where it was found.
if(PT_DUCKDB_IS_PINNED)
    set(PT_DUCKDB_INSTALLED "\${prefix}/lib/libduckdb.so")
    install(FILES "${duckdb_library}" DESTINATION lib)
else()
    set(PT_DUCKDB_INSTALLED "${duckdb_library}")
endif()
cmake_path(GET PT_DUCKDB_INSTALLED PARENT_PATH PT_DUCKDB_FOLDER)

# As flags and not as Requires.private, whose own private requirements would be wanted, too.
list(TRANSFORM core_libraries_LIBRARY_DIRS PREPEND "-L" OUTPUT_VARIABLE core_folders)
list(TRANSFORM core_libraries_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE core_names)
list(JOIN core_folders " " core_folders)
list(JOIN core_names " " core_names)
string(STRIP "${core_folders} ${core_names}" PT_CORE_FLAGS)

list(JOIN PT_CORE_MODULES " " PT_CORE_MODULES)
include(CMakePackageConfigHelpers)
configure_file(cmake/portico.pc.in install/portico.pc @ONLY)
configure_file(cmake/porticoConfig.cmake.in install/porticoConfig.cmake @ONLY)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/install/porticoConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)

install(TARGETS portico_shared LIBRARY DESTINATION lib)
install(FILES "${static_library}" DESTINATION lib)
install(DIRECTORY include/portico DESTINATION include)
install(DIRECTORY examples DESTINATION share/portico)
install(FILES docs/embedding.md DESTINATION share/portico)
install(FILES "${CMAKE_BINARY_DIR}/install/portico.pc" DESTINATION lib/pkgconfig)
install(FILES "${CMAKE_BINARY_DIR}/install/porticoConfig.cmake" "${CMAKE_BINARY_DIR}/install/porticoConfigVersion.cmake"
    DESTINATION lib/cmake/portico)
