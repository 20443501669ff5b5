# Dependencies point one way: core <- gpu, core <- ui, app -> all. Fails on an include the wrong way.
function(forbid room pattern why)
    file(GLOB_RECURSE files ${ROOT}/${room}/*.h ${ROOT}/${room}/*.cpp ${ROOT}/${room}/*.cu ${ROOT}/${room}/*.cuh)
    foreach(file IN LISTS files)
        file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"](${pattern})")
        foreach(line IN LISTS lines)
            message(SEND_ERROR "${file}: ${line}\n  ${why}")
        endforeach()
    endforeach()
endfunction()

forbid(core "gpu/|ui/|app/|cuda|nv[a-z]*\\.h|Q[A-Z]|Qt" "core knows neither CUDA nor Qt nor the program")
forbid(gpu "ui/|app/|Q[A-Z]|Qt" "gpu depends on core alone")
forbid(ui "gpu/|app/|cuda" "ui depends on core, never on gpu")
