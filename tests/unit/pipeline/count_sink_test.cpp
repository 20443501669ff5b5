#include "core/sinks/count_sink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/test_data.h"

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

class RecordingListener final : public CountListener {
public:
    void event(int source_number, const std::string& line) override {
        EXPECT_EQ(nlohmann::json::parse(line)["source_number"], source_number);
        lines.push_back(line);
    }
    void totals(int source_number, const CountTotals& now) override {
        CountTotals& rounded = newest[source_number] = now;
        for (CountTotals::Zone& zone : rounded.zones) zone.dwell = std::round(10 * zone.dwell) / 10;
    }
    void close() override { ++closed; }

    std::vector<std::string> lines;
    std::map<int, CountTotals> newest;
    int closed = 0;
};

TEST(CountSink, WritesOneRowPerMinuteAndSource) {
    const test::ScratchDir dir;
    const std::string csv = (dir.path() / "counts.csv").string();
    const std::string events = (dir.path() / "events.jsonl").string();
    CountPlan plan;
    plan.width = 1000;
    plan.height = 100;
    plan.lines.push_back({"door", {500, 0}, {500, 100}});
    plan.zones.push_back({"right", {{600, 0}, {1000, 0}, {1000, 100}, {600, 100}}});
    const auto listener = std::make_shared<RecordingListener>();
    CountSink sink(plan, {events, csv, {listener}});
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
    EXPECT_EQ(listener->lines, lines_of(events));
    EXPECT_EQ(listener->newest, (std::map<int, CountTotals>{{1, {0, 1, {{0, 1}}, {{0, 1, 1, 25.9}}}},
                                                            {2, {0, 1, {{0, 0}}, {{0, 1, 1, 9.9}}}}}));
    EXPECT_EQ(listener->closed, 1);
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

TEST(CountSink, SaysWhoFacesTheCameraAtALine) {
    const test::ScratchDir dir;
    const std::string events = (dir.path() / "events.jsonl").string();
    CountPlan plan;
    plan.width = 1000;
    plan.height = 100;
    plan.lines.push_back({"door", {500, 0}, {500, 100}});
    CountSink sink(plan, {events, {}});
    // 1: with a face. 2: with one that is gone at the line. 3: of a detector that looks for no faces.
    for (int n = 0; n < 60; ++n) {
        for (const int source : {1, 2, 3}) {
            FrameResult result = frame_at(0.1 * n, source, 300 + 5 * n);
            if (source < 3) result.faces = std::make_shared<FrameResult>();
            if (source == 1 || (source == 2 && n < 20)) result.tracks[0].partner = 4;
            sink.write(result);
        }
    }
    sink.close();
    std::map<int, std::vector<nlohmann::json>> crossed;
    for (const std::string& line : lines_of(events)) {
        const nlohmann::json event = nlohmann::json::parse(line);
        if (event["event"] == "crossed") {
            crossed[event["source_number"]].push_back(event);
        } else {
            EXPECT_FALSE(event.contains("facing"));
        }
    }
    for (const int source : {1, 2, 3}) ASSERT_EQ(crossed[source].size(), 1U) << "a person counts once";
    EXPECT_EQ(crossed[1][0]["facing"], true);
    EXPECT_EQ(crossed[2][0]["facing"], false);
    EXPECT_FALSE(crossed[3][0].contains("facing"));
}

// Walks into a zone just before a minute is over and is hidden now and then.
TEST(CountSink, EventsAreInOrderAndCountInTheirMinute) {
    const test::ScratchDir dir;
    const std::string csv = (dir.path() / "counts.csv").string();
    const std::string events = (dir.path() / "events.jsonl").string();
    CountPlan plan;
    plan.width = 1000;
    plan.height = 100;
    plan.lines.push_back({"door", {500, 0}, {500, 100}});
    plan.zones.push_back({"right", {{600, 0}, {1000, 0}, {1000, 100}, {600, 100}}});
    CountSink sink(plan, {events, csv});
    for (int n = 550; n < 1300; ++n) {
        // Enters at 59.9 s, which is certain at 60.1 s; leaves at 119.9 s likewise. Has no box for a while in between.
        FrameResult result = frame_at(0.1 * n, 1, n >= 599 && n < 1199 ? 800 : 560);
        if (n % 100 < 5 && n > 650) result.tracks.clear();
        // A second one is not seen from 59.5 s on, and given up at 60.5 s.
        Track other = result.tracks.empty() ? Track{} : result.tracks[0];
        other.id = 2;
        other.confirmed = true;
        other.box = other.smoothed = {300, 30, 40, 40};
        other.state = n > 595 ? TrackState::predicted : TrackState::detected;
        if (n < 605) result.tracks.push_back(other);
        sink.write(result);
    }
    sink.close();
    std::map<std::int64_t, std::map<std::string, int>> minutes;
    std::set<std::int64_t> ids;
    double before = 0;
    for (const std::string& line : lines_of(events)) {
        const nlohmann::json event = nlohmann::json::parse(line);
        const double pts = event["pts"];
        EXPECT_GE(pts, before) << line;
        before = pts;
        ++minutes[static_cast<std::int64_t>(std::floor(pts / 60))][event["event"]];
        if (ids.insert(event["id"].get<std::int64_t>()).second) ++minutes[static_cast<std::int64_t>(pts / 60)]["new"];
    }
    EXPECT_EQ(minutes[0]["entered"], 1);
    EXPECT_EQ(minutes[0]["left"], 1);
    // Each row says what the events of its minute say.
    const std::vector<std::string> rows = lines_of(csv);
    ASSERT_EQ(rows.size(), 4U);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        std::vector<std::string> cells;
        std::istringstream stream(rows[i].substr(rows[i].find(",1,") + 1));
        for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
        ASSERT_GE(cells.size(), 11U) << rows[i];
        const std::int64_t minute = std::stoi(cells[1]) / 60;
        EXPECT_EQ(std::stoi(cells[4]), minutes[minute]["new"]) << rows[i];
        EXPECT_EQ(cells[5], "2") << "ids so far";
        EXPECT_EQ(std::stoi(cells[6]) + std::stoi(cells[7]), minutes[minute]["crossed"]) << rows[i];
        EXPECT_EQ(std::stoi(cells[10]), minutes[minute]["entered"]) << rows[i];
        EXPECT_EQ(cells.size() > 11 && !cells[11].empty(), minutes[minute]["exited"] > 0) << rows[i];
    }
}

// Live streams may begin anew.
TEST(CountSink, ATimeThatGoesBackEndsAllVisits) {
    const test::ScratchDir dir;
    const std::string csv = (dir.path() / "counts.csv").string();
    const std::string events = (dir.path() / "events.jsonl").string();
    CountPlan plan;
    plan.width = 1000;
    plan.height = 100;
    CountSink sink(plan, {events, csv});
    for (const double seconds : {100.0, 130.0, 5.0, 70.0}) sink.write(frame_at(seconds, 1, 400));
    sink.close();
    std::vector<std::string> kinds;
    for (const std::string& line : lines_of(events)) {
        const nlohmann::json event = nlohmann::json::parse(line);
        kinds.push_back(event["event"].get<std::string>() + " " + event["pts"].dump());
    }
    EXPECT_EQ(kinds, (std::vector<std::string>{"appeared 100.0", "left 130.0", "appeared 5.0", "left 70.0"}));
    std::vector<std::string> starts;
    for (const std::string& row : lines_of(csv)) {
        if (row.find(".mp4\",1,") != row.npos) starts.push_back(row.substr(row.find(",1,") + 3));
    }
    EXPECT_EQ(starts, (std::vector<std::string>{"60,1.00,1,1,1", "120,1.00,1,0,1", "0,1.00,1,0,1", "60,1.00,1,0,1"}));
}

}  // namespace
}  // namespace throng
