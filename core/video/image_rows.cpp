#include "core/video/image_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/video/image_file.h"
#include "core/video/jpeg.h"
#include "core/video/png.h"
#include "core/video/tiff_decoder.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_system_error(const fs::path& path) {
    throw Error(ErrorKind::input, {"cannot read the image: %1", std::generic_category().message(errno).c_str()},
                path.string());
}

[[noreturn]] void throw_too_large(const fs::path& path, const ImageHeader& header, const Message& advice) {
    throw Error(ErrorKind::input, {"the image is too large: %1x%2 pixels", header.width, header.height}, path.string(),
                advice);
}

int rows_of_strip(const ImageHeader& header) {
    return static_cast<int>(std::clamp<std::int64_t>(strip_limits().strip_bytes / (3 * header.width), 1, 1 << 16));
}

std::unique_ptr<PixelRows> open_rows(const fs::path& path, const ImageHeader& header) {
    OpenFile file = open_image_bytes(path);
    if (header.kind == ImageKind::jpeg) return std::make_unique<JpegRows>(std::move(file));
    if (header.kind == ImageKind::png) {
        auto rows = std::make_unique<PngRows>(std::move(file));
        if (rows->is_interlaced()) throw_too_large(path, header, "write the PNG file without interlacing");
        return rows;
    }
    auto rows = std::make_unique<TiffRows>(std::move(file), header.orientation.flip_y);
    if (rows->size().empty()) throw_too_large(path, header, "convert it to 8 bits per sample");
    // libtiff decodes a strip as a whole.
    if (std::int64_t{4} * header.width * rows->rows_of_strip() > 16 * strip_limits().strip_bytes) {
        throw_too_large(path, header, "write the TIFF file with strips or tiles of fewer rows");
    }
    return rows;
}

// Raises `largest` to the largest sample of an image with more than 8 bits.
ImagePixels next_composed(PixelRows& rows, int num_rows, const fs::path& path, double* largest = nullptr) {
    try {
        ImagePixels pixels = rows.next(num_rows);
        if (largest != nullptr && pixels.deep) *largest = std::max(*largest, max_sample(pixels.image));
        compose_over_white(pixels);
        return pixels;
    } catch (const Error& error) {
        throw Error(error.kind(), error.problem(), path.string(), error.advice());
    }
}

// Describes what the first pass over a file has found, and later ones must find again.
struct StripContent {
    fs::path path;
    ImageHeader header;
    std::stop_token stop;
    int channels = 1;
    std::int64_t first_damaged = std::numeric_limits<std::int64_t>::max();  // row of the first strip with damage
};

void check_stop(const std::stop_token& stop, const fs::path& path) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while reading", path.string());
}

class StripReader final : public RowReader {
public:
    explicit StripReader(StripContent content)
        : content_(std::move(content)),
          rows_(open_rows(content_.path, content_.header)),
          num_rows_(rows_of_strip(content_.header)) {
        // The file may have changed since its header was read.
        const cv::Size size(static_cast<int>(content_.header.width), static_cast<int>(content_.header.height));
        if (rows_->size() == size && rows_->channels() == content_.channels) return;
        throw undecodable_image(rows_->next(1).damage, content_.path.string());
    }

    PlaneView next() override {
        check_stop(content_.stop, content_.path);
        if (row_ == content_.header.height) return {};
        strip_ = next_composed(*rows_, num_rows_, content_.path);
        cv::Mat& image = strip_.image;
        // Faces are not found in rows that only this pass cannot read.
        const bool is_new = !strip_.damage.empty() && row_ < content_.first_damaged;
        if (image.empty() || is_new) {
            throw Error(ErrorKind::input, "the image ended early while it was read again", content_.path.string(),
                        strip_.damage);
        }
        row_ += image.rows;
        if (content_.header.orientation.flip_x) cv::flip(image, image, 1);
        return {image.data, static_cast<std::ptrdiff_t>(image.step[0]), image.cols * image.channels(), image.rows};
    }

private:
    StripContent content_;
    std::unique_ptr<PixelRows> rows_;
    int num_rows_;
    std::int64_t row_ = 0;  // the next one
    ImagePixels strip_;
};

class StripFile final : public FrameRows {
public:
    explicit StripFile(StripContent content) : content_(std::move(content)) {}

    std::unique_ptr<RowReader> open() const override { return std::make_unique<StripReader>(content_); }

private:
    StripContent content_;
};

}  // namespace

OpenFile open_image_bytes(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) throw_system_error(path);
    OpenFile file(::fdopen(descriptor, "rb"));
    if (!file) {
        ::close(descriptor);
        throw_system_error(path);
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) throw_system_error(path);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::input, "not a regular file", path.string());
    return file;
}

ImageStrips open_strips(const fs::path& path, const ImageHeader& header, const std::stop_token& stop,
                        const std::stop_token& reader_stop) {
    // Strips of TIFF files can be read in any order, those of other files from the top only.
    if (header.orientation.transpose || (header.orientation.flip_y && header.kind != ImageKind::tiff)) {
        throw Error(ErrorKind::input,
                    {"the image is too large to be rotated: %1x%2 pixels", header.width, header.height}, path.string(),
                    "store its pixels as they are displayed, such as with `vips autorot`");
    }
    const std::unique_ptr<PixelRows> rows = open_rows(path, header);
    ImageStrips result;
    StripContent content{.path = path, .header = header, .stop = reader_stop, .channels = rows->channels()};
    result.format = content.channels == 1 ? PixelFormat::gray8 : PixelFormat::bgr24;
    double largest = 0;
    std::int64_t num_rows = 0;
    for (;;) {
        check_stop(stop, path);
        const ImagePixels strip = next_composed(*rows, rows_of_strip(header), path, &largest);
        if (result.damage.empty() && !strip.damage.empty()) content.first_damaged = num_rows;
        result.damage = strip.damage;
        result.cut = strip.cut;
        if (strip.image.empty()) break;
        num_rows += strip.image.rows;
        result.composed = result.composed || strip.composed;
    }
    if (num_rows != header.height) throw undecodable_image(result.damage, path.string());
    result.is_dark = is_dark(largest);
    result.rows = std::make_shared<StripFile>(std::move(content));
    return result;
}

void compose_over_white(ImagePixels& pixels) {
    if (pixels.alpha.empty()) return;
    cv::Mat& image = pixels.image;
    if (image.channels() == 1) cv::cvtColor(image, image, cv::COLOR_GRAY2BGR);
    pixels.composed = cv::countNonZero(pixels.alpha != 255) > 0;
    if (!pixels.composed) return;
    for (int y = 0; y < image.rows; ++y) {
        auto* colors = image.ptr<cv::Vec3b>(y);
        const std::uint8_t* opacity = pixels.alpha.ptr(y);
        for (int x = 0; x < image.cols; ++x) {
            const int a = opacity[x];
            for (int c = 0; c < 3; ++c) {
                colors[x][c] = pixels.premultiplied ? static_cast<std::uint8_t>(std::min(colors[x][c] + 255 - a, 255))
                                                    : over_white(colors[x][c], a);
            }
        }
    }
}

double max_sample(const cv::Mat& image) {
    double largest = 0;
    cv::minMaxLoc(image.reshape(1), nullptr, &largest);
    return largest;
}

bool is_dark(double largest) {
    constexpr double kDarkest = 16;  // of 255
    return largest > 0 && largest <= kDarkest;
}

}  // namespace throng
