// Runs the pipeline over a whole file, for comparison.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "core/pipeline/pipeline.h"
#include "core/sinks/json_sink.h"
#include "core/synth/crowd.h"
#include "core/video/source.h"
#include "core/video/video_writer.h"
#include "gpu/frame/device_converter.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/test_data.h"

namespace throng::test {

// Stores the lines that the command line would write, without the times.
class LineSink final : public ResultSink {
public:
    void write(const FrameResult& result) override {
        static const std::regex times(R"(,"timings_ms":\{[^}]*\})");
        lines.push_back(std::regex_replace(json_line(result, {.raw = true}), times, ""));
        memory.push_back(result.frame.info().memory);
    }
    void close() override { closed = true; }

    std::vector<std::string> lines;
    std::vector<MemoryKind> memory;
    bool closed = false;
};

// An H.264 file of the drawn crowd; the destructor removes it.
class CrowdFile {
public:
    CrowdFile(int width, int height, int frames) {
        path_ = (std::filesystem::temp_directory_path() /
                 ("throng-" + std::to_string(::getpid()) + "-" + std::to_string(width) + ".mp4"))
                    .string();
        CrowdOptions options;
        options.width = width;
        options.height = height;
        options.faces = 12;
        options.frames = frames;
        const Crowd crowd(options);
        VideoWriter writer(path_);
        for (int i = 0; i < frames; ++i) {
            writer.write(crowd.frame(i).with_timing(i, static_cast<double>(i) / 25, {}));
        }
        writer.close();
    }
    ~CrowdFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    CrowdFile(const CrowdFile&) = delete;
    CrowdFile& operator=(const CrowdFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Returns the cascades' default model, or nothing if it is not installed.
inline std::optional<std::filesystem::path> crowd_model() {
    return cascade_file("haarcascade_frontalface_alt2.xml");
}

inline PipelineSettings crowd_settings() {
    PipelineSettings settings;
    settings.detector.model = crowd_model().value_or("").string();
    settings.detector.min_size = 24;
    settings.detector.scale_factor = 1.2;
    settings.nms.overlap = Overlap::min;
    settings.nms.theta = 0.5F;
    return settings;
}

// Returns the settings for a network of the test data, or nothing if it is not there: none is installed in tests.
inline std::optional<PipelineSettings> network_settings() {
    const auto data = data_dir();
    if (!data || !std::filesystem::exists(*data / "models/yunet_n_dynamic.onnx")) return std::nullopt;
    PipelineSettings settings;
    settings.detector.kind = DetectorId::cnn;
    settings.detector.model = (*data / "models/yunet_n_dynamic.onnx").string();
    return settings;
}

// Fixture for tests that need that model in addition to a device.
class CrowdTest : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!IsSkipped() && !crowd_model()) GTEST_SKIP() << "skipped: no opencv-data";
    }
};

// Returns the lines for a file on a backend. device: frames stay in the decoder's device memory.
inline std::shared_ptr<LineSink> run_file(const std::string& path, std::shared_ptr<Backend> backend, bool device,
                                          const PipelineSettings& settings = crowd_settings(),
                                          const PipelineOptions& options = {}) {
    SourceOptions source;
    source.prefer_device_frames = device;
    source.make_converter = gpu::make_device_converter;
    Pipeline pipeline(open_source(path, source), std::move(backend), settings, options);
    auto sink = std::make_shared<LineSink>();
    pipeline.add_sink(sink);
    pipeline.start();
    pipeline.wait();
    pipeline.stop();
    const auto failure = pipeline.failure();
    EXPECT_FALSE(failure.has_value()) << failure->what();
    return sink;
}

}  // namespace throng::test
