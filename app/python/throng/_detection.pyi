from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Literal, Protocol

import numpy
from numpy.typing import NDArray
from typing_extensions import Unpack

from ._functions import _CudaArray, _DlpackArray, Error, _Tensor
from ._settings import Kind, Settings

dtype: numpy.dtype[numpy.void]

_Backend = Literal["auto", "cpu", "cuda"]

class _PilImage(Protocol):
    """An image of PIL."""

    def convert(self, mode: str, /) -> _PilImage: ...

_Plane = NDArray[numpy.uint8] | memoryview | bytearray | _Tensor | _CudaArray | _DlpackArray
_Image = _Plane | _PilImage

def fetch_model(
    name: str | None = ...,
    *,
    folder: str | PathLike[str] | None = ...,
    mirror: str | None = ...,
    certificates: str | PathLike[str] | None = ...,
) -> str: ...

class MissingFile(FileNotFoundError, Error): ...

class Detector:
    def __init__(
        self,
        detector: Kind = ...,
        *,
        backend: _Backend = ...,
        device: int = ...,
        **settings: Unpack[Settings],
    ) -> None: ...
    @property
    def backend(self) -> str: ...
    def detect(
        self, image: _Image, chroma: _Plane | None = ..., *, order: Literal["bgr", "rgb"] = ...
    ) -> NDArray[numpy.void]: ...
    def clone(self) -> Detector: ...
    def close(self) -> None: ...
    def __enter__(self) -> Detector: ...
    def __exit__(self, *_: object) -> None: ...

@dataclass
class Event:
    kind: Literal["appeared", "left", "crossed", "entered", "exited"]
    track: int
    seconds: float
    name: str
    direction: Literal["in", "out", ""]
    dwell: float
    again: bool
    facing: bool

@dataclass
class LineCount:
    inward: int
    outward: int

@dataclass
class ZoneCount:
    occupancy: int
    visits: int
    exits: int
    dwell: float

@dataclass
class Counts:
    people: int
    unique: int
    lines: dict[str, LineCount]
    zones: dict[str, ZoneCount]
    events: list[Event]

@dataclass
class Frame:
    index: int
    seconds: float
    detections: NDArray[numpy.void]
    height: int
    width: int
    image: NDArray[numpy.uint8] | None
    num_raw: int
    overflow: int
    damaged: bool
    counts: Counts | None

class Pipeline:
    def __init__(
        self,
        source: str | PathLike[str],
        detector: Kind = ...,
        *,
        images: bool | Literal["gray", "bgr", "rgb"] | None = ...,
        track: bool = ...,
        hide: Literal["blur", "mosaic", "solid"] | None = ...,
        count: str | PathLike[str] | bool | None = ...,
        backend: _Backend = ...,
        device: int = ...,
        **settings: Unpack[Settings],
    ) -> None: ...
    def __iter__(self) -> Iterator[Frame]: ...
    def __next__(self) -> Frame: ...
    @property
    def counts(self) -> Counts | None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Pipeline: ...
    def __exit__(self, *_: object) -> None: ...
