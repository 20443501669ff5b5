#include "core/sinks/count_sink.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/test_data.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

FrameResult frame_at(double seconds, int source, double x) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 1000, 100);
    writable.info().index = static_cast<std::int64_t>(seconds * 10);
    writable.info().pts = seconds;
    FrameResult result;
    result.frame = std::move(writable).finish();
    result.source = source == 1 ? "a,b.mp4" : "c.mp4";
    result.source_number = source;
    Track track;
    track.id = 1;
    track.confirmed = true;
    track.box = track.smoothed = {static_cast<float>(x) - 20, 30, 40, 40};
    result.tracks = {track};
    return result;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

TEST(CountSink, WritesOneRowPerMinuteAndSource) {
    const test::ScratchDir dir;
    const std::string csv = (dir.path() / "counts.csv").string();
    const std::string events = (dir.path() / "events.jsonl").string();
    CountPlan plan;
    plan.width = 1000;
    plan.height = 100;
    plan.lines.push_back({"door", {500, 0}, {500, 100}});
    plan.zones.push_back({"right", {{600, 0}, {1000, 0}, {1000, 100}, {600, 100}}});
    CountSink sink(plan, {events, csv});
    // The first source walks from 400 to 700 in the second minute, the second one stands.
    for (int n = 0; n < 1000; ++n) {
        const double seconds = 0.1 * n;
        sink.write(frame_at(seconds, 1, n < 700 ? 400 : std::min(400.0 + 5 * (n - 700), 700.0)));
        if (n < 100) sink.write(frame_at(seconds, 2, 800));
    }
    sink.close();
    EXPECT_EQ(lines_of(csv), (std::vector<std::string>{
                                 "source,source_number,start,people_mean,people_max,new,unique,door_in,door_out,"
                                 "right_mean,right_max,right_visits,right_dwell",
                                 "\"a,b.mp4\",1,0,1.00,1,1,1,0,0,0.00,0,0,",
                                 "\"a,b.mp4\",1,60,1.00,1,0,1,0,1,0.65,1,1,25.90",
                                 "c.mp4,2,0,1.00,1,1,1,0,0,0.98,1,1,9.90",
                             }));
    std::vector<std::string> kinds;
    for (const std::string& line : lines_of(events)) {
        const nlohmann::json event = nlohmann::json::parse(line);
        kinds.push_back(event["source_number"].dump() + " " + event["event"].get<std::string>());
        if (event["event"] == "crossed") {
            EXPECT_EQ(event["line"], "door");
            EXPECT_EQ(event["direction"], "out");
        }
        if (event["event"] == "entered" && event["source_number"] == 1) {
            EXPECT_EQ(event["zone"], "right");
            EXPECT_EQ(event["pts"], 74.0);
        }
    }
    EXPECT_EQ(kinds, (std::vector<std::string>{"1 appeared", "2 appeared", "2 entered", "1 crossed", "1 entered",
                                               "1 exited", "1 left", "2 exited", "2 left"}));
}

}  // namespace
}  // namespace throng
