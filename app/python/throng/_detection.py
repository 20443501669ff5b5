"""Detectors, pipelines and the download of models; see throng/__init__.py. Needs NumPy."""

from __future__ import annotations

import dataclasses
import difflib
import errno
import operator
import os

import numpy

from ._functions import Error, _choice

try:
    from . import _detect
except ImportError as error:
    raise ImportError("this build of throng has no detection, or one of its libraries is missing; on Debian, install the "
                      f"package python3-throng: {error}") from error

#: The fields of a detection. landmarks: x, y of the right eye, left eye, nose, and the corners of the mouth. class_id: 0
#: a face, 1 a person, -1 unknown. confidence: a probability, NaN if unknown. track, person: -1 if unknown.
#: Tracks are unique per class: with "face+person", a person and a face may have the same.
dtype = numpy.dtype([("x", "f4"), ("y", "f4"), ("width", "f4"), ("height", "f4"), ("score", "f4"), ("hits", "i4"),
                     ("num_landmarks", "i4"), ("landmarks", "f4", (5, 2)), ("class_id", "i4"), ("confidence", "f4"),
                     ("partner", "i4"), ("track", "i8"), ("person", "i8")])


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


def _file_of(settings):
    """The model if it is named as a file."""
    model = settings.get("model")
    return os.fspath(model) if model is not None and os.sep in os.fspath(model) else None


class MissingFile(FileNotFoundError, Error):
    """A source or model that does not exist."""


def _made(make, path, *arguments, backend, device, settings):
    """Calls make(*arguments, backend, device, texts). path: what must exist, None if it need not be a file."""
    if not isinstance(backend, str):
        raise TypeError(f"backend: must be a string, not {backend!r}")
    try:
        device = operator.index(device)
    except TypeError:
        raise TypeError(f"device: must be a whole number, not {device!r}") from None
    try:
        return make(*arguments, backend, device, _texts(settings))
    except Error as error:
        if path is None or os.path.exists(path) or ":" in path or error.status not in (3, 4):
            raise
        missing = MissingFile(errno.ENOENT, str(error), path)
        missing.status = error.status
        raise missing from None


def fetch_model(name=None, *, folder=None, mirror=None, certificates=None):
    """Downloads a recommended model, verifies its size and SHA-256, and returns its path.

    As `throng models fetch`: a model that is installed is not fetched again, an incomplete download is resumed, and
    nothing but the publisher's file is installed. The license, what the model was trained on and the address are a warning
    of the logger "throng" before the first byte.

    name: as `throng models list` shows it; None: the recommended network of faces, for which the network is waited for 15
    seconds at most. folder: where to install; None: the user's model folder, where detectors look for models.
    mirror: URL of a folder with the same files, also http://; None: the environment variable TH_MODEL_MIRROR, or the
    publisher. certificates: file of trusted certificates (PEM) instead of the system's.

    Raises throng.Error with `status` 2 for an unknown name or a wrong mirror, 3 if the server cannot be reached, rejects
    the request or sends another file, 4 if TH_FETCH=OFF in the environment declines or libcurl is not installed. Ctrl-C
    ends it, and the next call resumes.
    """
    texts = []
    for value, keyword in ((name, "name"), (folder, "folder"), (mirror, "mirror"), (certificates, "certificates")):
        if value is not None and (not isinstance(value, (str, os.PathLike)) or not os.fspath(value)):
            raise TypeError(f"{keyword}: must be a text that is not empty, not {value!r}")
        texts.append("" if value is None else os.fspath(value))
    return _detect.fetch_model(*texts)


class Detector:
    """Detects faces or people in single images.

    detector: "haar", "lbp", "hog", "cnn", "person", "face+person" (settings are then of the people), or "auto": cnn if a
    model of it is installed, otherwise haar. backend: "auto" (CUDA where it works), "cpu" or "cuda". device: number of
    the CUDA device. settings: the options of `throng detect` for detector and suppression, with "_" for "-", such as
    min_size=40 (pixels), model="alt2" or switch={"input": "letterbox"}; None: the detector's default.

    Calls of several threads take turns, unless each has a clone. Use it in a `with` statement, or call close(), to free
    its memory early. A detector of the CPU also works in a forked process.

    Raises throng.Error with `status` 2 for a wrong value, 3 for a damaged model, 4 for a backend, device or model that is
    unavailable; FileNotFoundError, which is a throng.Error, too, for a model file that does not exist; TypeError for an
    unknown keyword.
    """

    def __init__(self, detector="auto", *, backend="auto", device=0, **settings):
        self._detector = _made(_detect.Detector, _file_of(settings), backend=backend, device=device,
                               settings={"detector": detector, **settings})

    def _open(self):
        if self._detector is None:
            raise Error("the detector is closed")
        return self._detector

    @property
    def backend(self):
        """The backend in use: "cpu" or "cuda"."""
        return self._open().backend

    def detect(self, image, chroma=None, *, order="bgr"):
        """Returns the detections as a NumPy array [found] with the fields of throng.detection_dtype, best score first.

        Positions are pixels from the upper left corner. image: uint8 [height, width] gray or [height, width, 3 or 4]
        colors, with contiguous rows, of any array library, or an image of PIL; with the CUDA backend also gray in device
        memory, complete before the call. order: "bgr" or "rgb"; a fourth channel is not read. chroma: the second plane of
        NV12, uint8 [ceil(height / 2), 2 * ceil(width / 2)]; image is then its luma.

        Raises throng.Error with `status` 2 for another shape or type, and for a closed detector.
        """
        if type(image).__module__.partition(".")[0] == "PIL":
            image, order = numpy.asarray(image.convert("RGB")), "rgb"
        red_first = _choice({"bgr": False, "rgb": True}, order, "order")
        return numpy.frombuffer(self._open().detect(image, chroma, red_first), dtype=dtype)

    def clone(self):
        """Returns another detector with the same options, so that two threads detect at once.

        On the CPU, clones share the model in memory. threads=1 suits one clone per core.
        """
        other = object.__new__(type(self))
        other._detector = self._open().clone()
        return other

    def close(self):
        """Frees the model unless a clone uses it, and all other memory. Further calls are errors."""
        self._detector = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@dataclasses.dataclass
class Event:
    """What a person did, as in the lines of `throng detect --events`."""

    kind: str  #: "appeared", "left", "crossed" (a line), "entered" or "exited" (a zone)
    track: int  #: of the person
    seconds: float  #: when it happened: also before the frame in which it was noticed
    name: str  #: of the line or zone; "" without one
    direction: str  #: crossed: "in", to the right seen along the line, or "out"; otherwise ""
    dwell: float  #: left, exited: seconds since the person appeared or entered
    again: bool  #: appeared: was counted before, and not tracked for a while
    facing: bool  #: crossed: the person has a face ("face+person")


@dataclasses.dataclass
class LineCount:
    """Crossings of a line."""

    inward: int  #: to the right, seen along the line
    outward: int


@dataclasses.dataclass
class ZoneCount:
    """Visits of a zone."""

    occupancy: int  #: people inside now
    visits: int  #: entries
    exits: int
    dwell: float  #: seconds, sum over the exits


@dataclasses.dataclass
class Counts:
    """What is counted in a source so far."""

    people: int  #: in the frame
    unique: int  #: different people since the start; those who return with another track count again
    lines: dict[str, LineCount]  #: by name
    zones: dict[str, ZoneCount]
    events: list[Event]  #: noticed with the frame


_EVENTS = ("appeared", "left", "crossed", "entered", "exited")


def _counts(values):
    if values is None:
        return None
    people, unique, shapes, events = values
    counts = Counts(people, unique, {}, {}, [])
    for name, is_zone, occupancy, inward, outward, dwell in shapes:
        if is_zone:
            counts.zones[name] = ZoneCount(occupancy, inward, outward, dwell)
        else:
            counts.lines[name] = LineCount(inward, outward)
    for kind, inward, again, facing, track, seconds, dwell, name in events:
        direction = ("in" if inward else "out") if _EVENTS[kind] == "crossed" else ""
        counts.events.append(Event(_EVENTS[kind], track, seconds, name, direction, dwell, again, facing))
    return counts


@dataclasses.dataclass
class Frame:
    """A frame of a source with its detections."""

    index: int  #: number of the frame in its source, from 0
    seconds: float  #: since the start of the source
    detections: numpy.ndarray  #: fields as throng.detection_dtype
    height: int
    width: int
    image: numpy.ndarray | None  #: uint8 [height, width] or [height, width, 3]; None without images=
    num_raw: int  #: detections before suppression
    overflow: int  #: raw detections that were dropped because the buffers were full
    damaged: bool  #: the frame is incomplete or may be decoded incorrectly
    counts: Counts | None  #: None without count=


class Pipeline:
    """Iterates over the frames of a source, with detections; decoding and detection run ahead on other threads.

    source: a video or image file, a folder of images, "rtsp://...", "camera:0", "crowd:faces=60,frames=100".
    images: "gray" (as detectors see it; also True), "bgr" or "rgb" copy the pixels of each frame. track=True gives
    detections the `track` of a face over time. hide="blur", "mosaic" or "solid": images never show a face that was
    found; frames then come some frames later. count: a file of lines and zones, as `throng detect --count` reads it, or
    True for the whole image: frames have `counts`. The rest is as for Detector.

    One thread iterates; another one may call stop() or close(). Use it in a `with` statement, or call close(), to stop
    early. Ctrl-C ends the opening of a source and the wait for a frame. In a forked process, a Pipeline raises.

    Raises throng.Error as Detector does, and with `status` 3 for a source that cannot be opened or read; a damaged file
    raises it after its readable frames. FileNotFoundError, which is a throng.Error, too: a source, model or file of lines
    that does not exist. `status` 6: another thread iterates.
    """

    def __init__(self, source, detector="auto", *, images=False, track=False, hide=None, count=None, backend="auto",
                 device=0, **settings):
        source = os.fspath(source)
        pixels = _choice({False: 0, None: 0, True: 1, "gray": 1, "bgr": 2, "rgb": 3}, images, "images")
        self._images = pixels != 0
        style = _choice({None: 0, "blur": 1, "mosaic": 2, "solid": 3}, hide, "hide")
        plan = None if count is None or count is False else "" if count is True else os.fspath(count)
        files = [file for file in (plan, _file_of(settings), source) if file]
        missing = next((file for file in files if not os.path.exists(file)), None)
        self._stream = _made(_detect.Stream, missing, pixels, bool(track), style, plan,
                             source, backend=backend, device=device, settings={"detector": detector, **settings})

    def __iter__(self):
        return self

    def __next__(self):
        frame = self._stream.next(self._images)
        if frame is None:
            raise StopIteration
        index, seconds, detections, height, width, channels, pixels, num_raw, overflow, damaged, counts = frame
        image = None
        if pixels is not None:
            image = numpy.frombuffer(pixels, dtype=numpy.uint8)
            image = image.reshape((height, width) if channels == 1 else (height, width, channels))
        found = numpy.frombuffer(detections, dtype=dtype)
        return Frame(index, seconds, found, height, width, image, num_raw, overflow, damaged, _counts(counts))

    @property
    def counts(self):
        """What is counted so far, also after close(); at the end of the source, with all visits ended.

        None without count=.
        """
        return _counts(self._stream.counts())

    def stop(self):
        """Ends the iteration, also one that waits in another thread. Any thread may call it."""
        self._stream.stop()

    def close(self):
        """Stops the threads and frees everything. Any thread may call it."""
        self._stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
