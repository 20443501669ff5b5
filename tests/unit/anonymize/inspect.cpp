#include "tests/unit/anonymize/inspect.h"

#include <cmath>
#include <memory>
#include <stdexcept>

#include "core/video/av.h"
#include "tests/support/video_files.h"

extern "C" {
#include <libavutil/display.h>
}

namespace throng::test {
namespace {

void add_metadata(const AVDictionary* dictionary, std::vector<std::string>& found) {
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        found.push_back(std::string(entry->key) + "=" + entry->value);
    }
}

std::vector<std::uint8_t> luma_of(const AVFrame& frame) {
    av::FramePtr gray = av::make_frame();
    gray->format = AV_PIX_FMT_GRAY8;
    gray->width = frame.width;
    gray->height = frame.height;
    if (av_frame_get_buffer(gray.get(), 1) < 0) throw std::bad_alloc();
    const av::ScalerPtr scaler(sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format),
                                              frame.width, frame.height, AV_PIX_FMT_GRAY8, SWS_POINT, nullptr, nullptr,
                                              nullptr));
    sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, gray->data, gray->linesize);
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* row = gray->data[0] + y * gray->linesize[0];
        pixels.insert(pixels.end(), row, row + frame.width);
    }
    return pixels;
}

}  // namespace

MediaFacts inspect(const std::filesystem::path& path, std::size_t keep_frames) {
    MediaFacts facts;
    AVFormatContext* context = nullptr;
    if (avformat_open_input(&context, ("file:" + path.string()).c_str(), nullptr, nullptr) < 0) {
        throw std::runtime_error("cannot open " + path.string());
    }
    const av::InputPtr input(context);
    if (avformat_find_stream_info(context, nullptr) < 0) throw std::runtime_error("no streams in " + path.string());
    facts.container = context->iformat->name;
    add_metadata(context->metadata, facts.metadata);
    for (unsigned i = 0; i < context->nb_chapters; ++i) add_metadata(context->chapters[i]->metadata, facts.metadata);
    int video = -1;
    for (unsigned i = 0; i < context->nb_streams; ++i) {
        const AVStream& stream = *context->streams[i];
        add_metadata(stream.metadata, facts.metadata);
        const char* type = av_get_media_type_string(stream.codecpar->codec_type);
        const bool attached = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
        facts.streams.push_back(std::string(attached          ? "attached"
                                            : type != nullptr ? type
                                                              : "unknown") +
                                " " + avcodec_get_name(stream.codecpar->codec_id));
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !attached && video < 0) video = static_cast<int>(i);
    }
    if (video < 0) return facts;
    AVStream& stream = *context->streams[video];
    facts.has_matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr) != nullptr;
    const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
    const av::CodecPtr codec(avcodec_alloc_context3(decoder));
    avcodec_parameters_to_context(codec.get(), stream.codecpar);
    codec->pkt_timebase = stream.time_base;
    if (avcodec_open2(codec.get(), decoder, nullptr) < 0) throw std::runtime_error("cannot decode " + path.string());
    const av::PacketPtr packet = av::make_packet();
    const av::FramePtr frame = av::make_frame();
    std::int64_t first = 0;
    const auto drain = [&] {
        while (avcodec_receive_frame(codec.get(), frame.get()) >= 0) {
            if (facts.times.empty()) {
                first = frame->best_effort_timestamp;
                facts.width = frame->width;
                facts.height = frame->height;
                facts.transfer = frame->color_trc;
                facts.primaries = frame->color_primaries;
                facts.matrix = frame->colorspace;
                facts.range = frame->color_range;
                const AVRational aspect = av_guess_sample_aspect_ratio(context, &stream, frame.get());
                facts.pixel_aspect = aspect.num > 0 ? av_q2d(aspect) : 0;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
                facts.interlaced = (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
                facts.top_field_first = (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
                facts.interlaced = frame->interlaced_frame != 0;
                facts.top_field_first = frame->top_field_first != 0;
#endif
            }
            facts.times.push_back(static_cast<double>(frame->best_effort_timestamp - first) * av_q2d(stream.time_base));
            if (facts.gray.size() < keep_frames) facts.gray.push_back(luma_of(*frame));
        }
    };
    while (av_read_frame(context, packet.get()) >= 0) {
        if (packet->stream_index == video && avcodec_send_packet(codec.get(), packet.get()) >= 0) drain();
        av_packet_unref(packet.get());
    }
    avcodec_send_packet(codec.get(), nullptr);
    drain();
    return facts;
}

int num_packets(const std::filesystem::path& path, int type) {
    AVFormatContext* context = nullptr;
    if (avformat_open_input(&context, ("file:" + path.string()).c_str(), nullptr, nullptr) < 0) {
        throw std::runtime_error("cannot open " + path.string());
    }
    const av::InputPtr input(context);
    const av::PacketPtr packet = av::make_packet();
    int count = 0;
    for (; av_read_frame(context, packet.get()) >= 0; av_packet_unref(packet.get())) {
        count += context->streams[packet->stream_index]->codecpar->codec_type == type ? 1 : 0;
    }
    return count;
}

bool contains(const std::filesystem::path& path, const std::string& bytes) {
    const std::vector<char> content = read_file(path);
    return std::string_view(content.data(), content.size()).find(bytes) != std::string_view::npos;
}

double psnr(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    if (a.size() != b.size() || a.empty()) throw std::runtime_error("images of different sizes");
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - b[i], 2);
    return sum > 0 ? 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.size()) / sum) : 100;
}

}  // namespace throng::test
