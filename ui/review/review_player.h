// Decodes the part of a video around a track, for the review: one frame, or all in a loop at the rate of the video.
#pragma once

#include <QImage>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/video/convert.h"
#include "core/video/source.h"
#include "ui/base/worker.h"

namespace throng::ui {

struct ReviewSpan {
    double first = 0;  // seconds
    double last = 0;
    double at = 0;  // the frame to show, and where playing begins
    bool playing = false;
};

struct ReviewFrame {
    QImage image;
    double pts = 0;
};

// Opens the video on its own thread, with the first span.
class ReviewPlayer {
public:
    // Called on the thread of the player, also to read a source that cannot seek from its beginning.
    using Open = std::function<std::unique_ptr<VideoSource>(const std::stop_token& stop)>;
    // Called on the thread of `owner`. problem: why the file cannot be read, and the next span tries again; empty: the
    // image is shown from pts on.
    using Receive = std::function<void(const ReviewFrame& frame, const Message& problem)>;
    ReviewPlayer(Open open, QObject* owner, Receive receive);

    void show(const ReviewSpan& span) { worker_.push(span); }

private:
    using Player = Worker<ReviewSpan, ReviewFrame>;
    using Job = Player::Job;
    // Reads the next frame. Returns timeout only after a stop request, and if the span has changed.
    ReadStatus read(Frame& frame, const Job& job);
    void play(const ReviewSpan& span, const Job& job);
    // Returns false at the end of the file, and if the span has changed.
    bool read_at(double pts, Frame& frame, const Job& job);
    void report(const Frame& frame, const Job& job);

    Open open_;
    std::unique_ptr<VideoSource> source_;  // this and the next two: thread of the player
    PixelConverter converter_;
    FramePool pool_;
    Player worker_;  // last: its thread uses the others
};

}  // namespace throng::ui
