#include "core/video/image_writer.h"

#include <filesystem>
#include <opencv2/core.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/base/output_file.h"
#include "core/frame/frame_pool.h"
#include "core/video/convert.h"
#include "core/video/image_codecs.h"
#include "core/video/jpeg.h"
#include "core/video/png.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

bool is_png_name(const std::string& path) {
    return lower_extension(path) == ".png";
}

std::vector<std::uint8_t> encoded(const std::string& path, const cv::Mat& image) {
    std::vector<std::uint8_t> bytes;
    try {
        if (!can_write_image(path)) {
            throw Error(ErrorKind::usage, "unknown image file extension", path, "use a name that ends in .png or .jpg");
        }
        if (is_jpeg_name(path)) {
            bytes = encode_jpeg(image, kJpegQuality);
        } else if (is_png_name(path)) {
            bytes = encode_png(image);
        } else if (!image_codecs().encode(fs::path(path).extension().string(), image, bytes)) {
            bytes.clear();
        }
    } catch (const cv::Exception& failure) {
        throw Error(ErrorKind::input, {"the image cannot be encoded: %1", failure.err}, path);
    }
    if (!bytes.empty()) return bytes;
    throw Error(ErrorKind::input, "the image cannot be encoded", path,
                {"this format may not support %1x%2", image.cols, image.rows});
}

}  // namespace

bool is_jpeg_name(const std::string& path) {
    const std::string extension = lower_extension(path);
    return extension == ".jpg" || extension == ".jpeg" || extension == ".jpe";
}

bool can_write_image(const std::string& path) {
    return is_jpeg_name(path) || is_png_name(path) ||
           (!fs::path(path).extension().empty() && image_codecs().can_encode(path));
}

std::vector<std::uint8_t> encode_image(const std::string& path, const Frame& any_frame) {
    const Frame frame = any_frame.on_host();
    const bool gray = frame.info().format == PixelFormat::gray8;
    FramePool pool(0);
    PixelConverter converter;
    const Frame bgr =
        gray || frame.info().format == PixelFormat::bgr24 ? frame : converter.bgr_copy(frame, pool).finish();
    const PlaneView& plane = bgr.plane(0);
    const cv::Mat image(frame.height(), frame.width(), gray ? CV_8UC1 : CV_8UC3, const_cast<std::uint8_t*>(plane.data),
                        static_cast<std::size_t>(plane.pitch));
    return encoded(path, image);
}

void write_image(const std::string& path, const Frame& frame) {
    const std::vector<std::uint8_t> bytes = encode_image(path, frame);
    write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace throng
