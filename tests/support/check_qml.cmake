# Runs qmllint on the QML files of the window. Any warning is an error. The components of a file use its ids: since Qt
# 6.5, a pragma declares this, but older versions reject the file then. So qmllint reads copies with the pragma.
# usage: cmake -DQMLLINT=PROGRAM -DIMPORTS=FOLDER -DSOURCE=FOLDER -DCOPIES=FOLDER -P check_qml.cmake
file(REMOVE_RECURSE ${COPIES})
file(GLOB files RELATIVE ${SOURCE} ${SOURCE}/*.qml)
foreach(file IN LISTS files)
    file(READ ${SOURCE}/${file} text)
    file(WRITE ${COPIES}/${file} "pragma ComponentBehavior: Bound; ${text}")  # keeps the numbers of the lines
endforeach()
execute_process(COMMAND ${QMLLINT} --unused-imports warning -I ${IMPORTS} ${files} WORKING_DIRECTORY ${COPIES} RESULT_VARIABLE status)
if(NOT files OR NOT status EQUAL 0)
    message(FATAL_ERROR "qmllint warns about files of ${SOURCE}")
endif()
