#include "app/options/output_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/pipeline/async_sink.h"
#include "core/pipeline/json_sink.h"
#include "core/video/annotated_sinks.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Remembers that its output failed.
class OutputSink final : public ResultSink {
public:
    OutputSink(std::shared_ptr<ResultSink> inner, std::shared_ptr<std::atomic<bool>> failed)
        : inner_(std::move(inner)), failed_(std::move(failed)) {}

    void write(const FrameResult& result) override {
        guard([&] { inner_->write(result); });
    }
    void close() override {
        guard([&] { inner_->close(); });
    }

private:
    template <typename Call>
    void guard(Call call) {
        try {
            call();
        } catch (...) {
            *failed_ = true;
            throw;
        }
    }

    std::shared_ptr<ResultSink> inner_;
    std::shared_ptr<std::atomic<bool>> failed_;
};

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    if (fs::equivalent(a, b, ignored)) return true;
    return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

std::string numbered(const std::string& path, std::size_t number) {
    const fs::path given(path);
    return (given.parent_path() / (given.stem().string() + "-" + std::to_string(number) + given.extension().string()))
        .string();
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
    const auto group = "Output";
    command.add_option("--json", options.json, "Write detections as JSON lines; - for standard output")
        ->type_name("OUT.jsonl")
        ->group(group);
    command.add_option("--video", options.video, "Write an annotated H.264 video")->type_name("OUT.mp4")->group(group);
    command.add_option("--images", options.images, "Write annotated pictures into a folder")
        ->type_name("DIR")
        ->group(group);
    command.add_flag("--raw", options.raw, "Raw detections too, in JSON lines, video and pictures")->group(group);
    command.add_flag("--blur", options.blur, "Make faces unrecognisable in video and pictures")->group(group);
}

void check_outputs(const OutputOptions& options, const std::vector<std::string>& sources) {
    if (options.video == "-") {
        throw Error(ErrorKind::usage, "a video cannot go to standard output", "--video", "name a file");
    }
    for (const auto& [option, path] : {std::pair{"--json", options.json}, std::pair{"--video", options.video}}) {
        if (path.empty() || path == "-") continue;
        for (const std::string& source : sources) {
            if (!same_file(path, source)) continue;
            throw Error(ErrorKind::usage, "would overwrite the input " + source, std::string(option) + " " + path,
                        "name another file");
        }
    }
    if (!options.json.empty() && !options.video.empty() && same_file(options.json, options.video)) {
        throw Error(ErrorKind::usage, "is the same file as --json", "--video " + options.video, "name another file");
    }
}

OutputFiles::OutputFiles(const OutputOptions& options, std::size_t sources)
    : options_(options), sources_(sources), failed_(std::make_shared<std::atomic<bool>>(false)) {
    const auto share = [this](std::shared_ptr<ResultSink> sink) {
        shared_.push_back(std::make_shared<SharedSink::Shared>(std::move(sink)));
    };
    if (!options.json.empty()) share(std::make_shared<JsonSink>(options.json, options.raw));
    if (!options.images.empty()) share(make_image_sink(options.images, {.raw = options.raw, .blur = options.blur}));
}

std::vector<std::shared_ptr<ResultSink>> OutputFiles::sinks_for(std::size_t number, const SourceInfo& source) {
    std::vector<std::shared_ptr<ResultSink>> sinks;
    for (const auto& shared : shared_) {
        // An only pipeline closes them itself.
        std::shared_ptr<ResultSink> sink = shared->sink;
        if (sources_ > 1) sink = std::make_shared<SharedSink>(shared);
        sinks.push_back(std::make_shared<OutputSink>(std::move(sink), failed_));
    }
    if (sources_ <= 1) shared_.clear();
    if (!options_.video.empty()) {
        const std::string path = sources_ > 1 ? numbered(options_.video, number + 1) : options_.video;
        auto video = make_video_sink(path, source.fps, {.raw = options_.raw, .blur = options_.blur});
        // Encoding has a thread of its own, so that it does not hold up the detector.
        sinks.push_back(std::make_shared<OutputSink>(std::make_shared<AsyncSink>(std::move(video)), failed_));
    }
    return sinks;
}

std::vector<std::shared_ptr<ResultSink>> make_sinks(const OutputOptions& options, const SourceInfo& source) {
    return OutputFiles(options, 1).sinks_for(0, source);
}

void OutputFiles::close() {
    const auto closing = std::exchange(shared_, {});
    for (const auto& shared : closing) shared->sink->close();
}

}  // namespace throng
