#include "core/video/transparency.h"

#include "core/video/header_bytes.h"

namespace throng {

bool has_padding_for_alpha(AVCodecID codec, std::string_view container, std::span<const std::uint8_t> packet) {
    const HeaderBytes bytes(packet);
    switch (codec) {
        // BITMAPINFOHEADER with BI_RGB: the fourth byte is unused.
        case AV_CODEC_ID_RAWVIDEO: return container == "avi";
        case AV_CODEC_ID_TARGA: return (bytes.at(17) & 0x0FU) == 0;
        case AV_CODEC_ID_PSD: {
            // The first extra channel is transparency if the number of layers is negative (file format specification,
            // "Layer info").
            std::size_t at = 26;
            at += 4 + std::size_t{bytes.big32(at)};  // color mode data
            at += 4 + std::size_t{bytes.big32(at)};  // image resources
            const bool has_layers = bytes.big32(at) > 4 && bytes.big32(at + 4) > 2;
            return !has_layers || (bytes.at(at + 8) & 0x80U) == 0;
        }
        default: return false;
    }
}

}  // namespace throng
