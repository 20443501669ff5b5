// The elements throngdetect and thronghide: one class, a video filter with a flag.
#pragma once

#include <gst/gst.h>

namespace throng::gst_plugin {

// throngdetect finds objects: it adds regions of interest to each buffer (frames.h), which otherwise remains as it is, and
// posts a message. thronghide also hides what was found, in a copy of the frame, some frames later (core/redact).
//
// thronghide fails safe. A frame is hidden entirely if it was not searched, because it is late or the detector failed, if its
// buffer is marked as corrupted, or if detections were dropped. A frame that cannot be read or hidden ends the stream:
// none follows until the element was stopped. GAP events are dropped while frames wait: later frames help to decide.
// throngdetect passes a late frame; a failure of its detector ends the stream.
//
// Both also take NV12 in CUDA's memory (memory:CUDAMemory), and pass it on. thronghide copies and hides it on the device,
// where the detector runs there, otherwise on the host. A cropped frame (GstVideoCropMeta) in CUDA's memory ends its stream:
// what surrounds it would be in the copy.
//
// Neither the detector nor a device is touched before the change from READY to PAUSED, which fails for a wrong property.
// Settings that change later count from the next such change on.
[[nodiscard]] gboolean register_elements(GstPlugin* plugin);

}  // namespace throng::gst_plugin
