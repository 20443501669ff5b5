#include "core/video/png.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace throng {
namespace {

struct PngInput {
    std::span<const std::uint8_t> bytes;
    OpenFile file;  // null: bytes
    bool cut = false;
    std::array<char, 256> damage{};
};

void read_input(png_structp png, png_bytep to, std::size_t count) {
    auto& input = *static_cast<PngInput*>(png_get_io_ptr(png));
    std::size_t read = 0;
    if (input.file) {
        read = std::fread(to, 1, count, input.file.get());
    } else {
        read = std::min(count, input.bytes.size());
        std::copy_n(input.bytes.begin(), read, to);
        input.bytes = input.bytes.subspan(read);
    }
    if (read == count) return;
    input.cut = true;
    png_error(png, "the file ends early");
}

[[noreturn]] void note_fault(png_structp png, png_const_charp text) {
    auto* input = static_cast<PngInput*>(png_get_error_ptr(png));
    if (input != nullptr && input->damage[0] == '\0') {
        std::strncpy(input->damage.data(), text, input->damage.size() - 1);
    }
    png_longjmp(png, 1);
}

// Warnings concern metadata, such as color profiles.
void ignore_warning(png_structp /*png*/, png_const_charp /*text*/) {}

// No object with a destructor may be made in the functions below: libpng leaves them with longjmp. They return false then.
bool read_info(png_structp png, png_infop info) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    // Chunks that change no pixel are skipped: libpng would allocate as many bytes as one of them claims to have.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png, info);
    const unsigned color_type = png_get_color_type(png, info);
    const bool alpha = (color_type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (color_type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png);
    if (alpha) png_set_gray_to_rgb(png);
    png_set_bgr(png);
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return true;
}

// An interlaced image is decoded in passes over all its rows.
bool read_rows(png_structp png, cv::Mat& rows, int passes, bool is_end) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (int pass = 0; pass < passes; ++pass) {
        for (int y = 0; y < rows.rows; ++y) png_read_row(png, rows.ptr(y), nullptr);
    }
    if (is_end) png_read_end(png, nullptr);
    return true;
}

// Compresses as OpenCV does: fast.
bool begin_png(png_structp png, png_infop info, std::FILE* file, cv::Size size, int channels) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_init_io(png, file);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(png, 1);
    png_set_compression_strategy(png, 3);  // Z_RLE
    png_set_IHDR(png, info, static_cast<png_uint_32>(size.width), static_cast<png_uint_32>(size.height), 8,
                 channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_bgr(png);
    return true;
}

bool write_png_rows(png_structp png, const cv::Mat& rows, bool is_end) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (int y = 0; y < rows.rows; ++y) png_write_row(png, rows.ptr(y));
    if (is_end) png_write_end(png, nullptr);
    return true;
}

}  // namespace

struct PngRows::State {
    PngInput input;
    png_structp png;
    png_infop info;
    cv::Size size;
    int channels = 0;  // as decoded
    bool deep = false;
    bool is_interlaced = false;
    bool is_readable = false;
    int next = 0;  // row

    State(std::span<const std::uint8_t> bytes, OpenFile file)
        : input{bytes, std::move(file)},
          png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &input, note_fault, ignore_warning)),
          info(png_create_info_struct(png)) {
        png_set_read_fn(png, &input, read_input);
        is_readable = info != nullptr && read_info(png, info);
        if (!is_readable) return;
        size = {static_cast<int>(png_get_image_width(png, info)), static_cast<int>(png_get_image_height(png, info))};
        channels = png_get_channels(png, info);
        deep = png_get_bit_depth(png, info) == 16;
        is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    }
    ~State() { png_destroy_read_struct(&png, &info, nullptr); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

PngRows::PngRows(std::span<const std::uint8_t> bytes) : state_(std::make_unique<State>(bytes, nullptr)) {}
PngRows::PngRows(OpenFile file) : state_(std::make_unique<State>(std::span<const std::uint8_t>(), std::move(file))) {}
PngRows::~PngRows() = default;

cv::Size PngRows::size() const {
    return state_->size;
}

int PngRows::channels() const {
    return state_->channels == 1 ? 1 : 3;
}

bool PngRows::is_interlaced() const {
    return state_->is_interlaced;
}

ImagePixels PngRows::next(int num_rows) {
    State& state = *state_;
    ImagePixels pixels;
    const int rest = state.size.height - state.next;
    const int rows = state.is_interlaced ? rest : std::min(num_rows, rest);
    if (rows > 0) {
        pixels.deep = state.deep;
        constexpr double kDeepest = 65535;
        const double scale = state.deep ? kDeepest / 255 : 1;
        cv::Mat stored(rows, state.size.width, CV_MAKETYPE(state.deep ? CV_16U : CV_8U, state.channels),
                       cv::Scalar(128, 128, 128, 255) * scale);
        state.next += rows;
        state.is_readable = state.is_readable &&
                            read_rows(state.png, stored, state.is_interlaced ? 7 : 1, state.next == state.size.height);
        pixels.image = stored;
        if (state.deep) stored.convertTo(pixels.image, CV_8U, 1 / scale);
        if (state.channels == 4) {
            cv::extractChannel(pixels.image, pixels.alpha, 3);
            cv::cvtColor(pixels.image, pixels.image, cv::COLOR_BGRA2BGR);
        }
    }
    pixels.damage = state.input.damage.data();
    pixels.cut = state.input.cut;
    return pixels;
}

ImagePixels decode_png(std::span<const std::uint8_t> bytes) {
    return PngRows(bytes).next(std::numeric_limits<int>::max());
}

struct PngWriter::State {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, note_fault, ignore_warning);
    png_infop info = png_create_info_struct(png);
    int missing = 0;  // rows
    bool is_open = false;
};

PngWriter::PngWriter(std::FILE* file, cv::Size size, int channels) : state_(std::make_unique<State>()) {
    state_->missing = size.height;
    state_->is_open =
        file != nullptr && state_->info != nullptr && begin_png(state_->png, state_->info, file, size, channels);
}

PngWriter::~PngWriter() {
    png_destroy_write_struct(&state_->png, &state_->info);
}

bool PngWriter::write(const cv::Mat& rows) {
    state_->missing -= rows.rows;
    state_->is_open = state_->is_open && write_png_rows(state_->png, rows, state_->missing == 0);
    return state_->is_open;
}

std::vector<std::uint8_t> encode_png(const cv::Mat& image) {
    char* data = nullptr;
    std::size_t size = 0;
    OpenFile file(::open_memstream(&data, &size));
    bool done = PngWriter(file.get(), image.size(), image.channels()).write(image);
    done = file != nullptr && std::fclose(file.release()) == 0 && done;
    const std::unique_ptr<char, decltype(&std::free)> owner(data, std::free);
    return done ? std::vector<std::uint8_t>(data, data + size) : std::vector<std::uint8_t>();
}

}  // namespace throng
