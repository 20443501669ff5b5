#include "core/video/coded_image.h"

#include <algorithm>
#include <array>
#include <climits>
#include <opencv2/core.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/convert.h"
#include "core/video/frame_maker.h"
#include "core/video/header_bytes.h"
#include "core/video/transparency.h"
#include "core/video/truncation.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace throng {
namespace {

// The codecs whose files FFmpeg recognizes by their first bytes. Its demuxer is the name with "_pipe".
constexpr auto kCodedFormats =
    std::to_array<std::string_view>({"jpeg2000", "jpegxl", "exr", "dpx", "psd", "sgi", "qoi", "dds", "pcx", "sunrast"});

// TGA has no signature, so all fields of its header must be plausible (Truevision TGA 2.0, appendix C).
bool begins_targa(const HeaderBytes& bytes) {
    const std::uint32_t kind = bytes.at(2) & 7U;  // 1: by a palette, 2: colors, 3: gray
    const std::uint32_t depth = bytes.at(16);
    const std::uint32_t entry = bytes.at(7);
    const auto is_color = [](std::uint32_t bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; };
    const bool known = (bytes.at(2) & ~0x08U) == kind && kind >= 1 && kind <= 3;
    const bool palette = bytes.at(1) == 1 && kind == 1 && depth == 8 && is_color(entry) && bytes.little16(5) > 0;
    const bool direct = bytes.at(1) == 0 && bytes.little32(3) == 0 && entry == 0 &&
                        ((kind == 2 && is_color(depth)) || (kind == 3 && (depth == 8 || depth == 16)));
    const std::uint32_t attributes = bytes.at(17);
    return bytes.size() > 18 && known && (palette || direct) && bytes.little16(12) > 0 && bytes.little16(14) > 0 &&
           (attributes & 0xC0U) == 0 && ((attributes & 15U) <= 1 || (attributes & 15U) == 8);
}

}  // namespace

std::string probe_demuxer(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return {};
    std::vector<std::uint8_t> padded(bytes.begin(), bytes.end());
    padded.resize(bytes.size() + AVPROBE_PADDING_SIZE);
    const AVProbeData data{"", padded.data(), static_cast<int>(bytes.size()), nullptr};
    int score = 0;
    const AVInputFormat* format = av_probe_input_format3(&data, 1, &score);
    if (format == nullptr || score <= AVPROBE_SCORE_EXTENSION) return {};
    const std::string_view names = format->name;
    return std::string(names.substr(0, names.find(',')));
}

std::string find_image_codec(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t kProbed = std::size_t{1} << 16;
    const HeaderBytes header(bytes);
    std::string name = begins_targa(header) ? "targa_pipe" : probe_demuxer(header.part(0, kProbed).span());
    if (!name.ends_with("_pipe")) return {};
    name = name == "j2k_pipe" ? "jpeg2000" : name.substr(0, name.size() - 5);
    if (name != "targa" && std::find(kCodedFormats.begin(), kCodedFormats.end(), name) == kCodedFormats.end())
        return {};
    const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(name.c_str());
    return codec != nullptr && avcodec_find_decoder(codec->id) != nullptr ? name : std::string();
}

av::FramePtr decode_packet(AVCodecID codec_id, std::span<const std::uint8_t> data,
                           std::span<const std::uint8_t> configuration, bool& damaged) {
    const AVCodec* decoder = avcodec_find_decoder(codec_id);
    if (decoder == nullptr) {
        throw Error(ErrorKind::input, {"this FFmpeg build cannot decode %1", std::string(avcodec_get_name(codec_id))},
                    "", "convert the image to JPEG or PNG");
    }
    constexpr std::size_t kMaxBytes = INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE;
    if (data.empty() || data.size() > kMaxBytes || configuration.size() > kMaxBytes) throw undecodable_image();
    av::set_up();
    av::ErrorCount errors{0};
    const av::CodecPtr codec = av::checked(av::CodecPtr(avcodec_alloc_context3(decoder)));
    codec->opaque = &errors;
    codec->max_pixels = kMaxPixels;
    codec->thread_count = 1;
    if (!configuration.empty()) {
        codec->extradata = static_cast<std::uint8_t*>(av_mallocz(configuration.size() + AV_INPUT_BUFFER_PADDING_SIZE));
        if (codec->extradata == nullptr) throw std::bad_alloc();
        std::copy(configuration.begin(), configuration.end(), codec->extradata);
        codec->extradata_size = static_cast<int>(configuration.size());
    }
    const av::PacketPtr packet = av::make_packet();
    av::FramePtr frame = av::make_frame();
    if (avcodec_open2(codec.get(), decoder, nullptr) < 0 ||
        av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) {
        throw undecodable_image();
    }
    std::copy(data.begin(), data.end(), packet->data);
    if (avcodec_send_packet(codec.get(), packet.get()) < 0 || avcodec_send_packet(codec.get(), nullptr) < 0 ||
        avcodec_receive_frame(codec.get(), frame.get()) < 0) {
        throw undecodable_image();
    }
    damaged = damaged || errors > 0 || frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
    return frame;
}

ImagePixels pixels_of(av::FramePtr av_frame, bool ignore_alpha) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(av_frame->format));
    const bool deep = format != nullptr && format->comp[0].depth > 8;
    const bool bits = format != nullptr && format->nb_components == 1 && format->comp[0].depth == 1;
    FrameMaker maker;
    maker.ignore_alpha(ignore_alpha);
    const Frame frame = maker.make(std::move(av_frame), {});
    ImagePixels pixels{cv::Mat(frame.height(), frame.width(), CV_8UC3)};
    pixels.composed = maker.composed();
    pixels.deep = deep;
    PixelConverter().convert(frame, Packing::bgr24, pixels.image.data,
                             static_cast<std::ptrdiff_t>(pixels.image.step[0]));
    if (bits || frame.info().format == PixelFormat::gray8) cv::extractChannel(pixels.image, pixels.image, 0);
    return pixels;
}

ImagePixels decode_coded_image(const std::string& name, std::span<const std::uint8_t> bytes, bool ignore_alpha) {
    const AVCodecID codec = avcodec_descriptor_get_by_name(name.c_str())->id;
    bool damaged = false;
    av::FramePtr frame = decode_packet(codec, bytes, {}, damaged);
    ImagePixels pixels = pixels_of(std::move(frame), ignore_alpha || has_padding_for_alpha(codec, "", bytes));
    pixels.cut = is_truncated_image(bytes);
    if (damaged) pixels.damage = "its decoder reports errors";
    return pixels;
}

}  // namespace throng
