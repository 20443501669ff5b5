"""Operators for torch: torch.ops.throng.nms, batched_nms and nms_mask, and replacements for torchvision's.

Registered where torch has torch.library.register_fake (2.4 or newer), with fake kernels, so that torch.compile traces them.
With an older torch, the functions of this module work eagerly.
"""

import contextlib

import torch

from . import _functions

Error = _functions.Error

#: True if the operators are registered with torch.
has_operators = hasattr(torch.library, "register_fake")


def _detached(tensor):
    return tensor.detach() if isinstance(tensor, torch.Tensor) and tensor.requires_grad else tensor


def _nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    return _functions.nms(_detached(boxes), _detached(scores), iou_threshold)


def _batched_nms(boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    if idxs.dtype not in (torch.int32, torch.int64):
        idxs = idxs.to(torch.int64)
    return _functions.batched_nms(_detached(boxes), _detached(scores), idxs, iou_threshold)


def _nms_mask(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> tuple[torch.Tensor, torch.Tensor]:
    return _functions.nms_mask(_detached(boxes), _detached(scores), iou_threshold)


if has_operators:
    # Not torch.library.custom_op, whose calls take twice as long.
    _library = torch.library.Library("throng", "DEF")
    for _schema, _function in (
            ("nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor", _nms),
            ("batched_nms(Tensor boxes, Tensor scores, Tensor idxs, float iou_threshold) -> Tensor", _batched_nms),
            ("nms_mask(Tensor boxes, Tensor scores, float iou_threshold) -> (Tensor, Tensor)", _nms_mask)):
        _library.define(_schema, tags=(torch.Tag.pt2_compliant_tag,))
        for _device in ("CPU", "CUDA"):
            _library.impl(_schema.partition("(")[0], _function, _device)

    @torch.library.register_fake("throng::nms")
    def _(boxes, scores, iou_threshold):
        return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)

    @torch.library.register_fake("throng::batched_nms")
    def _(boxes, scores, idxs, iou_threshold):
        return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)

    @torch.library.register_fake("throng::nms_mask")
    def _(boxes, scores, iou_threshold):
        return boxes.new_empty(boxes.shape[0], dtype=torch.bool), boxes.new_empty(1, dtype=torch.int64)

    _nms_operator = torch.ops.throng.nms
    _batched_operator = torch.ops.throng.batched_nms
    _mask_operator = torch.ops.throng.nms_mask


def _is_traced():
    compiler = getattr(torch, "compiler", None)
    return has_operators and compiler is not None and compiler.is_compiling()


def nms(boxes, scores, iou_threshold):
    """As torchvision.ops.nms: int64 indices of kept boxes in the order of scores."""
    return _nms_operator(boxes, scores, iou_threshold) if _is_traced() else _nms(boxes, scores, iou_threshold)


def batched_nms(boxes, scores, idxs, iou_threshold):
    """As torchvision.ops.batched_nms, without offsets of coordinates."""
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64, device=boxes.device)
    if _is_traced():
        return _batched_operator(boxes, scores, idxs, iou_threshold)
    return _batched_nms(boxes, scores, idxs, iou_threshold)


def nms_mask(boxes, scores, iou_threshold):
    """Returns (bool mask [N], int64 count [1]). Fixed sizes: no synchronization, no dynamic shapes."""
    return _mask_operator(boxes, scores, iou_threshold) if _is_traced() else _nms_mask(boxes, scores, iou_threshold)


_originals = None


def _or_original(ours, original):
    """Calls torchvision's function where ours does not run: on CUDA if Throng is built without it."""

    def call(boxes, *rest):
        if boxes.is_cuda and not _cuda_works():
            return original(boxes, *rest)
        return ours(boxes, *rest)

    call.__doc__ = ours.__doc__
    call.__name__ = ours.__name__
    return call


_cuda = None


def _cuda_works():
    global _cuda
    if _cuda is None:
        try:
            _functions.nms_mask(torch.zeros((1, 4), device="cuda"), torch.zeros(1, device="cuda"))
            _cuda = True
        except Error:
            _cuda = False
    return _cuda


def patch():
    """Replaces torchvision.ops.nms and batched_nms. Returns a context manager that undoes it; see also unpatch."""
    global _originals
    from torchvision import ops

    if _originals is None:
        _originals = (ops.boxes.nms, ops.boxes.batched_nms)
        ops.nms = ops.boxes.nms = _or_original(nms, _originals[0])
        ops.batched_nms = ops.boxes.batched_nms = _or_original(batched_nms, _originals[1])
    undo = contextlib.ExitStack()
    undo.callback(unpatch)
    return undo


def unpatch():
    """Restores torchvision's functions."""
    global _originals
    if _originals is None:
        return
    from torchvision import ops

    ops.nms, ops.batched_nms = ops.boxes.nms, ops.boxes.batched_nms = _originals
    _originals = None
