// Still images: one file in, one frame out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/frame/frame.h"
#include "core/frame/frame_pool.h"
#include "core/video/image_header.h"

namespace throng {

// For messages: the formats that this header reads.
inline constexpr const char* kSupportedImages = "supported are JPEG, PNG, WebP, BMP, TIFF, PNM, HEIC, AVIF and others";

struct LoadedImage {
    Frame frame;
    std::string incomplete;  // why the frame is not the whole content of the file; normally empty
    bool composed = false;   // over white, because pixels were transparent
};

// The content of an image file that is not decoded yet.
struct ImageFile {
    std::filesystem::path path;
    std::vector<std::uint8_t> bytes;  // empty: the pixels are read from the file, in strips
    ImageHeader header;
};

// The images that are read.
enum class ImageSizes : std::uint8_t {
    whole,   // up to kMaxPixels, which are held in memory
    strips,  // also larger JPEG, PNG and TIFF images and files, up to 2^30 pixels: frames with rows()
};

// Limits that tests lower, so that small images are read in strips.
struct StripLimits {
    std::int64_t whole_pixels = kMaxPixels;                // larger images are read in strips
    std::uintmax_t whole_bytes = std::uintmax_t{1} << 29;  // as those in larger files
    std::int64_t strip_bytes = std::int64_t{16} << 20;     // of a strip, about
};
[[nodiscard]] StripLimits& strip_limits();

// Throws Error(input) for a file that is not an image, has a damaged header, or is too large.
[[nodiscard]] ImageFile read_image_file(const std::filesystem::path& path, ImageSizes sizes = ImageSizes::whole);

// Returns the image in these bytes. name: for messages. Throws as read_image_file.
[[nodiscard]] ImageFile image_of_bytes(std::vector<std::uint8_t> bytes, const std::filesystem::path& name);

// Returns the number of pixels; about, if the header does not tell it.
[[nodiscard]] std::uint64_t num_pixels(const ImageHeader& header);

// Returns about the memory that decode_image needs.
[[nodiscard]] std::uint64_t decoded_bytes(const ImageFile& file);

// Returns gray8 for gray images, otherwise bgr24, full range, in host memory. Applies the orientation, scales 16 bits
// to 8, and composes transparent pixels over white. Throws Error(input) if the image is damaged. An image that is read in
// strips is decoded once to find its damage. stop, reader_stop: end this and the readers of the
// frame with Error(interrupted).
[[nodiscard]] LoadedImage decode_image(const ImageFile& file, const std::stop_token& stop = {},
                                       const std::stop_token& reader_stop = {});

// Throws Error(input) for a TIFF file of several pages, of which decode_image returns only the first.
void check_single_page(const ImageFile& file);

// Returns the first bytes of a regular file; none if it cannot be read.
[[nodiscard]] std::vector<std::uint8_t> read_head(const std::filesystem::path& path, std::size_t at_most);

// Reads and decodes a file.
[[nodiscard]] LoadedImage load_image(const std::filesystem::path& path, ImageSizes sizes = ImageSizes::whole);

// Returns none if the file is not an image or cannot be read. Opens only regular files.
[[nodiscard]] std::optional<ImageHeader> read_image_header(const std::filesystem::path& path, ImagePart part,
                                                           std::size_t at_most = SIZE_MAX);

// Returns how often a GIF or an animated PNG is played; 0: without end, also for other files.
[[nodiscard]] int find_animation_plays(const std::filesystem::path& path);

}  // namespace throng
