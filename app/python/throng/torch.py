"""Operators for torch: torch.ops.throng.nms, batched_nms and nms_mask, and replacements for torchvision's.

With torch 2.4 or newer (torch.library.register_fake), they have fake kernels, so that torch.compile traces them. vmap runs
them once per sample; the results must have one size, as those of nms_mask have.
"""

import contextlib
import warnings

import torch

from . import _functions

Error = _functions.Error

#: True if torch.compile can trace the operators.
has_fakes = hasattr(torch.library, "register_fake")


def _detached(tensor):
    return tensor.detach() if isinstance(tensor, torch.Tensor) and tensor.requires_grad else tensor


def _nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    return _functions.nms(_detached(boxes), _detached(scores), iou_threshold)


def _batched_nms(boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64, device=boxes.device)
    if idxs.is_floating_point():
        idxs = torch.unique(idxs.detach(), return_inverse=True)[1]  # 0.2 and 0.7 are two classes
    elif idxs.dtype not in (torch.int32, torch.int64):
        idxs = idxs.to(torch.int64)
    return _functions.batched_nms(_detached(boxes), _detached(scores), idxs, iou_threshold)


def _nms_mask(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> tuple[torch.Tensor, torch.Tensor]:
    return _functions.nms_mask(_detached(boxes), _detached(scores), iou_threshold)


# Not torch.library.custom_op, whose calls take twice as long.
_library = torch.library.Library("throng", "DEF")
for _schema, _function in (
        ("nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor", _nms),
        ("batched_nms(Tensor boxes, Tensor scores, Tensor idxs, float iou_threshold) -> Tensor", _batched_nms),
        ("nms_mask(Tensor boxes, Tensor scores, float iou_threshold) -> (Tensor, Tensor)", _nms_mask)):
    _library.define(_schema, **({"tags": (torch.Tag.pt2_compliant_tag,)} if has_fakes else {}))
    for _device in ("CPU", "CUDA"):
        _library.impl(_schema.partition("(")[0], _function, _device)
_nms_operator = torch.ops.throng.nms
_batched_operator = torch.ops.throng.batched_nms
_mask_operator = torch.ops.throng.nms_mask

if has_fakes:
    @torch.library.register_fake("throng::nms")
    def _(boxes, scores, iou_threshold):
        return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)

    @torch.library.register_fake("throng::batched_nms")
    def _(boxes, scores, idxs, iou_threshold):
        return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)

    @torch.library.register_fake("throng::nms_mask")
    def _(boxes, scores, iou_threshold):
        return boxes.new_empty(boxes.shape[0], dtype=torch.bool), boxes.new_empty(1, dtype=torch.int64)


def _is_traced():
    compiler = getattr(torch, "compiler", None)
    return has_fakes and compiler is not None and compiler.is_compiling()


def nms(boxes, scores, iou_threshold):
    """As torchvision.ops.nms: int64 indices of kept boxes in the order of scores."""
    return _nms_operator(boxes, scores, iou_threshold) if _is_traced() else _nms(boxes, scores, iou_threshold)


def batched_nms(boxes, scores, idxs, iou_threshold):
    """As torchvision.ops.batched_nms, without offsets of coordinates."""
    return (_batched_operator if _is_traced() else _batched_nms)(boxes, scores, idxs, iou_threshold)


def nms_mask(boxes, scores, iou_threshold):
    """Returns (bool mask [N], int64 count [1]). Fixed sizes: no synchronization, no dynamic shapes."""
    return _mask_operator(boxes, scores, iou_threshold) if _is_traced() else _nms_mask(boxes, scores, iou_threshold)


_cuda = None


def _cuda_works():
    global _cuda
    if _cuda is None:
        try:
            _functions.nms_mask(torch.zeros((1, 4), device="cuda"), torch.zeros(1, device="cuda"))
            _cuda = True
        except (Error, RuntimeError, AssertionError):  # of torch: no device, or built without CUDA
            _cuda = False
    return _cuda


class _Patch:
    """What patch() has changed: kernels of torchvision::nms in torch's dispatcher, and batched_nms."""

    depth = 0
    kernels = None
    batched = None


@torch.jit.unused
def _replaced_batched_nms(boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor,
                          iou_threshold: float) -> torch.Tensor:
    if boxes.is_cuda and not _cuda_works():
        return _Patch.batched(boxes, scores, idxs, iou_threshold)
    return _batched_operator(boxes, scores, idxs, iou_threshold)  # which vmap and torch.compile know


def _batched_nms_of(torchvision_batched_nms):
    """A function that torch.jit can compile: scripts and traces get torchvision's, which calls the operator nms."""

    def call(boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float) -> torch.Tensor:
        if torch.jit.is_scripting() or torch.jit.is_tracing():
            return torchvision_batched_nms(boxes, scores, idxs, iou_threshold)
        return _replaced_batched_nms(boxes, scores, idxs, iou_threshold)

    call.__doc__ = torchvision_batched_nms.__doc__
    call.__name__ = call.__qualname__ = "batched_nms"
    return call


def _nms_kernel(dets, scores, iou_threshold):
    return _functions.nms(_detached(dets), _detached(scores), iou_threshold)


def patch():
    """Makes torchvision.ops.nms and batched_nms use Throng's, with the same results.

    nms is replaced in torch's dispatcher: for names that were imported before, keywords, scripts, traces and exports,
    too. batched_nms is replaced as a function, and not in scripts and traces. Returns a context manager that undoes it;
    calls may be nested. See also unpatch.
    """
    from torchvision import ops

    if _Patch.depth == 0:
        _Patch.kernels = torch.library.Library("torchvision", "IMPL")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Overriding a previously registered kernel")
            for key in ("CPU", "CUDA") if _cuda_works() else ("CPU",):
                _Patch.kernels.impl("nms", _nms_kernel, key)
        _Patch.batched = ops.boxes.batched_nms
        ops.batched_nms = ops.boxes.batched_nms = _batched_nms_of(_Patch.batched)
    _Patch.depth += 1
    undo = contextlib.ExitStack()
    undo.callback(_leave)
    return undo


def _leave():
    if _Patch.depth > 1:
        _Patch.depth -= 1
    else:
        unpatch()


def unpatch():
    """Restores torchvision's functions, however often patch was called."""
    if _Patch.depth == 0:
        return
    from torchvision import ops

    ops.batched_nms = ops.boxes.batched_nms = _Patch.batched
    destroy = getattr(_Patch.kernels, "_destroy", None)  # torch 2; before, the last reference does it
    if destroy is not None:
        destroy()
    _Patch.depth, _Patch.kernels, _Patch.batched = 0, None, None
