#include "core/video/video_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/resources.h"

extern "C" {
#include <libavutil/cpu.h>
#include <libavutil/hwcontext.h>
}

namespace throng {
namespace {

constexpr double kSecondsPerGroup = 2;  // between key frames; a fragment of a recording begins at each key frame
constexpr double kBitsPerPixel = 0.12;  // for encoders without a constant quality mode

struct Row {
    std::string_view name;
    bool hardware;
    bool verified;
    bool named;     // by the user
    int recording;  // place in the order of preference for recordings; 0: not used
};
// In the order in which `auto` tries them.
constexpr std::array<Row, 6> kRows = {{{"h264_nvenc", true, false, true, 4},
                                       {"h264_v4l2m2m", true, false, true, 3},
                                       {"h264_vaapi", true, false, true, 0},
                                       {"libx264", false, true, true, 1},
                                       {"libopenh264", false, false, false, 2},
                                       {"mpeg4", false, true, false, 5}}};

void set_quality(const std::string& name, int quality, AVCodecContext& codec, av::Dictionary& options) {
    const std::string number = std::to_string(quality);
    if (name == "libx264") {
        codec.bit_rate = 0;
        options.set("preset", "veryfast");
        options.set("crf", number);
    } else if (name == "h264_nvenc") {
        codec.bit_rate = 0;
        options.set("rc", "vbr");
        options.set("cq", number);
    } else if (name == "h264_vaapi") {
        codec.bit_rate = 0;
        options.set("rc_mode", "CQP");
        options.set("qp", number);
    }
}

av::BufferPtr make_surfaces(int width, int height, std::string& why) {
    AVBufferRef* reference = nullptr;
    int status = av_hwdevice_ctx_create(&reference, AV_HWDEVICE_TYPE_VAAPI, nullptr, nullptr, 0);
    const av::BufferPtr device(reference);
    if (status < 0) {
        why = "no VAAPI device: " + av::message(status);
        return nullptr;
    }
    av::BufferPtr surfaces = av::checked(av::BufferPtr(av_hwframe_ctx_alloc(device.get())));
    auto& frames = *reinterpret_cast<AVHWFramesContext*>(surfaces->data);
    frames.format = AV_PIX_FMT_VAAPI;
    frames.sw_format = AV_PIX_FMT_NV12;
    frames.width = width;
    frames.height = height;
    frames.initial_pool_size = 20;
    status = av_hwframe_ctx_init(surfaces.get());
    if (status >= 0) return surfaces;
    why = "no VAAPI surfaces: " + av::message(status);
    return nullptr;
}

}  // namespace

std::unique_ptr<VideoEncoder> VideoEncoder::open(const std::string& name, const EncoderSettings& settings,
                                                 std::string& why) {
    av::set_up();
    const AVCodec* found = avcodec_find_encoder_by_name(name.c_str());
    if (found == nullptr) {
        why = "this FFmpeg build has no encoder " + name;
        return nullptr;
    }
    std::unique_ptr<VideoEncoder> encoder(new VideoEncoder());
    encoder->codec_ = av::checked(av::CodecPtr(avcodec_alloc_context3(found)));
    AVCodecContext& codec = *encoder->codec_;
    const double rate = av_q2d(settings.frame_rate);
    codec.width = settings.width;
    codec.height = settings.height;
    codec.pix_fmt = AV_PIX_FMT_YUV420P;
    codec.time_base = settings.time_base;
    codec.framerate = settings.frame_rate;
    codec.gop_size = std::max(static_cast<int>(std::lround(rate * kSecondsPerGroup)), 1);
    codec.sample_aspect_ratio = settings.sample_aspect_ratio;
    codec.color_range = settings.range;
    codec.color_primaries = settings.primaries;
    codec.color_trc = settings.transfer;
    codec.colorspace = settings.matrix;
    codec.chroma_sample_location = settings.chroma_location;
    codec.bit_rate = static_cast<std::int64_t>(kBitsPerPixel * codec.width * codec.height * rate);
    codec.thread_count = settings.threads > 0 ? settings.threads : cpu_cores();
    codec.flags |= settings.codec_flags;
    const bool x264 = name == "libx264";
    if (!settings.reorders_frames || !x264) codec.max_b_frames = 0;
    if (settings.interlaced && x264) codec.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
    av::Dictionary options;
    set_quality(name, settings.quality, codec, options);
    if (settings.at_once && x264) options.set("tune", "zerolatency");
    if (settings.at_once && name == "h264_nvenc") options.set("zerolatency", "1");
    // The AVX-512 functions of x264's macroblock tree read uninitialized memory, so bytes differ between runs.
    if (x264 && (av_get_cpu_flags() & AV_CPU_FLAG_AVX512) != 0) {
        options.set("x264-params", "asm=SSE2Fast,LZCNT,SSE4.2,AVX,FMA3,BMI2,AVX2");
    }
    if (name == "h264_vaapi") {
        encoder->surfaces_ = make_surfaces(settings.width, settings.height, why);
        if (!encoder->surfaces_) return nullptr;
        codec.pix_fmt = AV_PIX_FMT_VAAPI;
        codec.hw_frames_ctx = av_buffer_ref(encoder->surfaces_.get());
    }
    const int status = avcodec_open2(&codec, found, options.address());
    if (status >= 0) return encoder;
    why = av::message(status);
    return nullptr;
}

int VideoEncoder::upload(const AVFrame& frame) {
    if (!host_frame_) {
        host_frame_ = av::make_frame();
        host_frame_->format = AV_PIX_FMT_NV12;
        host_frame_->width = frame.width;
        host_frame_->height = frame.height;
        if (const int status = av_frame_get_buffer(host_frame_.get(), 0); status < 0) return status;
    }
    scaler_.reset(sws_getCachedContext(scaler_.release(), frame.width, frame.height, AV_PIX_FMT_YUV420P, frame.width,
                                       frame.height, AV_PIX_FMT_NV12, SWS_POINT, nullptr, nullptr, nullptr));
    if (!scaler_) return AVERROR(EINVAL);
    sws_scale(scaler_.get(), frame.data, frame.linesize, 0, frame.height, host_frame_->data, host_frame_->linesize);
    surface_ = av::make_frame();
    int status = av_hwframe_get_buffer(surfaces_.get(), surface_.get(), 0);
    if (status >= 0) status = av_hwframe_transfer_data(surface_.get(), host_frame_.get(), 0);
    if (status >= 0) status = av_frame_copy_props(surface_.get(), &frame);
    return status;
}

int VideoEncoder::encode(const AVFrame* frame, const Write& write) {
    if (frame != nullptr && surfaces_) {
        if (const int status = upload(*frame); status < 0) return status;
        frame = surface_.get();
    }
    return av::encode(*codec_, frame, *packet_, write);
}

std::vector<std::string> encoder_names() {
    std::vector<std::string> names;
    for (const Row& row : kRows) {
        if (row.named) names.emplace_back(row.name);
    }
    return names;
}

std::vector<std::string> recording_encoders() {
    std::map<int, std::string> names;
    for (const Row& row : kRows) {
        if (row.recording > 0) names.emplace(row.recording, row.name);
    }
    std::vector<std::string> ordered;
    ordered.reserve(names.size());
    for (auto& [place, name] : names) ordered.push_back(std::move(name));
    return ordered;
}

std::string test_encoder(const std::string& name) {
    constexpr int kFrames = 5;
    EncoderSettings settings;
    settings.width = 320;
    settings.height = 240;
    std::string why;
    const std::unique_ptr<VideoEncoder> encoder = VideoEncoder::open(name, settings, why);
    if (!encoder) return why;
    const av::FramePtr frame = av::make_frame();
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = settings.width;
    frame->height = settings.height;
    int status = av_frame_get_buffer(frame.get(), 0);
    int packets = 0;
    const auto count = [&packets](const AVPacket& packet) { packets += packet.size > 0 ? 1 : 0; };
    for (int i = 0; i < kFrames && status >= 0; ++i) {
        status = av_frame_make_writable(frame.get());
        if (status < 0) break;
        for (int p = 0; p < 3; ++p) {
            const int rows = p == 0 ? frame->height : frame->height / 2;
            std::memset(frame->data[p], 40 * i + 30 * p, static_cast<std::size_t>(frame->linesize[p] * rows));
        }
        frame->pts = i;
        status = encoder->encode(frame.get(), count);
    }
    if (status >= 0) status = encoder->encode(nullptr, count);
    if (status < 0) return "encoding failed: " + av::message(status);
    if (packets != kFrames) return "returned " + std::to_string(packets) + " of 5 frames";
    return "";
}

namespace {

std::string run_probe(std::vector<std::string> arguments, std::chrono::milliseconds limit) {
    const ChildResult child = run_child(std::move(arguments), limit);
    if (child.too_slow) return "did not encode five frames within " + std::to_string(limit.count() / 1000) + " s";
    const std::string line = child.output.substr(0, child.output.find('\n'));
    return child.failure.rfind("failed", 0) == 0 && !line.empty() ? line : child.failure;
}

}  // namespace

EncoderInfo probe_encoder(const std::string& name, const std::vector<std::string>& command,
                          std::chrono::milliseconds limit) {
    const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.name == name; });
    if (row == kRows.end()) throw Error(ErrorKind::internal, "no such encoder", name);
    EncoderInfo info{name, row->hardware, false, row->verified, ""};
    if (avcodec_find_encoder_by_name(name.c_str()) == nullptr) {
        info.details = "this FFmpeg build has no encoder " + name;
        return info;
    }
    if (info.hardware) {
        std::vector<std::string> arguments = command;
        arguments.push_back(name);
        info.details = run_probe(std::move(arguments), limit);
    } else {
        info.details = test_encoder(name);
    }
    info.available = info.details.empty();
    return info;
}

}  // namespace throng
