#include "core/video/image_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <bit>
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
#include "core/base/extension.h"
#include "core/frame/frame_pool.h"
#include "core/video/heif.h"
#include "core/video/image_header.h"
#include "core/video/jpeg_decoder.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFile = std::uintmax_t{1} << 29;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kHeaderBytes = std::size_t{1} << 16;

[[noreturn]] void throw_unreadable(int error, const fs::path& path) {
    throw Error(ErrorKind::input, {"cannot read the image: %1", std::generic_category().message(error).c_str()},
                path.string());
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
    std::vector<std::uint8_t> bytes(std::min(at_most, static_cast<std::size_t>(status.st_size)));
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
    if (std::ferror(file.get()) != 0) throw_unreadable(errno, path);
    return bytes;
}

// Reads as much of an image file as its header needs. Returns none for other files.
std::optional<ImageHeader> decided_header(const fs::path& path, std::size_t at_most = SIZE_MAX) {
    try {
        if (!read_image_header(file_bytes(path, kSignatureBytes))) return std::nullopt;
        for (std::size_t size = kHeaderBytes;; size *= 16) {
            const std::vector<std::uint8_t> bytes =
                file_bytes(path, std::min({size, at_most, static_cast<std::size_t>(kMaxFile)}));
            const std::optional<ImageHeader> header = read_image_header(bytes);
            if (!header || header->decided || bytes.size() < size) return header;
        }
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void check(const ImageHeader& header, const fs::path& path) {
    if (header.animated && header.kind == ImageKind::webp) {
        throw Error(ErrorKind::input, "animated WebP is not supported", path.string(), "convert it to GIF or MP4");
    }
    if (header.width < 1 || header.height < 1) {
        throw Error(ErrorKind::input, "the image header is damaged", path.string());
    }
    if (header.height > kMaxPixels / header.width) {
        throw Error(ErrorKind::input, {"the image is too large: %1x%2 pixels", header.width, header.height},
                    path.string(), {"at most %1 megapixels are supported", kMaxPixels >> 20});
    }
}

cv::Mat decoded(const std::vector<std::uint8_t>& bytes, int flags, const fs::path& path) {
    cv::Mat image;
    try {
        image = cv::imdecode(bytes, flags);
    } catch (const cv::Exception& failure) {
        throw Error(ErrorKind::input, {"the image cannot be decoded: %1", failure.err}, path.string());
    }
    if (image.empty()) {
        throw Error(ErrorKind::input, "the image cannot be decoded", path.string(), "the file is damaged or cut short");
    }
    return image;
}

struct Pixels {
    cv::Mat image;
    bool composed = false;
    std::string damage{};      // why only a part could be decoded
    std::string scale_note{};  // if the values do not fit the range of their type
};

constexpr const char* kDamaged = "the image is damaged: it is decoded as far as possible";
constexpr const char* kCut = "the image is cut short: its end is missing";

// Converts to 8 bits by the range of the type: 0 to 65535, or 0 to 1 for floating-point numbers. Returns what shows that
// the file means another range.
Pixels with_8_bits(const cv::Mat& image) {
    constexpr double kDark = 1.0 / 16;  // of the range: 12 bits in 16
    double range = 1;
    switch (image.depth()) {
        case CV_8U: return {image};
        case CV_16U: range = 65535; break;
        case CV_32F:
        case CV_64F: break;
        default: range = 255; break;  // integers of other types
    }
    Pixels pixels;
    image.convertTo(pixels.image, CV_8U, 255 / range);
    double least = 0;
    double most = 0;
    const cv::Mat samples = image.reshape(1);
    cv::minMaxLoc(samples, &least, &most);
    const int outside = cv::countNonZero(samples > range);
    if (most > 0 && most <= kDark * range) {
        pixels.scale_note = fmt::format("all values are below {:.4g}, so the image is almost black", most);
    } else if (outside > samples.rows * (samples.cols / 4)) {
        pixels.scale_note =
            fmt::format("values up to {:.4g} are cut off at {:g}, so the image is almost white", most, range);
    }
    if (!pixels.scale_note.empty()) pixels.scale_note += fmt::format(": they should range from 0 to {:g}", range);
    return pixels;
}

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
        Pixels pixels{decoded.bgr, false, decoded.damaged ? kDamaged : ""};
        if (!decoded.alpha.empty()) {
            pixels.composed = compose_over_white(pixels.image, decoded.alpha, heif.premultiplied);
        }
        return pixels;
    } catch (const Error& error) {
        throw Error(error.kind(), error.problem(), file.path.string(), error.advice());
    }
}

Pixels read_jpeg_pixels(const ImageFile& file) {
    JpegPixels decoded = decode_jpeg(file.bytes);
    if (decoded.image.empty()) {
        throw Error(ErrorKind::input, {"the image cannot be decoded: %1", decoded.damage}, file.path.string(),
                    "the file is damaged or cut short");
    }
    Pixels pixels{std::move(decoded.image)};
    if (decoded.cut) {
        pixels.damage = kCut;
    } else if (!decoded.damage.empty()) {
        pixels.damage = std::string(kDamaged) + " (" + decoded.damage + ")";
    }
    return pixels;
}

// Returns the alpha channel of a BMP image, whose rows begin at a multiple of four bytes.
cv::Mat bmp_alpha(const ImageFile& file) {
    const HeaderBytes bytes(file.bytes);
    const std::uint32_t mask = file.header.alpha_mask;
    const std::uint32_t most = mask >> static_cast<unsigned>(std::countr_zero(mask));
    const bool from_top = static_cast<std::int32_t>(bytes.little32(22)) < 0;
    const std::size_t step = bytes.little16(28) / 8;
    const auto width = static_cast<std::size_t>(file.header.width);
    const auto height = static_cast<std::size_t>(file.header.height);
    const std::size_t row = (step * width + 3) / 4 * 4;
    cv::Mat alpha(static_cast<int>(height), static_cast<int>(width), CV_8UC1);
    for (std::size_t y = 0; y < height; ++y) {
        const std::size_t begin = bytes.little32(10) + row * (from_top ? y : height - 1 - y);
        for (std::size_t x = 0; x < width; ++x) {
            const std::size_t at = begin + step * x;
            const std::uint64_t value = ((step == 2 ? bytes.little16(at) : bytes.little32(at)) & mask) >>
                                        static_cast<unsigned>(std::countr_zero(mask));
            alpha.at<std::uint8_t>(static_cast<int>(y), static_cast<int>(x)) =
                static_cast<std::uint8_t>((255 * value + most / 2) / most);
        }
    }
    return alpha;
}

Pixels read_colors(const ImageFile& file) {
    const int unrotated = cv::IMREAD_IGNORE_ORIENTATION;
    Pixels pixels = with_8_bits(decoded(file.bytes, cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR | unrotated, file.path));
    if (pixels.image.channels() == 1 || pixels.image.channels() == 3) return pixels;
    return {decoded(file.bytes, cv::IMREAD_COLOR | unrotated, file.path)};
}

// Returns the pixels as they are stored: the orientation is not applied.
Pixels read_pixels(const ImageFile& file) {
    const ImageHeader& header = file.header;
    if (header.kind == ImageKind::heif) return read_heif_pixels(file);
    if (header.kind == ImageKind::jpeg) return read_jpeg_pixels(file);
    if (header.alpha_mask != 0) {
        Pixels pixels = read_colors(file);
        if (pixels.image.channels() == 3) pixels.composed = compose_over_white(pixels.image, bmp_alpha(file), false);
        return pixels;
    }
    if (header.alpha) {
        // IMREAD_UNCHANGED is the only mode that returns alpha. In this mode OpenCV does not apply the EXIF
        // orientation.
        const cv::Mat image = decoded(file.bytes, cv::IMREAD_UNCHANGED, file.path);
        // libtiff multiplies the colors of 8 bits by alpha, if they are not.
        const bool premultiplied = header.premultiplied || (header.kind == ImageKind::tiff && image.depth() == CV_8U);
        Pixels pixels = with_8_bits(image);
        if (pixels.image.channels() == 4) {
            cv::Mat alpha;
            cv::extractChannel(pixels.image, alpha, 3);
            cv::cvtColor(pixels.image, pixels.image, cv::COLOR_BGRA2BGR);
            pixels.composed = compose_over_white(pixels.image, alpha, premultiplied);
            return pixels;
        }
    }
    return read_colors(file);
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
    if (failure) throw Error(ErrorKind::input, {"cannot read the image: %1", failure.message().c_str()}, path.string());
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
    Pixels pixels = read_pixels(file);
    if (pixels.damage.empty() && file.header.cut) pixels.damage = kCut;
    result.frame = wrapped(pixels.image);
    result.composed = pixels.composed;
    if (!file.header.orientation.is_identity()) {
        FramePool pool(0);
        result.frame = rotated(result.frame, file.header.orientation, pool);
    }
    result.incomplete = pixels.damage;
    if (!pixels.damage.empty()) result.frame = result.frame.as_damaged();
    const auto add = [&](std::string text) {
        result.incomplete += (result.incomplete.empty() ? "" : "; ") + std::move(text);
    };
    if (file.header.animated) add("the image is animated: only its first frame is used");
    if (file.header.pages > 1) {
        add("the image has " + std::to_string(file.header.pages) + " pages: only the first is used");
    }
    if (file.header.preview) add("only the preview of the image is used");
    if (!pixels.scale_note.empty()) add(pixels.scale_note);
    return result;
}

void check_single_page(const ImageFile& file) {
    if (file.header.pages <= 1) return;
    throw Error(ErrorKind::input, Message("has %1 pages, which cannot be written", file.header.pages),
                file.path.string(), "split it into files of one page");
}

std::vector<std::uint8_t> read_head(const fs::path& path, std::size_t at_most) {
    try {
        return file_bytes(path, at_most);
    } catch (const Error&) {
        return {};
    }
}

LoadedImage load_image(const fs::path& path) {
    return decode_image(read_image_file(path));
}

bool is_still_image(const fs::path& path) {
    const std::optional<ImageHeader> header = decided_header(path);
    return header && (!header->animated || header->kind == ImageKind::webp);
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

std::optional<ImageAnimation> find_image_animation(const fs::path& path, std::size_t at_most) {
    const std::optional<ImageHeader> header = decided_header(path, at_most);
    if (!header || !header->animated || header->kind == ImageKind::webp) return std::nullopt;
    if (header->kind == ImageKind::jpeg) return ImageAnimation{"mjpeg", {}};
    try {
        return ImageAnimation{"apng", read_image_header(file_bytes(path, kMaxFile))->orientation};
    } catch (const std::exception&) {
        return ImageAnimation{"apng", {}};
    }
}

int find_animation_plays(const fs::path& path) {
    return read_animation_plays(read_head(path, kHeaderBytes));
}

std::span<const std::string_view> image_extensions() {
    static constexpr std::array<std::string_view, 17> kExtensions = {".jpg", ".jpeg", ".jpe",  ".jfif", ".png", ".webp",
                                                                     ".bmp", ".dib",  ".tif",  ".tiff", ".ppm", ".pgm",
                                                                     ".pbm", ".heic", ".heif", ".avif", ".hif"};
    return kExtensions;
}

bool has_image_extension(const fs::path& path) {
    const std::span<const std::string_view> known = image_extensions();
    return std::find(known.begin(), known.end(), lower_extension(path)) != known.end();
}

}  // namespace throng
