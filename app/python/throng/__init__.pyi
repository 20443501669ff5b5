import numpy

from ._detection import Counts as Counts
from ._detection import Detector as Detector
from ._detection import Event as Event
from ._detection import Frame as Frame
from ._detection import LineCount as LineCount
from ._detection import Pipeline as Pipeline
from ._detection import ZoneCount as ZoneCount
from ._detection import fetch_model as fetch_model
from ._functions import Error as Error
from ._functions import batched_nms as batched_nms
from ._functions import nms as nms
from ._functions import nms_mask as nms_mask
from ._functions import soft_nms as soft_nms

__version__: str
detection_dtype: numpy.dtype[numpy.void]
