#include "core/video/image_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/heif.h"
#include "core/video/image_header.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFile = std::uintmax_t{1} << 29;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kHeaderBytes = std::size_t{1} << 16;

[[noreturn]] void throw_unreadable(int error, const fs::path& path) {
    throw Error(ErrorKind::input, "cannot read the image: " + std::generic_category().message(error), path.string());
}

// Reads regular files only: opening or reading another kind of file may block for ever.
std::vector<std::uint8_t> file_bytes(const fs::path& path, std::size_t at_most) {
    const auto close = [](std::FILE* file) { static_cast<void>(std::fclose(file)); };
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) throw_unreadable(errno, path);
    const std::unique_ptr<std::FILE, decltype(close)> file(::fdopen(descriptor, "rb"), close);
    if (!file) throw_unreadable(errno, path);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) throw_unreadable(errno, path);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::input, "not a regular file", path.string());
    std::vector<std::uint8_t> bytes(at_most);
    bytes.resize(std::fread(bytes.data(), 1, at_most, file.get()));
    if (std::ferror(file.get()) != 0) throw_unreadable(errno, path);
    return bytes;
}

void check(const ImageHeader& header, const fs::path& path) {
    if (header.animated && header.kind == ImageKind::webp) {
        throw Error(ErrorKind::input, "animated WebP is not supported", path.string(), "convert it to GIF or MP4");
    }
    if (header.width < 1 || header.height < 1) {
        throw Error(ErrorKind::input, "the image header is damaged", path.string());
    }
    if (header.height > kMaxPixels / header.width) {
        throw Error(
            ErrorKind::input,
            "the image is too large: " + std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels",
            path.string(), "at most " + std::to_string(kMaxPixels >> 20) + " megapixels are supported");
    }
}

cv::Mat decoded(const std::vector<std::uint8_t>& bytes, int flags, const fs::path& path) {
    cv::Mat image;
    try {
        image = cv::imdecode(bytes, flags);
    } catch (const cv::Exception& failure) {
        throw Error(ErrorKind::input, "the image cannot be decoded: " + failure.err, path.string());
    }
    if (image.empty()) {
        throw Error(ErrorKind::input, "the image cannot be decoded", path.string(), "the file is damaged or cut short");
    }
    return image;
}

cv::Mat with_8_bits(const cv::Mat& image) {
    double scale = 1;
    switch (image.depth()) {
        case CV_8U: return image;
        case CV_16U: scale = 255.0 / 65535.0; break;
        case CV_32F:
        case CV_64F: scale = 255; break;
        default: break;
    }
    cv::Mat result;
    image.convertTo(result, CV_8U, scale);
    return result;
}

struct Pixels {
    cv::Mat image;
    bool composed = false;
    bool damaged = false;  // only a part could be decoded
};

// Composes colors over white, in place. premultiplied: the colors are multiplied by alpha already. Returns true if a
// pixel was transparent.
bool compose_over_white(cv::Mat& bgr, const cv::Mat& alpha, bool premultiplied) {
    if (cv::countNonZero(alpha != 255) == 0) return false;
    for (int y = 0; y < bgr.rows; ++y) {
        auto* pixels = bgr.ptr<cv::Vec3b>(y);
        const std::uint8_t* opacity = alpha.ptr(y);
        for (int x = 0; x < bgr.cols; ++x) {
            const int a = opacity[x];
            for (int c = 0; c < 3; ++c) {
                pixels[x][c] = premultiplied ? static_cast<std::uint8_t>(std::min(pixels[x][c] + 255 - a, 255))
                                             : over_white(pixels[x][c], a);
            }
        }
    }
    return true;
}

Pixels read_heif_pixels(const ImageFile& file) {
    const HeaderBytes bytes(file.bytes);
    try {
        const HeifFile heif = read_heif(bytes).value();
        HeifPixels decoded = decode_heif(heif, bytes);
        Pixels pixels{decoded.bgr, false, decoded.damaged};
        if (!decoded.alpha.empty()) {
            pixels.composed = compose_over_white(pixels.image, decoded.alpha, heif.premultiplied);
        }
        return pixels;
    } catch (const Error& error) {
        throw Error(error.kind(), error.problem(), file.path.string(), error.advice());
    }
}

// Returns the pixels as they are stored: the orientation is not applied.
Pixels read_pixels(const ImageFile& file) {
    if (file.header.kind == ImageKind::heif) return read_heif_pixels(file);
    if (file.header.alpha) {
        // IMREAD_UNCHANGED is the only mode that returns alpha. In this mode OpenCV does not apply the EXIF
        // orientation.
        const cv::Mat image = with_8_bits(decoded(file.bytes, cv::IMREAD_UNCHANGED, file.path));
        if (image.channels() == 4) {
            Pixels pixels;
            cv::Mat alpha;
            cv::cvtColor(image, pixels.image, cv::COLOR_BGRA2BGR);
            cv::extractChannel(image, alpha, 3);
            pixels.composed = compose_over_white(pixels.image, alpha, false);
            return pixels;
        }
    }
    const int unrotated = cv::IMREAD_IGNORE_ORIENTATION;
    cv::Mat image = with_8_bits(decoded(file.bytes, cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR | unrotated, file.path));
    if (image.channels() == 1 || image.channels() == 3) return {image};
    return {decoded(file.bytes, cv::IMREAD_COLOR | unrotated, file.path)};
}

Frame wrapped(cv::Mat image) {
    FrameInfo info;
    info.width = image.cols;
    info.height = image.rows;
    info.format = image.channels() == 1 ? PixelFormat::gray8 : PixelFormat::bgr24;
    info.range = ColorRange::full;
    info.matrix = ColorMatrix::bt601;
    PlaneView planes[Frame::kMaxPlanes];
    planes[0] = plane_shape(info.format, info.width, info.height, 0);
    planes[0].pitch = static_cast<std::ptrdiff_t>(image.step[0]);
    planes[0].data = image.data;
    return {info, planes, std::make_shared<cv::Mat>(std::move(image))};
}

}  // namespace

ImageFile read_image_file(const fs::path& path) {
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (failure) throw Error(ErrorKind::input, "cannot read the image: " + failure.message(), path.string());
    if (size == 0) throw Error(ErrorKind::input, "the file is empty", path.string());
    if (size > kMaxFile) throw Error(ErrorKind::input, "the file is larger than 512 megabytes", path.string());
    std::vector<std::uint8_t> bytes = file_bytes(path, static_cast<std::size_t>(size));
    const std::optional<ImageHeader> header = read_image_header(bytes);
    if (!header) {
        throw Error(ErrorKind::input, "not an image in a supported format", path.string(), kSupportedImages);
    }
    check(*header, path);
    // decode_image applies the orientation; OpenCV's decoder of TIFF would apply it, too.
    if (header->orientation_at > 0) bytes[header->orientation_at] = 1;
    return {path, std::move(bytes), *header};
}

std::uint64_t decoded_bytes(const ImageFile& file) {
    constexpr std::uint64_t kBytesPerPixel = 3;
    return file.bytes.size() + kBytesPerPixel * static_cast<std::uint64_t>(file.header.width) *
                                   static_cast<std::uint64_t>(file.header.height);
}

LoadedImage decode_image(const ImageFile& file) {
    LoadedImage result;
    const Pixels pixels = read_pixels(file);
    result.frame = wrapped(pixels.image);
    result.composed = pixels.composed;
    if (!file.header.orientation.is_identity()) {
        FramePool pool(0);
        result.frame = rotated(result.frame, file.header.orientation, pool);
    }
    if (pixels.damaged) {
        result.frame = result.frame.as_damaged();
        result.incomplete = "the image is damaged: it is decoded as far as possible";
    }
    if (file.header.truncated) {
        result.frame = result.frame.as_damaged();
        result.incomplete = "the image is cut short: the missing part is gray";
    }
    if (file.header.animated) result.incomplete = "the image is animated: only its first frame is used";
    return result;
}

void check_single_page(const ImageFile& file) {
    if (file.header.kind != ImageKind::tiff) return;
    const std::size_t pages = cv::imcount(file.path.string());
    if (pages <= 1) return;
    throw Error(ErrorKind::input, "has " + std::to_string(pages) + " pages, which cannot be written",
                file.path.string(), "split it into files of one page");
}

LoadedImage load_image(const fs::path& path) {
    return decode_image(read_image_file(path));
}

bool is_still_image(const fs::path& path) {
    try {
        return read_image_header(file_bytes(path, kSignatureBytes)).has_value();
    } catch (const Error&) {
        return false;
    }
}

std::optional<ImageHeader> peek_image_header(const fs::path& path) {
    try {
        const std::optional<ImageHeader> header = read_image_header(file_bytes(path, kHeaderBytes));
        if (!header || header->width > 0) return header;
        return read_image_header(file_bytes(path, std::min(fs::file_size(path), kMaxFile)));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

bool is_animated_png(const fs::path& path) {
    try {
        const auto signature = read_image_header(file_bytes(path, kSignatureBytes));
        if (!signature || signature->kind != ImageKind::png) return false;
        return read_image_header(file_bytes(path, std::min(fs::file_size(path), kMaxFile)))->animated;
    } catch (const std::exception&) {
        return false;
    }
}

std::span<const std::string_view> image_extensions() {
    static constexpr std::array<std::string_view, 17> kExtensions = {".jpg", ".jpeg", ".jpe",  ".jfif", ".png", ".webp",
                                                                     ".bmp", ".dib",  ".tif",  ".tiff", ".ppm", ".pgm",
                                                                     ".pbm", ".heic", ".heif", ".avif", ".hif"};
    return kExtensions;
}

bool has_image_extension(const fs::path& path) {
    const std::span<const std::string_view> known = image_extensions();
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(known.begin(), known.end(), extension) != known.end();
}

}  // namespace throng
