// Writes a still image that is too large for memory, strip by strip: JPEG, PNG and TIFF.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "core/base/atomic_file.h"
#include "core/frame/frame.h"

namespace throng {

// Not thread-safe. The file holds the pixels only, as that of write_image.
class StripWriter {
public:
    // file, name: of the output; the extension of the name selects the format. size, format: of the image, gray8 or bgr24.
    // Throws Error(usage) for another format, and Error(input) if the format cannot hold the image.
    StripWriter(const AtomicFile& file, std::string name, cv::Size size, PixelFormat format);
    ~StripWriter();
    StripWriter(const StripWriter&) = delete;
    StripWriter& operator=(const StripWriter&) = delete;

    // Writes the next rows. Throws Error(input).
    void write(const cv::Mat& rows);
    // Completes the file after its last row. Throws Error(input), and Error(internal) if rows are missing.
    void finish();

private:
    class Encoder;
    template <class Writer>
    class InFile;
    class Tiff;

    std::string name_;
    int missing_;  // rows
    std::unique_ptr<Encoder> encoder_;
};

}  // namespace throng
