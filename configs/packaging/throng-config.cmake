# find_package(throng [0] [COMPONENTS nms detection]): the targets throng::nms and throng::detection, as far as they are
# installed.
foreach(component nms detection)
    include(${CMAKE_CURRENT_LIST_DIR}/throng-${component}.cmake OPTIONAL)
    if(TARGET throng::${component})
        set(throng_${component}_FOUND TRUE)
    endif()
endforeach()
foreach(component IN LISTS throng_FIND_COMPONENTS)
    if(throng_FIND_REQUIRED_${component} AND NOT throng_${component}_FOUND)
        set(throng_FOUND FALSE)
        set(throng_NOT_FOUND_MESSAGE "throng has no component ${component} here. Known: nms (package libthrong-nms-dev), detection (libthrong-dev)")
    endif()
endforeach()
