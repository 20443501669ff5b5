// What clients get: pages, results, images, events, metrics, and answers about images.
#include "core/serve/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/resources.h"
#include "core/detect/detector_kinds.h"
#include "core/sinks/json_sink.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

using test::http_ask;
using test::HttpClient;
using test::HttpReply;

std::unique_ptr<Engine> fake_engine(const test::FakeBackend::Plan& plan = {}) {
    PipelineSettings settings;
    settings.detector.kind = DetectorId::haar;
    return std::unique_ptr<Engine>(new Engine(std::make_shared<test::FakeBackend>(plan), settings));
}

std::unique_ptr<Service> make_test_service(ServiceOptions options = {}) {
    options.server.address = "0";
    options.version = "1.2.3";
    options.root = "/nowhere";  // no sensors
    if (!options.make_engine) options.make_engine = [] { return fake_engine(); };
    return std::make_unique<Service>(std::move(options));
}

// A frame of 64x48 with a pattern, and one face.
FrameResult result_of(std::int64_t index) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 64, 48);
    for (int y = 0; y < 48; ++y) {
        for (int x = 0; x < 64; ++x) {
            writable.data(0)[y * writable.plane(0).pitch + x] = static_cast<std::uint8_t>(x < 32 ? 20 : 220);
        }
    }
    writable.info().index = index;
    writable.info().range = ColorRange::full;
    FrameResult result;
    result.frame = std::move(writable).finish();
    result.source = "door";
    result.source_number = 2;
    result.detector = &detector_kind("haar");
    result.kept.detections = {{{4, 4, 8, 8}, 1.5F, 4, 0, 0.75F}};
    result.timings = {{"decode", 1.25}, {"total", 3}};
    result.latency_ms = 350;  // with the delay of hiding, which is no time of the detector
    result.trace.collect_end = result.frame.info().captured + std::chrono::milliseconds(30);
    result.trace.dropped = 5;
    result.trace.reconnects = 2;
    return result;
}

SourceInfo info_of(const std::string& name, bool live = true) {
    SourceInfo info;
    info.name = name;
    info.live = live;
    return info;
}

TEST(Service, EveryAddressAnswersAsItIsDescribed) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const auto sink = service->sink_for(1, info_of("door"));
    EXPECT_EQ(http_ask(port, "GET", "/readyz").status, 503);
    EXPECT_EQ(http_ask(port, "GET", "/streams/1/latest.json").status, 404);
    sink->write(result_of(3));
    EXPECT_EQ(http_ask(port, "GET", "/readyz").status, 200);
    const nlohmann::json api = nlohmann::json::parse(http_ask(port, "GET", "/openapi.json").body);
    EXPECT_EQ(api["info"]["version"], "1.2.3");
    std::size_t described = 0;
    for (const auto& [path, methods] : api["paths"].items()) {
        std::string target = path;
        if (const std::size_t at = target.find("{number}"); at != std::string::npos) target.replace(at, 8, "1");
        const bool asks = methods.contains("post");
        const HttpReply right = http_ask(port, asks ? "POST" : "HEAD", target);
        EXPECT_EQ(right.status, asks ? 400 : 200) << path;  // without an image
        const auto& content = methods[asks ? "post" : "get"]["responses"][asks ? "400" : "200"]["content"];
        const std::string type = content.begin().key();
        EXPECT_EQ(right.header("Content-Type").substr(0, type.size()), type) << path;
        EXPECT_EQ(right.header("Cache-Control"), "no-store");
        const HttpReply wrong = http_ask(port, asks ? "GET" : "POST", target);
        EXPECT_EQ(wrong.status, 405) << path;
        EXPECT_EQ(wrong.header("Allow"), asks ? "POST" : "GET, HEAD") << path;
        ++described;
    }
    EXPECT_EQ(described, 12U);
    for (const char* target :
         {"/x", "/streams/0/mjpeg", "/streams/2/mjpeg", "/streams/1", "/streams/1/../../etc/passwd",
          "/streams/99999999999/mjpeg", "/streams/+1/mjpeg", "/../etc/passwd", "/..%2fetc"}) {
        const HttpReply reply = http_ask(port, "GET", target);
        EXPECT_EQ(reply.status, 404) << target;
        EXPECT_TRUE(nlohmann::json::parse(reply.body).contains("error")) << target;
    }
    const HttpReply page = http_ask(port, "GET", "/");
    EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(page.body.find("://"), std::string::npos) << "the page loads something from elsewhere";
    EXPECT_EQ(http_ask(port, "GET", "/", "Origin: http://evil.example\r\n").status, 403);
}

TEST(Service, IsNotReadyUntilEveryExpectedSourceIsOpen) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const auto ready = [&] { return http_ask(port, "GET", "/readyz"); };
    EXPECT_EQ(ready().body, "no source is open yet\n");
    service->expect(1, "door");
    service->expect(2, "rtsp://me:s3cret@host/a");
    const auto first = service->sink_for(1, info_of("door"));
    first->write(result_of(0));
    const HttpReply missing = ready();
    EXPECT_EQ(missing.status, 503);
    EXPECT_EQ(missing.body, "source 2 is not open\n");
    // It is shown, without its password, and an alert can see that it is down.
    const std::string list = http_ask(port, "GET", "/streams").body;
    EXPECT_EQ(list.find("s3cret"), std::string::npos);
    const nlohmann::json sources = nlohmann::json::parse(list);
    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0]["open"], true);
    EXPECT_EQ(sources[1]["open"], false);
    const std::string metrics = http_ask(port, "GET", "/metrics").body;
    EXPECT_EQ(metrics.find("s3cret"), std::string::npos);
    EXPECT_NE(metrics.find("throng_source_up{source=\"1\"} 1\n"), std::string::npos);
    EXPECT_NE(metrics.find("throng_source_up{source=\"2\"} 0\n"), std::string::npos);
    const auto second = service->sink_for(2, info_of("yard"));
    EXPECT_EQ(ready().body, "source 2 has given no result yet\n");
    second->write(result_of(0));
    EXPECT_EQ(ready().status, 200);
    // Nothing of it is left after its number was taken, however late its last result is and its end.
    const auto other = service->sink_for(2, info_of("hall"));
    second->write(result_of(7));
    second->close();
    EXPECT_EQ(ready().body, "source 2 has given no result yet\n");
    other->write(result_of(1));
    EXPECT_EQ(http_ask(port, "GET", "/streams/2/latest.json").body, json_line(result_of(1), {.tracks = true}) + "\n");
    EXPECT_EQ(ready().status, 200);
    service->expect(3, "roof");
    EXPECT_EQ(ready().status, 503);
    service->forget(3);
    EXPECT_EQ(ready().status, 200);
}

// One that is lost and will be opened again has not ended.
TEST(Service, IsNotReadyWhileALostSourceIsOpenedAgain) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const auto ready = [&] { return http_ask(port, "GET", "/readyz").body; };
    const std::shared_ptr<CountListener> counts = service->listen(CountPlan{1, 1, {}, {}});
    service->expect_again(1);
    EXPECT_EQ(ready(), "no source is open yet\n") << "nothing is known of it";
    const auto lost = service->sink_for(1, info_of("door"));
    lost->write(result_of(0));
    EXPECT_EQ(ready(), "ok\n");
    service->expect_again(1);
    HttpClient images(port);
    images.send("GET /streams/1/mjpeg HTTP/1.1\r\nHost: localhost\r\n\r\n");
    images.read_until("--frame\r\n");
    lost->write(result_of(1));
    CountTotals totals;
    totals.unique = 9;
    counts->totals(1, totals);
    lost->close();
    EXPECT_EQ(ready(), "source 1 is not open\n");
    EXPECT_FALSE(images.has_answer()) << "an image of a source that is no longer shown";
    const std::string metrics = http_ask(port, "GET", "/metrics").body;
    for (const char* line : {"throng_source_up{source=\"1\"} 0\n", "throng_source_ended{source=\"1\"} 0\n",
                             "throng_people_seen_total{source=\"1\"} 0\n",
                             "throng_source_info{source=\"1\",name=\"door\",live=\"true\"} 1\n"}) {
        EXPECT_NE(metrics.find(line), std::string::npos) << line;
    }
    const auto again = service->sink_for(1, info_of("door"));
    again->write(result_of(2));
    EXPECT_EQ(ready(), "ok\n");
    again->close();
    EXPECT_EQ(ready(), "ok\n") << "the end of a file";
}

TEST(Service, TellsTheNewestResultAndWhatIsCounted) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const CountPlan plan = parse_count_plan(
        "size = [64, 48]\n[[line]]\nname = \"door\"\nfrom = [0, 0]\nto = [9, 9]\n"
        "[[zone]]\nname = \"hall\"\npoints = [[1, 1], [9, 1], [9, 9]]\n",
        "plan");
    const std::shared_ptr<CountListener> counts = service->listen(plan);
    const auto sink = service->sink_for(2, info_of("rtsp://a\"\\b\n"));
    HttpClient events(port);
    events.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    events.read_until("retry: 3000\n\n");
    for (int i = 0; i < 3; ++i) sink->write(result_of(i));
    CountTotals totals;
    totals.people = 4;
    totals.unique = 9;
    totals.lines = {{7, 6}};
    totals.zones = {{3, 12, 9, 1.5}};
    counts->totals(2, totals);
    counts->event(2, "{\"event\":\"crossed\"}");
    EXPECT_EQ(events.read_until("\n\n"), "data: {\"event\":\"crossed\"}\n\n");
    EXPECT_EQ(http_ask(port, "GET", "/streams/2/latest.json").body, json_line(result_of(2), {.tracks = true}) + "\n");

    const nlohmann::json list = nlohmann::json::parse(http_ask(port, "GET", "/streams").body);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0]["number"], 2);
    EXPECT_EQ(list[0]["frames"], 3);
    EXPECT_EQ(list[0]["found"], 1);
    EXPECT_EQ(list[0]["people"], 4);
    EXPECT_EQ(list[0]["zones"][0]["people"], 3);
    EXPECT_EQ(list[0]["lines"][0]["out"], 6);

    // A sample is a name, labels and a number; families are not mixed.
    std::map<std::string, std::string> samples;
    std::set<std::string> families;
    std::istringstream metrics(http_ask(port, "GET", "/metrics").body);
    for (std::string line, family; std::getline(metrics, line);) {
        const std::size_t end = line.rfind(' ');
        if (line.starts_with("# TYPE ")) {
            family = line.substr(7, end - 7);
            EXPECT_TRUE(families.insert(family).second) << family;
        } else if (!line.starts_with("# HELP ")) {
            EXPECT_TRUE(line.starts_with(family)) << line;
            EXPECT_TRUE(samples.emplace(line.substr(0, end), line.substr(end + 1)).second) << line;
        }
    }
    const std::map<std::string, std::string> expected = {
        {"throng_source_info{source=\"2\",name=\"rtsp://a\\\"\\\\b\\n\",live=\"true\"}", "1"},
        {"throng_frames_total{source=\"2\"}", "3"},
        {"throng_frames_dropped_total{source=\"2\"}", "5"},
        {"throng_source_ended{source=\"2\"}", "0"},
        {"throng_reconnects_total{source=\"2\"}", "2"},
        {"throng_faces{source=\"2\"}", "1"},
        {"throng_people_in_zone{source=\"2\",zone=\"hall\"}", "3"},
        {"throng_line_crossings_total{source=\"2\",line=\"door\",direction=\"in\"}", "7"},
        {"throng_line_crossings_total{source=\"2\",line=\"door\",direction=\"out\"}", "6"},
        {"throng_frame_latency_seconds_count{source=\"2\"}", "3"},
        {"throng_frame_latency_seconds_bucket{source=\"2\",le=\"0.025\"}", "0"},
        {"throng_frame_latency_seconds_bucket{source=\"2\",le=\"0.05\"}", "3"},
        {"throng_frame_latency_seconds_bucket{source=\"2\",le=\"+Inf\"}", "3"},
        {"throng_stage_seconds_bucket{source=\"2\",stage=\"decode\",le=\"0.001\"}", "0"},
        {"throng_stage_seconds_bucket{source=\"2\",stage=\"decode\",le=\"0.0025\"}", "3"},
        {"throng_stage_seconds_count{source=\"2\",stage=\"total\"}", "3"}};
    for (const auto& [name, value] : expected) EXPECT_EQ(samples[name], value) << name;
    EXPECT_NEAR(std::stod(samples["throng_frame_latency_seconds_sum{source=\"2\"}"]), 0.09, 1e-9);
    EXPECT_GT(std::stod(samples["throng_process_resident_memory_bytes"]), 1e6);
    for (const char* family : {"throng_clock_hertz", "throng_power_watts"}) EXPECT_TRUE(families.contains(family));
}

// Two people, one of whom faces the camera.
FrameResult people_and_faces() {
    FrameResult result = result_of(0);
    result.detector = &detector_kind("face+person");
    result.kept.detections = {{{4, 4, 20, 40}, 1, 4, 0, 0.5F}, {{30, 4, 20, 40}, 1, 4, 0, 0.9F}};
    result.faces = std::make_shared<FrameResult>(result_of(0));
    return result;
}

TEST(Service, FacesOfPeopleAreCountedAsFaces) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const auto sink = service->sink_for(1, info_of("door"));
    const FrameResult result = people_and_faces();
    sink->write(result);
    EXPECT_EQ(nlohmann::json::parse(http_ask(port, "GET", "/streams").body)[0]["found"], 1);
    const std::string metrics = http_ask(port, "GET", "/metrics").body;
    EXPECT_NE(metrics.find("throng_faces{source=\"1\"} 1\n"), std::string::npos);
    EXPECT_NE(metrics.find("throng_source_ended{source=\"1\"} 0\n"), std::string::npos);
    sink->close();
    EXPECT_NE(http_ask(port, "GET", "/metrics").body.find("throng_source_ended{source=\"1\"} 1\n"), std::string::npos);

    const auto labels = [&](bool only_faces) {
        std::vector<std::string> found;
        const auto answer = nlohmann::json::parse(deepstack_json(result, 0, only_faces));
        for (const auto& each : answer["predictions"]) found.push_back(each["label"]);
        return found;
    };
    EXPECT_EQ(labels(true), std::vector<std::string>({"face"}));
    EXPECT_EQ(labels(false), std::vector<std::string>({"person", "face", "person"}));
}

// A decoder may have few surfaces.
TEST(Service, NoPixelsAreKeptWhileNobodyLooks) {
    const auto service = make_test_service();
    const auto sink = service->sink_for(1, info_of("door"));
    std::weak_ptr<int> pixels;
    {
        const auto owner = std::make_shared<int>(0);
        pixels = owner;
        FrameResult result = people_and_faces();
        const Frame frame(result.frame.info(), {}, owner);
        result.frame = frame;
        result.faces->frame = frame;
        sink->write(result);
    }
    EXPECT_TRUE(pixels.expired());
    EXPECT_EQ(http_ask(service->server().port(), "GET", "/streams/1/latest.json").status, 200);
}

// Returns the image of the next part of a stream.
cv::Mat next_image(HttpClient& client) {
    const std::string head = client.read_until("\r\n\r\n");
    const std::string jpeg = client.read_bytes(std::stoul(head.substr(head.find("Content-Length: ") + 16)));
    client.read_until("\r\n--frame\r\n");
    return cv::imdecode(std::vector<std::uint8_t>(jpeg.begin(), jpeg.end()), cv::IMREAD_GRAYSCALE);
}

TEST(Service, ImagesAreHiddenUnlessFacesAreShown) {
    for (const bool show : {false, true}) {
        ServiceOptions options;
        options.images.blur = !show;
        const auto service = make_test_service(std::move(options));
        const auto sink = service->sink_for(1, info_of("door"));
        HttpClient client(service->server().port());
        client.send("GET /streams/1/mjpeg HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.read_until("--frame\r\n");
        // Nothing is known about what must be hidden, so that the whole frame is: to 6x6 colors, without the edge.
        sink->write(result_of(0));
        const cv::Mat unknown = next_image(client);
        ASSERT_EQ(unknown.size(), cv::Size(64, 48));
        const int step = unknown.at<std::uint8_t>(40, 36) - unknown.at<std::uint8_t>(40, 27);
        EXPECT_EQ(step > 180, show) << step;
        // With a plan without faces, the frame is as it was.
        FrameResult planned = result_of(1);
        planned.plan.emplace();
        sink->write(planned);
        const cv::Mat plain = next_image(client);
        EXPECT_GT(plain.at<std::uint8_t>(40, 36) - plain.at<std::uint8_t>(40, 27), 180);
        sink->close();
    }
}

std::string form_with(const std::string& image, const std::string& more = {}) {
    return "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"x\"\r\n\r\n" + image + "\r\n" + more +
           "--b--\r\n";
}
constexpr const char* kForm = "Content-Type: multipart/form-data; boundary=b\r\n";

std::string encoded(int width, int height, const char* extension) {
    std::vector<std::uint8_t> bytes;
    cv::imencode(extension, cv::Mat(height, width, CV_8UC3, cv::Scalar(20, 90, 160)), bytes);
    return {bytes.begin(), bytes.end()};
}

std::string question_about(const std::string& image) {
    return "POST /detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(image.size()) + "\r\n\r\n" +
           image;
}

TEST(Service, AnswersQuestionsAboutImages) {
    test::FakeBackend::Plan plan;
    plan.boxes = [](std::int64_t) { return 30U; };
    ServiceOptions options;
    options.make_engine = [plan] { return fake_engine(plan); };
    options.only_questions = true;
    const auto service = make_test_service(std::move(options));
    service->wait_ready();
    const int port = service->server().port();
    EXPECT_EQ(http_ask(port, "GET", "/readyz").status, 200);
    for (const char* extension : {".jpg", ".png"}) {
        const std::string image = encoded(100, 80, extension);
        const HttpReply body = http_ask(port, "POST", "/detect", "Content-Type: image/jpeg\r\n", image);
        ASSERT_EQ(body.status, 200) << body.body;
        const nlohmann::json all = nlohmann::json::parse(body.body);
        EXPECT_EQ(all["width"], 100);
        EXPECT_EQ(all["kept"].size(), 30U);
        EXPECT_EQ(http_ask(port, "POST", "/detect", kForm, form_with(image)).status, 200);
        for (const char* target : {"/v1/vision/face", "/v1/vision/detection"}) {
            const HttpReply reply = http_ask(port, "POST", target, kForm, form_with(image));
            ASSERT_EQ(reply.status, 200) << reply.body;
            const nlohmann::json answer = nlohmann::json::parse(reply.body);
            EXPECT_EQ(answer["success"], true);
            EXPECT_EQ(answer["predictions"].size(), 20U);
            EXPECT_EQ(answer["predictions"][3]["label"], "face");
            EXPECT_EQ(answer["predictions"][3]["x_min"], 3);
            EXPECT_EQ(answer["predictions"][3]["x_max"], 13);
        }
        const std::string least = "--b\r\nContent-Disposition: form-data; name=min_confidence\r\n\r\n0.999\r\n";
        const HttpReply none = http_ask(port, "POST", "/v1/vision/face", kForm, form_with(image, least));
        EXPECT_EQ(nlohmann::json::parse(none.body)["predictions"].size(), 0U);
    }
}

// Requests and detectors are as many as are needed at a time; the detectors share a backend, and so its models.
TEST(Service, AnswersSeveralQuestionsAtATime) {
    if (cpu_cores() < 2) GTEST_SKIP() << "skipped: one core answers one question at a time";
    const auto inside = std::make_shared<std::atomic<int>>(0), engines = std::make_shared<std::atomic<int>>(0);
    const auto expected = std::make_shared<std::atomic<int>>(1);
    test::FakeBackend::Plan plan;
    plan.boxes = [inside, expected](std::int64_t) {
        ++*inside;
        return test::eventually([&] { return *inside >= *expected; }) ? 1U : 0U;
    };
    ServiceOptions options;
    options.make_engine = [plan, engines] {
        ++*engines;
        return fake_engine(plan);
    };
    const auto service = make_test_service(std::move(options));
    const int port = service->server().port();
    const std::string image = encoded(16, 16, ".jpg");
    for (int i = 0; i < 8; ++i) ASSERT_EQ(http_ask(port, "POST", "/detect", {}, image).status, 200);
    EXPECT_EQ(*engines, 1);
    *inside = 0;
    *expected = 2;
    const std::string request = question_about(image);
    HttpClient first(port), second(port);
    first.send(request);
    second.send(request);
    for (HttpClient* client : {&first, &second}) {
        EXPECT_EQ(nlohmann::json::parse(client->read_reply().body)["kept"].size(), 1U) << "alone";
    }
    EXPECT_EQ(*engines, 1);
}

// A GPU has one detector. The CPU has as many as can be made.
TEST(Service, ImagesWaitForTheOnlyDetector) {
    for (const bool gpu : {true, false}) {
        const auto inside = std::make_shared<std::atomic<int>>(0), engines = std::make_shared<std::atomic<int>>(0);
        test::FakeBackend::Plan plan;
        if (gpu) plan.kind = BackendKind::cuda;
        if (!gpu) plan.detectors = 1;
        plan.boxes = [inside](std::int64_t) {
            ++*inside;
            // Leaves the other image time for a detector of its own, which it must not have.
            for (int i = 0; i < 100 && *inside < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return 1U;
        };
        ServiceOptions options;
        options.make_engine = [plan, engines] {
            ++*engines;
            return fake_engine(plan);
        };
        const auto service = make_test_service(std::move(options));
        const std::string request = question_about(encoded(16, 16, ".jpg"));
        HttpClient first(service->server().port()), second(service->server().port());
        first.send(request);
        ASSERT_TRUE(test::eventually([&] { return *inside > 0; }));
        second.send(request);
        for (HttpClient* client : {&first, &second}) EXPECT_EQ(client->read_reply().status, 200) << gpu;
        EXPECT_EQ(*engines, 1) << gpu;
        EXPECT_EQ(*plan.max_running, 1) << gpu;
    }
}

TEST(Service, TheDetectorIsKeptAfterAnError) {
    const auto engines = std::make_shared<std::atomic<int>>(0), asked = std::make_shared<std::atomic<int>>(0);
    test::FakeBackend::Plan plan;
    plan.boxes = [asked](std::int64_t) -> std::uint32_t {
        if ((*asked)++ == 0) throw Error(ErrorKind::unavailable, "no memory", "fake");
        return 1;
    };
    ServiceOptions options;
    options.make_engine = [plan, engines] {
        ++*engines;
        return fake_engine(plan);
    };
    const auto service = make_test_service(std::move(options));
    const int port = service->server().port();
    const std::string image = encoded(16, 16, ".jpg");
    EXPECT_EQ(http_ask(port, "POST", "/detect", {}, image).status, 503);
    EXPECT_EQ(http_ask(port, "POST", "/detect", {}, image).status, 200);
    EXPECT_EQ(*engines, 1);
}

TEST(Service, RefusesWhatIsNoImage) {
    const auto service = make_test_service();
    const int port = service->server().port();
    const auto status = [&](const std::string& headers, const std::string& body) {
        const HttpReply reply = http_ask(port, "POST", "/v1/vision/face", headers, body);
        EXPECT_TRUE(nlohmann::json::parse(reply.body).contains("error")) << reply.body;
        return reply.status;
    };
    const std::string image = encoded(64, 64, ".jpg");
    EXPECT_EQ(status("", ""), 400);
    EXPECT_EQ(status("", "no image"), 400);
    EXPECT_EQ(status(kForm, form_with("")), 400);
    EXPECT_EQ(status(kForm, "--b--\r\n"), 400);
    EXPECT_EQ(status(kForm, form_with(image).substr(0, 300)), 400);
    EXPECT_EQ(status("", image.substr(0, image.size() / 2)), 400);
    // A PNG that claims 65,500 x 65,500 pixels, and a JPEG of 100 million.
    std::string bomb = encoded(8, 8, ".png");
    for (const std::size_t at : {std::size_t{16}, std::size_t{20}}) bomb.replace(at, 4, std::string("\0\0\xff\xdc", 4));
    EXPECT_EQ(status("", bomb), 400);
    std::string large = image;
    const std::size_t size = large.find("\xff\xc0") + 5;
    large.replace(size, 4, std::string("\x27\x10\x27\x10", 4));
    EXPECT_EQ(status("", large), 413);
    const HttpReply fine = http_ask(port, "POST", "/v1/vision/face", "", image);
    EXPECT_EQ(fine.status, 200) << fine.body;
}

TEST(Service, AFullQueueIsBusyAndADetectorThatFailsSaysSo) {
    std::promise<void> go_on;
    const std::shared_future<void> waits = go_on.get_future().share();
    const auto entered = std::make_shared<std::atomic<bool>>(false);
    test::FakeBackend::Plan plan;
    plan.boxes = [waits, entered](std::int64_t) {
        *entered = true;
        waits.wait();
        return 1U;
    };
    ServiceOptions options;
    options.server.limits.num_questions = 1;
    options.make_engine = [plan] { return fake_engine(plan); };
    const auto service = make_test_service(std::move(options));
    const int port = service->server().port();
    const std::string image = encoded(16, 16, ".jpg");
    const std::string request = question_about(image);
    // One is in the detector, one waits, and one is refused.
    HttpClient first(port);
    first.send(request);
    ASSERT_TRUE(test::eventually([&] { return entered->load(); }));
    HttpClient second(port), third(port);
    second.send(request);
    third.send(request);
    ASSERT_TRUE(test::eventually([&] { return second.has_answer() || third.has_answer(); }));
    const bool refused_second = second.has_answer();
    const HttpReply refused = (refused_second ? second : third).read_reply();
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    go_on.set_value();
    EXPECT_EQ(first.read_reply().status, 200);
    EXPECT_EQ((refused_second ? third : second).read_reply().status, 200);

    // What waits is limited in bytes, too.
    ServiceOptions small;
    small.server.limits.all_body_bytes = image.size() - 1;
    const auto limited = make_test_service(std::move(small));
    EXPECT_EQ(http_ask(limited->server().port(), "POST", "/detect", "", image).status, 503);

    ServiceOptions broken;
    broken.make_engine = []() -> std::unique_ptr<Engine> { throw Error(ErrorKind::unavailable, "no model"); };
    const auto other = make_test_service(std::move(broken));
    const HttpReply reply = http_ask(other->server().port(), "POST", "/detect", "", image);
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.body.find("no model"), std::string::npos);
    ServiceOptions only;
    only.make_engine = []() -> std::unique_ptr<Engine> { throw Error(ErrorKind::unavailable, "no model"); };
    only.only_questions = true;
    EXPECT_THROW(make_test_service(std::move(only))->wait_ready(), Error);
}

}  // namespace
}  // namespace throng
