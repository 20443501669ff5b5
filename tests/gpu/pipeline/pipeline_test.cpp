// Compares the pipeline on CUDA with the pipeline on the CPU, on the same files.
#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <thread>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/detect/detector_kinds.h"
#include "core/frame/frame_pool.h"
#include "core/frame/host_copies.h"
#include "gpu/backend.h"
#include "tests/gpu/pipeline/runs.h"
#include "tests/support/eventually.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::crowd_settings;
using test::CrowdFile;
using test::LineSink;
using test::run_file;

class CudaPipeline : public test::CrowdTest {};
class CudaDevice : public test::GpuTest {};  // tests without a model

bool on_device(const LineSink& sink) {
    return !sink.memory.empty() && std::all_of(sink.memory.begin(), sink.memory.end(),
                                               [](MemoryKind kind) { return kind == MemoryKind::device; });
}

PipelineSettings with_raw_boxes() {
    PipelineSettings settings = crowd_settings();
    settings.keep_raw = true;
    return settings;
}

// The order of raw detections is not defined on CUDA, so these lines hold only their number.
TEST_F(CudaPipeline, MatchesTheCpu) {
    for (const auto& [width, height] : {std::pair{640, 360}, {1280, 720}, {322, 246}}) {
        const CrowdFile file(width, height, 30);
        const auto expected = run_file(file.path(), make_cpu_backend(), false);
        const auto found = run_file(file.path(), make_cuda_backend(), true);
        ASSERT_EQ(found->lines.size(), 30U);
        EXPECT_EQ(found->lines, expected->lines);
        EXPECT_NE(found->lines.front().find("\"score\""), std::string::npos) << "no face found in the crowd";
    }
}

TEST_F(CudaPipeline, CopiesNoImageToTheHost) {
    const CrowdFile file(640, 360, 20);
    const std::uint64_t before = host_copied_bytes();
    const auto sink = run_file(file.path(), make_cuda_backend(), true);
    if (!on_device(*sink)) GTEST_SKIP() << "skipped: no hardware decoder";
    EXPECT_EQ(host_copied_bytes(), before);
}

// Sinks that need pixels get them in host memory, equal to those of the software decoder.
TEST_F(CudaPipeline, CopiesRequestedFramesToTheHost) {
    class Pixels final : public ResultSink {
    public:
        void write(const FrameResult& result) override {
            ASSERT_NE(result.frame.info().memory, MemoryKind::device);
            std::string luma;
            const PlaneView& plane = result.frame.plane(0);
            for (int y = 0; y < plane.height; ++y) {
                luma.append(reinterpret_cast<const char*>(plane.data + y * plane.pitch),
                            static_cast<std::size_t>(plane.width));
            }
            images.push_back(std::move(luma));
            kept_frames.push_back(result.frame);  // keeps the memory from being reused during the test
        }
        void close() override {}
        std::vector<std::string> images;
        std::vector<Frame> kept_frames;
    };
    const CrowdFile file(640, 360, 20);
    std::vector<std::string> images[2];
    for (const bool on_device : {false, true}) {
        SourceOptions source;
        source.prefer_device_frames = on_device;
        PipelineSettings settings = crowd_settings();
        settings.host_pixels = true;
        Pipeline pipeline(open_source(file.path(), source), make_cuda_backend(), settings);
        auto sink = std::make_shared<Pixels>();
        pipeline.add_sink(sink);
        pipeline.start();
        pipeline.wait();
        images[on_device ? 1 : 0] = sink->images;
        for (std::size_t i = 0; i < sink->kept_frames.size(); ++i) {
            const PlaneView& plane = sink->kept_frames[i].plane(0);
            EXPECT_EQ(std::memcmp(plane.data, sink->images[i].data(), static_cast<std::size_t>(plane.width)), 0);
        }
    }
    ASSERT_EQ(images[0].size(), 20U);
    EXPECT_EQ(images[0], images[1]);
}

// Frames that wait until their faces are hidden are copies in device memory: the decoder has fewer frames than wait.
TEST_F(CudaPipeline, FramesThatWaitToBeHiddenStayOnTheDevice) {
    class Frames final : public ResultSink {
    public:
        void write(const FrameResult& result) override {
            EXPECT_TRUE(result.plan);
            frames.push_back(result.frame);
        }
        void close() override {}
        std::vector<Frame> frames;
    };
    const CrowdFile file(322, 246, 60);
    const auto run = [&](bool on_device) {
        SourceOptions source;
        source.prefer_device_frames = on_device;
        PipelineSettings settings = crowd_settings();
        settings.hiding = hiding_params(settings.detector.kind);
        Pipeline pipeline(open_source(file.path(), source), make_cuda_backend(), settings);
        auto sink = std::make_shared<Frames>();
        pipeline.add_sink(sink);
        pipeline.start();
        pipeline.wait();
        return sink->frames;
    };
    const std::vector<Frame> expected = run(false);
    const std::uint64_t before = host_copied_bytes();
    const std::vector<Frame> found = run(true);
    ASSERT_EQ(found.size(), 60U);
    ASSERT_EQ(expected.size(), found.size());
    if (found.front().info().memory != MemoryKind::device) GTEST_SKIP() << "skipped: no hardware decoder";
    EXPECT_EQ(host_copied_bytes(), before);
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].info().index, expected[i].info().index);
        const Frame host = found[i].on_host();
        ASSERT_EQ(host.info().memory, MemoryKind::host);
        const PlaneView& plane = host.plane(0);
        for (int y = 0; y < plane.height; ++y) {
            ASSERT_EQ(
                std::memcmp(plane.data + y * plane.pitch, expected[i].plane(0).data + y * expected[i].plane(0).pitch,
                            static_cast<std::size_t>(plane.width)),
                0)
                << "frame " << i << ", row " << y;
        }
        // Software gives planar chroma, the hardware decoder interleaved.
        const PlaneView& chroma = host.plane(1);
        for (int y = 0; y < chroma.height; ++y) {
            for (int x = 0; x < chroma.width / 2; ++x) {
                for (int c = 0; c < 2; ++c) {
                    const PlaneView& planar = expected[i].plane(1 + c);
                    ASSERT_EQ(chroma.data[y * chroma.pitch + 2 * x + c], planar.data[y * planar.pitch + x])
                        << "frame " << i << ", chroma " << x << ", " << y;
                }
            }
        }
    }
}

// A copy of the file in another coding.
class Transcoded {
public:
    Transcoded(const std::string& from, const std::string& arguments) : path_(from + ".mkv") {
        test::ffmpeg("-i " + from + " " + arguments, path_);
    }
    ~Transcoded() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Transcoded(const Transcoded&) = delete;
    Transcoded& operator=(const Transcoded&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Video with 10 bits per sample is decoded and converted on the device.
TEST_F(CudaPipeline, TenBitsStayOnTheDevice) {
    TH_NEED_FFMPEG();
    const CrowdFile crowd(640, 360, 30);
    const Transcoded file(crowd.path(), "-c:v libx265 -x265-params log-level=error -pix_fmt yuv420p10le");
    const auto expected = run_file(file.path(), make_cpu_backend(), false);
    const std::uint64_t before = host_copied_bytes();
    const auto found = run_file(file.path(), make_cuda_backend(), true);
    EXPECT_EQ(found->lines, expected->lines);
    EXPECT_NE(found->lines.front().find("\"score\""), std::string::npos) << "no face found in the crowd";
    EXPECT_EQ(host_copied_bytes(), before);
    EXPECT_TRUE(on_device(*found));
}

// A decoder has frames for those that are in flight, and for the four that others may still hold, also where it needs
// sixteen itself.
TEST_F(CudaPipeline, FourFramesMayBeHeld) {
    TH_NEED_FFMPEG();
    class Holder final : public ResultSink {
    public:
        void write(const FrameResult& result) override {
            ++count;
            on_device = on_device && result.frame.info().memory == MemoryKind::device;
            held.push_back(result.frame);
            if (held.size() > 4) held.pop_front();
        }
        void close() override {}
        std::deque<Frame> held;
        int count = 0;
        bool on_device = true;
    };
    const CrowdFile crowd(640, 360, 60);
    const Transcoded file(crowd.path(), "-c:v libx264 -refs 16 -bf 3 -b_strategy 0");
    SourceOptions source;
    source.prefer_device_frames = true;
    Pipeline pipeline(open_source(file.path(), source), make_cuda_backend(), crowd_settings());
    auto sink = std::make_shared<Holder>();
    pipeline.add_sink(sink);
    pipeline.start();
    pipeline.wait();
    EXPECT_EQ(sink->count, 60);
    EXPECT_TRUE(sink->on_device);
    EXPECT_FALSE(pipeline.failure().has_value());
}

// Several sources at the same time, each of which must give the lines of a run alone.
void check_several_sources(const PipelineSettings& settings, int width, int height) {
    const CrowdFile file(width, height, 60);
    const auto expected = run_file(file.path(), make_cuda_backend(), true, settings);
    EXPECT_NE(expected->lines.front().find("\"score\""), std::string::npos) << "no face found in the crowd";
    std::vector<std::shared_ptr<LineSink>> found(4);
    {
        std::vector<std::jthread> threads;
        for (auto& sink : found) {
            threads.emplace_back([&] { sink = run_file(file.path(), make_cuda_backend(), true, settings); });
        }
    }
    for (const auto& sink : found) EXPECT_EQ(sink->lines, expected->lines);
}

TEST_F(CudaPipeline, SeveralSourcesShareTheDevice) {
    check_several_sources(crowd_settings(), 640, 360);
}

TEST_F(CudaPipeline, SeveralSourcesShareLaunches) {
    const auto settings = test::network_settings();
    if (!settings) GTEST_SKIP() << "skipped: no network in the test data";
    check_several_sources(*settings, 1920, 1080);
}

// Both networks read one frame, in device memory if there is a decoder, with two frames in flight: each finds what it
// finds alone.
TEST_F(CudaDevice, PeopleAndTheirFacesAreThoseOfEachAlone) {
    if (IsSkipped()) return;
    class Kept final : public ResultSink {
    public:
        void write(const FrameResult& result) override {
            frames.push_back({result.kept, result.faces ? result.faces->kept : DetectionSet()});
        }
        void close() override {}
        std::vector<std::pair<DetectionSet, DetectionSet>> frames;  // people, faces
    };
    const std::filesystem::path corpus = test::source_dir() / "tests/fuzz/corpus/onnx";
    PipelineSettings people, faces;
    people.detector = detector_kind("person").params;
    people.detector.model = (corpus / "yolox.onnx").string();
    people.nms = detector_kind("person").nms;
    faces.detector = detector_kind("cnn").params;
    faces.detector.model = (corpus / "yunet.onnx").string();
    faces.detector.score_threshold = 0.3F;
    faces.nms = detector_kind("cnn").nms;
    PipelineSettings both = people;
    both.detector.kind = DetectorId::face_and_person;
    both.faces = DetectionParams{faces.detector, faces.nms, 0};
    const CrowdFile file(640, 360, 12);
    const auto run = [&](const PipelineSettings& settings) {
        SourceOptions source;
        source.prefer_device_frames = true;
        Pipeline pipeline(open_source(file.path(), source), make_cuda_backend(), settings, {});
        const auto sink = std::make_shared<Kept>();
        pipeline.add_sink(sink);
        pipeline.start();
        pipeline.wait();
        const std::optional<Error> failure = pipeline.failure();
        EXPECT_FALSE(failure) << failure->what();
        return sink->frames;
    };
    const auto found = run(both), of_people = run(people), of_faces = run(faces);
    ASSERT_EQ(found.size(), 12U);
    const auto expect_equal = [](const DetectionSet& a, const DetectionSet& b) {
        ASSERT_EQ(a.detections.size(), b.detections.size());
        EXPECT_GT(a.detections.size(), 0U);
        for (std::size_t i = 0; i < a.detections.size(); ++i) {
            EXPECT_EQ(a.detections[i].box.x, b.detections[i].box.x);
            EXPECT_EQ(a.detections[i].box.h, b.detections[i].box.h);
            EXPECT_EQ(a.detections[i].score, b.detections[i].score);
        }
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        expect_equal(found[i].first, of_people[i].first);
        expect_equal(found[i].second, of_faces[i].first);
    }
}

TEST_F(CudaPipeline, OverflowsAreRepeatedAndRawBoxesAreComplete) {
    const CrowdFile file(640, 360, 20);
    PipelineSettings settings = with_raw_boxes();
    settings.capacity = 3;
    const auto found = run_file(file.path(), make_cuda_backend(), true, settings);
    settings.keep_raw = false;
    settings.capacity = 4096;
    const auto expected = run_file(file.path(), make_cuda_backend(), true, settings);
    ASSERT_EQ(found->lines.size(), expected->lines.size());
    for (std::size_t i = 0; i < found->lines.size(); ++i) {
        const std::string& line = found->lines[i];
        const auto raw = line.find(",\"raw_boxes\"");
        ASSERT_NE(raw, std::string::npos);
        EXPECT_EQ(line.substr(0, raw), expected->lines[i].substr(0, expected->lines[i].find(",\"raw_boxes\"")));
    }
}

// With the first stage as a segment of its own, more windows are queued than queues hold at first.
TEST_F(CudaPipeline, FramesWithManyCandidatesAreRepeated) {
    const CrowdFile file(640, 360, 20);
    const auto expected = run_file(file.path(), make_cpu_backend(), false);
    PipelineSettings settings = crowd_settings();
    settings.detector.switches["segments"] = "0,1";
    for (const char* graph : {"on", "off"}) {
        settings.detector.switches["graph"] = graph;
        EXPECT_EQ(run_file(file.path(), make_cuda_backend(), true, settings)->lines, expected->lines) << graph;
    }
}

// Frames of every size and format in sequence, as from a faulty sender.
class OddFrames final : public VideoSource {
public:
    ReadStatus read(Frame& frame, std::stop_token) override {
        constexpr std::pair<int, int> kSizes[] = {{1, 1},   {500, 1}, {1, 500}, {19, 19},   {20, 20},
                                                  {24, 24}, {64, 48}, {33, 77}, {1921, 81}, {640, 360}};
        constexpr PixelFormat kFormats[] = {PixelFormat::gray8, PixelFormat::bgr24, PixelFormat::yuv420p,
                                            PixelFormat::nv12};
        const auto at = static_cast<std::size_t>(next_);
        if (at >= std::size(kSizes) * std::size(kFormats)) return ReadStatus::end;
        const auto [width, height] = kSizes[at % std::size(kSizes)];
        WritableFrame made = pool_.take(kFormats[at / std::size(kSizes)], width, height);
        for (int p = 0; p < plane_count(made.info().format); ++p) {
            const PlaneView plane = made.plane(p);
            for (int y = 0; y < plane.height; ++y) {
                for (int x = 0; x < plane.width; ++x) {
                    made.data(p)[plane.pitch * y + x] = static_cast<std::uint8_t>((x * 7 + y * 13 + next_) & 0xff);
                }
            }
        }
        made.info().index = next_++;
        frame = std::move(made).finish();
        return ReadStatus::format_changed;
    }
    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = "odd";
        return info;
    }

private:
    FramePool pool_;
    std::int64_t next_ = 0;
};

TEST_F(CudaPipeline, FramesOfEverySizeAndFormatInOneStream) {
    std::vector<std::string> lines[2];
    for (const bool cuda : {false, true}) {
        Pipeline pipeline(std::make_unique<OddFrames>(), cuda ? make_cuda_backend() : make_cpu_backend(),
                          crowd_settings());
        auto sink = std::make_shared<LineSink>();
        pipeline.add_sink(sink);
        pipeline.start();
        pipeline.wait();
        EXPECT_EQ(pipeline.state(), PipelineState::ended);
        lines[cuda ? 1 : 0] = sink->lines;
    }
    EXPECT_EQ(lines[0].size(), 40U);
    EXPECT_EQ(lines[0], lines[1]);
}

TEST_F(CudaPipeline, ChangingSwitchesWhileRunningKeepsResults) {
    const CrowdFile file(640, 360, 120);
    const auto expected = run_file(file.path(), make_cuda_backend(), true);
    SourceOptions source;
    source.prefer_device_frames = true;
    Pipeline pipeline(open_source(file.path(), source), make_cuda_backend(), crowd_settings());
    auto sink = std::make_shared<LineSink>();
    pipeline.add_sink(sink);
    pipeline.start();
    const std::pair<const char*, const char*> choices[] = {
        {"segments", "1"},        {"segments", "3"},      {"segments", "4,9"},      {"scales", "streams"},
        {"scales", "sequential"}, {"first-scale", "off"}, {"features", "geometry"}, {"tiles", "off"},
        {"tail", "off"},          {"graph", "on"}};
    std::uint64_t detected = 0;
    for (const auto& [id, choice] : choices) {
        PipelineSettings settings = crowd_settings();
        settings.detector.switches[id] = choice;
        pipeline.update(settings);
        detected += 10;
        ASSERT_TRUE(test::eventually([&] { return pipeline.counters().detected >= detected; }));
        EXPECT_EQ(pipeline.notice(), "");
    }
    PipelineSettings settings = crowd_settings();
    settings.detector.switches["tail"] = "perhaps";
    pipeline.update(settings);
    pipeline.wait();
    EXPECT_EQ(sink->lines, expected->lines);
}

TEST_F(CudaPipeline, DeviceMemoryIsStable) {
    const CrowdFile file(640, 360, 30);
    SourceOptions source;
    source.prefer_device_frames = true;
    PipelineOptions options;
    options.loop = true;
    options.max_frames = 3000;
    const std::shared_ptr<Backend> backend = make_cuda_backend();
    Pipeline pipeline(open_source(file.path(), source), backend, crowd_settings(), options);
    pipeline.start();
    while (pipeline.counters().detected < 500 && !pipeline.wait_for(std::chrono::milliseconds(1))) {
    }
    const auto before = backend->device_memory();
    pipeline.wait();
    const auto after = backend->device_memory();
    ASSERT_TRUE(before && after);
    EXPECT_LE(after->used, before->used + (std::uint64_t{8} << 20));
    EXPECT_EQ(pipeline.counters().detected, 3000U);
}

TEST_F(CudaDevice, UnknownDeviceIsRejected) {
    try {
        static_cast<void>(make_cuda_backend(99));
        FAIL() << "device 99 must be rejected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("99"), std::string::npos);
    }
}

}  // namespace
}  // namespace throng
