"""Fast exact non-maximum suppression, and face detection in crowds.

nms, batched_nms, soft_nms and nms_mask take arrays of torch, NumPy, CuPy and others and need nothing else installed.
Detector and Pipeline need the libraries of the detection package; fetch_model downloads better models for them.
throng.torch registers operators for torch.compile and can replace torchvision's. Warnings go to the logger "throng" of
logging. Error is raised for everything that is wrong; its `status` is a throng_status of the C library: 2 usage, 3 input,
4 unavailable, 5 internal, 6 busy, 7 stopped.
"""

from ._functions import Error, batched_nms, nms, nms_mask, soft_nms
from ._nms import __version__

_DETECTION = ("Counts", "Detector", "Event", "Frame", "LineCount", "Pipeline", "ZoneCount", "detection_dtype",
              "fetch_model")
__all__ = [*_DETECTION, "Error", "batched_nms", "nms", "nms_mask", "soft_nms", "__version__"]


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    # Imported on first use: NumPy, OpenCV and FFmpeg take longer to load than a suppression.
    if name in _DETECTION:
        from . import _detection

        return _detection.dtype if name == "detection_dtype" else getattr(_detection, name)
    raise AttributeError(f"module 'throng' has no attribute {name!r}")
