# Library dependencies; configs/packages.txt lists their Debian packages.
if(POLICY CMP0135)
    cmake_policy(SET CMP0135 NEW)  # downloaded files are as old as their download
endif()
find_package(Threads REQUIRED)
if(NOT TH_STATIC_HIGHWAY)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(HIGHWAY QUIET IMPORTED_TARGET libhwy)
    endif()
endif()
if(HIGHWAY_FOUND)
    add_library(throng_highway INTERFACE)
    target_link_libraries(throng_highway INTERFACE PkgConfig::HIGHWAY)
else()
    message(STATUS "Compiling Highway in: downloading version 1.0.3. Without a network, unpack its source and pass "
                   "-DFETCHCONTENT_SOURCE_DIR_HIGHWAY=FOLDER")
    include(FetchContent)
    FetchContent_Declare(highway URL https://github.com/google/highway/archive/refs/tags/1.0.3.tar.gz
        URL_HASH SHA256=566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e
        SOURCE_SUBDIR no-build)  # its tests and examples are not ours
    FetchContent_MakeAvailable(highway)
    add_library(throng_highway STATIC ${highway_SOURCE_DIR}/hwy/aligned_allocator.cc ${highway_SOURCE_DIR}/hwy/targets.cc)
    target_include_directories(throng_highway SYSTEM PUBLIC ${highway_SOURCE_DIR})
    set_target_properties(throng_highway PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endif()
if(TH_NMS_ONLY)
    return()
endif()
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(Protobuf REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(TIFF REQUIRED)
find_package(tomlplusplus QUIET)
if(NOT tomlplusplus_FOUND)
    # Ubuntu 22.04, the base of JetPack 6, has no package of it.
    message(STATUS "toml++ is not installed: downloading version 3.4.0. Without a network, unpack its "
                   "source and pass -DFETCHCONTENT_SOURCE_DIR_TOMLPLUSPLUS=FOLDER")
    include(FetchContent)
    FetchContent_Declare(tomlplusplus
        URL https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
        URL_HASH SHA256=8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155)
    FetchContent_MakeAvailable(tomlplusplus)
endif()
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
pkg_check_modules(FFMPEG_LOADED REQUIRED libavdevice libavfilter)  # their headers: the program loads them when it needs them
pkg_check_modules(MOSQUITTO REQUIRED libmosquitto)  # as these

pkg_check_modules(GSTREAMER QUIET IMPORTED_TARGET gstreamer-app-1.0 gstreamer-video-1.0)  # as these; its elements link them
pkg_check_modules(GST_ANALYTICS QUIET IMPORTED_TARGET gstreamer-analytics-1.0)  # from GStreamer 1.24 on
if(NOT GSTREAMER_FOUND)
    message(STATUS "No GStreamer headers: building without gst:PIPELINE and the elements (libgstreamer-plugins-base1.0-dev)")
endif()

# OpenCV: its CMake package if installed completely (Jetson, source builds). Debian's module packages do not include it.
set(TH_OPENCV_MODULES core imgproc imgcodecs objdetect dnn)
find_package(OpenCV QUIET COMPONENTS ${TH_OPENCV_MODULES})
if(NOT OpenCV_FOUND)
    find_path(TH_OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
    foreach(module IN LISTS TH_OPENCV_MODULES)
        find_library(TH_OPENCV_${module} opencv_${module} REQUIRED)
        add_library(opencv_${module} UNKNOWN IMPORTED)
        set_target_properties(opencv_${module} PROPERTIES
            IMPORTED_LOCATION ${TH_OPENCV_${module}}
            INTERFACE_INCLUDE_DIRECTORIES ${TH_OPENCV_INCLUDE})
        if(NOT module STREQUAL core)
            set_property(TARGET opencv_${module} PROPERTY INTERFACE_LINK_LIBRARIES opencv_core)
        endif()
    endforeach()
endif()

# Here and not in ui/, because targets that link the window need these targets too.
if(TH_BUILD_UI)
    find_package(Qt6 6.2 REQUIRED COMPONENTS Core Gui Qml Quick QuickControls2)
endif()
