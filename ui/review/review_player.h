// Decodes the part of a video around a track, for the review: one frame, or all in a loop at the rate of the video.
#pragma once

#include <QImage>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "core/video/convert.h"
#include "core/video/source.h"

namespace throng::ui {

struct ReviewSpan {
    double first = 0;  // seconds
    double last = 0;
    double at = 0;  // the frame to show, and where playing begins
    bool playing = false;
};

// Opens the video on its own thread, with the first span.
class ReviewPlayer {
public:
    // Called on the thread of the player, also to read a source that cannot seek from its beginning.
    using Open = std::function<std::unique_ptr<VideoSource>(const std::stop_token& stop)>;
    // Both are called on the thread of the player and must only post a message. on_frame: the frame that is shown from
    // pts on. on_error: the file cannot be read; the next span tries again.
    using OnFrame = std::function<void(const QImage& image, double pts)>;
    using OnError = std::function<void(const std::string& what)>;
    ReviewPlayer(Open open, OnFrame on_frame, OnError on_error);

    void show(const ReviewSpan& span);

private:
    void run(const std::stop_token& stop);
    // Reads the next frame. Returns timeout only after a stop request, and if the span has changed.
    ReadStatus read(Frame& frame, const std::stop_token& stop);
    void play(const ReviewSpan& span, const std::stop_token& stop);
    // Returns false at the end of the file, and if the span has changed.
    bool read_at(double pts, Frame& frame, const std::stop_token& stop);
    [[nodiscard]] bool has_changed();
    void report(const Frame& frame);

    Open open_;
    OnFrame on_frame_;
    OnError on_error_;
    std::unique_ptr<VideoSource> source_;  // this and the next two: thread of the player
    PixelConverter converter_;
    FramePool pool_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    ReviewSpan span_;
    bool is_new_ = false;  // the span
    std::jthread thread_;  // last: stops before the other members are destroyed
};

}  // namespace throng::ui
