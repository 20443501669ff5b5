#include "core/video/encoded_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/frame/fingerprint.h"

namespace throng {
namespace {

using Json = nlohmann::json;

// Calls `use` with each packet of a part: time, duration, flags, bytes. Returns its last record.
Json read_part(const std::filesystem::path& path, const std::function<void(const Json& first)>& begin,
               const std::function<void(const Json& packet)>& use, const std::stop_token& stop) {
    RecordReader records(path);
    try {
        begin(records.read(stop));
        for (;;) {
            Json record = records.read(stop);
            if (record.is_null()) throw records.damaged("its end is missing");
            if (record.is_object()) return record;
            use(record);
        }
    } catch (const Json::exception& error) {
        throw records.damaged(error.what());
    }
}

}  // namespace

EncodedPartWriter::EncodedPartWriter(const std::string& path, const VideoFormat& format,
                                     const ExactEncoderOptions& options, const std::optional<Frame>& before,
                                     const std::stop_token& stop)
    : stop_(stop), records_(path), encoder_(format, options, path) {
    records_.write({{"before", fingerprint_of(before)}, {"header", Json::binary(encoder_.header())}}, stop_);
}

void EncodedPartWriter::write_packet(const AVPacket& packet) {
    records_.write({packet.pts, packet.duration, packet.flags, Json::binary({packet.data, packet.data + packet.size})},
                   stop_);
}

void EncodedPartWriter::write(const ExactFrame& frame) {
    encoder_.encode(frame, write_);
}

void EncodedPartWriter::finish(const std::optional<Frame>& last, Json report) {
    encoder_.finish(write_);
    records_.write(
        {{"last", fingerprint_of(last)}, {"scaled", encoder_.scaled_frames()}, {"report", std::move(report)}}, stop_);
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
        const auto begin = [&](const Json& first) {
            if (first.at("before").get_ref<const std::string&>() != end) {
                throw PartsDoNotJoin(fmt::format("encoded part {} does not begin where part {} ends", i + 1, i));
            }
            if (static_cast<const std::vector<std::uint8_t>&>(first.at("header").get_binary()) != header) {
                throw PartsDoNotJoin(fmt::format("part {} was encoded by another encoder", i + 1));
            }
        };
        Json last = read_part(
            parts[i], begin, [&](const Json& packet) { times.push_back(packet.at(0)); }, stop);
        // Parts follow each other in both orders. Within a part, packets have the order of decoding.
        const auto part = times.begin() + static_cast<std::ptrdiff_t>(first_of_part);
        std::sort(part, times.end());
        const auto before = first_of_part > 0 ? part - 1 : part;
        if (std::adjacent_find(before, times.end(), std::greater_equal<>()) != times.end()) {
            throw PartsDoNotJoin(fmt::format("the time stamps of part {} do not continue those before", i + 1));
        }
        end = last.at("last").get<std::string>();
        joined.scaled_frames += last.at("scaled").get<std::int64_t>();
        joined.reports.push_back(std::move(last.at("report")));
    }
    if (times.empty()) throw PartsDoNotJoin("the parts have no frames");
    // As one encoder would do: a frame is decoded so many frames before the first one that may be shown after it.
    const auto delay = static_cast<std::size_t>(std::max(encoder.codec().has_b_frames, 0));
    const std::int64_t lead = times[std::min(delay, times.size() - 1)] - times.front();
    std::size_t next = 0;
    const av::PacketPtr packet = av::make_packet();
    const auto write_packet = [&](const Json& record) {
        const Json::binary_t& bytes = record.at(3).get_binary();
        if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
        std::copy(bytes.begin(), bytes.end(), packet->data);
        packet->pts = record.at(0);
        packet->duration = record.at(1);
        packet->flags = record.at(2);
        packet->dts = next < delay ? times.at(next) - lead : times.at(next - delay);
        ++next;
        write(*packet);
        av_packet_unref(packet.get());
    };
    for (const std::filesystem::path& part : parts) {
        read_part(
            part, [](const Json&) {}, write_packet, stop);
    }
    return joined;
}

}  // namespace throng
