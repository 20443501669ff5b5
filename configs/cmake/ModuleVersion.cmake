# Writes a header with the version of the program and the hash of the headers whose types the program shares with its
# modules. A module of the same version that was built of other headers may lay them out otherwise.
# usage: cmake -DVERSION=... -DOUTPUT=FILE -P ModuleVersion.cmake
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
file(GLOB_RECURSE headers RELATIVE ${root} ${root}/core/*.h)
list(APPEND headers app/cuda_module/cuda_module.h gpu/runtime/probe.h)
list(SORT headers)
set(hashes)
foreach(header IN LISTS headers)
    file(SHA256 ${root}/${header} hash)
    string(APPEND hashes "${header} ${hash}\n")
endforeach()
string(SHA256 interface "${hashes}")
string(SUBSTRING ${interface} 0 12 interface)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TH_MODULE_VERSION \"${VERSION} (interface ${interface})\"\n")
