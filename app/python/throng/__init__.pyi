from os import PathLike
from typing import Any, Iterator, Literal

import numpy
from typing_extensions import Unpack

from ._settings import Kind, Settings

class Error(RuntimeError, ValueError):
    status: int

__version__: str

Rule = Literal["one-pass", "greedy", "soft-linear", "soft-gaussian"]
BoxFormat = Literal["xyxy", "xywh"]

# Array: of torch, NumPy, CuPy or another library; results are of the same.
def nms(
    boxes: Any,
    scores: Any,
    iou_threshold: float = ...,
    *,
    rule: Rule | None = ...,
    box_format: BoxFormat = ...,
    density: Any | None = ...,
    features: Any | None = ...,
    return_hits: bool = ...,
    overlap: Literal["iou", "suppressor", "min"] = ...,
    pair: Literal["overlap", "adaptive", "feature"] = ...,
    ties: Literal["total", "strict", "index"] = ...,
    compare: Literal["at-least", "above"] = ...,
    pixels: Literal["continuous", "inclusive"] = ...,
    min_hits: int = ...,
    sigma: float = ...,
    score_min: float = ...,
    feature_low: float = ...,
    feature_high: float = ...,
    feature_distance: float = ...,
) -> Any: ...
def batched_nms(
    boxes: Any,
    scores: Any,
    idxs: Any,
    iou_threshold: float = ...,
    *,
    image_ids: Any | None = ...,
    rule: Rule | None = ...,
    box_format: BoxFormat = ...,
    density: Any | None = ...,
    features: Any | None = ...,
    return_hits: bool = ...,
    **options: Any,
) -> Any: ...
def soft_nms(
    boxes: Any,
    scores: Any,
    iou_threshold: float = ...,
    *,
    method: Literal["gaussian", "linear"] = ...,
    sigma: float = ...,
    score_min: float = ...,
    idxs: Any | None = ...,
    box_format: BoxFormat = ...,
    pixels: Literal["continuous", "inclusive"] = ...,
) -> tuple[Any, Any]: ...
def nms_mask(
    boxes: Any,
    scores: Any,
    iou_threshold: float = ...,
    *,
    idxs: Any | None = ...,
    mask: Any | None = ...,
    count: Any | None = ...,
    rule: Rule | None = ...,
    box_format: BoxFormat = ...,
    density: Any | None = ...,
    features: Any | None = ...,
    **options: Any,
) -> tuple[Any, Any]: ...

detection_dtype: numpy.dtype[numpy.void]

Backend = Literal["auto", "cpu", "cuda"]

class Detector:
    def __init__(
        self,
        detector: Kind = ...,
        *,
        backend: Backend = ...,
        device: int = ...,
        **settings: Unpack[Settings],
    ) -> None: ...
    @property
    def backend(self) -> str: ...
    def detect(
        self, image: Any, chroma: Any | None = ..., *, order: Literal["bgr", "rgb"] = ...
    ) -> numpy.ndarray[Any, numpy.dtype[numpy.void]]: ...
    def clone(self) -> Detector: ...
    def close(self) -> None: ...
    def __enter__(self) -> Detector: ...
    def __exit__(self, *_: object) -> None: ...

class Event:
    kind: Literal["appeared", "left", "crossed", "entered", "exited"]
    track: int
    seconds: float
    name: str
    direction: Literal["in", "out", ""]
    dwell: float
    again: bool
    facing: bool

class LineCount:
    inward: int
    outward: int

class ZoneCount:
    occupancy: int
    visits: int
    exits: int
    dwell: float

class Counts:
    people: int
    unique: int
    lines: dict[str, LineCount]
    zones: dict[str, ZoneCount]
    events: list[Event]

class Frame:
    index: int
    seconds: float
    detections: numpy.ndarray[Any, numpy.dtype[numpy.void]]
    height: int
    width: int
    image: numpy.ndarray[Any, numpy.dtype[numpy.uint8]] | None
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
        backend: Backend = ...,
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
