#include "core/video/image_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/convert.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kJpegQuality = 92;

std::vector<std::uint8_t> encoded(const std::string& path, const cv::Mat& image) {
    const std::string extension = fs::path(path).extension().string();
    std::vector<std::uint8_t> bytes;
    try {
        if (extension.empty() || !cv::haveImageWriter(path)) {
            throw Error(ErrorKind::usage, "unknown kind of image file", path, "use a name that ends in .png or .jpg");
        }
        if (cv::imencode(extension, image, bytes, {cv::IMWRITE_JPEG_QUALITY, kJpegQuality})) return bytes;
    } catch (const cv::Exception& failure) {
        throw Error(ErrorKind::input, "the image cannot be encoded: " + failure.err, path);
    }
    throw Error(ErrorKind::input, "the image cannot be encoded", path,
                "this format may be too small for " + std::to_string(image.cols) + "x" + std::to_string(image.rows));
}

void write_all(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    const auto fail = [&path](const char* what) {
        const int code = errno;
        throw Error(ErrorKind::input, std::string(what) + ": " + std::generic_category().message(code), path,
                    code == ENOSPC ? "the disk is full" : "check the folder and its permissions");
    };
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) fail("cannot create the image");
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int code = errno;
            ::close(file);
            std::error_code ignored;
            if (fs::is_regular_file(path, ignored)) fs::remove(path, ignored);
            errno = code;
            fail("cannot write the image");
        }
        done += static_cast<std::size_t>(written);
    }
    if (::close(file) != 0) fail("cannot write the image");
}

}  // namespace

void write_image(const std::string& path, const Frame& any_frame) {
    const Frame frame = any_frame.on_host();
    const bool gray = frame.info().format == PixelFormat::gray8;
    FramePool pool(0);
    PixelConverter converter;
    const Frame bgr =
        gray || frame.info().format == PixelFormat::bgr24 ? frame : converter.bgr_copy(frame, pool).finish();
    const PlaneView& plane = bgr.plane(0);
    const cv::Mat image(frame.height(), frame.width(), gray ? CV_8UC1 : CV_8UC3, const_cast<std::uint8_t*>(plane.data),
                        static_cast<std::size_t>(plane.pitch));
    write_all(path, encoded(path, image));
}

}  // namespace throng
