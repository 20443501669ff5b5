#!/usr/bin/env python3
"""Builds a wheel of the module throng for this Python interpreter, with CMake and the standard library alone.

    python3 app/python/make_wheel.py [--out dist] [--build build/wheel] [--nms-only]

--nms-only leaves out throng._detect, so that the wheel needs neither FFmpeg nor OpenCV: it then has the functions nms,
batched_nms, soft_nms, nms_mask and throng.torch. Otherwise it uses the system's libraries of Debian's packages.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

root = pathlib.Path(__file__).resolve().parents[2]


def version():
    return re.search(r"project\(throng VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)


def build(folder, nms_only):
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTH_BUILD_UI=OFF", "-DTH_BUILD_TESTS=OFF",
               "-DTH_BUILD_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}",
               f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "-S", root, "-B", folder, *options], check=True)
    targets = ["throng_python_files", "throng_python_nms"] + ([] if nms_only else ["throng_python_detect", "throng_images", "throng_media"])
    subprocess.run(["cmake", "--build", folder, "--target", *targets], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"))
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/wheel")
    parser.add_argument("--nms-only", action="store_true")
    arguments = parser.parse_args()
    build(arguments.build, arguments.nms_only)

    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    info = f"throng-{version()}.dist-info"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    package = arguments.build / "python/throng"
    files = {f"throng/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
             if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    for module in ["_nms"] + ([] if arguments.nms_only else ["_detect"]):
        files[f"throng/{module}{suffix}"] = (package / f"{module}{suffix}").read_bytes()
    if not arguments.nms_only:
        for module in ["throng-images.so", "throng-media.so"]:
            files[f"throng/{module}"] = (arguments.build / "lib/throng" / module).read_bytes()
    files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: throng\nVersion: {version()}\n"
                                 "Summary: Fast exact non-maximum suppression, and face detection in crowds\n"
                                 "License: Apache-2.0\nRequires-Python: >=3.9\nProvides-Extra: detection\n"
                                 "Requires-Dist: numpy; extra == 'detection'\n").encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    files[f"{info}/LICENSE"] = (root / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    arguments.out.mkdir(parents=True, exist_ok=True)
    wheel = arguments.out / f"throng-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    print(wheel)


if __name__ == "__main__":
    main()
