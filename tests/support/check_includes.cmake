# Dependencies point one way: core <- gpu, core <- ui, app -> all. Fails on an include in the other direction.
function(forbid folder pattern why)
    file(GLOB_RECURSE files ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.cu ${ROOT}/${folder}/*.cuh)
    foreach(file IN LISTS files)
        file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"](${pattern})")
        foreach(line IN LISTS lines)
            message(SEND_ERROR "${file}: ${line}\n  ${why}")
        endforeach()
    endforeach()
endfunction()

forbid(core "gpu/|ui/|app/|cuda|nv(ml|cuvid|jpeg|rtc)\\.h|Q[A-Z]|Qt" "core must not depend on CUDA, Qt or other folders")
forbid(gpu "ui/|app/|Q[A-Z]|Qt" "gpu may depend only on core")
forbid(ui "gpu/|app/|cuda" "ui may depend only on core")

# The laboratory measures the program and is no part of it: only the race of the window uses it.
forbid(app/commands "app/lab/[^r]|app/lab/r[^a]" "app/lab may be included by app/lab only, app/lab/race.h excepted")
foreach(folder api cuda_module options python reference)
    forbid(app/${folder} "app/lab/" "app/lab may be included by app/lab only")
endforeach()

# Lines go to logger() (core/base/log.h): spdlog's default logger is the host's where a library is used.
foreach(folder core gpu ui app)
    file(GLOB_RECURSE files ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.cu)
    foreach(file IN LISTS files)
        file(STRINGS ${file} lines REGEX "spdlog::(trace|debug|info|warn|error|critical|log|default_logger|set_level)\\(")
        foreach(line IN LISTS lines)
            message(SEND_ERROR "${file}: ${line}\n  use logger() of core/base/log.h")
        endforeach()
    endforeach()
endforeach()
