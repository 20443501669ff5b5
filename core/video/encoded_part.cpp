#include "core/video/encoded_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/json_integer.h"
#include "core/frame/fingerprint.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

EncodedPartWriter::EncodedPartWriter(const std::string& path, const VideoFormat& format,
                                     const ExactEncoderOptions& options, const std::optional<Frame>& before,
                                     const std::stop_token& stop)
    : stop_(stop), records_(path), encoder_(format, options, path) {
    records_.write({{"before", fingerprint_of(before)}}, encoder_.header(), stop_);
}

void EncodedPartWriter::write_packet(const AVPacket& packet) {
    records_.write({{"pts", packet.pts}, {"duration", packet.duration}, {"flags", packet.flags}},
                   {packet.data, static_cast<std::size_t>(packet.size)}, stop_);
}

void EncodedPartWriter::write(const ExactFrame& frame) {
    encoder_.encode(frame, write_);
}

void EncodedPartWriter::finish(const std::optional<Frame>& last, Json report) {
    encoder_.finish(write_);
    records_.write(
        Json{{"last", fingerprint_of(last)}, {"scaled", encoder_.scaled_frames()}, {"report", std::move(report)}},
        stop_);
    records_.close(stop_);
}

JoinedParts join_encoded_parts(const std::vector<std::filesystem::path>& parts, const ExactEncoder& encoder,
                               const ExactEncoder::Write& write, const std::stop_token& stop) {
    JoinedParts joined;
    std::vector<std::int64_t> times;  // of all frames
    std::string end;                  // of the parts so far
    const std::vector<std::uint8_t> header = encoder.header();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t first_of_part = times.size();
        const auto begin = [&](const Json& first, const std::vector<std::uint8_t>& of_part) {
            if (first.at("before").get_ref<const std::string&>() != end) {
                throw PartsDoNotJoin(fmt::format("encoded segment {} does not begin where segment {} ends", i + 1, i));
            }
            if (of_part != header) {
                throw PartsDoNotJoin(fmt::format("segment {} was encoded by another encoder", i + 1));
            }
        };
        const auto add_time = [&](const Json& packet, const auto&) {
            times.push_back(integer_at<std::int64_t>(packet, "pts"));
        };
        Json last = read_records(parts[i], begin, add_time, stop);
        // Parts follow each other in both orders. Within a part, packets have the order of decoding.
        const auto part = times.begin() + static_cast<std::ptrdiff_t>(first_of_part);
        std::sort(part, times.end());
        const auto before = first_of_part > 0 ? part - 1 : part;
        if (std::adjacent_find(before, times.end(), std::greater_equal<>()) != times.end()) {
            throw PartsDoNotJoin(fmt::format("the time stamps of segment {} do not continue those before", i + 1));
        }
        end = last.at("last").get<std::string>();
        joined.scaled_frames += integer_at<std::int64_t>(last, "scaled");
        joined.reports.push_back(std::move(last.at("report")));
    }
    if (times.empty()) throw PartsDoNotJoin("the segments have no frames");
    // As one encoder would do: a frame is decoded so many frames before the first one that may be shown after it.
    const auto delay = static_cast<std::size_t>(std::max(encoder.codec().has_b_frames, 0));
    const std::int64_t lead = times[std::min(delay, times.size() - 1)] - times.front();
    std::size_t next = 0;
    const av::PacketPtr packet = av::make_packet();
    const auto write_packet = [&](const Json& record, const std::vector<std::uint8_t>& bytes) {
        if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
        std::copy(bytes.begin(), bytes.end(), packet->data);
        packet->pts = integer_at<std::int64_t>(record, "pts");
        packet->duration = integer_at<std::int64_t>(record, "duration");
        packet->flags = integer_at<int>(record, "flags");
        packet->dts = next < delay ? times.at(next) - lead : times.at(next - delay);
        ++next;
        write(*packet);
        av_packet_unref(packet.get());
    };
    for (const std::filesystem::path& part : parts) {
        read_records(part, nullptr, write_packet, stop);
    }
    return joined;
}

}  // namespace throng
