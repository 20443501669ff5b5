#include "core/video/truncation.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/video/header_bytes.h"

namespace throng {
namespace {

// Parses "00:01:02.345000000", the track duration in Matroska files.
std::optional<double> seconds_of(const AVDictionaryEntry* entry) {
    int hours = 0;
    int minutes = 0;
    double seconds = 0;
    if (entry == nullptr || std::sscanf(entry->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3) {
        return std::nullopt;
    }
    return 3600.0 * hours + 60.0 * minutes + seconds;
}

bool is_truncated_ogg(const HeaderBytes& tail) {
    using namespace std::string_view_literals;
    constexpr std::string_view kPage = "OggS\0"sv;  // and the version
    constexpr std::size_t kFlags = 5;
    constexpr std::size_t kSerial = 14;
    constexpr std::size_t kSegments = 26;
    constexpr std::uint8_t kEndOfStream = 4;
    std::map<std::uint32_t, bool> ended;  // by serial number of the stream
    for (std::size_t at = tail.find(0, kPage); at < tail.size(); at = tail.find(at, kPage)) {
        if (at + kSegments >= tail.size()) return true;
        std::size_t end = at + kSegments + 1 + tail.at(at + kSegments);
        if (end > tail.size()) return true;
        for (std::size_t i = at + kSegments + 1, last = end; i < last; ++i) end += tail.at(i);
        if (end > tail.size()) return true;
        ended[tail.little32(at + kSerial)] = (tail.at(at + kFlags) & kEndOfStream) != 0;
        at = end;
    }
    return std::any_of(ended.begin(), ended.end(), [](const auto& stream) { return !stream.second; });
}

bool is_truncated_transport_stream(const HeaderBytes& tail) {
    constexpr std::uint8_t kSync = 0x47;
    constexpr std::size_t kPacket = 188;  // bytes from the sync byte; variants add a time before or a checksum after it
    constexpr std::size_t kMinPackets = 8;
    for (const std::size_t step : {kPacket, std::size_t{192}, std::size_t{204}}) {
        for (std::size_t first = 0; first < step && first + step * kMinPackets < tail.size(); ++first) {
            std::size_t at = first;
            while (at < tail.size() && tail.at(at) == kSync) at += step;
            if (at >= tail.size()) return tail.size() - (at - step) < kPacket;
        }
    }
    return false;
}

// File layout: magic, version and flags, attributes, an offset for each block, the blocks.
bool is_truncated_exr(const HeaderBytes& file) {
    using namespace std::string_view_literals;
    constexpr std::uint32_t kTiled = 0x200;
    constexpr std::uint32_t kDeepOrSeveral = 0x1800;
    const std::uint32_t flags = file.little32(4);
    if ((flags & kDeepOrSeveral) != 0) return false;
    std::size_t at = 8;
    while (file.at(at) != 0) {
        for (int text = 0; text < 2; ++text) at = file.find(at, "\0"sv) + 1;  // name and type
        at += 4 + std::size_t{file.little32(at)};
    }
    const std::size_t table = at + 1;
    // The first block follows the offset table, so the smallest offset is the end of the table.
    std::uint64_t table_end = file.size();
    std::uint64_t last_block = 0;
    for (at = table; at + 8 <= table_end; at += 8) {
        const std::uint64_t offset = std::uint64_t{file.little32(at + 4)} << 32 | file.little32(at);
        if (offset == 0 && at == table) return false;  // some writers leave the table empty
        if (offset < table || offset >= file.size()) return true;
        table_end = std::min(table_end, offset);
        last_block = std::max(last_block, offset);
    }
    const std::size_t size_at = last_block + ((flags & kTiled) != 0 ? 16 : 4);  // after its coordinates
    return last_block == 0 || size_at + 4 + file.little32(size_at) > file.size();
}

// The demuxer of MP4 ignores a fragment whose header is cut.
bool is_truncated_fragment(AVIOContext& file, std::int64_t size) {
    constexpr std::int64_t kHead = 8;  // of a box: its size and its type
    for (std::int64_t at = 0; at + kHead <= size && avio_seek(&file, at, SEEK_SET) >= 0;) {
        std::int64_t length = avio_rb32(&file);
        const bool is_fragment = avio_rl32(&file) == MKTAG('m', 'o', 'o', 'f');
        if (length == 1) length = static_cast<std::int64_t>(avio_rb64(&file));
        if (length < kHead || length > size - at) return is_fragment && length >= kHead;
        at += length;
    }
    return false;
}

}  // namespace

bool states_end(const AVFormatContext& input, const AVStream& stream, bool of_file) {
    const std::string_view format = input.iformat->name;
    return format.starts_with("matroska") || format == "nut" || format == "asf" ||
           (format.starts_with("mov") && (of_file || stream.nb_frames == 0));
}

std::optional<ExpectedEnd> expected_end(const AVFormatContext& input, const AVStream& stream, double start,
                                        double step) {
    if (input.duration_estimation_method != AVFMT_DURATION_FROM_STREAM) return std::nullopt;
    constexpr double kUsualDifference = 0.5;  // seconds between the end in the headers and the end of the last packet
    const double usual = std::max(kUsualDifference, 0.5 * step);
    const double length = input.duration > 0 ? static_cast<double>(input.duration) / AV_TIME_BASE : 0;  // 0: unknown
    const std::string_view format = input.iformat->name;
    if (format == "hls") {
        // The sum of the segment durations in the playlist, each possibly rounded to whole seconds.
        if (length <= 0) return std::nullopt;
        return ExpectedEnd{start + length, std::max(1.0, 0.1 * length)};
    }
    // Matroska counts from 0, not from the first frame. The tag is the end of this track. Programs that cut a file, or
    // change its format, may copy the tag of the whole one.
    if (const auto tag = seconds_of(av_dict_get(stream.metadata, "DURATION", nullptr, 0))) {
        return ExpectedEnd{length > 0 ? std::min(*tag, length) : *tag, std::max(0.1, 1.5 * step)};
    }
    const bool alone = input.nb_streams == 1;
    if (format.substr(0, 8) == "matroska" || format == "flv") {
        if (!alone || length <= 0) return std::nullopt;
        return ExpectedEnd{length, usual};
    }
    // In other formats, the duration of a stream may be that of the longest stream.
    const bool own_duration = alone || format.substr(0, 3) == "mov" || format == "avi";
    if (!own_duration || stream.duration == AV_NOPTS_VALUE || stream.duration <= 0) return std::nullopt;
    const double duration = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
    return ExpectedEnd{(states_end(input, stream, false) ? 0 : start) + duration, usual};
}

bool is_tail_truncated(const AVFormatContext& input) {
    constexpr std::int64_t kTailBytes = 1 << 17;
    const std::string_view format = input.iformat->name;
    const std::int64_t position = avio_tell(input.pb);
    const std::int64_t size = avio_size(input.pb);
    // A connection would be sought too often.
    if (format.starts_with("mov") && (input.flags & AVFMT_FLAG_CUSTOM_IO) == 0) {
        const bool truncated = is_truncated_fragment(*input.pb, size);
        avio_seek(input.pb, position, SEEK_SET);
        return truncated;
    }
    if (format != "ogg" && format != "mpegts") return false;
    std::vector<std::uint8_t> tail(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, kTailBytes)));
    const auto count = static_cast<int>(tail.size());
    const bool read = count > 0 && avio_seek(input.pb, size - count, SEEK_SET) >= 0 &&
                      avio_read(input.pb, tail.data(), count) == count;
    avio_seek(input.pb, position, SEEK_SET);
    return read &&
           (format == "ogg" ? is_truncated_ogg(HeaderBytes(tail)) : is_truncated_transport_stream(HeaderBytes(tail)));
}

bool is_truncated_image(std::span<const std::uint8_t> bytes) {
    using namespace std::string_view_literals;
    const HeaderBytes file(bytes);
    if (file.holds(0, "\x76\x2F\x31\x01"sv)) return is_truncated_exr(file);
    if (file.holds(0, "qoif")) return file.find(14, "\0\0\0\0\0\0\0\x01"sv) == file.size();
    // Sun raster: 32 bytes, the colors, the pixels, whose size is in the header or follows from that of the image.
    if (!file.holds(0, "\x59\xA6\x6A\x95")) return false;
    const std::uint64_t row = (std::uint64_t{file.big32(4)} * file.big32(12) + 15) / 16 * 2;
    const std::uint64_t size = file.big32(16) != 0 ? file.big32(16) : row * file.big32(8);
    return 32 + size + file.big32(28) > file.size();
}

}  // namespace throng
