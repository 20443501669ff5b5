// Still images: one file in, one frame out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame/frame.h"
#include "core/video/image_header.h"

namespace throng {

// For messages: the formats that this header reads.
inline constexpr const char* kSupportedImages = "supported are JPEG, PNG, WebP, BMP, TIFF, PNM, HEIC and AVIF";

struct LoadedImage {
    Frame frame;
    std::string incomplete;  // why the frame is not the whole content of the file; normally empty
    bool composed = false;   // over white, because pixels were transparent
};

// The content of an image file that is not decoded yet.
struct ImageFile {
    std::filesystem::path path;
    std::vector<std::uint8_t> bytes;
    ImageHeader header;
};

// Throws Error(input) for a file that is not an image, has a damaged header, or is too large.
[[nodiscard]] ImageFile read_image_file(const std::filesystem::path& path);

// Returns about the memory that decode_image needs.
[[nodiscard]] std::uint64_t decoded_bytes(const ImageFile& file);

// Returns gray8 for gray images, otherwise bgr24, full range, in host memory. Applies the orientation, scales 16 bits
// to 8, and composes transparent pixels over white. Throws Error(input) if the image is damaged.
[[nodiscard]] LoadedImage decode_image(const ImageFile& file);

// Throws Error(input) for a TIFF file of several pages, of which decode_image returns only the first.
void check_single_page(const ImageFile& file);

// Returns the first bytes of a regular file; none if it cannot be read.
[[nodiscard]] std::vector<std::uint8_t> read_head(const std::filesystem::path& path, std::size_t at_most);

// Reads and decodes a file.
[[nodiscard]] LoadedImage load_image(const std::filesystem::path& path);

// Returns true if the content of the file is one still image, which load_image reads; false for an animation, except in
// WebP, for Motion JPEG, and if the file cannot be read. The functions in this header open only regular files, so a FIFO
// cannot block them. This alone decides what a still image is; the name of the file does not count.
[[nodiscard]] bool is_still_image(const std::filesystem::path& path);

// Returns the header of an image file after reading as little of it as possible; none if the file is not an image or
// cannot be read.
[[nodiscard]] std::optional<ImageHeader> peek_image_header(const std::filesystem::path& path);

// A file that begins as an image, but has several frames. load_image returns only the first; FFmpeg decodes all.
struct ImageAnimation {
    std::string demuxer;                       // of FFmpeg: "apng", "mjpeg"
    std::optional<Orientation> orientation{};  // of all frames, if the file has one
};
// at_most: bytes that are read; more may be needed to find Motion JPEG.
[[nodiscard]] std::optional<ImageAnimation> find_image_animation(const std::filesystem::path& path,
                                                                 std::size_t at_most = SIZE_MAX);

// Returns how often a GIF or an animated PNG is played; 0: without end, also for other files.
[[nodiscard]] int find_animation_plays(const std::filesystem::path& path);

// The extensions of these formats: lower case, with the dot.
[[nodiscard]] std::span<const std::string_view> image_extensions();

// Returns true if the name has one of image_extensions(), in any case.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

}  // namespace throng
