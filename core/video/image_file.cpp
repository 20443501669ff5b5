#include "core/video/image_file.h"

#include <sys/stat.h>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/coded_image.h"
#include "core/video/heif.h"
#include "core/video/image_codecs.h"
#include "core/video/image_header.h"
#include "core/video/image_rows.h"
#include "core/video/jpeg.h"
#include "core/video/png.h"
#include "core/video/tiff_decoder.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSignatureBytes = 4096;
constexpr std::size_t kHeaderBytes = std::size_t{1} << 16;
constexpr std::int64_t kMaxStripsPixels = std::int64_t{1} << 30;

[[noreturn]] void throw_unreadable(int error, const fs::path& path) {
    throw Error(ErrorKind::input, {"cannot read the image: %1", std::generic_category().message(error).c_str()},
                path.string());
}

std::vector<std::uint8_t> file_bytes(const fs::path& path, std::size_t at_most) {
    const OpenFile file = open_image_bytes(path);
    struct stat status {};
    if (::fstat(::fileno(file.get()), &status) != 0) throw_unreadable(errno, path);
    std::vector<std::uint8_t> bytes(std::min(at_most, static_cast<std::size_t>(status.st_size)));
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
    if (std::ferror(file.get()) != 0) throw_unreadable(errno, path);
    return bytes;
}

void check(const ImageHeader& header, const fs::path& path, std::int64_t max_pixels = kMaxPixels) {
    if (header.animated && header.kind == ImageKind::webp) {
        throw Error(ErrorKind::input, "animated WebP is not supported", path.string(), "convert it to GIF or MP4");
    }
    if (header.kind == ImageKind::coded) return;  // the decoder knows its size
    if (header.width < 1 || header.height < 1) {
        throw Error(ErrorKind::input, "the image header is damaged", path.string());
    }
    if (header.height > max_pixels / header.width) {
        throw Error(ErrorKind::input, {"the image is too large: %1x%2 pixels", header.width, header.height},
                    path.string(), {"at most %1 megapixels are supported", max_pixels >> 20});
    }
}

cv::Mat decoded(const std::vector<std::uint8_t>& bytes, int flags, const fs::path& path) {
    cv::Mat image;
    try {
        image = image_codecs().decode(bytes, flags);
    } catch (const cv::Exception& failure) {
        throw Error(ErrorKind::input, {"the image cannot be decoded: %1", failure.err}, path.string());
    }
    if (image.empty()) throw undecodable_image("", path.string());
    return image;
}

// What is known about an image when it is decoded.
struct Pixels : ImagePixels {
    std::string scale_note{};  // if the values do not fit the range of their type
    bool oriented = false;     // the decoder has applied the orientation
};

constexpr const char* kDamaged = "the image is damaged: it is decoded as far as possible";
constexpr const char* kCut = "the image is cut short: its end is missing";
constexpr const char* kDark = "all values are below a sixteenth of their range, so the image is almost black";

std::string damaged_text(const std::string& damage) {
    return std::string(kDamaged) + " (" + damage + ")";
}

void append_reason(std::string& reasons, const std::string& reason) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
}

// Converts to 8 bits by the range of the type: 0 to 65535, or 0 to 1 for floating-point numbers. Returns what shows that
// the file means a larger range.
Pixels with_8_bits(const cv::Mat& image) {
    double range = 1;
    switch (image.depth()) {
        case CV_8U: return {{image}};
        case CV_16U: range = 65535; break;
        case CV_32F:
        case CV_64F: break;
        default: range = 255; break;  // integers of other types
    }
    Pixels pixels;
    pixels.deep = true;
    image.convertTo(pixels.image, CV_8U, 255 / range);
    const cv::Mat samples = image.reshape(1);
    if (cv::countNonZero(samples > range) > samples.rows * (samples.cols / 4)) {
        double most = 0;
        cv::minMaxLoc(samples, nullptr, &most);
        pixels.scale_note = fmt::format(
            "values up to {:.4g} are cut off at {:g}, so the image is almost white: they should range from 0 to {:g}",
            most, range, range);
    }
    return pixels;
}

// Returns a note if all values are in a small part of their range, as those of 12 bits in 16.
std::string dark_note(const cv::Mat& image) {
    return is_dark(max_sample(image)) ? kDark : "";
}

// Returns the colors of 16 or 32 bits that the masks of the file select. Its rows begin at a multiple of four bytes.
ImagePixels decode_masked_bitmap(const ImageFile& file) {
    const HeaderBytes bytes(file.bytes);
    const std::array<std::uint32_t, 4>& masks = file.header.masks;
    const bool from_top = static_cast<std::int32_t>(bytes.little32(22)) < 0;
    const std::size_t step = bytes.little16(28) / 8;
    const auto width = static_cast<std::size_t>(file.header.width);
    const auto height = static_cast<std::size_t>(file.header.height);
    const std::size_t row = (step * width + 3) / 4 * 4;
    const std::size_t first = bytes.little32(10);
    if (first > bytes.size() || row * height > bytes.size() - first) return {};
    const auto sample = [](std::uint32_t pixel, std::uint32_t mask) {
        const auto shift = static_cast<unsigned>(std::countr_zero(mask));
        const std::uint64_t most = mask == 0 ? 1 : mask >> shift;
        return static_cast<std::uint8_t>((255 * std::uint64_t{(pixel & mask) >> (shift % 32)} + most / 2) / most);
    };
    const cv::Size size(static_cast<int>(width), static_cast<int>(height));
    ImagePixels pixels{cv::Mat(size, CV_8UC3)};
    if (file.header.alpha) pixels.alpha.create(size, CV_8UC1);
    for (int y = 0; y < size.height; ++y) {
        const auto line = static_cast<std::size_t>(from_top ? y : size.height - 1 - y);
        for (int x = 0; x < size.width; ++x) {
            const std::size_t at = first + row * line + step * static_cast<std::size_t>(x);
            const std::uint32_t pixel = step == 2 ? bytes.little16(at) : bytes.little32(at);
            for (std::size_t c = 0; c < 3; ++c) pixels.image.at<cv::Vec3b>(y, x)[2 - int(c)] = sample(pixel, masks[c]);
            if (file.header.alpha) pixels.alpha.at<std::uint8_t>(y, x) = sample(pixel, masks[3]);
        }
    }
    return pixels;
}

// By OpenCV, which converts no values: of 16 bits and of floating-point numbers.
Pixels decode_by_opencv(const ImageFile& file) {
    const ImageHeader& header = file.header;
    const int unrotated = cv::IMREAD_IGNORE_ORIENTATION;
    // IMREAD_UNCHANGED is the only mode that returns alpha. In this mode OpenCV does not apply the EXIF orientation.
    const int mode = header.alpha ? cv::IMREAD_UNCHANGED : cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR | unrotated;
    Pixels pixels = with_8_bits(decoded(file.bytes, mode, file.path));
    pixels.premultiplied = header.premultiplied;
    pixels.oriented = header.kind == ImageKind::tiff;
    if (header.alpha && pixels.image.channels() == 4) {
        cv::extractChannel(pixels.image, pixels.alpha, 3);
        cv::cvtColor(pixels.image, pixels.image, cv::COLOR_BGRA2BGR);
    }
    if (pixels.image.channels() == 1 || pixels.image.channels() == 3) return pixels;
    return {{decoded(file.bytes, cv::IMREAD_COLOR | unrotated, file.path)}};
}

ImagePixels decode_by_kind(const ImageFile& file) {
    const ImageHeader& header = file.header;
    const HeaderBytes bytes(file.bytes);
    if (header.masks != std::array<std::uint32_t, 4>{}) return decode_masked_bitmap(file);
    if (!header.codec.empty()) return decode_coded_image(header.codec, file.bytes, !header.alpha);
    if (header.kind == ImageKind::heif) return decode_heif(read_heif(bytes).value(), bytes);
    if (header.kind == ImageKind::png) return decode_png(file.bytes);
    return header.kind == ImageKind::jpeg ? decode_jpeg(file.bytes) : decode_tiff(file.bytes);
}

// Returns the pixels without transparency. Their orientation is not applied, unless `oriented`.
Pixels read_pixels(const ImageFile& file) {
    const ImageHeader& header = file.header;
    Pixels pixels;
    if (header.kind == ImageKind::webp || header.kind == ImageKind::real) {
        pixels = decode_by_opencv(file);
    } else {
        try {
            static_cast<ImagePixels&>(pixels) = decode_by_kind(file);
        } catch (const Error& error) {
            throw Error(error.kind(), error.problem(), file.path.string(), error.advice());
        }
        const bool converts = header.kind != ImageKind::tiff || !pixels.image.empty() || !pixels.damage.empty();
        if (!converts) pixels = decode_by_opencv(file);
    }
    if (pixels.image.empty()) throw undecodable_image(pixels.damage, file.path.string());
    if (pixels.deep && pixels.scale_note.empty()) pixels.scale_note = dark_note(pixels.image);
    compose_over_white(pixels);
    if (pixels.cut) {
        pixels.damage = kCut;
    } else if (!pixels.damage.empty()) {
        pixels.damage = damaged_text(pixels.damage);
    }
    return pixels;
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

// Returns the header of an image that is read in strips; none for all others. Reads no more than is needed.
std::optional<ImageHeader> header_of_strips(const fs::path& path) {
    std::optional<ImageHeader> header = read_image_header(path, ImagePart::size);
    const auto is = [&](ImageKind kind) { return header->kind == kind; };
    if (!header || !(is(ImageKind::jpeg) || is(ImageKind::png) || is(ImageKind::tiff))) return std::nullopt;
    std::error_code ignored;
    const bool is_small = header->width < 1 || header->height <= strip_limits().whole_pixels / header->width;
    if (is_small && fs::file_size(path, ignored) <= strip_limits().whole_bytes) return std::nullopt;
    check(*header, path, kMaxStripsPixels);
    return read_image_header(path, ImagePart::all);
}

void add_reasons(const ImageHeader& header, std::string& incomplete) {
    if (header.animated) append_reason(incomplete, "the image is animated: only its first frame is used");
    if (header.pages > 1) {
        append_reason(incomplete, "the image has " + std::to_string(header.pages) + " pages: only the first is used");
    }
    if (header.preview) append_reason(incomplete, "only the preview of the image is used");
}

LoadedImage decode_in_strips(const ImageFile& file, const std::stop_token& stop, const std::stop_token& reader_stop) {
    const ImageStrips strips = open_strips(file.path, file.header, stop, reader_stop);
    LoadedImage result;
    FrameInfo info;
    info.width = static_cast<int>(file.header.width);
    info.height = static_cast<int>(file.header.height);
    info.format = strips.format;
    info.range = ColorRange::full;
    info.matrix = ColorMatrix::bt601;
    result.frame = Frame(info, strips.rows);
    result.incomplete = strips.cut ? kCut : strips.damage;
    if (!strips.cut && !strips.damage.empty()) result.incomplete = damaged_text(strips.damage);
    if (!result.incomplete.empty()) result.frame = result.frame.as_damaged();
    result.composed = strips.composed;
    add_reasons(file.header, result.incomplete);
    if (strips.is_dark) append_reason(result.incomplete, kDark);
    return result;
}

}  // namespace

ImageFile read_image_file(const fs::path& path, ImageSizes sizes) {
    if (sizes == ImageSizes::strips) {
        if (const std::optional<ImageHeader> header = header_of_strips(path)) return {path, {}, *header};
    }
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (failure) throw Error(ErrorKind::input, {"cannot read the image: %1", failure.message().c_str()}, path.string());
    if (size == 0) throw Error(ErrorKind::input, "the file is empty", path.string());
    if (size > strip_limits().whole_bytes)
        throw Error(ErrorKind::input, "the file is larger than 512 megabytes", path.string());
    return image_of_bytes(file_bytes(path, static_cast<std::size_t>(size)), path);
}

ImageFile image_of_bytes(std::vector<std::uint8_t> bytes, const fs::path& name) {
    std::vector<std::uint8_t> image = image_of_icon(bytes);
    const bool is_icon = !image.empty();
    if (is_icon) bytes = std::move(image);
    std::optional<ImageHeader> header = read_image_header(bytes);
    if (!header) {
        throw Error(ErrorKind::input, "not an image in a supported format", name.string(), kSupportedImages);
    }
    check(*header, name);
    // In an icon, the fourth channel is alpha even without a mask. FFmpeg ignores it if it is 0 everywhere, as in old ones.
    const bool has_masks = header->masks != std::array<std::uint32_t, 4>{};
    if (is_icon && header->kind == ImageKind::bmp && !has_masks) header->alpha = true;
    return {name, std::move(bytes), *header};
}

std::uint64_t num_pixels(const ImageHeader& header) {
    constexpr std::uint64_t kUsual = std::uint64_t{32} << 20U;  // if only the decoder knows
    if (header.kind == ImageKind::coded) return kUsual;
    return static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
}

std::uint64_t decoded_bytes(const ImageFile& file) {
    constexpr std::uint64_t kBytesPerPixel = 3;
    if (file.bytes.empty()) {
        // A progressive JPEG: its coefficients. A TIFF file: one of its strips.
        const auto strips = static_cast<std::uint64_t>(2 * strip_limits().strip_bytes);
        return strips + (file.header.kind == ImageKind::jpeg ? 6 * num_pixels(file.header) : 8 * strips);
    }
    return file.bytes.size() + kBytesPerPixel * num_pixels(file.header);
}

StripLimits& strip_limits() {
    static StripLimits limits;
    return limits;
}

LoadedImage decode_image(const ImageFile& file, const std::stop_token& stop, const std::stop_token& reader_stop) {
    if (file.bytes.empty()) return decode_in_strips(file, stop, reader_stop);
    LoadedImage result;
    Pixels pixels = read_pixels(file);
    result.frame = wrapped(pixels.image);
    result.composed = pixels.composed;
    if (!pixels.oriented && !file.header.orientation.is_identity()) {
        FramePool pool(0);
        result.frame = rotated(result.frame, file.header.orientation, pool);
    }
    result.incomplete = pixels.damage;
    if (!pixels.damage.empty()) result.frame = result.frame.as_damaged();
    add_reasons(file.header, result.incomplete);
    if (!pixels.scale_note.empty()) append_reason(result.incomplete, pixels.scale_note);
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

LoadedImage load_image(const fs::path& path, ImageSizes sizes) {
    return decode_image(read_image_file(path, sizes));
}

std::optional<ImageHeader> read_image_header(const fs::path& path, ImagePart part, std::size_t at_most) {
    try {
        OpenFile file = open_image_bytes(path);
        FileBytes all(file.get(), at_most);
        if (const std::optional<ImageHeader> header = read_image_header(all, part)) return header;
        std::optional<ImageHeader> header = read_image_header(file_bytes(path, std::min(at_most, kSignatureBytes)));
        if (header && header->kind == ImageKind::tiff) return read_tiff_header(std::move(file));
        const auto is_known = [&] {
            return part == ImagePart::kind ||
                   (part == ImagePart::size && (header->width > 0 || header->kind == ImageKind::coded));
        };
        at_most = std::min(at_most, static_cast<std::size_t>(strip_limits().whole_bytes));
        for (std::size_t size = part == ImagePart::all ? at_most : kHeaderBytes; header && !is_known(); size *= 16) {
            const std::vector<std::uint8_t> bytes = file_bytes(path, std::min(size, at_most));
            header = read_image_header(bytes);
            if (bytes.size() < size) break;
        }
        return header;
    } catch (const std::bad_alloc&) {
        throw;  // an image must not be taken for a video
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

int find_animation_plays(const fs::path& path) {
    return read_animation_plays(read_head(path, kHeaderBytes));
}

}  // namespace throng
