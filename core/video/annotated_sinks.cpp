#include "core/video/annotated_sinks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/frame/frame_pool.h"
#include "core/video/annotate.h"
#include "core/video/convert.h"
#include "core/video/image_writer.h"
#include "core/video/video_writer.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 80;

class Annotator {
public:
    explicit Annotator(const AnnotatedOptions& options) {
        style_.raw = options.raw;
        style_.privacy = options.blur ? Privacy::blur : Privacy::none;
    }

    [[nodiscard]] Frame draw(const FrameResult& result) {
        WritableFrame picture = converter_.bgr_copy(result.frame, pool_);
        annotate(picture, result.kept.detections, result.raw.detections, style_);
        if (style_.kept && style_.privacy == Privacy::none) draw_landmarks(picture, result.kept);
        return std::move(picture).finish();
    }

private:
    AnnotateStyle style_;
    PixelConverter converter_;
    FramePool pool_;
};

class VideoSink final : public ResultSink {
public:
    VideoSink(const std::string& path, const VideoWriterOptions& writer, const AnnotatedOptions& options)
        : annotator_(options), writer_(path, writer), path_(path) {}

    void write(const FrameResult& result) override {
        writer_.write(annotator_.draw(result));
        if (std::exchange(first_, false) && !writer_.notice().empty()) spdlog::warn("{}: {}", path_, writer_.notice());
    }
    void close() override { writer_.close(); }

private:
    Annotator annotator_;
    VideoWriter writer_;
    std::string path_;
    bool first_ = true;
};

bool is_still_image(const fs::path& source) {
    constexpr std::array<std::string_view, 10> kExtensions = {".jpg",  ".jpeg", ".png", ".webp", ".bmp",
                                                              ".tiff", ".tif",  ".pgm", ".ppm",  ".pnm"};
    std::string extension = source.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

// What is left of "crowd:faces=60" or "rtsp://host/stream" as a file name.
std::string file_name_of(const fs::path& source) {
    const bool is_path = source.string().find(':') == std::string::npos;
    std::string name = is_path ? source.stem().string() : source.string();
    for (char& c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte) == 0 && c != '-' && c != '.') c = '_';
    }
    if (name.size() > kLongestName) name.resize(kLongestName);
    return name.empty() ? "frame" : name;
}

class ImageSink final : public ResultSink {
public:
    ImageSink(std::string folder, const AnnotatedOptions& options) : annotator_(options), folder_(std::move(folder)) {
        std::error_code trouble;
        fs::create_directories(folder_, trouble);
        if (trouble) throw Error(ErrorKind::input, "cannot make the folder: " + trouble.message(), folder_.string());
        if (!fs::is_directory(folder_)) throw Error(ErrorKind::input, "is not a folder", folder_.string());
    }

    void write(const FrameResult& result) override {
        const fs::path path = path_for(result);
        std::error_code ignored;
        if (fs::equivalent(path, result.source, ignored)) {
            throw Error(ErrorKind::usage, "would overwrite the input", path.string(),
                        "write the pictures into another folder");
        }
        write_image(path.string(), annotator_.draw(result));
    }
    void close() override {}

private:
    fs::path path_for(const FrameResult& result) {
        const fs::path source(result.source);
        const std::string name = file_name_of(source);
        if (!is_still_image(source)) return folder_ / fmt::format("{}-{:06}.jpg", name, result.frame.info().index);
        std::string unique = name;
        for (int copy = 2; !used_.insert(unique).second; ++copy) unique = fmt::format("{}-{}", name, copy);
        return folder_ / (unique + ".jpg");
    }

    Annotator annotator_;
    fs::path folder_;
    std::set<std::string> used_;  // images of one name may come from several folders
};

}  // namespace

std::shared_ptr<ResultSink> make_video_sink(const std::string& path, double fps, const AnnotatedOptions& options) {
    VideoWriterOptions writer;
    if (fps > 0) writer.fps = fps;
    return std::make_shared<VideoSink>(path, writer, options);
}

std::shared_ptr<ResultSink> make_image_sink(const std::string& folder, const AnnotatedOptions& options) {
    return std::make_shared<ImageSink>(folder, options);
}

}  // namespace throng
