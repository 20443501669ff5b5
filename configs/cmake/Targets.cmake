# throng_cold(TARGET): compiles a target at -Og in a release. Only loops over pixels, boxes and weights take the time of a frame:
# they are hot, and compiled at -O3. All else mostly calls libraries. It is most of a build, and -Og takes about 60 % of the time
# of -O3 to compile. A profile (perf report --dsos throng) shows what should be hot.
function(throng_cold target)
    set(options -Og)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND options -Wno-maybe-uninitialized)  # false positives inside the standard library at -Og, GCC 12
    endif()
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${options}>")
endfunction()

# throng_hot(source...): hot sources of the other libraries. Each is compiled alone.
function(throng_hot)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
endfunction()

# throng_library(NAME [HOT] DIR... [EXCEPT source...] [LINK lib...]): a static library of all *.cpp in the given folders (not
# recursive), without the sources of another library. It may become part of a shared library that hides its symbols.
function(throng_library name)
    cmake_parse_arguments(ARG "HOT" "" "EXCEPT;LINK" ${ARGN})
    set(sources)
    foreach(dir IN LISTS ARG_UNPARSED_ARGUMENTS)
        file(GLOB found CONFIGURE_DEPENDS ${dir}/*.cpp ${dir}/*.h)
        list(APPEND sources ${found})
    endforeach()
    if(ARG_EXCEPT)
        list(TRANSFORM ARG_EXCEPT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
        list(REMOVE_ITEM sources ${ARG_EXCEPT})
    endif()
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC throng_options ${ARG_LINK})
    throng_hide_symbols(${name})
    if(NOT ARG_HOT)
        throng_cold(${name})
    endif()
endfunction()

function(throng_hide_symbols target)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
        CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# throng_use_module_version(TARGET): the target can include "module_version.h", which core/CMakeLists.txt writes.
set(TH_MODULE_VERSION_DIR ${PROJECT_BINARY_DIR}/generated)  # not in core/, whose headers it is made of
function(throng_use_module_version target)
    target_include_directories(${target} PRIVATE ${TH_MODULE_VERSION_DIR})
    add_dependencies(${target} throng_module_version)
endfunction()

# throng_module(NAME FILE SYMBOL source... [LINK lib...]): a module of the program, lib/throng/FILE.so, that exports one symbol:
# its table. core/base/shared_library.h loads it.
function(throng_module name file symbol)
    cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${file}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${symbol}; local: *; };\n")
    add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE throng_options ${ARG_LINK})
    throng_use_module_version(${name})
    target_link_options(${name} PRIVATE LINKER:--version-script=${map} LINKER:--no-undefined)
    set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME ${file} LINKER_LANGUAGE CXX
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/throng LINK_DEPENDS ${map})
endfunction()
