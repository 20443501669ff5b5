// Frames of GStreamer: their pixels for detection and hiding, and what was found in them as metadata and messages.
#pragma once

#include <gst/video/video.h>

#include <memory>

#include "app/api/detect/detection.h"

namespace throng::gst_plugin {

struct MiniObjectDeleter {
    template <class Object>
    void operator()(Object* object) const {
        gst_mini_object_unref(GST_MINI_OBJECT_CAST(object));
    }
};
using BufferPtr = std::unique_ptr<GstBuffer, MiniObjectDeleter>;

// The formats that are read and written, as caps.
inline constexpr const char* kFrameCaps = GST_VIDEO_CAPS_MAKE("{ NV12, I420, GRAY8, BGR, RGB, BGRx, RGBx }");
// What is read and hidden in place, too, where the backend is CUDA. Elsewhere, a map copies it to the host and back.
inline constexpr const char* kDeviceCaps = GST_VIDEO_CAPS_MAKE_WITH_FEATURES("memory:CUDAMemory", "NV12");

// The pixels of a buffer while this object lives: with GstVideoCropMeta, those of the frame at its x and y, if the
// buffer has as many. The buffer must live as long.
class MappedFrame {
public:
    // access: GstMapFlags, which has values beyond its enumeration.
    MappedFrame(const GstVideoInfo& info, GstBuffer* buffer, int access);
    ~MappedFrame() {
        if (mapped_) gst_video_frame_unmap(&frame_);
    }
    MappedFrame(const MappedFrame&) = delete;
    MappedFrame& operator=(const MappedFrame&) = delete;

    // Returns false if the buffer is too small for a frame, or cannot be read or written as was asked for.
    [[nodiscard]] explicit operator bool() const { return mapped_ != FALSE; }
    // Returns true if the frame is all that the buffer holds.
    [[nodiscard]] bool fills_buffer() const { return fills_buffer_; }
    [[nodiscard]] GstVideoFrame* get() { return &frame_; }
    // Returns the pixels, without a copy: in device memory, if the buffer was mapped with kMapCuda.
    [[nodiscard]] api::ImageView view() const;

private:
    GstVideoFrame frame_{};
    gboolean mapped_;
    bool in_cuda_;  // mapped to device addresses
    bool fills_buffer_ = false;
};

// Returns a buffer of its own with the same pixels, and with nothing beside the frame: what surrounds it in the memory
// of `from` would not be searched. Keeps metadata except what refers to that memory. Null without memory.
[[nodiscard]] BufferPtr copy_of(const GstVideoInfo& info, GstVideoFrame& from);
// The same for CUDA's memory, by its allocator: in the same layout, with what surrounds the frame. Null also for memory
// that its allocator cannot copy on the device.
[[nodiscard]] BufferPtr copy_in_cuda(const GstBuffer* from);

// Registers the metadata below, once per process.
void register_metadata();

// Adds a region of interest for each detection, whose id is its number in the list `objects` of metadata "throng"
// (GstCustomMeta): structures "face" or "person" with the values that a region lacks: score, confidence, hits, track, and
// the exact box and landmarks in shares of the frame's size. Whatever scales or copies frames keeps both. Objects that
// are there stay: those of this result follow them.
void add_regions(GstBuffer* buffer, const FrameResult& result);

// Returns "throng" with the fields frame, timestamp, stream-time, running-time, width, height, searched, detector and
// objects: a list of structures "face" or "person" with x, y, width and height in pixels, and the values above.
[[nodiscard]] GstStructure* message_of(const GstBuffer* buffer, const GstSegment& segment, const FrameResult& result,
                                       bool searched);

}  // namespace throng::gst_plugin
