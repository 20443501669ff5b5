# What `cmake --install` copies, and the Debian package that cpack makes of it (configs/packaging/build-deb).
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATAROOTDIR})

install(TARGETS throng RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES assets/throng.desktop DESTINATION ${share}/applications)
install(FILES assets/throng.metainfo.xml DESTINATION ${share}/metainfo)
install(FILES assets/throng.svg DESTINATION ${share}/icons/hicolor/scalable/apps)
install(FILES assets/detections.schema.json assets/summary.schema.json DESTINATION ${share}/throng/schemas)
install(FILES configs/default.toml configs/kiosk.toml configs/clock-profiles.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES configs/udev/99-throng-clocks.rules DESTINATION lib/udev/rules.d)
install(FILES configs/systemd/throng-kiosk.service DESTINATION lib/systemd/user)
install(FILES configs/packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manual pages and completions come from the command line itself: the build runs throng-reference.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    find_program(TH_GZIP gzip REQUIRED)
    set(reference ${CMAKE_BINARY_DIR}/reference)
    add_custom_command(OUTPUT ${reference}/throng.fish ${reference}/changelog.gz
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference}
        COMMAND throng-reference ${reference}
        COMMAND ${CMAKE_COMMAND} -E copy configs/packaging/changelog CHANGELOG.md ${reference}
        COMMAND sh -c "${TH_GZIP} -9n ${reference}/*.1 ${reference}/changelog ${reference}/CHANGELOG.md"
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        DEPENDS throng-reference CHANGELOG.md configs/packaging/changelog VERBATIM)
    add_custom_target(reference ALL DEPENDS ${reference}/throng.fish)
    install(DIRECTORY ${reference}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1.gz")
    install(FILES ${reference}/throng.bash DESTINATION ${share}/bash-completion/completions RENAME throng)
    install(FILES ${reference}/_throng DESTINATION ${share}/zsh/vendor-completions)
    install(FILES ${reference}/throng.fish DESTINATION ${share}/fish/vendor_completions.d)
    install(FILES ${reference}/changelog.gz ${reference}/CHANGELOG.md.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME throng)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Throng developers <maintainers@throng.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "detects faces in crowds in real time")
set(CPACK_PACKAGE_DESCRIPTION "Throng finds faces in photographs, videos, cameras and network streams, also
in crowds of hundreds. It has Haar and LBP cascades, convolutional networks
and HOG for whole people, clusters their raw detections by parallel
non-maximum suppression, and shows the time of every step. It can make faces
unrecognizable.

It contains a window for a desktop or an unattended screen, and commands that
need no display.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# QML modules are loaded at run time by name, and so are the cascades, the default models.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "qml6-module-qtcore, qml6-module-qtqml, qml6-module-qtqml-models, \
qml6-module-qtqml-workerscript, qml6-module-qtquick, qml6-module-qtquick-controls, qml6-module-qtquick-dialogs, \
qml6-module-qtquick-layouts, qml6-module-qtquick-shapes, qml6-module-qtquick-templates, qml6-module-qtquick-window, \
qml6-module-qt-labs-folderlistmodel, opencv-data")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, libgl1-mesa-dri")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg")
include(CPack)
