#include "core/video/animation_writer.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/base/shared_library.h"
#include "core/video/convert.h"
#include "core/video/formats.h"
#include "core/video/muxer.h"

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
}

namespace throng {
namespace {

// The functions of libavfilter that this file uses. Throws Error(unavailable) if it is not installed.
struct Filters {
    SharedLibrary library{av::soname("avfilter", LIBAVFILTER_VERSION_MAJOR)};

#define TH_FILTER(name) decltype(&::name) name = library.require<decltype(::name)>(#name)
    TH_FILTER(avfilter_graph_alloc);
    TH_FILTER(avfilter_graph_free);
    TH_FILTER(avfilter_graph_parse_ptr);
    TH_FILTER(avfilter_graph_get_filter);
    TH_FILTER(avfilter_graph_config);
    TH_FILTER(av_buffersrc_add_frame);
    TH_FILTER(av_buffersink_get_frame);
#undef TH_FILTER
};

const Filters& filters() {
    static const auto& loaded = *new Filters();
    return loaded;
}

struct GraphDeleter {
    void operator()(AVFilterGraph* graph) const { filters().avfilter_graph_free(&graph); }
};
using GraphPtr = std::unique_ptr<AVFilterGraph, GraphDeleter>;

// Chooses 256 colors for every frame and converts it to them. FFmpeg's own conversion to GIF has one fixed palette.
constexpr const char* kOwnPalettes =
    "split[a][b];[a]palettegen=stats_mode=single:reserve_transparent=0[p];[b][p]paletteuse=new=1:dither=none";

class AnimationWriter final : public ExactWriter {
public:
    AnimationWriter(const std::string& path, const VideoFormat& format)
        : path_(path),
          gif_(format_of_name(path).muxer == std::string_view("gif")),
          format_(format),
          muxer_(path, gif_ ? "gif" : "apng", result_file(path), "") {}

    void write(const ExactFrame& frame) override {
        if (!codec_) start();
        av::FramePtr rgb = rgb_of(frame.frame);
        rgb->pts = frame.ticks;
        last_duration_ = frame.duration;
        if (!graph_) {
            encode(rgb.get());
            return;
        }
        check(filters().av_buffersrc_add_frame(source_, rgb.get()), "cannot convert a frame");
        drain_filter();
    }

    void commit() override {
        if (!codec_) throw Error(ErrorKind::internal, "an animation without frames", path_);
        if (graph_) {
            check(filters().av_buffersrc_add_frame(source_, nullptr), "cannot convert a frame");
            drain_filter();
        }
        encode(nullptr);
        // FFmpeg's muxers do not read the duration of the last packet.
        AVRational hold{0, 1};
        av_reduce(&hold.num, &hold.den, last_duration_ * format_.time_base.num, format_.time_base.den, 0xFFFF);
        const std::int64_t hundredths = av_rescale_q(last_duration_, format_.time_base, {1, 100});
        void* options = muxer_.context().priv_data;
        check(gif_ ? av_opt_set_int(options, "final_delay", std::min<std::int64_t>(hundredths, 0xFFFF), 0)
                   : av_opt_set_q(options, "final_delay", hold, 0),
              "cannot set the duration of the last frame");
        muxer_.finish();
    }

    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> notes;
        if (scaled_ > 0) notes.push_back(fmt::format("{} frames are scaled to the size of the first", scaled_));
        return notes;
    }

private:
    void check(int status, const char* what) const { muxer_.check(status, what); }

    void make_graph() {
        graph_ = av::checked(GraphPtr(filters().avfilter_graph_alloc()));
        const std::string description =
            fmt::format("buffer@in=video_size={}x{}:pix_fmt={}:time_base={}/{}:pixel_aspect=1/1,{},buffersink@out",
                        format_.width, format_.height, static_cast<int>(AV_PIX_FMT_BGRA), format_.time_base.num,
                        format_.time_base.den, kOwnPalettes);
        check(filters().avfilter_graph_parse_ptr(graph_.get(), description.c_str(), nullptr, nullptr, nullptr),
              "cannot prepare the palette");
        source_ = filters().avfilter_graph_get_filter(graph_.get(), "buffer@in");
        sink_ = filters().avfilter_graph_get_filter(graph_.get(), "buffersink@out");
        check(filters().avfilter_graph_config(graph_.get(), nullptr), "cannot prepare the palette");
    }

    void start() {
        const AVCodec* encoder = avcodec_find_encoder(gif_ ? AV_CODEC_ID_GIF : AV_CODEC_ID_APNG);
        if (encoder == nullptr) {
            throw Error(ErrorKind::unavailable,
                        Message("this FFmpeg build cannot write animated %1", gif_ ? "GIF" : "PNG"), path_);
        }
        muxer_.context().flags |= AVFMT_FLAG_BITEXACT;
        if (gif_) make_graph();
        codec_ = av::checked(av::CodecPtr(avcodec_alloc_context3(encoder)));
        codec_->width = format_.width;
        codec_->height = format_.height;
        codec_->pix_fmt = gif_ ? AV_PIX_FMT_PAL8 : AV_PIX_FMT_RGB24;
        codec_->time_base = format_.time_base;
        codec_->flags |= AV_CODEC_FLAG_BITEXACT;
        check(avcodec_open2(codec_.get(), encoder, nullptr), "cannot encode the animation");
        av::Dictionary options;
        // GIF counts the repetitions after the first time; without a count, it plays once.
        const int plays = format_.plays;
        const int repetitions = plays == 0 ? 0 : plays == 1 ? -1 : plays - 1;
        options.set(gif_ ? "loop" : "plays", std::to_string(gif_ ? repetitions : plays));
        muxer_.begin(*codec_, format_.time_base, {0, 1}, 0, options);
    }

    // Returns the frame in the format of the encoder or of the filter, in the size of the first frame.
    av::FramePtr rgb_of(const Frame& frame) {
        av::FramePtr result = av::make_frame();
        result->format = gif_ ? AV_PIX_FMT_BGRA : AV_PIX_FMT_RGB24;
        result->width = format_.width;
        result->height = format_.height;
        check(av_frame_get_buffer(result.get(), 0), "not enough memory for a frame");
        cv::Mat bgr(frame.height(), frame.width(), CV_8UC3);
        converter_.convert(frame, Packing::bgr24, bgr.data, static_cast<std::ptrdiff_t>(bgr.step[0]));
        if (bgr.cols != format_.width || bgr.rows != format_.height) {
            cv::resize(bgr, bgr, cv::Size(format_.width, format_.height), 0, 0, cv::INTER_AREA);
            ++scaled_;
        }
        cv::Mat to(format_.height, format_.width, gif_ ? CV_8UC4 : CV_8UC3, result->data[0],
                   static_cast<std::size_t>(result->linesize[0]));
        cv::cvtColor(bgr, to, gif_ ? cv::COLOR_BGR2BGRA : cv::COLOR_BGR2RGB);
        return result;
    }

    void drain_filter() {
        for (;;) {
            const av::FramePtr frame = av::make_frame();
            const int status = filters().av_buffersink_get_frame(sink_, frame.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status, "cannot convert a frame");
            encode(frame.get());
        }
    }

    void encode(const AVFrame* frame) {
        const auto write = [this](AVPacket& packet) {
            packet.duration = last_duration_;
            muxer_.write(packet);
        };
        check(av::encode(*codec_, frame, *packet_, write), "cannot encode the animation");
    }

    std::string path_;
    bool gif_;
    VideoFormat format_;
    Muxer muxer_;
    av::CodecPtr codec_;
    GraphPtr graph_;  // owns the filters
    AVFilterContext* source_ = nullptr;
    AVFilterContext* sink_ = nullptr;
    PixelConverter converter_;
    av::PacketPtr packet_ = av::make_packet();
    std::int64_t last_duration_ = 1;
    std::int64_t scaled_ = 0;
};

}  // namespace

std::unique_ptr<ExactWriter> make_animation_writer(const std::string& path, const VideoFormat& format) {
    return std::make_unique<AnimationWriter>(path, format);
}

}  // namespace throng
