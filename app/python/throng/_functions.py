"""The suppression functions of the package; see throng/__init__.py."""

from __future__ import annotations

import array
import ctypes
import functools
import itertools
import re
import sys

from . import _nms

Error = _nms.Error

_RULES = {"one-pass": 0, "greedy": 1, "soft-linear": 2, "soft-gaussian": 3}
_OVERLAPS = {"iou": 0, "suppressor": 1, "min": 2}
_PAIRS = {"overlap": 0, "adaptive": 1, "feature": 2}
_TIES = {"total": 0, "strict": 1, "index": 2}
_COMPARE = {"at-least": 0, "above": 1}
_FORMATS = {"xyxy": False, "xywh": True}


def _choice(table, value, name):
    try:
        return table[value]
    except (KeyError, TypeError):
        raise Error(f"{name}: must be one of {', '.join(map(repr, table))}, not {value!r}") from None


def _number(value, name, kind=float):
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{name}: must be a number, not {value!r}") from None


def _count(value, name):
    value = _number(value, name, int)
    if not 1 <= value < 1 << 31:
        raise Error(f"{name}: must lie in [1, 2^31 - 1], not {value}")
    return value


def _with_limits(params, score_threshold, max_output):
    if score_threshold is not None:
        params.score_threshold = _number(score_threshold, "score_threshold")
        if params.score_threshold != params.score_threshold:
            raise Error("score_threshold: must be a number, not nan")
    if max_output is not None:
        params.max_output = _count(max_output, "max_output")
    return params


@functools.lru_cache(maxsize=64)
def _torchvision_params(iou_threshold, score_threshold, max_output):
    params = _with_limits(_nms.Params(True), score_threshold, max_output)
    params.theta = iou_threshold
    return params


@functools.lru_cache(maxsize=64)
def _rule_params(score_threshold, max_output, rule, overlap, pair, ties, compare, pixels, min_hits, theta, sigma, score_min,
                 feature_low, feature_high, feature_distance):
    params = _with_limits(_nms.Params(False), score_threshold, max_output)
    params.rule = _choice(_RULES, rule, "rule")
    params.overlap = _choice(_OVERLAPS, overlap, "overlap")
    params.pair = _choice(_PAIRS, pair, "pair")
    params.ties = _choice(_TIES, ties, "ties")
    params.compare = _choice(_COMPARE, compare, "compare")
    params.pixels = _choice({"continuous": 0, "inclusive": 1}, pixels, "pixels")
    params.min_hits = _count(min_hits, "min_hits")
    params.theta = _number(theta, "iou_threshold")
    params.sigma = _number(sigma, "sigma")
    params.score_min = _number(score_min, "score_min")
    params.feature_low = _number(feature_low, "feature_low")
    params.feature_high = _number(feature_high, "feature_high")
    params.feature_distance = _number(feature_distance, "feature_distance")
    return params


def _params(iou_threshold, score_threshold, max_output, rule, options):
    if rule is None:
        if options:
            raise Error(f"{next(iter(options))}: requires rule=, because torchvision's mode has no options")
        if type(iou_threshold) is not float:
            iou_threshold = _number(iou_threshold, "iou_threshold")
        try:
            return _torchvision_params(iou_threshold, score_threshold, max_output)
        except TypeError:  # a limit cannot be a key of the cache
            return _torchvision_params.__wrapped__(iou_threshold, score_threshold, max_output)
    iou_threshold = _number(iou_threshold, "iou_threshold")
    defaults = {"overlap": "iou", "pair": "overlap", "ties": "total", "compare": "at-least", "pixels": "continuous",
                "min_hits": 1, "sigma": 0.5, "score_min": 0.001, "feature_low": 0.1, "feature_high": 0.9,
                "feature_distance": 1.0}
    for name in options:
        if name not in defaults:
            raise TypeError(f"unexpected argument {name!r}")
    options = {"score_threshold": score_threshold, "max_output": max_output, "rule": rule, "theta": iou_threshold,
               **defaults, **options}
    try:
        return _rule_params(**options)
    except TypeError:  # an option cannot be a key of the cache
        return _rule_params.__wrapped__(**options)


def _is_cupy(array):
    return type(array).__module__.partition(".")[0] == "cupy"


def _as_tensor(array, name):
    """A CUDA array of a library of which this module cannot make arrays, as a tensor of torch on the same memory."""
    if array is None:
        return None
    try:
        import torch
    except ImportError:
        raise Error(f"{name}: no arrays for results can be made for {type(array).__module__}.{type(array).__name__}: "
                    "install torch, or convert it to CuPy") from None
    interface = getattr(array, "__cuda_array_interface__", None)
    try:
        if interface is None:
            return torch.from_dlpack(array)
        if interface.get("stream") is not None:  # what writes the array is enqueued there
            torch.cuda.synchronize()
        tensor = torch.as_tensor(array, device="cuda")
    except (TypeError, ValueError, RuntimeError) as error:
        raise Error(f"{name}: torch cannot view it: {error}") from None
    if tensor.numel() > 0 and tensor.data_ptr() != interface["data"][0]:  # a copy
        raise Error(f"{name}: is not on the current CUDA device of torch, {torch.cuda.current_device()}")
    return tensor


def _as_tensors(**arrays):
    return [_as_tensor(array, name) for name, array in arrays.items()]


def _cupy_arrays(arrays):
    """Without gaps, and CuPy's current stream as a number."""
    import cupy

    stream = cupy.cuda.get_current_stream().ptr
    return [None if array is None else cupy.ascontiguousarray(array) for array in arrays], stream


def _is_list(values):
    return isinstance(values, (list, tuple))


def _buffer(values, kind, name, rows_of=None):
    """A list of numbers, or of rows of numbers, as an array with the buffer protocol; anything else as it is.

    rows_of: the numbers in a row; 0: as many as in the first one.
    """
    if not _is_list(values):
        return values
    try:
        if rows_of is None:
            return array.array(kind, values)
        rows = [tuple(row) for row in values]
        columns = rows_of or (len(rows[0]) if rows else 1)
        if any(len(row) != columns for row in rows):
            raise ValueError
        numbers = array.array(kind, itertools.chain.from_iterable(rows))
    except (TypeError, ValueError, OverflowError):
        form = "numbers" if rows_of is None else f"rows of {rows_of or 'as many'} numbers"
        raise Error(f"{name}: must be a list of {form}") from None
    element = {"f": ctypes.c_float, "d": ctypes.c_double}[kind]
    return (element * columns * len(rows)).from_buffer(numbers)


def _type_of(values):
    """Returns "int64" or "bfloat16", for arrays of any library, or "list"."""
    if _is_list(values):
        return "list"
    if hasattr(values, "dtype"):
        return str(values.dtype).removeprefix("torch.")
    try:
        view = memoryview(values)
    except TypeError:
        return "float32"  # an array on CUDA: torch finds its type
    code = view.format.lstrip("@=<")
    return f"{'float' if code in tuple('efd') else 'int' if code in tuple('hHiIlLqQ') else code}{8 * view.itemsize}"


def _needs_conversion(boxes, scores):
    return not all(re.fullmatch("float(16|32|64)", _type_of(values)) for values in (boxes, scores))


def _floating(values, name, target, rows_of=None):
    if hasattr(values, "astype"):
        return values.astype(target)
    if hasattr(values, "is_cuda"):
        return values.to(getattr(sys.modules["torch"], target))
    return _buffer(values if _is_list(values) else memoryview(values).tolist(), "d", name, rows_of)


def _converted(boxes, scores):
    """Lists and integers become float64, bfloat16 becomes float32. Raises Error for other types."""
    types = [_type_of(boxes), _type_of(scores)]
    for name, kind in zip(("boxes", "scores"), types):
        if not re.fullmatch("list|bfloat16|float(16|32|64)|u?int(16|32|64)", kind):
            raise Error(f"{name}: must be float16, bfloat16, float32, float64 or integers of 2 bytes or more, "
                        f"not {kind}")
    target = "float32" if types == ["bfloat16", "bfloat16"] else "float64"
    return _floating(boxes, "boxes", target, 4), _floating(scores, "scores", target)


def _workspace(params, boxes):
    return _nms.new_array(boxes, _nms.workspace_size(params, boxes), "bool")


def _suppress(params, boxes, scores, idxs, image_ids, density, features, box_format, with_hits, with_scores):
    xywh = _choice(_FORMATS, box_format, "box_format")
    result = _nms.suppress(params, boxes, scores, idxs, image_ids, density, features, xywh, with_hits, with_scores)
    if result is not None:
        return result
    if _needs_conversion(boxes, scores):
        result = _suppress(params, *_converted(boxes, scores), _buffer(idxs, "q", "idxs"),
                           _buffer(image_ids, "q", "image_ids"), _buffer(density, "f", "density"),
                           _buffer(features, "f", "features", 0), box_format, with_hits, with_scores)
        if not _is_list(boxes):
            return result
        return tuple(each.tolist() for each in result) if isinstance(result, tuple) else result.tolist()
    # CUDA arrays of another library than torch.
    if not _is_cupy(boxes):
        tensors = _as_tensors(boxes=boxes, scores=scores, idxs=idxs, image_ids=image_ids, density=density,
                              features=features)
        return _suppress(params, *tensors, box_format, with_hits, with_scores)
    (boxes, scores, idxs, image_ids, density, features), stream = _cupy_arrays(
        (boxes, scores, idxs, image_ids, density, features))
    size = boxes.shape[0]
    indices = _nms.new_array(boxes, size, "int64")
    count = _nms.new_array(boxes, 1, "int64")
    hits = _nms.new_array(boxes, size, "int32") if with_hits else None
    out_scores = _nms.new_array(boxes, size, "float32") if with_scores else None
    _nms.suppress_into(params, boxes, scores, idxs, image_ids, density, features, xywh, indices, hits, out_scores,
                       None, count, _workspace(params, boxes), stream)
    kept = int(count[0])  # waits for the device
    if with_hits:
        return indices[:kept], hits[:kept]
    if with_scores:
        return indices[:kept], out_scores[:kept]
    return indices[:kept]


def nms(boxes, scores, iou_threshold=0.5, *, score_threshold=None, max_output=None, rule=None, box_format="xyxy",
        density=None, features=None, return_hits=False, **options):
    """Returns the indices of the boxes that non-maximum suppression keeps, in the order of the rule.

    boxes: [N, 4] float16, float32 or float64, as corners x1, y1, x2, y2 ("xyxy") or as left, top, width, height ("xywh"),
    in any unit. scores: [N], of the type of boxes. Arrays of torch, NumPy, CuPy, or with the buffer protocol,
    ``__cuda_array_interface__`` or DLPack; N up to 2^31 - 1, on CUDA 2^24. Both may also be bfloat16, which is widened to
    float32, or whole numbers of 2 bytes or more or lists, which are computed as float64.

    iou_threshold: in [0, 1]. score_threshold: boxes whose score is not above it take no part, as in ONNX, TensorFlow and
    OpenCV; it is rounded to the type of the scores. max_output: at most so many indices, the first ones.

    Without `rule`, the result is that of ``torchvision.ops.nms``: greedy, IoU > iou_threshold, equal scores in the
    order of the input, boxes without extent or with NaN are kept. With `rule` ("one-pass", "greedy", "soft-linear",
    "soft-gaussian"), Throng's rules apply in float32: IoU >= iou_threshold, and invalid boxes are dropped. Options then
    are overlap ("iou", "suppressor", "min"), pair ("overlap", "adaptive", "feature"), ties ("total", "strict",
    "index"), compare ("at-least", "above"), pixels ("continuous", "inclusive"), min_hits, sigma, score_min,
    feature_low, feature_high, feature_distance. pair="adaptive" needs `density` [N] float32, "feature" `features`
    [N, size] float32.

    Returns int64 [kept] of the library and on the device of boxes; for lists, a list. return_hits: returns a pair, with
    int32 [kept], the number of boxes that each kept one represents, itself included.

    Raises throng.Error, a ValueError and RuntimeError, with `status` 2 for wrong shapes, types, devices and options, and
    4 for what is unavailable: CUDA arrays without a build with CUDA. Never for values of boxes and scores.
    On the CPU, handlers of signals run during calls with many boxes: Ctrl-C ends them.
    CUDA: the call waits for the device once, to know the number of indices; nms_mask does not wait.
    """
    params = _params(iou_threshold, score_threshold, max_output, rule, options)
    return _suppress(params, boxes, scores, None, None, density, features, box_format, return_hits, False)


def batched_nms(boxes, scores, idxs, iou_threshold=0.5, *, image_ids=None, score_threshold=None, max_output=None,
                rule=None, box_format="xyxy", density=None, features=None, return_hits=False, **options):
    """As nms, but boxes with different `idxs` (int32 or int64 [N]) never suppress each other.

    Returns the indices in the order of scores over all idxs, as ``torchvision.ops.batched_nms``. image_ids: int32 or int64
    [N], as idxs; boxes of different images do not suppress each other either, and the indices are ordered by image first.
    Needs no offset of coordinates, so that it is exact. max_output: at most so many indices of each idx in each image, as
    ONNX's max_output_boxes_per_class; on the CPU only. Raises throng.Error as nms does.
    """
    params = _params(iou_threshold, score_threshold, max_output, rule, options)
    return _suppress(params, boxes, scores, idxs, image_ids, density, features, box_format, return_hits, False)


def soft_nms(boxes, scores, iou_threshold=0.3, *, method="gaussian", sigma=0.5, score_min=0.001, score_threshold=None,
             max_output=None, idxs=None, box_format="xyxy", pixels="continuous"):
    """Soft-NMS (Bodla et al., 2017). Returns (int64 [kept] indices, float32 [kept] decayed scores) in the order of picking.

    boxes, scores, idxs and limits as in batched_nms: score_threshold is compared with the scores as they are given.
    method "gaussian": scores decay by exp(-iou^2 / sigma); "linear": by 1 - iou where iou >= iou_threshold. Boxes whose
    score falls below score_min are left out. Raises throng.Error as nms does.
    """
    rule = {"gaussian": "soft-gaussian", "linear": "soft-linear"}
    params = _params(iou_threshold, score_threshold, max_output, _choice(rule, method, "method"),
                     {"sigma": sigma, "score_min": score_min, "pixels": pixels})
    return _suppress(params, boxes, scores, idxs, None, None, None, box_format, False, True)


def nms_mask(boxes, scores, iou_threshold=0.5, *, idxs=None, mask=None, count=None, score_threshold=None, max_output=None,
             rule=None, box_format="xyxy", density=None, features=None, **options):
    """Returns (mask, count): a bool array [N] that is true for kept boxes, and their number as int64 [1].

    Both have a fixed size and are on the device of boxes, so that CUDA arrays need no synchronization. `mask` (bool or
    uint8 [N]) and `count` (int64 [1]) may be given; they are written directly. The rest is as in batched_nms.
    """
    params = _params(iou_threshold, score_threshold, max_output, rule, options)
    return _suppress_mask(params, boxes, scores, idxs, density, features, _choice(_FORMATS, box_format, "box_format"),
                          mask, count)


def _suppress_mask(params, boxes, scores, idxs, density, features, xywh, mask, count):
    result = _nms.suppress_mask(params, boxes, scores, idxs, density, features, xywh, mask, count)
    if result is not None:
        return result
    if _needs_conversion(boxes, scores):
        made = _suppress_mask(params, *_converted(boxes, scores), _buffer(idxs, "q", "idxs"),
                              _buffer(density, "f", "density"), _buffer(features, "f", "features", 0), xywh, mask, count)
        if _is_list(boxes):
            made = made[0] if mask is not None else made[0].tolist(), made[1] if count is not None else made[1].tolist()
        return made
    # CUDA arrays of another library than torch.
    if not _is_cupy(boxes):
        *tensors, mask_tensor, count_tensor = _as_tensors(boxes=boxes, scores=scores, idxs=idxs, density=density,
                                                          features=features, mask=mask, count=count)
        made = _suppress_mask(params, *tensors, xywh, mask_tensor, count_tensor)
        return made[0] if mask is None else mask, made[1] if count is None else count
    (boxes, scores, idxs, density, features), stream = _cupy_arrays((boxes, scores, idxs, density, features))
    if mask is None:
        mask = _nms.new_array(boxes, boxes.shape[0], "bool")
    if count is None:
        count = _nms.new_array(boxes, 1, "int64")
    _nms.suppress_into(params, boxes, scores, idxs, None, density, features, xywh, None, None, None, mask, count,
                       _workspace(params, boxes), stream)
    return mask, count
