"""Builds the module throng as a wheel, by `python3 -m build --no-isolation` in this folder.

The wheel has suppression only: nms, batched_nms, soft_nms, nms_mask and throng.torch, and needs nothing but the C++ library.
THRONG_DETECTION=1 in the environment adds Detector and Pipeline, which need the system's FFmpeg and OpenCV.
"""

import os
import pathlib
import re
import shutil

from setuptools.command.sdist import sdist
from skbuild import setup

# The sources of the libraries: in a checkout the folders above this one, in a source archive a folder in this one.
here = pathlib.Path(__file__).resolve().parent
root = here / "sources" if (here / "sources").is_dir() else here.parents[1]
detection = os.environ.get("THRONG_DETECTION", "0") != "0"


version = re.search(r"project\(throng VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)


class Sdist(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        sources = pathlib.Path(base_dir) / "sources"
        for folder in ("app", "configs", "core", "gpu"):
            shutil.copytree(root / folder, sources / folder,
                            ignore=shutil.ignore_patterns("__pycache__", "_skbuild", "dist", "*.egg-info", base_dir))
        for file in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(root / file, sources)


setup(
    name="throng",
    version=version,
    packages=["throng"],
    package_data={"throng": ["*.pyi", "py.typed"]},
    cmdclass={"sdist": Sdist},
    cmake_source_dir=os.path.relpath(root, here),
    cmake_args=[f"-DTH_NMS_ONLY={'OFF' if detection else 'ON'}", "-DTH_STATIC_HIGHWAY=ON", "-DTH_BUILD_UI=OFF",
                "-DTH_BUILD_TESTS=OFF"],
    cmake_install_target="wheel",
)
