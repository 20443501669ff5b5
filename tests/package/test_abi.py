"""The binary interface of the C libraries is that of tests/package/abi: same functions, versions, structs and values.

    test_abi.py SOURCE_DIR LIBRARY_DIR C_COMPILER [--renew]

Compares what the headers declare, compiled by a C compiler, and what the libraries export. --renew records the interface;
do so only together with a line in CHANGELOG.md, and after a release only for what app/api/README.md allows.
Ends with 77 where abidw and abidiff (package abigail-tools) are missing, or on another processor than x86-64.
"""

import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
DECLARATION = re.compile(r"^THRONG_API ((?:const )?\w+ ?\*?)\s*(throng_\w+)\(([^)]*)\);", re.MULTILINE)
LIBRARIES = {"throng_nms": ("throng_nms.h", "nms"), "throng": ("throng.h", "detect")}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


def declared(api, header):
    """Returns {name: definition that does nothing} of the functions of a header and of what both share."""
    functions = {}
    for name in (header, "throng_types.h"):
        for result, function, arguments in DECLARATION.findall((api / name).read_text(encoding="utf-8")):
            body = "" if result.strip() == "void" else "return 0;"
            functions[function] = f"{result} {function}({arguments}) {{ {body} }}"
    return functions


def compiled(compiler, api, header, folder, functions, map_file):
    """Returns a library with debug information that has the interface of a header and nothing else."""
    source = pathlib.Path(folder, "interface.c")
    source.write_text(f'#include "{header}"\n' + "\n".join(functions.values()) + "\n", encoding="utf-8")
    library = source.with_suffix(".so")
    # A field that is added into padding would not change the size of the struct.
    made = run(compiler, "-std=c99", "-g", "-shared", "-fPIC", "-Werror=padded", f"-I{api}",
               f"-ffile-prefix-map={folder}/=",  # the record names the source
               f"-Wl,--version-script={map_file}", source, "-o", library)
    if made.returncode != 0:
        sys.exit(f"{header}: {made.stderr}")
    return library


def exported(library):
    lines = run("nm", "-D", "--defined-only", "--with-symbol-versions", library).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines if line.split()[-2] in "TWV"}


def main():
    source, built, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    if platform.machine() != "x86_64" or not all(map(shutil.which, ("abidw", "abidiff", "nm"))):
        print("skipped: needs x86-64, abidw and abidiff (abigail-tools)")
        return SKIPPED
    api = source / "app" / "api"
    failures = []
    for name, (header, folder) in LIBRARIES.items():
        functions = declared(api, header)
        in_library = exported(built / f"lib{name}.so")
        for function in sorted(set(functions) ^ in_library):
            where = "exported, but not declared" if function in in_library else "declared, but not exported"
            failures.append(f"lib{name}.so: {function} is {where} in {header}")
        record = source / "tests" / "package" / "abi" / f"lib{name}.abi"
        with tempfile.TemporaryDirectory() as work:
            made = compiled(compiler, api, header, work, functions, api / folder / "exports.map")
            abi = run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", made)
            if abi.returncode != 0:
                sys.exit(f"abidw: {abi.stderr}")
            if "--renew" in sys.argv:
                record.write_text(abi.stdout, encoding="utf-8")
            now = pathlib.Path(work, "now.abi")
            now.write_text(abi.stdout, encoding="utf-8")
            changes = run("abidiff", "--no-default-suppression", record, now)
        if changes.returncode != 0:
            failures.append(f"lib{name}: the interface differs from {record.name}:\n{changes.stdout}{changes.stderr}\n"
                            "If that is meant, run this with --renew and say so in CHANGELOG.md.")
    print("\n".join(failures) or "the interfaces are those that are recorded")
    return 1 if failures else 0


sys.exit(main())
