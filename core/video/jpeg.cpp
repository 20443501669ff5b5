#include "core/video/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "core/frame/frame_pool.h"

extern "C" {
// After <cstdio>, which they need.
#include <jerror.h>
#include <jpeglib.h>
}

namespace throng {
namespace {

struct ErrorManager {
    jpeg_error_mgr base;  // first: libjpeg passes its address
    std::jmp_buf failed;
    char damage[JMSG_LENGTH_MAX];
    bool cut;
};

ErrorManager& manager_of(j_common_ptr info) {
    return *reinterpret_cast<ErrorManager*>(info->err);
}

void note_damage(j_common_ptr info) {
    ErrorManager& manager = manager_of(info);
    if (manager.damage[0] == '\0') manager.base.format_message(info, manager.damage);
}

[[noreturn]] void fail(j_common_ptr info) {
    note_damage(info);
    std::longjmp(manager_of(info).failed, 1);
}

// level: -1 for a warning, otherwise that of a trace.
void emit(j_common_ptr info, int level) {
    if (level >= 0) return;
    ++info->err->num_warnings;
    // These concern the header's version numbers, not the data.
    const int code = info->err->msg_code;
    if (code == JWRN_JPEG_EOF) manager_of(info).cut = true;
    if (code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) note_damage(info);
}

void print_nothing(j_common_ptr /*info*/) {}

// No object with a destructor may be made in the functions below: libjpeg leaves them with longjmp. They return false
// then.
bool read_header(jpeg_decompress_struct& info, ErrorManager& manager, std::span<const std::uint8_t> bytes,
                 std::FILE* file) {
    if (setjmp(manager.failed) != 0) return false;
    jpeg_create_decompress(&info);
    if (file != nullptr) {
        jpeg_stdio_src(&info, file);
    } else {
        jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
    }
    if (jpeg_read_header(&info, TRUE) != JPEG_HEADER_OK) return false;
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : info.num_components == 4 ? JCS_CMYK : JCS_EXT_BGR;
    return true;
}

bool start(jpeg_decompress_struct& info, ErrorManager& manager) {
    if (setjmp(manager.failed) != 0) return false;
    jpeg_start_decompress(&info);
    return true;
}

bool read_rows(jpeg_decompress_struct& info, ErrorManager& manager, cv::Mat& rows) {
    if (setjmp(manager.failed) != 0) return false;
    const JDIMENSION first = info.output_scanline;
    const auto end = static_cast<JDIMENSION>(rows.rows);
    while (info.output_scanline - first < end) {
        JSAMPROW row = rows.ptr(static_cast<int>(info.output_scanline - first));
        jpeg_read_scanlines(&info, &row, 1);
    }
    if (info.output_scanline == info.output_height) jpeg_finish_decompress(&info);
    return true;
}

void begin_image(jpeg_compress_struct& info, cv::Size size, int channels, int quality) {
    info.image_width = static_cast<JDIMENSION>(size.width);
    info.image_height = static_cast<JDIMENSION>(size.height);
    info.input_components = channels;
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_EXT_BGR;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
}

void write_rows(jpeg_compress_struct& info, const cv::Mat& rows) {
    for (int y = 0; y < rows.rows; ++y) {
        auto* row = const_cast<JSAMPROW>(rows.ptr(y));
        jpeg_write_scanlines(&info, &row, 1);
    }
    if (info.next_scanline == info.image_height) jpeg_finish_compress(&info);
}

// The caller frees `data`.
void encode(jpeg_compress_struct& info, ErrorManager& manager, const cv::Mat& image, int quality, unsigned char*& data,
            unsigned long& size) {
    if (setjmp(manager.failed) != 0) return;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    begin_image(info, image.size(), image.channels(), quality);
    write_rows(info, image);
}

bool begin_file(jpeg_compress_struct& info, ErrorManager& manager, std::FILE* file, cv::Size size, int channels,
                int quality) {
    if (setjmp(manager.failed) != 0) return false;
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    begin_image(info, size, channels, quality);
    return true;
}

bool write_to_file(jpeg_compress_struct& info, ErrorManager& manager, const cv::Mat& rows) {
    if (setjmp(manager.failed) != 0) return false;
    write_rows(info, rows);
    return true;
}

// Sets the functions of a manager that prints nothing.
jpeg_error_mgr* quiet(ErrorManager& manager) {
    jpeg_std_error(&manager.base);
    manager.base.error_exit = fail;
    manager.base.emit_message = emit;
    manager.base.output_message = print_nothing;
    return &manager.base;
}

// The samples are those of Adobe's programs, which store them inverted.
cv::Mat bgr_of_cmyk(const cv::Mat& cmyk) {
    cv::Mat bgr(cmyk.size(), CV_8UC3);
    for (int y = 0; y < cmyk.rows; ++y) {
        const auto* from = cmyk.ptr<cv::Vec4b>(y);
        auto* to = bgr.ptr<cv::Vec3b>(y);
        for (int x = 0; x < cmyk.cols; ++x) {
            const int black = from[x][3];
            for (int c = 0; c < 3; ++c) {
                to[x][2 - c] = static_cast<std::uint8_t>(black - ((255 - from[x][c]) * black >> 8));
            }
        }
    }
    return bgr;
}

}  // namespace

struct JpegRows::State {
    ErrorManager manager{};
    jpeg_decompress_struct info{};
    OpenFile file;
    // As in the header that was read first. libjpeg overwrites its own if another one follows the pixels.
    cv::Size size;
    int components = 0;
    int next = 0;             // row
    bool is_started = false;  // has tried
    bool is_readable = false;

    State(std::span<const std::uint8_t> bytes, OpenFile opened) : file(std::move(opened)) {
        info.err = quiet(manager);
        is_readable = read_header(info, manager, bytes, file.get());
        if (!is_readable) return;
        size = {static_cast<int>(info.image_width), static_cast<int>(info.image_height)};
        components = info.num_components;
    }
    ~State() { jpeg_destroy_decompress(&info); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

JpegRows::JpegRows(std::span<const std::uint8_t> bytes) : state_(std::make_unique<State>(bytes, nullptr)) {}
JpegRows::JpegRows(OpenFile file) : state_(std::make_unique<State>(std::span<const std::uint8_t>(), std::move(file))) {}
JpegRows::~JpegRows() = default;

cv::Size JpegRows::size() const {
    return state_->size;
}

int JpegRows::channels() const {
    return state_->components == 1 ? 1 : 3;
}

ImagePixels JpegRows::next(int num_rows) {
    State& state = *state_;
    if (!std::exchange(state.is_started, true)) {
        state.is_readable = state.is_readable && start(state.info, state.manager);
        if (!state.is_readable) state.next = std::numeric_limits<int>::max();  // it has no row
    }
    ImagePixels pixels;
    const int rows = std::min(num_rows, state.size.height - state.next);
    if (rows > 0) {
        const int stored = state.components == 4 ? 4 : channels();
        pixels.image.create(rows, size().width, CV_8UC(stored));
        pixels.image.setTo(cv::Scalar::all(128));
        state.is_readable = state.is_readable && read_rows(state.info, state.manager, pixels.image);
        state.next += rows;
        if (stored == 4) pixels.image = bgr_of_cmyk(pixels.image);
    }
    pixels.damage = state.manager.damage;
    pixels.cut = state.manager.cut;
    return pixels;
}

ImagePixels decode_jpeg(std::span<const std::uint8_t> bytes) {
    JpegRows rows(bytes);
    if (std::int64_t{rows.size().width} * rows.size().height > kMaxPixels) return {};
    return rows.next(std::numeric_limits<int>::max());
}

std::vector<std::uint8_t> encode_jpeg(const cv::Mat& image, int quality) {
    if (std::max(image.cols, image.rows) > JPEG_MAX_DIMENSION) return {};
    ErrorManager manager{};
    jpeg_compress_struct info{};
    info.err = quiet(manager);
    unsigned char* data = nullptr;
    unsigned long size = 0;
    encode(info, manager, image, quality, data, size);
    jpeg_destroy_compress(&info);
    if (manager.damage[0] != '\0') return {};  // libjpeg has freed some of its buffers, and does not tell which
    const std::unique_ptr<unsigned char, decltype(&std::free)> owner(data, std::free);
    return {data, data + size};
}

struct JpegWriter::State {
    ErrorManager manager{};
    jpeg_compress_struct info{};
    bool is_open = false;
};

JpegWriter::JpegWriter(std::FILE* file, cv::Size size, int channels, int quality) : state_(std::make_unique<State>()) {
    state_->info.err = quiet(state_->manager);
    const bool fits = std::max(size.width, size.height) <= JPEG_MAX_DIMENSION;
    state_->is_open = fits && begin_file(state_->info, state_->manager, file, size, channels, quality);
}

JpegWriter::~JpegWriter() {
    jpeg_destroy_compress(&state_->info);
}

bool JpegWriter::write(const cv::Mat& rows) {
    state_->is_open = state_->is_open && write_to_file(state_->info, state_->manager, rows);
    return state_->is_open;
}

}  // namespace throng
