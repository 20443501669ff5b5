#include "core/video/image_source.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/first_of_list.h"
#include "core/base/log.h"
#include "core/base/resources.h"
#include "core/video/file_kind.h"
#include "core/video/format_watch.h"
#include "core/video/formats.h"
#include "core/video/image_ahead.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr double kImagesPerSecond = 1;

// The images of a folder, or one image. The index of an image counts only readable images.
class ImageSource final : public VideoSource {
public:
    ImageSource(std::string name, std::vector<std::string> paths, bool folder, ImageSizes sizes,
                const std::stop_token& stop)
        : name_(std::move(name)), paths_(std::move(paths)), folder_(folder), queue_(sizes) {
        const std::size_t found = paths_.size();
        load_next(stop);
        if (ahead_) return;
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", name_);
        throw Error(ErrorKind::input, Message("none of the %1 images in the folder can be read", found), name_,
                    {"the first: %1", first_problem_});
    }

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (!ahead_) {
            if (std::exchange(first_read_, false) && paths_.size() > 2) {
                queue_.start(cpu_cores());
            }
            load_next(stop);
        }
        if (stop.stop_requested()) return ReadStatus::timeout;
        if (!ahead_) return ReadStatus::end;
        const auto pts = static_cast<double>(next_) / kImagesPerSecond;
        frame =
            ahead_->image.frame.with_timing(static_cast<std::int64_t>(next_), pts, std::chrono::steady_clock::now());
        current_ = paths_[next_++];
        if (!ahead_->image.incomplete.empty()) incomplete_images_[current_] = std::move(ahead_->image.incomplete);
        decode_ms_ = ahead_->ms;
        ahead_.reset();
        width_ = frame.width();
        height_ = frame.height();
        return format_.status_of(frame);
    }

    bool seek(double seconds) override {
        if (!std::isfinite(seconds)) return false;
        const auto last = static_cast<double>(paths_.size() - 1);
        next_ = static_cast<std::size_t>(std::clamp(std::floor(seconds * kImagesPerSecond + 1e-6), 0.0, last));
        ahead_.reset();
        queue_.clear();
        return true;
    }

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = name_;
        info.details = folder_ ? Message(paths_.size() == 1 ? "%1 image" : "%1 images", paths_.size())
                               : Message("image %1x%2", width_, height_);
        info.width = width_;
        info.height = height_;
        info.frame_count = static_cast<std::int64_t>(paths_.size());
        info.seekable = true;
        if (folder_) {
            info.fps = kImagesPerSecond;
            info.duration = static_cast<double>(paths_.size()) / kImagesPerSecond;
        }
        return info;
    }

    [[nodiscard]] std::string current_name() const override { return current_.empty() ? name_ : current_; }

    [[nodiscard]] std::optional<double> decode_ms() const override { return decode_ms_; }
    [[nodiscard]] Message notice() const override { return incomplete(); }
    [[nodiscard]] std::string incomplete() const override {
        if (!folder_) return incomplete_images_.empty() ? "" : incomplete_images_.begin()->second;
        std::string text;
        if (skipped_ > 0) text = count_of_images(skipped_) + " skipped, the first: " + first_problem_;
        if (!incomplete_images_.empty()) {
            const auto& [path, why] = *incomplete_images_.begin();
            text += (text.empty() ? "" : "; ") + count_of_images(incomplete_images_.size()) +
                    " incomplete, the first: " + path + ": " + why;
        }
        return text;
    }

private:
    static std::string count_of_images(std::size_t count) {
        return std::to_string(count) + (count == 1 ? " image" : " images");
    }

    // Loads the image at next_. Skips images that cannot be read, but throws if the source is a single image. The queue
    // holds the images from next_ on.
    void load_next(const std::stop_token& stop) {
        while (next_ < paths_.size() && !stop.stop_requested()) {
            const std::size_t last = std::min(next_ + queue_.depth(), paths_.size());
            for (std::size_t k = next_ + queue_.size(); k < last; ++k) queue_.push(paths_[k]);
            try {
                ahead_ = queue_.pop(stop);
                if (!ahead_) return;
                const LoadedImage& image = ahead_->image;
                width_ = image.frame.width();
                height_ = image.frame.height();
                if (folder_ && !image.incomplete.empty()) logger().warn("{}: {}", paths_[next_], image.incomplete);
                return;
            } catch (const Error& problem) {
                if (!folder_) throw;
                logger().warn("skipped: {}", problem.what());
                if (skipped_++ == 0) first_problem_ = problem.what();
                paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next_));
            }
        }
    }

    std::string name_;
    std::vector<std::string> paths_;
    bool folder_;
    std::size_t next_ = 0;
    std::optional<DecodedImage> ahead_;
    std::optional<double> decode_ms_;
    std::string current_;
    struct NaturalOrder {
        bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
    };
    std::map<std::string, std::string, NaturalOrder> incomplete_images_;  // path to reason
    std::string first_problem_;
    std::size_t skipped_ = 0;
    int width_ = 0;
    int height_ = 0;
    FormatWatch format_;
    bool first_read_ = true;  // nothing is decoded ahead before reading continues after the first image
    ImageAhead queue_;
};

std::vector<std::string> images_in(const std::string& folder) {
    std::vector<std::string> images;
    std::vector<std::string> others;
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
        std::error_code ignored;
        const fs::path& path = it->path();
        if (path.filename().string().front() == '.' || it->is_directory(ignored)) continue;
        if (it->exists(ignored) && !it->is_regular_file(ignored)) continue;  // a dangling link is reported later
        if (format_of_name(path).kind == NameKind::image || is_still_image(path)) {
            images.push_back(path.string());
        } else {
            others.push_back(path.filename().string());
        }
    }
    if (failure) throw Error(ErrorKind::input, {"cannot read the folder: %1", failure.message().c_str()}, folder);
    if (!others.empty()) {
        std::sort(others.begin(), others.end(), natural_less);
        const bool one = others.size() == 1;
        logger().info("{}: {} other {}: {}", folder, others.size(),
                      one ? "file is not an image" : "files are not images", first_of_list(others));
    }
    std::sort(images.begin(), images.end(), natural_less);
    return images;
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            while (i < a.size() && a[i] == '0') ++i;
            while (j < b.size() && b[j] == '0') ++j;
            std::size_t i_end = i;
            std::size_t j_end = j;
            while (i_end < a.size() && digit(a[i_end])) ++i_end;
            while (j_end < b.size() && digit(b[j_end])) ++j_end;
            if (i_end - i != j_end - j) return i_end - i < j_end - j;
            const int order = a.compare(i, i_end - i, b, j, j_end - j);
            if (order != 0) return order < 0;
            i = i_end;
            j = j_end;
        } else {
            if (lower(a[i]) != lower(b[j])) return lower(a[i]) < lower(b[j]);
            ++i;
            ++j;
        }
    }
    if (i < a.size() || j < b.size()) return i == a.size();
    return a < b;  // equal except for case or leading zeros
}

std::unique_ptr<VideoSource> open_image(const std::string& path, ImageSizes sizes, const std::stop_token& stop) {
    return std::make_unique<ImageSource>(path, std::vector<std::string>{path}, false, sizes, stop);
}

std::unique_ptr<VideoSource> open_image_folder(const std::string& path, ImageSizes sizes, const std::stop_token& stop) {
    std::vector<std::string> images = images_in(path);
    if (images.empty()) {
        throw Error(ErrorKind::input, "the folder contains no images", path, kSupportedImages);
    }
    return std::make_unique<ImageSource>(path, std::move(images), true, sizes, stop);
}

}  // namespace throng
