// Sinks that write annotated frames: as one video, to a media server, or as one image per frame.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/pipeline/frame_result.h"

namespace throng {

struct AnnotatedOptions {
    bool raw = false;  // raw boxes below the kept ones; needs PipelineSettings::keep_raw
    // Hide faces (FrameResult::plan) before anything is drawn; needs PipelineSettings::hiding. A frame without a plan is
    // hidden entirely.
    bool blur = false;
    bool screen = false;  // boxes in the colors of the screen: see AnnotateStyle
    bool tracks = false;  // tracks with their ids instead of kept boxes; needs PipelineSettings::tracking
    std::string audio{};  // video only: see VideoWriterOptions::audio
    std::function<void(const std::string& path)> check_output{};  // throws if an image must not replace this file
    std::stop_token stop{};  // ends the wait for the reader if the video is written to a pipe, or for a server
};

// Writes an H.264 video. fps is 0 if unknown. Throws like the constructor of VideoWriter.
[[nodiscard]] std::shared_ptr<ResultSink> make_video_sink(const std::string& path, double fps,
                                                          const AnnotatedOptions& options = {});

struct PushOptions {
    double fps = 0;                         // 0: unknown
    bool paced = false;                     // the source is faster than its times: a frame is sent when it is due
    std::chrono::milliseconds retry{2000};  // from one attempt to connect to the next
};

// Sends an H.264 video to a media server (rtsp[s]://, rtmp[s]://), again after the connection was lost. Frames that come
// meanwhile are lost, which is logged. Never ends the run, unless nothing can be sent to any server. options.stop ends
// every wait. Throws as the constructor of VideoWriter.
[[nodiscard]] std::shared_ptr<ResultSink> make_push_sink(const std::string& url, const PushOptions& push,
                                                         const AnnotatedOptions& options = {});

// Writes one JPEG per frame into `folder`, which is created with the first frame. A still image keeps its name; a frame
// of another source has its number in the name (clip-000012.jpg). Images and sources of the same name do not replace
// each other. Throws Error(usage) for a file that was there before, and Error(input) if the folder cannot be created or
// written.
[[nodiscard]] std::shared_ptr<ResultSink> make_image_sink(const std::string& folder,
                                                          const AnnotatedOptions& options = {});

}  // namespace throng
