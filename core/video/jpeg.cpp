#include "core/video/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>

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

// No object with a destructor may be made here: libjpeg leaves this function with longjmp.
void decode(jpeg_decompress_struct& info, ErrorManager& manager, std::span<const std::uint8_t> bytes, cv::Mat& image,
            bool& has_pixels) {
    if (setjmp(manager.failed) != 0) return;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
    if (jpeg_read_header(&info, TRUE) != JPEG_HEADER_OK) return;
    if (std::int64_t{info.image_width} * info.image_height > kMaxPixels) return;
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : info.num_components == 4 ? JCS_CMYK : JCS_EXT_BGR;
    jpeg_start_decompress(&info);
    image.create(static_cast<int>(info.output_height), static_cast<int>(info.output_width),
                 CV_8UC(info.output_components));
    image.setTo(cv::Scalar::all(128));
    has_pixels = true;
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = image.ptr(static_cast<int>(info.output_scanline));
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
}

// As decode. The caller frees `data`.
void encode(jpeg_compress_struct& info, ErrorManager& manager, const cv::Mat& image, int quality, unsigned char*& data,
            unsigned long& size) {
    if (setjmp(manager.failed) != 0) return;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = static_cast<JDIMENSION>(image.cols);
    info.image_height = static_cast<JDIMENSION>(image.rows);
    info.input_components = image.channels();
    info.in_color_space = image.channels() == 1 ? JCS_GRAYSCALE : JCS_EXT_BGR;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        auto* row = const_cast<JSAMPROW>(image.ptr(static_cast<int>(info.next_scanline)));
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
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

ImagePixels decode_jpeg(std::span<const std::uint8_t> bytes) {
    ErrorManager manager{};
    jpeg_decompress_struct info{};
    info.err = quiet(manager);
    ImagePixels pixels;
    bool has_pixels = false;
    decode(info, manager, bytes, pixels.image, has_pixels);
    jpeg_destroy_decompress(&info);
    if (!has_pixels) pixels.image.release();
    if (pixels.image.channels() == 4) pixels.image = bgr_of_cmyk(pixels.image);
    pixels.damage = manager.damage;
    pixels.cut = manager.cut;
    return pixels;
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

}  // namespace throng
