from array import array
from collections.abc import Sequence
from typing import Literal, Protocol, TypedDict, TypeVar, overload

import numpy
from numpy.typing import NDArray
from typing_extensions import Unpack

class Error(RuntimeError, ValueError):
    status: int

_Rule = Literal["one-pass", "greedy", "soft-linear", "soft-gaussian"]
_BoxFormat = Literal["xyxy", "xywh"]

class _Options(TypedDict, total=False):
    overlap: Literal["iou", "suppressor", "min"]
    pair: Literal["overlap", "adaptive", "feature"]
    ties: Literal["total", "strict", "index"]
    compare: Literal["at-least", "above"]
    pixels: Literal["continuous", "inclusive"]
    min_hits: int
    sigma: float
    score_min: float
    feature_low: float
    feature_high: float
    feature_distance: float

class _Tensor(Protocol):
    """A tensor of torch."""

    @property
    def is_cuda(self) -> bool: ...
    def data_ptr(self) -> int: ...

class _CudaArray(Protocol):
    """An array in device memory: of CuPy, Numba and others."""

    @property
    def __cuda_array_interface__(self) -> object: ...

class _DlpackArray(Protocol):
    """An array of JAX and others."""

    def __dlpack__(self) -> object: ...

_Integer = numpy.int16 | numpy.uint16 | numpy.int32 | numpy.uint32 | numpy.int64 | numpy.uint64
_Number = numpy.float16 | numpy.float32 | numpy.float64 | _Integer
_Numpy = NDArray[_Number]
_Kept = NDArray[numpy.int64]
_Mask = NDArray[numpy.bool_]
_Rows = Sequence[Sequence[float]]
_Buffer = memoryview | array[float] | array[int]
_Array = _Numpy | _Mask | NDArray[numpy.uint8] | _Buffer | bytearray | _Tensor | _CudaArray | _DlpackArray
_Same = TypeVar("_Same", bound=memoryview | _Tensor)  # results are of the library of boxes
_Other = _Rows | Sequence[float] | _Array  # in other combinations

@overload
def nms(
    boxes: _Rows, scores: Sequence[float], iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ...,
    density: Sequence[float] | None = ..., features: _Rows | None = ..., return_hits: Literal[False] = ...,
    **options: Unpack[_Options],
) -> list[int]: ...
@overload
def nms(
    boxes: _Rows, scores: Sequence[float], iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ...,
    density: Sequence[float] | None = ..., features: _Rows | None = ..., return_hits: Literal[True],
    **options: Unpack[_Options],
) -> tuple[list[int], list[int]]: ...
@overload
def nms(
    boxes: _Numpy, scores: _Numpy, iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ...,
    features: _Array | None = ..., return_hits: Literal[False] = ..., **options: Unpack[_Options],
) -> _Kept: ...
@overload
def nms(
    boxes: _Numpy, scores: _Numpy, iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ...,
    features: _Array | None = ..., return_hits: Literal[True], **options: Unpack[_Options],
) -> tuple[_Kept, NDArray[numpy.int32]]: ...
@overload
def nms(
    boxes: _Same, scores: _Array, iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ...,
    features: _Array | None = ..., return_hits: Literal[False] = ..., **options: Unpack[_Options],
) -> _Same: ...
@overload
def nms(
    boxes: _Same, scores: _Array, iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ...,
    features: _Array | None = ..., return_hits: Literal[True], **options: Unpack[_Options],
) -> tuple[_Same, _Same]: ...
@overload
def nms(
    boxes: _Other, scores: _Other, iou_threshold: float = ..., *, score_threshold: float | None = ...,
    max_output: int | None = ..., rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Other | None = ...,
    features: _Other | None = ..., return_hits: bool = ..., **options: Unpack[_Options],
) -> object: ...
@overload
def batched_nms(
    boxes: _Rows, scores: Sequence[float], idxs: Sequence[int], iou_threshold: float = ..., *,
    image_ids: Sequence[int] | None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: Sequence[float] | None = ...,
    features: _Rows | None = ..., return_hits: Literal[False] = ..., **options: Unpack[_Options],
) -> list[int]: ...
@overload
def batched_nms(
    boxes: _Rows, scores: Sequence[float], idxs: Sequence[int], iou_threshold: float = ..., *,
    image_ids: Sequence[int] | None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: Sequence[float] | None = ...,
    features: _Rows | None = ..., return_hits: Literal[True], **options: Unpack[_Options],
) -> tuple[list[int], list[int]]: ...
@overload
def batched_nms(
    boxes: _Numpy, scores: _Numpy, idxs: _Numpy, iou_threshold: float = ..., *, image_ids: _Numpy | None = ...,
    score_threshold: float | None = ..., max_output: int | None = ..., rule: _Rule | None = ...,
    box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    return_hits: Literal[False] = ..., **options: Unpack[_Options],
) -> _Kept: ...
@overload
def batched_nms(
    boxes: _Numpy, scores: _Numpy, idxs: _Numpy, iou_threshold: float = ..., *, image_ids: _Numpy | None = ...,
    score_threshold: float | None = ..., max_output: int | None = ..., rule: _Rule | None = ...,
    box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    return_hits: Literal[True], **options: Unpack[_Options],
) -> tuple[_Kept, NDArray[numpy.int32]]: ...
@overload
def batched_nms(
    boxes: _Same, scores: _Array, idxs: _Array, iou_threshold: float = ..., *, image_ids: _Array | None = ...,
    score_threshold: float | None = ..., max_output: int | None = ..., rule: _Rule | None = ...,
    box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    return_hits: Literal[False] = ..., **options: Unpack[_Options],
) -> _Same: ...
@overload
def batched_nms(
    boxes: _Same, scores: _Array, idxs: _Array, iou_threshold: float = ..., *, image_ids: _Array | None = ...,
    score_threshold: float | None = ..., max_output: int | None = ..., rule: _Rule | None = ...,
    box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    return_hits: Literal[True], **options: Unpack[_Options],
) -> tuple[_Same, _Same]: ...
@overload
def batched_nms(
    boxes: _Other, scores: _Other, idxs: _Other, iou_threshold: float = ..., *, image_ids: _Other | None = ...,
    score_threshold: float | None = ..., max_output: int | None = ..., rule: _Rule | None = ...,
    box_format: _BoxFormat = ..., density: _Other | None = ..., features: _Other | None = ..., return_hits: bool = ...,
    **options: Unpack[_Options],
) -> object: ...
@overload
def soft_nms(
    boxes: _Rows, scores: Sequence[float], iou_threshold: float = ..., *, method: Literal["gaussian", "linear"] = ...,
    sigma: float = ..., score_min: float = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    idxs: Sequence[int] | None = ..., box_format: _BoxFormat = ..., pixels: Literal["continuous", "inclusive"] = ...,
) -> tuple[list[int], list[float]]: ...
@overload
def soft_nms(
    boxes: _Numpy, scores: _Numpy, iou_threshold: float = ..., *, method: Literal["gaussian", "linear"] = ...,
    sigma: float = ..., score_min: float = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    idxs: _Numpy | None = ..., box_format: _BoxFormat = ..., pixels: Literal["continuous", "inclusive"] = ...,
) -> tuple[_Kept, NDArray[numpy.float32]]: ...
@overload
def soft_nms(
    boxes: _Same, scores: _Array, iou_threshold: float = ..., *, method: Literal["gaussian", "linear"] = ...,
    sigma: float = ..., score_min: float = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    idxs: _Array | None = ..., box_format: _BoxFormat = ..., pixels: Literal["continuous", "inclusive"] = ...,
) -> tuple[_Same, _Same]: ...
@overload
def soft_nms(
    boxes: _Other, scores: _Other, iou_threshold: float = ..., *, method: Literal["gaussian", "linear"] = ...,
    sigma: float = ..., score_min: float = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    idxs: _Other | None = ..., box_format: _BoxFormat = ..., pixels: Literal["continuous", "inclusive"] = ...,
) -> tuple[object, object]: ...
@overload
def nms_mask(
    boxes: _Rows, scores: Sequence[float], iou_threshold: float = ..., *, idxs: Sequence[int] | None = ...,
    mask: None = ..., count: None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: Sequence[float] | None = ...,
    features: _Rows | None = ..., **options: Unpack[_Options],
) -> tuple[list[bool], list[int]]: ...
@overload
def nms_mask(
    boxes: _Numpy, scores: _Numpy, iou_threshold: float = ..., *, idxs: _Numpy | None = ..., mask: _Mask | None = ...,
    count: _Kept | None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    **options: Unpack[_Options],
) -> tuple[_Mask, _Kept]: ...
@overload
def nms_mask(
    boxes: _Same, scores: _Array, iou_threshold: float = ..., *, idxs: _Array | None = ..., mask: _Same | None = ...,
    count: _Same | None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Array | None = ..., features: _Array | None = ...,
    **options: Unpack[_Options],
) -> tuple[_Same, _Same]: ...
@overload
def nms_mask(
    boxes: _Other, scores: _Other, iou_threshold: float = ..., *, idxs: _Other | None = ..., mask: _Other | None = ...,
    count: _Other | None = ..., score_threshold: float | None = ..., max_output: int | None = ...,
    rule: _Rule | None = ..., box_format: _BoxFormat = ..., density: _Other | None = ..., features: _Other | None = ...,
    **options: Unpack[_Options],
) -> tuple[object, object]: ...
