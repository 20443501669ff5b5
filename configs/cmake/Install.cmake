# Installation: files by component. Each component is a Debian package that cpack makes (configs/packaging/build-deb).
set(share ${CMAKE_INSTALL_DATAROOTDIR})
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME throng)

# ---- throng: the program
install(TARGETS throng RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES assets/throng.desktop DESTINATION ${share}/applications)
install(FILES assets/throng.metainfo.xml DESTINATION ${share}/metainfo)
install(FILES assets/throng.svg DESTINATION ${share}/icons/hicolor/scalable/apps)
install(FILES assets/detections.schema.json assets/summary.schema.json assets/manifest.schema.json
              assets/anonymize-report.schema.json DESTINATION ${share}/throng/schemas)
install(FILES configs/default.toml configs/kiosk.toml configs/scenes.toml configs/clock-profiles.toml DESTINATION ${share}/doc/throng/examples)
install(PROGRAMS configs/cluster/dask_archive.py configs/cluster/slurm.sbatch DESTINATION ${share}/doc/throng/examples/cluster)
install(FILES configs/cluster/README.md configs/cluster/kubernetes.yaml DESTINATION ${share}/doc/throng/examples/cluster)
install(FILES configs/udev/99-throng-clocks.rules DESTINATION lib/udev/rules.d)
install(FILES configs/systemd/throng-kiosk.service DESTINATION lib/systemd/user)
set(packages throng)

# Manual pages and completions come from the command line itself: the build runs throng-reference.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    find_program(TH_GZIP gzip REQUIRED)
    set(reference ${CMAKE_BINARY_DIR}/reference)
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
list(APPEND packages throng-media)

# ---- throng-cuda: the CUDA backend, which the program and libthrong0 load
if(TARGET throng_cuda)
    install(TARGETS throng_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/throng COMPONENT throng-cuda)
    list(APPEND packages throng-cuda)
endif()

# ---- libthrong-nms0, libthrong0, libthrong-dev: the C libraries
if(TARGET throng_nms)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME libthrong-dev)
    include(CMakePackageConfigHelpers)
    set_target_properties(throng_nms PROPERTIES EXPORT_NAME nms)
    set_target_properties(throng_detection PROPERTIES EXPORT_NAME detection)
    install(TARGETS throng_nms EXPORT throng LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT libthrong-nms0 NAMELINK_COMPONENT libthrong-dev)
    install(TARGETS throng_detection EXPORT throng LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT libthrong0 NAMELINK_COMPONENT libthrong-dev)
    install(FILES app/api/throng.h app/api/throng_nms.h app/api/throng_types.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT throng NAMESPACE throng:: FILE throng-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/throng)
    write_basic_package_version_file(${CMAKE_BINARY_DIR}/throng-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${CMAKE_BINARY_DIR}/throng-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/throng)
    foreach(library throng throng_nms)
        string(REPLACE _ - name ${library})
        configure_file(configs/packaging/library.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
        install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    endforeach()
    install(DIRECTORY app/api/examples/ DESTINATION ${share}/doc/libthrong-dev/examples
        FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp")
    list(APPEND packages libthrong-nms0 libthrong0 libthrong-dev)
endif()

# ---- python3-throng
if(TARGET throng_python)
    find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
    set(module lib/python3/dist-packages/throng)
    install(TARGETS throng_python_nms throng_python_detect LIBRARY DESTINATION ${module} COMPONENT python3-throng)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/python/throng/ DESTINATION ${module} COMPONENT python3-throng
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
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
set(documents ${CMAKE_BINARY_DIR}/documents)
add_custom_command(OUTPUT ${documents}/CHANGELOG.md.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
    COMMAND ${CMAKE_COMMAND} -E copy configs/packaging/changelog CHANGELOG.md ${documents}
    COMMAND gzip -9nf ${documents}/changelog ${documents}/CHANGELOG.md
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DEPENDS CHANGELOG.md configs/packaging/changelog VERBATIM)
add_custom_target(documents ALL DEPENDS ${documents}/CHANGELOG.md.gz)
foreach(package IN LISTS packages)
    install(FILES configs/packaging/copyright ${documents}/changelog.gz ${documents}/CHANGELOG.md.gz
        DESTINATION ${share}/doc/${package} COMPONENT ${package})
    string(TOUPPER ${package} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
endforeach()

# throng_package(NAME SECTION DEPENDS SUMMARY DESCRIPTION)
macro(throng_package name section depends summary description)
    string(TOUPPER ${name} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${description}")
endmacro()
# QML modules are loaded at run time by name, and so are the cascades, the default models.
throng_package(throng video "qml6-module-qtcore, qml6-module-qtqml, qml6-module-qtqml-models, \
qml6-module-qtqml-workerscript, qml6-module-qtquick, qml6-module-qtquick-controls, qml6-module-qtquick-dialogs, \
qml6-module-qtquick-layouts, qml6-module-qtquick-shapes, qml6-module-qtquick-templates, qml6-module-qtquick-window, \
qml6-module-qt-labs-folderlistmodel, opencv-data, throng-media (= ${PROJECT_VERSION})"
    "detects faces in crowds in real time"
    "Throng finds faces in photographs, videos, cameras and network streams, also
in crowds of hundreds. It has Haar and LBP cascades, convolutional networks
and HOG for whole people, clusters their raw detections by parallel
non-maximum suppression, and shows the time of every step. It can make faces
unrecognizable.

It contains a window for a desktop or an unattended screen, and commands that
need no display.")
# Libraries that are loaded when they are first used: cameras, GIF files, gst:PIPELINE, models fetch.
string(REGEX MATCH "^[0-9]+" avdevice_major "${FFMPEG_LOADED_libavdevice_VERSION}")
string(REGEX MATCH "^[0-9]+" avfilter_major "${FFMPEG_LOADED_libavfilter_VERSION}")
set(loaded "libavdevice${avdevice_major}, libavfilter${avfilter_major}, libgstreamer-plugins-base1.0-0, libcurl4")
set(CPACK_DEBIAN_THRONG_PACKAGE_RECOMMENDS "fonts-dejavu-core, libgl1-mesa-dri, ${loaded}")
set(CPACK_DEBIAN_THRONG_PACKAGE_SUGGESTS "ffmpeg, python3-jinja2, python3-matplotlib, throng-cuda")
# A module fits exactly one version of what loads it.
throng_package(throng-media video "" "detects faces in crowds in real time - media files"
    "Opens videos, streams, cameras and images for libthrong0 and python3-throng, and
reads and writes PNG, WebP and other image files for throng.")
throng_package(throng-cuda non-free/video
    "throng (= ${PROJECT_VERSION}) | libthrong0 (= ${PROJECT_VERSION}) | python3-throng (= ${PROJECT_VERSION})"
    "detects faces in crowds in real time - CUDA backend"
    "Runs the detectors of throng and libthrong0 on NVIDIA GPUs. Needs a driver for
CUDA 12.2 or newer. Contains NVIDIA's CUDA runtime, which is not free software.")
throng_package(libthrong-nms0 libs "" "exact non-maximum suppression - shared library"
    "Greedy, one-pass and soft non-maximum suppression of boxes, with the results
of torchvision's operator on request, behind a C interface.")
throng_package(libthrong0 libs "opencv-data, throng-media (= ${PROJECT_VERSION})" "face detection - shared library"
    "Detects faces and people in images and videos with cascades, convolutional
networks and HOG, behind a C interface.")
# The trigger is Debian's way; cpack adds scripts that call ldconfig all the same, which lintian warns about.
foreach(key LIBTHRONG-NMS0 LIBTHRONG0)
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/configs/packaging/triggers)
endforeach()
throng_package(libthrong-dev libdevel "libthrong0 (= ${PROJECT_VERSION}), libthrong-nms0 (= ${PROJECT_VERSION})"
    "face detection and non-maximum suppression - development files"
    "Headers, examples, and files for CMake and pkg-config of the C libraries
libthrong and libthrong_nms.")
# The module is compiled for one version of Python.
math(EXPR next_python "${Python3_VERSION_MINOR} + 1")
throng_package(python3-throng python
    "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${next_python}), \
throng-media (= ${PROJECT_VERSION})"
    "face detection and non-maximum suppression - Python module"
    "Non-maximum suppression for NumPy, PyTorch and everything else with DLPack,
and face detection in images and videos.")
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/configs/packaging/python3-throng/postinst
    ${CMAKE_SOURCE_DIR}/configs/packaging/python3-throng/prerm)
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_RECOMMENDS "opencv-data")
set(CPACK_DEBIAN_PYTHON3-THRONG_PACKAGE_SUGGESTS "python3-numpy, python3-torch, throng-cuda")
include(CPack)
