#include "core/video/tiff_decoder.h"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"

namespace throng {
namespace {

// Where the messages of this thread go; null while it does not read a TIFF file here.
thread_local std::string* tiff_fault = nullptr;
thread_local bool warnings_are_faults = false;
TIFFErrorHandlerExt other_errors = nullptr;  // of the program that this library is in
TIFFErrorHandlerExt other_warnings = nullptr;

void note_tiff_fault(const char* format, va_list arguments) {
    if (!tiff_fault->empty()) return;
    std::array<char, 256> text{};
    static_cast<void>(std::vsnprintf(text.data(), text.size(), format, arguments));
    *tiff_fault = text.data();
}

void on_tiff_error(thandle_t handle, const char* module, const char* format, va_list arguments) {
    if (tiff_fault != nullptr) return note_tiff_fault(format, arguments);
    if (other_errors != nullptr) other_errors(handle, module, format, arguments);
}

void on_tiff_warning(thandle_t handle, const char* module, const char* format, va_list arguments) {
    if (tiff_fault == nullptr) {
        if (other_warnings != nullptr) other_warnings(handle, module, format, arguments);
    } else if (warnings_are_faults) {
        note_tiff_fault(format, arguments);
    }
}

// libtiff before 4.5 has handlers of the process only. The other pair of handlers, which OpenCV sets, prints.
void set_tiff_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        TIFFSetErrorHandler(nullptr);
        TIFFSetWarningHandler(nullptr);
        other_errors = TIFFSetErrorHandlerExt(on_tiff_error);
        other_warnings = TIFFSetWarningHandlerExt(on_tiff_warning);
    });
}

struct TiffCloser {
    void operator()(TIFF* file) const noexcept { TIFFClose(file); }
};

// A file in memory. Its faults are collected while it exists.
class TiffFile {
public:
    explicit TiffFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
        set_tiff_handlers();
        tiff_fault = &fault_;
        warnings_are_faults = false;
        // "m": reads by the functions instead of by mapped memory.
        file_.reset(TIFFClientOpen("", "rm", this, read, write, seek, close, size, nullptr, nullptr));
    }
    ~TiffFile() {
        file_.reset();
        tiff_fault = nullptr;
    }
    TiffFile(const TiffFile&) = delete;
    TiffFile& operator=(const TiffFile&) = delete;

    [[nodiscard]] TIFF* get() const { return file_.get(); }
    [[nodiscard]] const std::string& fault() const { return fault_; }

    [[nodiscard]] std::uint32_t number(std::uint32_t tag) const {
        std::uint32_t value = 0;
        return TIFFGetField(get(), tag, &value) != 0 ? value : 0;
    }
    [[nodiscard]] std::uint16_t small_number(std::uint32_t tag) const {
        std::uint16_t value = 0;
        return TIFFGetFieldDefaulted(get(), tag, &value) != 0 ? value : std::uint16_t{0};
    }
    // Returns the kind of the first sample after the colors: EXTRASAMPLE_ASSOCALPHA, ...; 0: none or unspecified.
    [[nodiscard]] int extra_sample() const {
        std::uint16_t count = 0;
        std::uint16_t* kinds = nullptr;
        const bool any = TIFFGetField(get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 0 && count > 0;
        return any ? kinds[0] : 0;
    }

private:
    static TiffFile& self(thandle_t handle) { return *static_cast<TiffFile*>(handle); }
    static tmsize_t read(thandle_t handle, void* to, tmsize_t length) {
        TiffFile& file = self(handle);
        const std::size_t begin = std::min<std::size_t>(file.at_, file.bytes_.size());
        const std::size_t count = std::min(static_cast<std::size_t>(length), file.bytes_.size() - begin);
        std::copy_n(file.bytes_.data() + begin, count, static_cast<std::uint8_t*>(to));
        file.at_ = begin + count;
        return static_cast<tmsize_t>(count);
    }
    static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
    static toff_t seek(thandle_t handle, toff_t offset, int whence) {
        TiffFile& file = self(handle);
        const toff_t base = whence == SEEK_CUR ? file.at_ : whence == SEEK_END ? file.bytes_.size() : 0;
        return file.at_ = base + offset;
    }
    static int close(thandle_t) { return 0; }
    static toff_t size(thandle_t handle) { return self(handle).bytes_.size(); }

    std::span<const std::uint8_t> bytes_;
    toff_t at_ = 0;
    std::string fault_;
    std::unique_ptr<TIFF, TiffCloser> file_;
};

// libtiff leaves the fourth channel out of some kinds of images, whose transparent pixels would show what they hide.
bool reads_alpha(const TiffFile& file) {
    const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
    const bool gray = photometric == PHOTOMETRIC_MINISBLACK && file.small_number(TIFFTAG_BITSPERSAMPLE) == 8;
    const bool contiguous = file.small_number(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG;
    return photometric == PHOTOMETRIC_RGB || (gray && contiguous);
}

// Decodes all data without using them, up to the first fault.
void check_tiff_data(TIFF* file) {
    const bool tiles = TIFFIsTiled(file) != 0;
    const tmsize_t size = tiles ? TIFFTileSize(file) : TIFFStripSize(file);
    if (size <= 0 || size > tmsize_t{16} * kMaxPixels) return;
    std::vector<std::uint8_t> buffer(static_cast<std::size_t>(size));
    const std::uint32_t count = tiles ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
    for (std::uint32_t i = 0; i < count && tiff_fault->empty(); ++i) {
        const tmsize_t read = tiles ? TIFFReadEncodedTile(file, i, buffer.data(), size)
                                    : TIFFReadEncodedStrip(file, i, buffer.data(), size);
        if (read < 0) return;
    }
}

// libtiff converts integers of up to 16 bits. It scales real numbers by a range of its own.
bool holds_integers(const TiffFile& file) {
    const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
    return file.small_number(TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_IEEEFP && photometric != PHOTOMETRIC_LOGL &&
           photometric != PHOTOMETRIC_LOGLUV;
}

// Returns an empty image if libtiff does not convert these samples.
cv::Mat rgba_of(TIFF* file) {
    std::array<char, 1024> message{};
    TIFFRGBAImage converter;
    if (TIFFRGBAImageOK(file, message.data()) == 0 || TIFFRGBAImageBegin(&converter, file, 0, message.data()) == 0) {
        return {};
    }
    converter.req_orientation = converter.orientation;  // rows and columns as they are stored
    cv::Mat rgba(static_cast<int>(converter.height), static_cast<int>(converter.width), CV_8UC4,
                 cv::Scalar(128, 128, 128, 255));
    const int status = TIFFRGBAImageGet(&converter, rgba.ptr<std::uint32_t>(), converter.width, converter.height);
    TIFFRGBAImageEnd(&converter);
    if (status == 0 && tiff_fault->empty()) *tiff_fault = message.data();
    return rgba;
}

}  // namespace

ImageHeader read_tiff_header(std::span<const std::uint8_t> bytes) {
    ImageHeader header{ImageKind::tiff};
    const TiffFile file(bytes);
    if (file.get() == nullptr) return header;
    header.width = file.number(TIFFTAG_IMAGEWIDTH);
    header.height = file.number(TIFFTAG_IMAGELENGTH);
    header.preview = (file.number(TIFFTAG_SUBFILETYPE) & FILETYPE_REDUCEDIMAGE) != 0;
    header.orientation = orientation_of_exif(file.small_number(TIFFTAG_ORIENTATION));
    const int extra = file.extra_sample();
    header.alpha = extra == EXTRASAMPLE_ASSOCALPHA || extra == EXTRASAMPLE_UNASSALPHA;
    header.premultiplied = extra == EXTRASAMPLE_ASSOCALPHA;
    constexpr int kMaxPages = 1 << 12;
    for (int i = 1; i < kMaxPages && TIFFReadDirectory(file.get()) != 0; ++i) {
        constexpr std::uint32_t kReducedOrMask = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;
        header.pages += (file.number(TIFFTAG_SUBFILETYPE) & kReducedOrMask) == 0 ? 1 : 0;
    }
    return header;
}

ImagePixels decode_tiff(std::span<const std::uint8_t> bytes) {
    const TiffFile file(bytes);
    ImagePixels pixels;
    if (file.get() == nullptr) {
        pixels.damage = file.fault();
        return pixels;
    }
    const int extra = file.extra_sample();
    const bool alpha = extra == EXTRASAMPLE_ASSOCALPHA || extra == EXTRASAMPLE_UNASSALPHA;
    warnings_are_faults = true;
    const cv::Mat rgba = holds_integers(file) ? rgba_of(file.get()) : cv::Mat();
    if (rgba.empty()) {
        check_tiff_data(file.get());
    } else if (alpha && !reads_alpha(file)) {
        throw Error(ErrorKind::input, "TIFF images of this kind with transparency are not supported", "",
                    "convert it to PNG");
    } else {
        const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
        const bool gray = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
        if (gray && !alpha) {
            cv::extractChannel(rgba, pixels.image, 0);
        } else {
            cv::cvtColor(rgba, pixels.image, cv::COLOR_RGBA2BGR);
        }
        if (alpha) cv::extractChannel(rgba, pixels.alpha, 3);
        // libtiff multiplies colors by alpha, but not gray.
        pixels.deep = file.small_number(TIFFTAG_BITSPERSAMPLE) > 8;
        pixels.premultiplied = !gray || extra == EXTRASAMPLE_ASSOCALPHA;
    }
    pixels.damage = file.fault();
    pixels.cut = pixels.damage.find("ead error") != std::string::npos;
    return pixels;
}

}  // namespace throng
