#include "core/video/strip_writer.h"

#include <tiffio.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/base/output_file.h"
#include "core/video/image_writer.h"
#include "core/video/jpeg.h"
#include "core/video/png.h"
#include "core/video/tiff_faults.h"

namespace throng {

// Each function returns false after an error.
class StripWriter::Encoder {
public:
    Encoder() = default;
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;
    virtual ~Encoder() = default;
    [[nodiscard]] virtual bool write(const cv::Mat& rows) = 0;
    [[nodiscard]] virtual bool finish() = 0;
};

// Writer: JpegWriter, PngWriter.
template <class Writer>
class StripWriter::InFile final : public Encoder {
public:
    template <class... Settings>
    InFile(const std::string& path, cv::Size size, int channels, Settings... settings)
        : file_(std::fopen(path.c_str(), "wb")), writer_(file_.get(), size, channels, settings...) {}

    bool write(const cv::Mat& rows) override { return file_ && writer_.write(rows); }
    bool finish() override { return std::fflush(file_.get()) == 0; }

private:
    OpenFile file_;
    Writer writer_;
};

class StripWriter::Tiff final : public Encoder {
public:
    Tiff(const std::string& path, cv::Size size, int channels) {
        const TiffFaults faults(fault_, false);
        // A classic file holds up to 4 GiB.
        constexpr std::int64_t kClassic = std::int64_t{1} << 31;
        file_ = TIFFOpen(path.c_str(), std::int64_t{channels} * size.width * size.height > kClassic ? "w8" : "w");
        if (file_ == nullptr) return;
        const bool gray = channels == 1;
        TIFFSetField(file_, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(size.width));
        TIFFSetField(file_, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(size.height));
        TIFFSetField(file_, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(file_, TIFFTAG_SAMPLESPERPIXEL, channels);
        TIFFSetField(file_, TIFFTAG_PHOTOMETRIC, gray ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
        TIFFSetField(file_, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(file_, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
        TIFFSetField(file_, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
        TIFFSetField(file_, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(file_, 0));
    }
    ~Tiff() override { close(); }

    bool write(const cv::Mat& rows) override {
        if (file_ == nullptr) return false;
        if (rows.empty()) return true;
        const TiffFaults faults(fault_, false);
        if (rows.channels() == 3) {
            cv::cvtColor(rows, rgb_, cv::COLOR_BGR2RGB);
        } else {
            rows.copyTo(rgb_);  // the encoder changes its input
        }
        for (int y = 0; y < rgb_.rows; ++y, ++next_) {
            if (TIFFWriteScanline(file_, rgb_.ptr(y), next_, 0) < 0) return false;
        }
        return true;
    }
    bool finish() override {
        close();
        return fault_.empty();
    }

private:
    void close() {
        const TiffFaults faults(fault_, false);
        if (file_ != nullptr) TIFFClose(std::exchange(file_, nullptr));
    }

    TIFF* file_ = nullptr;
    std::string fault_;
    cv::Mat rgb_;
    std::uint32_t next_ = 0;  // row
};

StripWriter::StripWriter(const AtomicFile& file, std::string name, cv::Size size, PixelFormat format)
    : name_(std::move(name)), missing_(size.height) {
    const std::string extension = lower_extension(name_);
    const int channels = format == PixelFormat::gray8 ? 1 : 3;
    if (is_jpeg_name(name_)) {
        encoder_ = std::make_unique<InFile<JpegWriter>>(file.open_path(), size, channels, kJpegQuality);
    } else if (extension == ".png") {
        encoder_ = std::make_unique<InFile<PngWriter>>(file.open_path(), size, channels);
    } else if (extension == ".tif" || extension == ".tiff") {
        encoder_ = std::make_unique<Tiff>(file.open_path(), size, channels);
    } else {
        throw Error(ErrorKind::usage,
                    {"an image of %1x%2 pixels cannot be written in this format", size.width, size.height}, name_,
                    "use a name that ends in .jpg, .png or .tif");
    }
    if (!encoder_->write(cv::Mat(0, size.width, CV_8UC(channels)))) {
        throw Error(ErrorKind::input, "the image cannot be encoded", name_,
                    {"this format may not support %1x%2", size.width, size.height});
    }
}

StripWriter::~StripWriter() = default;

void StripWriter::write(const cv::Mat& rows) {
    errno = 0;
    missing_ -= rows.rows;
    if (!encoder_->write(rows)) throw system_error("cannot write", name_, errno);
}

void StripWriter::finish() {
    if (missing_ != 0) throw Error(ErrorKind::internal, "rows of the image are missing", name_);
    errno = 0;
    if (!encoder_->finish()) throw system_error("cannot write", name_, errno);
}

}  // namespace throng
