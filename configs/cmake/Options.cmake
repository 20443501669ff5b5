# Build options, and compile options of all targets.
option(TH_NMS_ONLY "Build libthrong_nms and its Python module alone, which need Highway only" OFF)
option(TH_STATIC_HIGHWAY "Download Highway's source and compile it in, instead of linking libhwy" OFF)
option(TH_BUILD_UI "Build the Qt window" ON)
option(TH_BUILD_API "Build the C libraries libthrong_nms and libthrong" ON)
option(TH_BUILD_PYTHON "Build the Python module if pybind11 is found" ON)
option(TH_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TH_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
set(TH_CUDA AUTO CACHE STRING "CUDA backend: ON, OFF, or AUTO (if this machine has an NVIDIA driver and a CUDA compiler)")
option(TH_WERROR "Treat warnings as errors" OFF)
set(TH_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# With CMAKE_UNITY_BUILD, which app/run and tests/run set: headers are parsed and templates compiled once for 24 sources.
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()

find_program(TH_CCACHE ccache)
if(TH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TH_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${TH_CCACHE})
endif()
find_program(TH_MOLD mold)

# Against the exploitation of faults that remain: what Debian's packages are built with. The cascade is as fast with it
# (configs/README.md). Sanitizers find more, and FORTIFY hides accesses from them.
if(NOT TH_SANITIZE)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES CXX)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(hardening -fstack-protector-strong $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${hardening}>"
        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fstack-protector-strong>")
    add_link_options(LINKER:-z,relro,-z,now)
endif()

add_library(throng_options INTERFACE)
target_include_directories(throng_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_features(throng_options INTERFACE cxx_std_20)
# Results must be bit-identical on CPU and GPU: no implicit fused multiply-add.
target_compile_options(throng_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
# A program loads only the shared libraries it uses: those of OpenCV and Qt bring hundreds of others.
target_link_options(throng_options INTERFACE LINKER:--as-needed)
if(TH_MOLD AND NOT CMAKE_CROSSCOMPILING AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
    target_link_options(throng_options INTERFACE -fuse-ld=mold)
endif()

set(TH_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                -Wold-style-cast -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wformat=2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False positives inside the standard library at -O2 and above, GCC 12.
    list(APPEND TH_WARNINGS -Wno-null-dereference -Wno-restrict)
endif()
if(TH_WERROR)
    list(APPEND TH_WARNINGS -Werror)
endif()
target_compile_options(throng_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${TH_WARNINGS}>")

# Inherited by the targets of a folder. Checks of every pointer for null and for its alignment are a sixth of the time to compile a test
# with AddressSanitizer, which reports an access to null anyway.
define_property(TARGET PROPERTY TH_FEWER_CHECKS INHERITED BRIEF_DOCS "Not checked: null and alignment of pointers" FULL_DOCS "")
if(TH_SANITIZE)
    target_compile_options(throng_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TH_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:TH_FEWER_CHECKS>>>:-fno-sanitize=null,alignment>)
    target_link_options(throng_options INTERFACE -fsanitize=${TH_SANITIZE})
endif()
