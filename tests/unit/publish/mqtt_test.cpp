// Publishing by MQTT, received by a broker of the test.
#include "core/publish/mqtt_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/base/shared_library.h"
#include "tests/support/eventually.h"
#include "tests/support/mqtt_broker.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

class Mqtt : public testing::Test {
protected:
    void SetUp() override {
        if (!SharedLibrary("libmosquitto.so.1")) GTEST_SKIP() << "libmosquitto is not installed";
    }
    [[nodiscard]] std::vector<std::string> texts_of(const std::string& topic) const {
        std::vector<std::string> texts;
        for (const test::MqttPublication& got : broker_.publications()) {
            if (got.topic == topic) texts.push_back(got.text);
        }
        return texts;
    }

    [[nodiscard]] MqttOptions options(const std::string& user_info = {}) const {
        MqttOptions options{broker_.url("throng", user_info), {}};
        options.retry = std::chrono::milliseconds(5);
        return options;
    }

    test::MqttBroker broker_;
};

CountPlan plan_with_shapes() {
    CountPlan plan{100, 100, {}, {}};
    plan.lines.push_back({"main door", {0, 50}, {100, 50}});
    plan.zones.push_back({"queue_1", {{0, 0}, {50, 0}, {50, 50}}});
    return plan;
}

TEST_F(Mqtt, CountsAreRetainedAndDescribed) {
    const test::ScratchDir dir;
    std::ofstream(dir.path() / "password") << "se/cret:@\nnot this\n";
    MqttOptions options{broker_.url("hall%20a/throng/", "me"), (dir.path() / "password").string()};
    {
        MqttCounts counts(options, plan_with_shapes(), 2);
        const auto retained = [&](const char* topic) {
            const auto all = broker_.retained();
            const auto found = all.find(topic);
            return found == all.end() ? std::string() : found->second;
        };
        ASSERT_TRUE(test::eventually([&] { return broker_.retained().size() == 26; }));
        for (const char* topic : {"1/people", "1/unique", "1/line/main door/in", "2/line/main door/out", "lost"}) {
            EXPECT_EQ(retained((std::string("hall a/throng/") + topic).c_str()), "0") << topic;
        }
        EXPECT_EQ(retained("hall a/throng/availability"), "online");
        EXPECT_EQ(broker_.login(), "me:se/cret:@");
        counts.totals(1, {3, 12, {{4, 5}}, {{2, 7, 5, 1.5}}});
        counts.event(1, R"({"event":"crossed"})");
        counts.close();
        EXPECT_EQ(retained("hall a/throng/availability"), "offline");
        EXPECT_EQ(retained("hall a/throng/1/people"), "3");
        EXPECT_EQ(retained("hall a/throng/1/unique"), "12");
        EXPECT_EQ(retained("hall a/throng/1/line/main door/in"), "4");
        EXPECT_EQ(retained("hall a/throng/1/line/main door/out"), "5");
        EXPECT_EQ(retained("hall a/throng/1/zone/queue_1/people"), "2");
        EXPECT_EQ(retained("hall a/throng/1/zone/queue_1/visits"), "7");
    }
    EXPECT_EQ(texts_of("hall a/throng/1/events"), std::vector<std::string>{R"({"event":"crossed"})"});
    std::set<std::string> ids, described;
    for (const test::MqttPublication& got : broker_.publications()) {
        EXPECT_EQ(got.qos, 1) << got.topic;
        EXPECT_EQ(got.retained, !got.topic.ends_with("/events")) << got.topic;
        if (!got.topic.starts_with("homeassistant/sensor/")) continue;
        EXPECT_EQ(got.topic.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-/"), std::string::npos)
            << got.topic;
        const nlohmann::json sensor = nlohmann::json::parse(got.text);
        EXPECT_TRUE(ids.insert(sensor.at("unique_id")).second) << got.text;
        described.insert(sensor.at("state_topic").get<std::string>());
        EXPECT_EQ(sensor.at("availability_topic"), "hall a/throng/availability");
        EXPECT_EQ(sensor.at("device").at("identifiers").size(), 1);
    }
    EXPECT_EQ(described.size(), 12);
    for (const std::string& topic : described) EXPECT_EQ(broker_.retained().count(topic), 1) << topic;
}

// The broker leaves at random times, without confirming what it got last.
TEST_F(Mqtt, NothingIsLostWhileTheBrokerRestarts) {
    std::mt19937_64 random(test::seed(51));
    MqttClient client(options());
    constexpr int kEvents = 200;
    for (int i = 0; i < kEvents; ++i) {
        client.send_event("throng/1/events", std::to_string(i));
        client.set_state("throng/1/people", std::to_string(i));
        if (i % 100 == 50) broker_.drop_after(static_cast<int>(random() % 30));
    }
    ASSERT_TRUE(test::eventually([&] { return broker_.connections() >= 2; }));
    broker_.away(true);
    ASSERT_TRUE(test::eventually([&] { return broker_.retained()["throng/availability"] == "offline"; }));
    client.send_event("throng/1/events", std::to_string(kEvents));
    client.set_state("throng/1/people", std::to_string(kEvents));
    broker_.away(false);
    client.close();
    std::vector<std::string> first, expected;
    for (const std::string& text : texts_of("throng/1/events")) {
        if (std::find(first.begin(), first.end(), text) == first.end()) first.push_back(text);
    }
    for (int i = 0; i <= kEvents; ++i) expected.push_back(std::to_string(i));
    EXPECT_EQ(first, expected);
    EXPECT_EQ(broker_.retained()["throng/1/people"], std::to_string(kEvents));
    EXPECT_EQ(broker_.retained()["throng/lost"], "0");
    EXPECT_EQ(broker_.retained()["throng/availability"], "offline");
}

TEST_F(Mqtt, TheOldestEventsAreLostAndCounted) {
    broker_.away(true);
    MqttOptions few = options();
    few.max_events = 10;
    MqttClient client(few);
    for (int i = 0; i < 25; ++i) client.send_event("throng/1/events", std::to_string(i));
    broker_.away(false);
    client.close();
    std::vector<std::string> expected;
    for (int i = 15; i < 25; ++i) expected.push_back(std::to_string(i));
    EXPECT_EQ(texts_of("throng/1/events"), expected);
    EXPECT_EQ(broker_.retained()["throng/lost"], "15");
}

// Returns the error of a call; its text must not contain a password.
template <class Call>
ErrorKind kind_of(Call call, const std::string& expected) {
    try {
        call();
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
        EXPECT_NE(text.find(expected), std::string::npos) << text;
        return error.kind();
    }
    ADD_FAILURE() << expected << ": no error";
    return ErrorKind::internal;
}

TEST_F(Mqtt, ARefusalEndsTheRunAndAMissingBrokerIsReportedAtTheEnd) {
    broker_.refuse(5);
    MqttClient refused(options("me:s3cret"));
    int calls = 0;
    const auto until_it_fails = [&] {
        static_cast<void>(test::eventually([&] { return refused.set_state("a", std::to_string(++calls)), false; }));
    };
    EXPECT_EQ(kind_of(until_it_fails, "not authorised"), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { refused.close(); }, "mqtt://***@127.0.0.1"), ErrorKind::input);

    broker_.away(true);
    std::stop_source stop;
    MqttOptions stopped = options("me:s3cret");
    stopped.stop = stop.get_token();
    MqttClient missing(stopped);
    missing.send_event("a", "b");
    stop.request_stop();
    EXPECT_EQ(kind_of([&] { missing.close(); }, "did not confirm: 1"), ErrorKind::input);
}

TEST_F(Mqtt, AnAddressThatIsNoneIsRejected) {
    for (const auto& [url, problem] : {std::pair{"broker", "not the address of an MQTT broker"},
                                       {"http://me:s3cret@host", "not the address of an MQTT broker"},
                                       {"mqtt://", "not the address of an MQTT broker"},
                                       {"mqtt://me:s3cret@host:0", "not the address of an MQTT broker"},
                                       {"mqtt://host:70000", "not the address of an MQTT broker"},
                                       {"mqtt://host/a+b", "beginning of all topics"},
                                       {"mqtt://host/a%23", "beginning of all topics"},
                                       {"mqtt://host/a%00", "beginning of all topics"},
                                       {"mqtt://:s3cret@host", "a password needs a user name"},
                                       {"mqtt://me:s3cret/1@host", "%2F"}}) {
        EXPECT_EQ(kind_of(
                      [&, address = url] {
                          const MqttClient client({address, {}});
                      },
                      problem),
                  ErrorKind::usage)
            << url;
    }
    EXPECT_EQ(kind_of(
                  [] {
                      const MqttClient client({"mqtt://me@host", "/nowhere/s"});
                  },
                  "/nowhere/s"),
              ErrorKind::input);
    EXPECT_EQ(kind_of(
                  [] {
                      const MqttClient client({"mqtt://me:s3cret@host", "/dev/null"});
                  },
                  "password"),
              ErrorKind::usage);
}

}  // namespace
}  // namespace throng
