# Installation: files by component. Each component is a Debian package that cpack makes (configs/packaging/build-deb).
set(share ${CMAKE_INSTALL_DATAROOTDIR})

# ---- a wheel of the Python module (app/python/setup.py)
if(SKBUILD)
    set(modules throng_python_nms)
    if(NOT TH_NMS_ONLY)
        list(APPEND modules throng_python_detect throng_images throng_media)
    endif()
    install(TARGETS ${modules} LIBRARY DESTINATION throng)
    add_custom_target(wheel COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} DEPENDS ${modules})
    return()
endif()
set(packages)

# ---- throng-cli: the program
if(TARGET throng)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME throng-cli)
    install(TARGETS throng RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES assets/detections.schema.json assets/summary.schema.json assets/manifest.schema.json
                  assets/anonymize-report.schema.json DESTINATION ${share}/throng/schemas)
    install(FILES configs/default.toml configs/clock-profiles.toml DESTINATION ${share}/doc/throng-cli/examples)
    install(PROGRAMS configs/cluster/dask_archive.py configs/cluster/slurm.sbatch DESTINATION ${share}/doc/throng-cli/examples/cluster)
    install(FILES configs/cluster/README.md configs/cluster/kubernetes.yaml DESTINATION ${share}/doc/throng-cli/examples/cluster)
    install(FILES configs/udev/99-throng-clocks.rules DESTINATION lib/udev/rules.d)
    install(FILES configs/udev/throng.conf DESTINATION lib/sysusers.d)
    install(FILES configs/systemd/throng-detect@.service DESTINATION lib/systemd/system)

    # Manual pages and completions come from the command line itself: the build runs throng-reference.
    if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
        find_program(TH_GZIP gzip REQUIRED)
        set(reference ${PROJECT_BINARY_DIR}/reference)
        add_custom_command(OUTPUT ${reference}/throng.fish
            COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
            COMMAND throng-reference ${reference}
            COMMAND sh -c "${TH_GZIP} -9n ${reference}/*.1"
            DEPENDS throng-reference VERBATIM)
        add_custom_target(reference ALL DEPENDS ${reference}/throng.fish)
        install(DIRECTORY ${reference}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1.gz")
        install(FILES ${reference}/throng.bash DESTINATION ${share}/bash-completion/completions RENAME throng)
        install(FILES ${reference}/_throng DESTINATION ${share}/zsh/vendor-completions)
        install(FILES ${reference}/throng.fish DESTINATION ${share}/fish/vendor_completions.d)
    endif()

    # ---- throng-media: modules that the program, libthrong0 and python3-throng load when they need them
    install(TARGETS throng_images throng_media LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/throng COMPONENT throng-media)
    list(APPEND packages throng-cli throng-media)
endif()

# ---- throng: the window
if(TARGET throng-window)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME throng)
    install(TARGETS throng-window RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/throng)
    install(FILES assets/throng.desktop DESTINATION ${share}/applications)
    install(FILES assets/throng.metainfo.xml DESTINATION ${share}/metainfo)
    install(FILES assets/throng.svg DESTINATION ${share}/icons/hicolor/scalable/apps)
    install(FILES configs/kiosk.toml configs/scenes.toml DESTINATION ${share}/doc/throng/examples)
    install(FILES configs/systemd/throng-kiosk.service DESTINATION lib/systemd/user)
    list(APPEND packages throng)
endif()

# ---- throng-cuda: the CUDA backend, which the program and libthrong0 load
if(TARGET throng_cuda)
    install(TARGETS throng_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/throng COMPONENT throng-cuda)
    list(APPEND packages throng-cuda)
endif()

# ---- libthrong-nms0, libthrong-nms-dev, libthrong0, libthrong-dev: the C libraries
find_package(Python3 COMPONENTS Interpreter QUIET)  # writes the manual pages
# throng_install_library(TARGET NAME PACKAGE DEV HEADERS EXAMPLES...): NAME is that of its pkg-config file.
function(throng_install_library target name package dev headers)
    get_target_property(export ${target} EXPORT_NAME)
    install(TARGETS ${target} EXPORT throng-${export} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT ${package} NAMELINK_COMPONENT ${dev})
    install(EXPORT throng-${export} NAMESPACE throng:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/throng COMPONENT ${dev})
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${dev})
    if(TARGET Python3::Interpreter)
        set(pages ${PROJECT_BINARY_DIR}/man3/${dev})
        list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
        add_custom_command(OUTPUT ${pages}/${name}
            COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
            COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/app/api/man_pages.py ${pages} ${headers}
            COMMAND sh -c "gzip -9n ${pages}/*.3 && touch ${pages}/${name}"
            DEPENDS ${headers} app/api/man_pages.py VERBATIM)
        add_custom_target(${name}-pages ALL DEPENDS ${pages}/${name})
        install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT ${dev} FILES_MATCHING PATTERN "*.3.gz")
    endif()
    install(FILES ${ARGN} DESTINATION ${share}/doc/${dev}/examples COMPONENT ${dev})
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # the files are true wherever the folder is moved
    get_target_property(library ${target} OUTPUT_NAME)
    if(NOT library)
        set(library ${target})
    endif()
    configure_file(configs/packaging/library.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${dev})
endfunction()
if(TARGET throng_nms)
    throng_install_library(throng_nms throng-nms libthrong-nms0 libthrong-nms-dev
        "app/api/throng_nms.h;app/api/throng_types.h" app/api/examples/nms.c)
    include(CMakePackageConfigHelpers)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/throng-config-version.cmake COMPATIBILITY SameMajorVersion)
    install(FILES configs/packaging/throng-config.cmake ${PROJECT_BINARY_DIR}/throng-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/throng COMPONENT libthrong-nms-dev)
    list(APPEND packages libthrong-nms0 libthrong-nms-dev)
endif()
if(TARGET throng_detection)
    throng_install_library(throng_detection throng libthrong0 libthrong-dev app/api/throng.h
        app/api/examples/detect.c app/api/examples/follow.cpp app/api/examples/image.cpp)
    list(APPEND packages libthrong0 libthrong-dev)
endif()

# ---- throng-gstreamer: elements, where GStreamer looks for them
if(TARGET throng_gstreamer)
    install(TARGETS throng_gstreamer LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gstreamer-1.0 COMPONENT throng-gstreamer)
    list(APPEND packages throng-gstreamer)
endif()

# ---- python3-throng-nms, python3-throng
if(TARGET throng_python)
    find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
    set(TH_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Folder of the Python module below the prefix")
    set(module ${TH_PYTHON_DIR}/throng)
    install(TARGETS throng_python_nms LIBRARY DESTINATION ${module} COMPONENT python3-throng-nms)
    install(DIRECTORY app/python/throng/ DESTINATION ${module} COMPONENT python3-throng-nms
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
    list(APPEND packages python3-throng-nms)
endif()
if(TARGET throng_python_detect)
    install(TARGETS throng_python_detect LIBRARY DESTINATION ${module} COMPONENT python3-throng)
    install(FILES app/python/examples/follow.py DESTINATION ${share}/doc/python3-throng/examples COMPONENT python3-throng)
    list(APPEND packages python3-throng)
endif()

# ---- Debian packages
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME throng)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
set(CPACK_PACKAGE_CONTACT "Throng developers <maintainers@throng.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_CROSSCOMPILING)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # otherwise that of the host
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# Every package has the copyright and the changelog.
set(documents ${PROJECT_BINARY_DIR}/documents)
add_custom_command(OUTPUT ${documents}/CHANGELOG.md.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
    COMMAND ${CMAKE_COMMAND} -E copy configs/packaging/changelog CHANGELOG.md ${documents}
    COMMAND gzip -9nf ${documents}/changelog ${documents}/CHANGELOG.md
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS CHANGELOG.md configs/packaging/changelog VERBATIM)
add_custom_target(documents ALL DEPENDS ${documents}/CHANGELOG.md.gz)
foreach(package IN LISTS packages)
    install(FILES configs/packaging/copyright ${documents}/changelog.gz ${documents}/CHANGELOG.md.gz
        DESTINATION ${share}/doc/${package} COMPONENT ${package})
    string(TOUPPER ${package} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
endforeach()

# throng_scripts(NAME FILE...): control files of a package, in configs/packaging/.
macro(throng_scripts name)
    string(TOUPPER ${name} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${ARGN})
    list(TRANSFORM CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA PREPEND ${PROJECT_SOURCE_DIR}/configs/packaging/)
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endmacro()
# throng_package(NAME SECTION DEPENDS SUMMARY DESCRIPTION)
macro(throng_package name section depends summary description)
    string(TOUPPER ${name} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${description}")
endmacro()
# A part of one build fits the others of that build only.
set(same "(= ${PROJECT_VERSION})")
# QML modules are loaded at run time by name, and so are the cascades, the default models.
throng_package(throng video "qml6-module-qtcore, qml6-module-qtqml, qml6-module-qtqml-models, \
qml6-module-qtqml-workerscript, qml6-module-qtquick, qml6-module-qtquick-controls, qml6-module-qtquick-dialogs, \
qml6-module-qtquick-layouts, qml6-module-qtquick-shapes, qml6-module-qtquick-templates, qml6-module-qtquick-window, \
qml6-module-qt-labs-folderlistmodel, throng-cli ${same}"
    "detects faces in crowds in real time - window"
    "Throng finds faces in photographs, videos, cameras and network streams, also
in crowds of hundreds. It has Haar and LBP cascades, convolutional networks
and HOG for whole people, clusters their raw detections by parallel
non-maximum suppression, and shows the time of every step. It can make faces
unrecognizable.

This package contains the window, for a desktop or an unattended screen.")
throng_package(throng-cli video "opencv-data, passwd, throng-media ${same}"
    "detects faces in crowds in real time - command line"
    "Throng finds faces in photographs, videos, cameras and network streams, also
in crowds of hundreds. It has Haar and LBP cascades, convolutional networks
and HOG for whole people, clusters their raw detections by parallel
non-maximum suppression, and shows the time of every step. It can make faces
unrecognizable.

This package contains the commands, which need no display. The package throng
adds the window.")
# Libraries that are loaded when they are first used: cameras, GIF files, gst:PIPELINE, models fetch, --mqtt.
string(REGEX MATCH "^[0-9]+" avdevice_major "${FFMPEG_LOADED_libavdevice_VERSION}")
string(REGEX MATCH "^[0-9]+" avfilter_major "${FFMPEG_LOADED_libavfilter_VERSION}")
set(CPACK_DEBIAN_THRONG-CLI_PACKAGE_RECOMMENDS
    "libavdevice${avdevice_major}, libavfilter${avfilter_major}, libgstreamer-plugins-base1.0-0, libcurl4, libmosquitto1")
set(CPACK_DEBIAN_THRONG-CLI_PACKAGE_SUGGESTS "ffmpeg, python3-jinja2, python3-matplotlib, throng, throng-cuda")
throng_scripts(throng-cli throng-cli/postinst)
set(CPACK_DEBIAN_THRONG_PACKAGE_RECOMMENDS "fonts-dejavu-core, libgl1-mesa-dri")
throng_package(throng-media video "" "detects faces in crowds in real time - media files"
    "Opens videos, streams, cameras and images for libthrong0 and python3-throng,
and reads and writes PNG, WebP and other image files for throng-cli.")
throng_package(throng-cuda non-free/video "throng-cli ${same} | libthrong0 ${same} | python3-throng ${same} | throng-gstreamer ${same}"
    "detects faces in crowds in real time - CUDA backend"
    "Runs the detectors of throng-cli and libthrong0 on NVIDIA GPUs. Needs a driver
for CUDA 12.2 or newer. Contains NVIDIA's CUDA runtime, which is not free
software.")
throng_package(libthrong-nms0 libs "" "exact non-maximum suppression - shared library"
    "Greedy, one-pass and soft non-maximum suppression of boxes, with the results
of torchvision's operator on request, behind a C interface.")
throng_package(libthrong0 libs "opencv-data, throng-media ${same}" "face detection - shared library"
    "Detects faces and people in images and videos with cascades, convolutional
networks and HOG, behind a C interface.")
# The trigger is Debian's way; cpack adds scripts that call ldconfig all the same.
foreach(package libthrong-nms0 libthrong0)
    throng_scripts(${package} triggers)
endforeach()
foreach(package throng libthrong-nms0 libthrong0)
    install(FILES configs/packaging/lintian/${package} DESTINATION ${share}/lintian/overrides COMPONENT ${package})
endforeach()
throng_package(libthrong-nms-dev libdevel "libthrong-nms0 ${same}"
    "exact non-maximum suppression - development files"
    "Headers, an example, and files for CMake and pkg-config of the C library
libthrong_nms.")
throng_package(libthrong-dev libdevel "libthrong0 ${same}, libthrong-nms-dev ${same}"
    "face detection - development files"
    "Headers, examples, and files for CMake and pkg-config of the C library
libthrong.")
throng_package(throng-gstreamer video "opencv-data" "face detection - elements for GStreamer"
    "The elements throngdetect, which marks faces and people in a pipeline, and
thronghide, which makes them unrecognizable.")
set(CPACK_DEBIAN_THRONG-GSTREAMER_PACKAGE_RECOMMENDS "gstreamer1.0-plugins-base, gstreamer1.0-tools")
set(CPACK_DEBIAN_THRONG-GSTREAMER_PACKAGE_SUGGESTS "throng-cuda")
# The modules are compiled for one version of Python.
math(EXPR next_python "${Python3_VERSION_MINOR} + 1")
set(python "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${next_python})")
throng_package(python3-throng-nms python "${python}" "exact non-maximum suppression - Python module"
    "Non-maximum suppression for NumPy, PyTorch and everything else with DLPack.")
set(CPACK_DEBIAN_PYTHON3-THRONG-NMS_PACKAGE_SUGGESTS "python3-numpy, python3-torch")
throng_package(python3-throng python "${python}, python3-throng-nms ${same}, throng-media ${same}"
    "face detection - Python module"
    "Detects faces and people in images and videos. Adds Detector and Pipeline to
the module of python3-throng-nms.")
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_RECOMMENDS "opencv-data, python3-numpy")
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_SUGGESTS "throng-cuda")
throng_scripts(python3-throng-nms python3-throng-nms/postinst python3-throng-nms/prerm)
include(CPack)
