#include "core/video/mosaic_source.h"

#include <cstring>
#include <utility>

#include "core/frame/frame_pool.h"

namespace throng {
namespace {

// Writes four copies of a plane. If a chroma plane of odd size is rounded up, two copies do not fit side by side: the
// second copy overwrites the last column or row of the first.
void tile(const PlaneView& from, int sample, std::uint8_t* to, const PlaneView& shape) {
    const int right = (shape.width - from.width) / sample * sample;
    const auto width = static_cast<std::size_t>(from.width);
    for (int y = 0; y < from.height; ++y) {
        const std::uint8_t* row = from.data + from.pitch * y;
        for (const int target : {y, shape.height - from.height + y}) {
            std::memcpy(to + shape.pitch * target, row, width);
            std::memcpy(to + shape.pitch * target + right, row, width);
        }
    }
}

int bytes_per_sample(PixelFormat format, int plane) {
    if (format == PixelFormat::bgr24) return 3;
    return format == PixelFormat::nv12 && plane == 1 ? 2 : 1;
}

class MosaicSource final : public VideoSource {
public:
    explicit MosaicSource(std::unique_ptr<VideoSource> source) : source_(std::move(source)) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        Frame single;
        const ReadStatus status = source_->read(single, std::move(stop));
        if (status == ReadStatus::frame || status == ReadStatus::format_changed) frame = four(single.on_host());
        return status;
    }

    bool seek(double seconds) override { return source_->seek(seconds); }
    void set_loop(bool loop) override { source_->set_loop(loop); }
    bool resume_on_host(std::int64_t index, double pts) override { return source_->resume_on_host(index, pts); }

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info = source_->info();
        info.name = "mosaic:" + info.name;
        info.details = {"2x2 of %1", info.details};
        info.width *= 2;
        info.height *= 2;
        return info;
    }

    [[nodiscard]] std::string current_name() const override {
        const std::string inner = source_->current_name();
        return inner == source_->info().name ? "mosaic:" + inner : inner;
    }
    [[nodiscard]] Message notice() const override { return source_->notice(); }
    [[nodiscard]] std::string incomplete() const override { return source_->incomplete(); }
    [[nodiscard]] std::optional<double> decode_ms() const override { return source_->decode_ms(); }
    [[nodiscard]] std::uint64_t replaced() const override { return source_->replaced(); }

private:
    Frame four(const Frame& single) {
        const FrameInfo& info = single.info();
        WritableFrame result = pool_.take(info.format, 2 * info.width, 2 * info.height);
        FrameInfo doubled = info;
        doubled.width *= 2;
        doubled.height *= 2;
        result.info() = doubled;
        for (int p = 0; p < plane_count(info.format); ++p) {
            tile(single.plane(p), bytes_per_sample(info.format, p), result.data(p), result.plane(p));
        }
        return std::move(result).finish();
    }

    std::unique_ptr<VideoSource> source_;
    FramePool pool_;
};

}  // namespace

std::unique_ptr<VideoSource> make_mosaic(std::unique_ptr<VideoSource> source) {
    return std::make_unique<MosaicSource>(std::move(source));
}

}  // namespace throng
