#include "core/video/encoder_frame.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/video/frame_maker.h"

namespace throng {
namespace {

constexpr int kLimitedBlack = 16;
constexpr int kGrayChroma = 128;

int even_up(int n) {
    return n + n % 2;
}

void check(int status, const char* what) {
    if (status < 0) throw Error(ErrorKind::internal, std::string(what) + ": " + av::message(status));
}

void blacken(AVFrame& av_frame, int black) {
    for (int p = 0; p < 3; ++p) {
        const int rows = p == 0 ? av_frame.height : av_frame.height / 2;
        std::memset(av_frame.data[p], p == 0 ? black : kGrayChroma,
                    static_cast<std::size_t>(av_frame.linesize[p]) * static_cast<std::size_t>(rows));
    }
}

// Fills the column and the row that round an odd size up by repeating their neighbors. The chroma planes already cover
// them.
void repeat_edges(AVFrame& av_frame, int width, int height) {
    const int pitch = av_frame.linesize[0];
    if (width < av_frame.width) {
        for (int y = 0; y < height; ++y) av_frame.data[0][y * pitch + width] = av_frame.data[0][y * pitch + width - 1];
    }
    if (height < av_frame.height) {
        std::memcpy(av_frame.data[0] + std::ptrdiff_t{height} * pitch,
                    av_frame.data[0] + std::ptrdiff_t{height - 1} * pitch, static_cast<std::size_t>(av_frame.width));
    }
}

}  // namespace

void EncoderFrame::set_size(int width, int height) {
    width_ = even_up(width);
    height_ = even_up(height);
}

AVFrame& EncoderFrame::fill(const Frame& any_frame) {
    const Frame frame = any_frame.on_host();
    if (!av_frame_) {
        av_frame_ = av::make_frame();
        av_frame_->format = AV_PIX_FMT_YUV420P;
        av_frame_->width = width_;
        av_frame_->height = height_;
        check(av_frame_get_buffer(av_frame_.get(), 0), "not enough memory for the encoder frame");
    }
    check(av_frame_make_writable(av_frame_.get()), "not enough memory for the encoder frame");

    if (even_up(frame.width()) == width_ && even_up(frame.height()) == height_) {
        scale(frame, 0, 0, frame.width(), frame.height());
        repeat_edges(*av_frame_, frame.width(), frame.height());
        return *av_frame_;
    }
    blacken(*av_frame_, range_ == ColorRange::full ? 0 : kLimitedBlack);
    const double factor =
        std::min(static_cast<double>(width_) / frame.width(), static_cast<double>(height_) / frame.height());
    const int width = std::clamp(static_cast<int>(frame.width() * factor) / 2 * 2, 2, width_);
    const int height = std::clamp(static_cast<int>(frame.height() * factor) / 2 * 2, 2, height_);
    scale(frame, (width_ - width) / 4 * 2, (height_ - height) / 4 * 2, width, height);
    return *av_frame_;
}

void EncoderFrame::scale(const Frame& frame, int x, int y, int width, int height) {
    const FrameInfo& info = frame.info();
    const bool same_size = width == info.width && height == info.height;
    // FFmpeg 4.4's fast conversion from BGR does not write the last column or row of an odd size.
    const bool odd = width % 2 + height % 2 > 0;
    const int method = (same_size ? SWS_POINT : SWS_BILINEAR) | (odd ? SWS_ACCURATE_RND : 0);
    scaler_.reset(sws_getCachedContext(scaler_.release(), info.width, info.height, ffmpeg_format(info.format), width,
                                       height, AV_PIX_FMT_YUV420P, method, nullptr, nullptr, nullptr));
    if (!scaler_) throw Error(ErrorKind::internal, "this frame cannot be converted for the encoder");
    const int* coefficients = sws_getCoefficients(sws_matrix(info.matrix));
    sws_setColorspaceDetails(scaler_.get(), coefficients, info.range == ColorRange::full ? 1 : 0, coefficients,
                             range_ == ColorRange::full ? 1 : 0, 0, 1 << 16, 1 << 16);
    const std::uint8_t* from[AV_NUM_DATA_POINTERS] = {};
    int from_pitch[AV_NUM_DATA_POINTERS] = {};
    for (int p = 0; p < plane_count(info.format); ++p) {
        from[p] = frame.plane(p).data;
        from_pitch[p] = static_cast<int>(frame.plane(p).pitch);
    }
    std::uint8_t* to[AV_NUM_DATA_POINTERS] = {};
    for (int p = 0; p < 3; ++p) {
        const int shift = p == 0 ? 0 : 1;
        to[p] = av_frame_->data[p] + std::ptrdiff_t{y >> shift} * av_frame_->linesize[p] + (x >> shift);
    }
    sws_scale(scaler_.get(), from, from_pitch, 0, info.height, to, av_frame_->linesize);
}

}  // namespace throng
