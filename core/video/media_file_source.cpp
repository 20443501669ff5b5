#include "core/video/media_file_source.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/video/format_watch.h"
#include "core/video/picture.h"

namespace throng {
namespace {

constexpr double kDefaultFps = 25;       // for streams that tell no times at all
constexpr double kTimeTolerance = 1e-4;  // seconds: time stamps are rounded to the container's clock

struct TimedPicture {
    av::FramePtr picture;
    double pts = 0;
    bool starts_again = false;  // the first one of another round
};

class MediaFileSource final : public VideoSource {
public:
    MediaFileSource(const MediaRequest& request, std::unique_ptr<MediaReader> reader)
        : request_(request), reader_(std::move(reader)), maker_(request.source.prefer_device_frames) {
        std::optional<TimedPicture> first = decode({});
        if (first && reader_->refused_by_hardware() && reader_->seekable()) {
            request_.source.decoder = "software";  // with all its threads
            reader_ = std::make_unique<MediaReader>(request_, std::stop_token{});
            last_pts_ = -1;
            first = decode({});
        }
        if (!first) {
            const bool damaged = reader_->damaged() > 0;
            throw Error(ErrorKind::input, damaged ? "not one picture in it can be decoded" : "it holds no picture",
                        request_.shown, damaged ? "the file is damaged" : "the video has a length of 0 seconds");
        }
        const Orientation orientation = reader_->orientation_of_picture(*first->picture);
        width_ = orientation.transpose ? first->picture->height : first->picture->width;
        height_ = orientation.transpose ? first->picture->width : first->picture->height;
        pending_.push_back(std::move(*first));
    }

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        reader_->set_loop(loop_);
        std::optional<TimedPicture> next = take_pending();
        if (!next) next = decode(stop);
        if (!next) return stop.stop_requested() ? ReadStatus::timeout : ReadStatus::end;
        if (next->starts_again) next_index_ = 0;
        const Orientation orientation = reader_->orientation_of_picture(*next->picture);
        frame = maker_.make(std::move(next->picture), orientation)
                    .renumbered(next_index_++, next->pts, std::chrono::steady_clock::now());
        width_ = frame.width();
        height_ = frame.height();
        return format_.status_of(frame);
    }

    bool seek(double seconds) override;
    void set_loop(bool loop) override { loop_ = loop; }
    bool resume_on_host(std::int64_t index, double pts) override;

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = request_.shown;
        info.details = reader_->details(width_, height_);
        info.width = width_;
        info.height = height_;
        info.fps = reader_->fps();
        info.frame_count = reader_->frame_count();
        info.duration = reader_->duration();
        info.seekable = reader_->seekable();
        return info;
    }

    [[nodiscard]] std::string notice() const override {
        std::string text;
        const std::uint64_t damaged = earlier_damage_ + reader_->damaged();
        if (damaged > 0) {
            text = "damaged in " + std::to_string(damaged) + (damaged == 1 ? " place" : " places") +
                   ", shown as far as possible";
        }
        if (!trouble_.empty()) text += (text.empty() ? "" : "; ") + trouble_;
        return text;
    }

private:
    std::optional<TimedPicture> take_pending() {
        if (pending_.empty()) return std::nullopt;
        TimedPicture first = std::move(pending_.front());
        pending_.pop_front();
        return first;
    }

    [[nodiscard]] double frame_step() const { return 1 / (reader_->fps() > 0 ? reader_->fps() : kDefaultFps); }
    std::optional<TimedPicture> decode(const std::stop_token& stop);
    void note_early_end();
    void position_before(double seconds, double step_back);
    void skip_to(double seconds, std::optional<TimedPicture> first);

    MediaRequest request_;
    std::unique_ptr<MediaReader> reader_;
    PictureMaker maker_;
    FormatWatch format_;
    std::deque<TimedPicture> pending_;  // decoded ahead: the first frame, and what a seek had to look at
    std::int64_t next_index_ = 0;
    double last_pts_ = -1;    // of decoding
    std::int64_t round_ = 0;  // of the picture decoded last
    bool loop_ = false;       // of read alone: a seek stops at the end
    int width_ = 0;
    int height_ = 0;
    std::uint64_t earlier_damage_ = 0;
    std::string trouble_;
};

std::optional<TimedPicture> MediaFileSource::decode(const std::stop_token& stop) {
    TimedPicture result{av::make_frame(), 0, false};
    switch (reader_->next(*result.picture, stop)) {
        case MediaStatus::picture: break;
        case MediaStatus::stopped: return std::nullopt;
        case MediaStatus::end: note_early_end(); return std::nullopt;
        case MediaStatus::stalled:
            throw Error(ErrorKind::input, "no data for " + short_number(request_.source.read_timeout) + " s",
                        request_.shown, "the connection or the sender has stopped");
        case MediaStatus::broken: note_early_end(); return std::nullopt;
    }
    const std::int64_t round = reader_->round_of(*result.picture);
    result.starts_again = round != std::exchange(round_, round);
    if (result.starts_again) last_pts_ = -1;
    const std::optional<double> told = reader_->time_of(*result.picture);
    result.pts = told ? std::max(*told, 0.0) : (last_pts_ < 0 ? 0 : last_pts_ + frame_step());
    last_pts_ = result.pts;
    return result;
}

void MediaFileSource::note_early_end() {
    const double end = last_pts_ + frame_step();
    if (reader_->ends_early(end, frame_step())) {
        const double promised = reader_->track_duration().value_or(0);
        trouble_ = "the file ends early: after " + short_number(end) + " of " + short_number(promised) + " s";
    } else if (reader_->gave_up()) {
        trouble_ = "reading ended early: " + reader_->read_error();
    }
}

// To a key frame at or before the time, less step_back; infinity: to the very start, by opening the file anew.
void MediaFileSource::position_before(double seconds, double step_back) {
    last_pts_ = -1;
    round_ = 0;
    const bool anew = std::isinf(step_back) || !reader_->has_index();
    if (!anew && reader_->seek_key_frame(std::max(seconds - step_back, 0.0))) return;
    earlier_damage_ += reader_->damaged();
    reader_ = std::make_unique<MediaReader>(request_, std::stop_token{});
}

bool MediaFileSource::seek(double seconds) {
    if (!reader_->seekable() || !std::isfinite(seconds)) return false;
    seconds = std::max(seconds, 0.0);
    reader_->set_loop(false);
    pending_.clear();
    trouble_.clear();
    // Containers without a good index land behind the wanted time now and then: ask again from further back.
    for (const double step_back : {0.0, 2.0, 15.0, std::numeric_limits<double>::infinity()}) {
        position_before(seconds, step_back);
        std::optional<TimedPicture> first = decode({});
        const bool too_late = !first || first->pts > seconds + kTimeTolerance;
        if (too_late && !std::isinf(step_back)) continue;
        skip_to(seconds, std::move(first));
        break;
    }
    if (!pending_.empty()) next_index_ = std::llround(pending_.front().pts * reader_->fps());
    return true;
}

bool MediaFileSource::resume_on_host(std::int64_t index, double pts) {
    if (!reader_->seekable()) return false;
    request_.source.decoder = "software";
    maker_.leave_device();
    pending_.clear();
    trouble_.clear();
    last_pts_ = -1;
    round_ = 0;
    reader_ = std::make_unique<MediaReader>(request_, std::stop_token{});  // the lost decoder's complaints do not count
    if (index >= 0) {
        if (!seek(pts)) return false;
        while (!pending_.empty() && pending_.front().pts <= pts + kTimeTolerance) pending_.pop_front();
    }
    next_index_ = index + 1;
    return true;
}

// Decodes until the frame at `seconds` and the one behind it, which are then next.
void MediaFileSource::skip_to(double seconds, std::optional<TimedPicture> first) {
    std::optional<TimedPicture> current = std::move(first);
    while (current) {
        std::optional<TimedPicture> following = decode({});
        if (!following || following->pts > seconds + kTimeTolerance) {
            pending_.push_back(std::move(*current));
            if (following) pending_.push_back(std::move(*following));
            return;
        }
        current = std::move(following);
    }
}

}  // namespace

std::unique_ptr<VideoSource> make_media_file_source(const MediaRequest& request, std::unique_ptr<MediaReader> reader) {
    return std::make_unique<MediaFileSource>(request, std::move(reader));
}

std::unique_ptr<VideoSource> open_media_file(const MediaRequest& request) {
    return make_media_file_source(request, std::make_unique<MediaReader>(request, std::stop_token{}));
}

MediaRequest file_request(const std::string& path, const SourceOptions& options) {
    MediaRequest request;
    request.url = "file:" + path;  // so that no colon in the name is taken for a protocol
    request.shown = path;
    // A file from anywhere must not make us open other addresses.
    request.options = {{"protocol_whitelist", "file,crypto,data"}};
    request.source = options;
    return request;
}

}  // namespace throng
