// The times of a stream from packets and frames without a file.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>

#include "core/video/frame_clock.h"
#include "core/video/packet_clock.h"
#include "core/video/stream_clock.h"
#include "tests/support/random.h"

namespace throng {
namespace {

// Files contain any numbers. UBSan checks that no sum of them overflows.
TEST(StreamClockNumbers, GiveTimesThatIncrease) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kFar = (std::int64_t{1} << 61) - 1;
    constexpr int kMaxInt = std::numeric_limits<int>::max();
    std::mt19937_64 random(test::seed(7));
    const auto one_of = [&random](const auto&... values) {
        const std::common_type_t<decltype(values)...> all[] = {values...};
        return all[random() % sizeof...(values)];
    };
    const auto number = [&] {
        const auto any = static_cast<std::int64_t>(random() >> random() % 64);
        return one_of(any, one_of(kFar, -kFar, kMax, -kMax), static_cast<std::int64_t>(random() % 1000),
                      AV_NOPTS_VALUE);
    };
    const std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> context(avformat_alloc_context(),
                                                                                     &avformat_free_context);
    AVStream* stream = avformat_new_stream(context.get(), nullptr);
    const av::PacketPtr packet = av::make_packet();
    const av::FramePtr frame = av::make_frame();
    for (int file = 0; file < 500; ++file) {
        context->iformat = av_find_input_format(one_of("mov", "mpegts", "matroska"));
        stream->time_base = {1, one_of(1, 25, 90'000, 1'000'000'000, kMaxInt)};
        stream->avg_frame_rate = stream->r_frame_rate = {one_of(0, 1, 25), one_of(1, 1000, kMaxInt)};
        stream->pts_wrap_bits = one_of(33, 64);
        stream->start_time = number();
        StreamClock clock(*context, *stream);
        FrameClock frames;
        for (int i = 0; i < 50; ++i) {
            if (random() % 16 == 0) {
                clock.begin_near(number());
                frames.reset();
            }
            packet->pts = number();
            packet->dts = number();
            packet->duration = number();
            packet->flags = one_of(0, AV_PKT_FLAG_KEY);
            packet->pos = i;
            clock.follow(*packet);
            if (is_time(packet->pts)) {
                ASSERT_GE(clock.end().value(), packet->pts);
            }
            frame->best_effort_timestamp = one_of(packet->pts, number());
            clock.follow(*frame);
            const std::optional<std::int64_t> last = frames.last();
            const std::int64_t next = frames.next(clock.ticks_of(*frame), clock.step());
            ASSERT_TRUE(!last || next > *last) << next << " after " << *last;
        }
    }
    stream->start_time = 0;
    stream->pts_wrap_bits = 64;
    StreamClock loop(*context, *stream);
    for (const std::int64_t time : {std::int64_t{0}, kFar / 2}) {
        packet->pts = packet->dts = frame->best_effort_timestamp = time;
        packet->pos = time;
        loop.follow(*packet);
        loop.follow(*frame);
    }
    ASSERT_TRUE(loop.can_loop());
    packet->pts = packet->pos = 0;
    EXPECT_TRUE(loop.begin_iteration(*packet));
    EXPECT_FALSE(loop.begin_iteration(*packet)) << "its times would be too high";
}

}  // namespace
}  // namespace throng
