#include "core/video/tiff_decoder.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/tiff_faults.h"

namespace throng {

struct TiffCloser {
    void operator()(TIFF* file) const noexcept { TIFFClose(file); }
};

// A file in memory or on the disk. Its faults are collected while a Scope exists.
class TiffFile {
public:
    class Scope : public TiffFaults {
    public:
        Scope(TiffFile& file, bool warnings) : TiffFaults(file.fault_, warnings) {}
    };

    explicit TiffFile(std::span<const std::uint8_t> bytes, OpenFile opened = nullptr)
        : bytes_(bytes), opened_(std::move(opened)) {
        const Scope scope(*this, false);
        // "m": reads by the functions instead of by mapped memory.
        file_.reset(TIFFClientOpen("", "rm", this, read, write, seek, close, size, nullptr, nullptr));
    }
    ~TiffFile() {
        const Scope scope(*this, false);
        file_.reset();
    }
    TiffFile(const TiffFile&) = delete;
    TiffFile& operator=(const TiffFile&) = delete;

    [[nodiscard]] TIFF* get() const { return file_.get(); }
    [[nodiscard]] const std::string& fault() const { return fault_; }
    void add_fault(const char* text) {
        if (fault_.empty()) fault_ = text;
    }

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
        if (file.opened_) {
            if (::fseeko(file.opened_.get(), static_cast<off_t>(file.at_), SEEK_SET) != 0) return 0;
            const std::size_t count = std::fread(to, 1, static_cast<std::size_t>(length), file.opened_.get());
            file.at_ += count;
            return static_cast<tmsize_t>(count);
        }
        const std::size_t begin = std::min<std::size_t>(file.at_, file.bytes_.size());
        const std::size_t count = std::min(static_cast<std::size_t>(length), file.bytes_.size() - begin);
        std::copy_n(file.bytes_.data() + begin, count, static_cast<std::uint8_t*>(to));
        file.at_ = begin + count;
        return static_cast<tmsize_t>(count);
    }
    static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
    static toff_t seek(thandle_t handle, toff_t offset, int whence) {
        TiffFile& file = self(handle);
        const toff_t base = whence == SEEK_CUR ? file.at_ : whence == SEEK_END ? size(handle) : 0;
        return file.at_ = base + offset;
    }
    static int close(thandle_t) { return 0; }
    static toff_t size(thandle_t handle) {
        const TiffFile& file = self(handle);
        if (!file.opened_) return file.bytes_.size();
        struct stat status {};
        return ::fstat(::fileno(file.opened_.get()), &status) == 0 ? static_cast<toff_t>(status.st_size) : 0;
    }

    std::span<const std::uint8_t> bytes_;
    OpenFile opened_;  // null: bytes_
    toff_t at_ = 0;
    std::string fault_;
    std::unique_ptr<TIFF, TiffCloser> file_;
};

namespace {

// libtiff leaves the fourth channel out of some kinds of images, whose transparent pixels would show what they hide.
bool reads_alpha(const TiffFile& file) {
    const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
    const bool gray = photometric == PHOTOMETRIC_MINISBLACK && file.small_number(TIFFTAG_BITSPERSAMPLE) == 8;
    const bool contiguous = file.small_number(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG;
    return photometric == PHOTOMETRIC_RGB || (gray && contiguous);
}

// Decodes all data without using them, up to the first fault.
void check_tiff_data(const TiffFile& opened) {
    TIFF* const file = opened.get();
    const bool tiles = TIFFIsTiled(file) != 0;
    const tmsize_t size = tiles ? TIFFTileSize(file) : TIFFStripSize(file);
    if (size <= 0 || size > tmsize_t{16} * kMaxPixels) return;
    // Not initialized: the size is what the file claims, and only what is decoded takes memory.
    const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(size));
    const std::uint32_t count = tiles ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
    for (std::uint32_t i = 0; i < count && opened.fault().empty(); ++i) {
        const tmsize_t read = tiles ? TIFFReadEncodedTile(file, i, buffer.get(), size)
                                    : TIFFReadEncodedStrip(file, i, buffer.get(), size);
        if (read < 0) return;
    }
}

// libtiff converts integers of up to 16 bits. It scales real numbers by a range of its own.
bool holds_integers(const TiffFile& file) {
    const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
    return file.small_number(TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_IEEEFP && photometric != PHOTOMETRIC_LOGL &&
           photometric != PHOTOMETRIC_LOGLUV;
}

bool fits_in_int(const TiffFile& file) {
    return std::in_range<int>(file.number(TIFFTAG_IMAGEWIDTH)) && std::in_range<int>(file.number(TIFFTAG_IMAGELENGTH));
}

bool has_alpha(const TiffFile& file) {
    const int extra = file.extra_sample();
    return extra == EXTRASAMPLE_ASSOCALPHA || extra == EXTRASAMPLE_UNASSALPHA;
}

bool is_gray(const TiffFile& file) {
    const std::uint16_t photometric = file.small_number(TIFFTAG_PHOTOMETRIC);
    return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
}

ImageHeader header_of(TiffFile& file) {
    ImageHeader header{ImageKind::tiff};
    if (file.get() == nullptr) return header;
    const TiffFile::Scope scope(file, false);
    header.width = file.number(TIFFTAG_IMAGEWIDTH);
    header.height = file.number(TIFFTAG_IMAGELENGTH);
    header.preview = (file.number(TIFFTAG_SUBFILETYPE) & FILETYPE_REDUCEDIMAGE) != 0;
    header.orientation = orientation_of_exif(file.small_number(TIFFTAG_ORIENTATION));
    header.alpha = has_alpha(file);
    header.premultiplied = file.extra_sample() == EXTRASAMPLE_ASSOCALPHA;
    constexpr int kMaxPages = 1 << 12;
    for (int i = 1; i < kMaxPages && TIFFReadDirectory(file.get()) != 0; ++i) {
        constexpr std::uint32_t kReducedOrMask = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;
        header.pages += (file.number(TIFFTAG_SUBFILETYPE) & kReducedOrMask) == 0 ? 1 : 0;
    }
    return header;
}

}  // namespace

struct TiffRows::State {
    TiffFile file;
    TIFFRGBAImage converter{};
    bool converts = false;  // libtiff converts these samples
    bool failed = false;    // nothing more can be read
    int unit = 1;           // rows of a strip or tile of the file
    bool from_bottom;
    int next = 0;  // row, of those in the order in which they are returned
    std::array<char, 1024> message{};

    State(std::span<const std::uint8_t> bytes, OpenFile opened, bool bottom)
        : file(bytes, std::move(opened)), from_bottom(bottom) {
        if (file.get() == nullptr) return;
        const TiffFile::Scope scope(file, true);
        converts = holds_integers(file) && fits_in_int(file) && TIFFRGBAImageOK(file.get(), message.data()) != 0 &&
                   TIFFRGBAImageBegin(&converter, file.get(), 0, message.data()) != 0;
        if (!converts) return;
        converter.req_orientation = converter.orientation;  // rows and columns as they are stored
        const bool tiles = TIFFIsTiled(file.get()) != 0;
        std::uint32_t rows = 1;
        TIFFGetFieldDefaulted(file.get(), tiles ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &rows);
        unit = static_cast<int>(std::clamp(rows, 1U, std::max(converter.height, 1U)));
    }
    ~State() {
        const TiffFile::Scope scope(file, false);
        if (converts) TIFFRGBAImageEnd(&converter);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Returns the next rows, as many as whole strips or tiles have.
    cv::Mat next_rgba(int num_rows) {
        const TiffFile::Scope scope(file, true);
        const int height = static_cast<int>(converter.height);
        const int rest = height - next;
        // From the bottom, the first strip may have fewer rows than the others.
        const int partial = from_bottom && next == 0 ? height % unit : 0;
        const int whole = partial > 0 ? partial : std::max(num_rows / unit, 1) * unit;
        const int rows = num_rows < rest ? std::min(whole, rest) : rest;
        cv::Mat rgba(rows, static_cast<int>(converter.width), CV_8UC4, cv::Scalar(128, 128, 128, 255));
        converter.row_offset = from_bottom ? rest - rows : next;
        next += rows;
        if (failed) return rgba;
        const auto count = static_cast<std::uint32_t>(rows);
        failed = TIFFRGBAImageGet(&converter, rgba.ptr<std::uint32_t>(), converter.width, count) == 0;
        if (failed) file.add_fault(message.data());
        if (from_bottom) cv::flip(rgba, rgba, 0);
        return rgba;
    }
};

TiffRows::TiffRows(std::span<const std::uint8_t> bytes) : state_(std::make_unique<State>(bytes, nullptr, false)) {}
TiffRows::TiffRows(OpenFile file, bool from_bottom)
    : state_(std::make_unique<State>(std::span<const std::uint8_t>(), std::move(file), from_bottom)) {}
TiffRows::~TiffRows() = default;

cv::Size TiffRows::size() const {
    if (!state_->converts) return {};
    return {static_cast<int>(state_->converter.width), static_cast<int>(state_->converter.height)};
}

int TiffRows::channels() const {
    return is_gray(state_->file) && !has_alpha(state_->file) ? 1 : 3;
}

int TiffRows::rows_of_strip() const {
    return state_->unit;
}

ImagePixels TiffRows::next(int num_rows) {
    State& state = *state_;
    const TiffFile& file = state.file;
    ImagePixels pixels;
    if (state.converts && state.next < static_cast<int>(state.converter.height)) {
        const bool alpha = has_alpha(file);
        if (alpha && !reads_alpha(file)) {
            throw Error(ErrorKind::input, "TIFF images of this kind with transparency are not supported", "",
                        "convert it to PNG");
        }
        const cv::Mat rgba = state.next_rgba(num_rows);
        if (channels() == 1) {
            cv::extractChannel(rgba, pixels.image, 0);
        } else {
            cv::cvtColor(rgba, pixels.image, cv::COLOR_RGBA2BGR);
        }
        if (alpha) cv::extractChannel(rgba, pixels.alpha, 3);
        // libtiff multiplies colors by alpha, but not gray.
        pixels.deep = file.small_number(TIFFTAG_BITSPERSAMPLE) > 8;
        pixels.premultiplied = !is_gray(file) || file.extra_sample() == EXTRASAMPLE_ASSOCALPHA;
    } else if (!state.converts && file.get() != nullptr) {
        const TiffFile::Scope scope(state.file, true);
        check_tiff_data(file);
    }
    pixels.damage = file.fault();
    pixels.cut = pixels.damage.find("ead error") != std::string::npos;
    return pixels;
}

ImageHeader read_tiff_header(std::span<const std::uint8_t> bytes) {
    TiffFile file(bytes);
    return header_of(file);
}

ImageHeader read_tiff_header(OpenFile opened) {
    TiffFile file({}, std::move(opened));
    return header_of(file);
}

ImagePixels decode_tiff(std::span<const std::uint8_t> bytes) {
    TiffRows rows(bytes);
    return rows.next(std::max(rows.size().height, 1));
}

}  // namespace throng
