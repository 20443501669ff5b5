"""Detectors and pipelines of the package; see throng/__init__.py. Needs NumPy."""

from __future__ import annotations

import dataclasses
import difflib
import os
from typing import Any

import numpy

try:
    from . import _detect
except ImportError as error:
    raise ImportError(f"this build of throng has no detection, or one of its libraries is missing: {error}") from error

#: The fields of a detection. landmarks: x, y of the right eye, left eye, nose, and the corners of the mouth.
dtype = numpy.dtype([("x", "f4"), ("y", "f4"), ("width", "f4"), ("height", "f4"), ("score", "f4"), ("hits", "i4"),
                     ("num_landmarks", "i4"), ("landmarks", "f4", (5, 2))])


def _texts(settings):
    """Returns "NAME=VALUE" texts of keywords; None: the default."""
    texts = []
    for name, value in settings.items():
        if name not in _detect.settings:
            close = difflib.get_close_matches(name, _detect.settings, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"unexpected keyword argument {name!r}{hint}")
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, dict):
            texts += [f"{name}={key}={choice}" for key, choice in value.items()]
        elif value is not None:
            texts.append(f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return texts


class Detector:
    """Detects objects in single images.

    detector: "haar", "lbp", "hog", "cnn", or "auto": cnn if a model of it is installed, otherwise haar. backend:
    "auto", "cpu" or "cuda". settings: the options of `throng detect` for detector and suppression, with "_" for "-",
    such as min_size=40, model="alt2" or switch={"input": "letterbox"}; None: the detector's default. One thread at a
    time.
    """

    def __init__(self, detector="auto", *, backend="auto", device=0, **settings):
        self._detector = _detect.Detector(backend, device, _texts({"detector": detector, **settings}))

    @property
    def backend(self):
        """The backend in use: "cpu" or "cuda"."""
        return self._detector.backend

    def detect(self, image, chroma=None):
        """Returns the detections as a NumPy array with the fields of throng.detection_dtype, best score first.

        image: uint8 [height, width] gray or [height, width, 3] BGR, of any array library; with the CUDA backend also
        gray in device memory, complete before the call. chroma: the second plane of NV12; image is then its luma.
        """
        return numpy.frombuffer(self._detector.detect(image, chroma), dtype=dtype)


@dataclasses.dataclass
class Frame:
    """A frame of a source with its detections."""

    index: int  #: number of the frame in its source, from 0
    seconds: float  #: since the start of the source
    detections: numpy.ndarray  #: fields as throng.detection_dtype
    height: int
    width: int
    image: Any  #: uint8 [height, width] luma or [height, width, 3] BGR; None without images=True or in device memory
    overflow: int  #: raw detections that were dropped because the buffers were full


class Pipeline:
    """Iterates over the frames of a source, with detections; decoding and detection run ahead on other threads.

    source: a video or image file, a folder of images, "rtsp://...", "camera:0", "crowd:faces=60,frames=100".
    images=True also copies the pixels of each frame. Options as for Detector. A damaged file raises throng.Error after
    its readable frames. Use it in a `with` statement, or call close(), to stop early.
    """

    def __init__(self, source, detector="auto", *, images=False, backend="auto", device=0, **settings):
        self._images = bool(images)
        self._stream = _detect.Stream(os.fspath(source), backend, device, _texts({"detector": detector, **settings}))

    def __iter__(self):
        return self

    def __next__(self):
        frame = self._stream.next(self._images)
        if frame is None:
            raise StopIteration
        index, seconds, detections, height, width, channels, pixels, overflow = frame
        image = None
        if pixels is not None:
            image = numpy.frombuffer(pixels, dtype=numpy.uint8)
            image = image.reshape((height, width) if channels == 1 else (height, width, channels))
        return Frame(index, seconds, numpy.frombuffer(detections, dtype=dtype), height, width, image, overflow)

    def close(self):
        """Stops the threads."""
        self._stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
