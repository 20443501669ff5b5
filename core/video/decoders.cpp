#include "core/video/decoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/resources.h"
#include "core/frame/frame_pool.h"
#include "core/video/v4l2.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace throng {
namespace {

constexpr int kMaxThreads = 8;
// Pixels. Larger frames are decoded by one thread, because each thread holds a frame.
constexpr std::int64_t kLargeFrame = std::int64_t{1} << 25;
// Surfaces beyond those that FFmpeg counts for the decoder itself and for four frames of its caller. A pipeline has up to
// three frames between decoding and boxes; the others are for what displays or writes them.
constexpr int kHeldDeviceFrames = 4;
// AV_CUDA_USE_PRIMARY_CONTEXT of libavutil/hwcontext_cuda.h, which would require the CUDA headers. Decoded frames are
// in the context that the CUDA runtime uses.
constexpr int kUsePrimaryContext = 1;
// Decoders of FFmpeg for a device of the board: its Jetson build, one with Jetson's multimedia API, and upstream FFmpeg.
constexpr DecoderKind kOfBoard[] = {DecoderKind::nvv4l2dec, DecoderKind::nvmpi, DecoderKind::v4l2m2m};

// Returns "h264_v4l2m2m".
std::string codec_of_board(const char* codec, DecoderKind kind) {
    return fmt::format("{}_{}", codec, name_of(kDecoderNames, kind));
}

av::CodecPtr make_context(const AVCodec* decoder, const DecoderRequest& request, std::string& why) {
    if (decoder == nullptr) {
        why = std::string("no decoder for ") + avcodec_get_name(request.stream.codecpar->codec_id);
        return nullptr;
    }
    av::CodecPtr codec = av::checked(av::CodecPtr(avcodec_alloc_context3(decoder)));
    if (const int status = avcodec_parameters_to_context(codec.get(), request.stream.codecpar); status < 0) {
        why = av::message(status);
        return nullptr;
    }
    codec->pkt_timebase = request.stream.time_base;
    codec->opaque = &request.errors;
    codec->max_pixels = kMaxPixels;
    // This decoder reports damage nowhere but in the log, which is the host's in a shared process: a damaged frame is then
    // an error, so that it is not taken for a good one.
    if (shares_process() && codec->codec_id == AV_CODEC_ID_MJPEG) codec->err_recognition |= AV_EF_EXPLODE;
    const auto pixels = static_cast<std::int64_t>(codec->width) * codec->height;
    // The decoder of Theora begins a chained file (RFC 3533) again only with one thread.
    const bool alone = pixels > kLargeFrame || codec->codec_id == AV_CODEC_ID_THEORA;
    codec->thread_count = alone ? 1 : std::min(cpu_cores(), kMaxThreads);
    // Frame threading delays the output by one frame per thread, which live sources must avoid.
    codec->thread_type = request.low_delay ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    return codec;
}

// Returns true for VP8 and VP9 with transparency in WebM: a second stream of its own, in side data.
bool has_alpha_stream(const AVStream& stream) {
    const AVCodecID codec = stream.codecpar->codec_id;
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    return (codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9) && mode != nullptr &&
           std::string_view(mode->value) != "0";
}

bool opened(AVCodecContext& codec, std::string& why) {
    const int status = avcodec_open2(&codec, codec.codec, nullptr);
    if (status == AVERROR(EAGAIN)) throw std::system_error(EAGAIN, std::generic_category());  // as std::thread does
    if (status < 0) why = av::message(status);
    return status >= 0;
}

av::CodecPtr open_software(const DecoderRequest& request, std::string& why) {
    const AVCodecID id = request.stream.codecpar->codec_id;
    const AVCodec* decoder = avcodec_find_decoder(id);
    if (has_alpha_stream(request.stream)) {
        // FFmpeg's own decoders ignore the transparency, and would show what it hides.
        decoder = avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9");
        if (decoder == nullptr) {
            why = "this FFmpeg build has no libvpx, which decodes its transparency";
            return nullptr;
        }
    }
    av::CodecPtr codec = make_context(decoder, request, why);
    return codec && opened(*codec, why) ? std::move(codec) : nullptr;
}

// Chooses device frames if the decoder offers them, otherwise FFmpeg's default. (NVDEC does not support every stream.)
AVPixelFormat choose_cuda(AVCodecContext* codec, const AVPixelFormat* offered) {
    for (const AVPixelFormat* format = offered; *format != AV_PIX_FMT_NONE; ++format) {
        if (*format == AV_PIX_FMT_CUDA) return *format;
    }
    return avcodec_default_get_format(codec, offered);
}

bool decodes_on_cuda(const AVCodec& decoder) {
    for (int i = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(&decoder, i); ++i) {
        const bool by_device = (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0;
        if (by_device && config->device_type == AV_HWDEVICE_TYPE_CUDA) return true;
    }
    return false;
}

av::BufferPtr open_cuda_device(int device, std::string& why) {
    AVBufferRef* reference = nullptr;
    const std::string index = std::to_string(device);
    const int status =
        av_hwdevice_ctx_create(&reference, AV_HWDEVICE_TYPE_CUDA, index.c_str(), nullptr, kUsePrimaryContext);
    if (status < 0) why = "CUDA device " + index + " is unavailable for decoding: " + av::message(status);
    return av::BufferPtr(reference);
}

av::CodecPtr open_cuda(const DecoderRequest& request, std::string& why) {
    const AVCodec* decoder = avcodec_find_decoder(request.stream.codecpar->codec_id);
    if (decoder != nullptr && !decodes_on_cuda(*decoder)) {
        why = std::string("this FFmpeg build cannot decode ") + avcodec_get_name(decoder->id) + " with CUDA";
        return nullptr;
    }
    av::CodecPtr codec = make_context(decoder, request, why);
    if (!codec) return nullptr;
    av::BufferPtr device = open_cuda_device(request.options.device, why);
    if (!device) return nullptr;
    codec->hw_device_ctx = device.release();
    codec->get_format = choose_cuda;
    codec->extra_hw_frames = kHeldDeviceFrames;
    codec->thread_count = 1;
    return opened(*codec, why) ? std::move(codec) : nullptr;
}

// Returns why a decoder of a board cannot be used; empty if it can.
std::string board_problem(const std::string& name) {
    if (avcodec_find_decoder_by_name(name.c_str()) == nullptr) return "this FFmpeg build has no " + name;
    return v4l2::has_memory_to_memory_device() ? "" : "no V4L2 memory-to-memory device";
}

template <DecoderKind kind>
av::CodecPtr open_board(const DecoderRequest& request, std::string& why) {
    const std::string name = codec_of_board(avcodec_get_name(request.stream.codecpar->codec_id), kind);
    why = board_problem(name);
    if (!why.empty()) return nullptr;
    av::CodecPtr codec = make_context(avcodec_find_decoder_by_name(name.c_str()), request, why);
    return codec && opened(*codec, why) ? std::move(codec) : nullptr;
}

void check_size(const AVStream& stream, const std::string& shown) {
    const std::int64_t pixels = static_cast<std::int64_t>(stream.codecpar->width) * stream.codecpar->height;
    if (pixels <= kMaxPixels) return;
    throw Error(ErrorKind::input,
                {"the frame is too large: %1x%2 pixels", stream.codecpar->width, stream.codecpar->height}, shown,
                {"at most %1 megapixels are supported", kMaxPixels >> 20});
}

}  // namespace

const DecoderTable& decoder_table() {
    using enum DecoderKind;
    static const auto& table = *new DecoderTable{{{cuda, true, open_cuda},
                                                  {nvv4l2dec, true, open_board<nvv4l2dec>},
                                                  {nvmpi, true, open_board<nvmpi>},
                                                  {v4l2m2m, true, open_board<v4l2m2m>},
                                                  {software, false, open_software}}};
    return table;
}

OpenDecoder open_decoder(const DecoderRequest& request, const std::string& shown, const DecoderTable& table,
                         const OpenDecoder* after) {
    check_size(request.stream, shown);
    const SourceOptions& options = request.options;
    const bool automatic = options.decoder == DecoderKind::automatic;
    OpenDecoder result;
    if (after != nullptr) result.passed_over = after->passed_over;
    const DecoderRow* const first = after != nullptr ? after->row + 1 : table.rows.data();
    std::string why;
    for (const DecoderRow* row = first; row != table.rows.data() + table.rows.size(); ++row) {
        if (automatic ? row->hardware && !options.prefer_device_frames : row->kind != options.decoder) continue;
        why = row->hardware && has_alpha_stream(request.stream) ? "it does not decode transparency" : "";
        result.row = row;
        if (why.empty()) result.codec = row->open(request, why);
        if (result.codec) return result;
        if (!row->hardware) break;
        if (!automatic) {
            throw Error(ErrorKind::unavailable, {"the %1 decoder is unavailable: %2", std::string(row->name()), why},
                        shown, {"use %1 or %2", Setting{"decoder", "auto"}, "software"});
        }
        logger().debug("{}: the {} decoder is unavailable ({})", shown, row->name(), why);
        if (result.passed_over.empty()) result.passed_over = std::string(row->name()) + ": " + why;
    }
    throw Error(ErrorKind::input, {"the video cannot be decoded: %1", why}, shown, "convert it to H.264");
}

std::vector<DecoderInfo> list_decoders(int device) {
    av::set_up();
    std::string why;
    const bool cuda = open_cuda_device(device, why) != nullptr;
    std::vector<DecoderInfo> list{{DecoderKind::software, true, std::string("FFmpeg ") + av_version_info()},
                                  {DecoderKind::cuda, cuda, cuda ? "device " + std::to_string(device) : why}};
    for (const DecoderKind kind : kOfBoard) {
        const std::string problem = board_problem(codec_of_board("h264", kind));
        list.push_back({kind, problem.empty(), problem});
    }
    return list;
}

}  // namespace throng
