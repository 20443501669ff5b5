// The header of any bytes is read or not recognized, without a look at the pixels. No access is outside the bytes.
#include <cstdint>
#include <optional>
#include <vector>

#include "core/video/heif.h"
#include "core/video/image_header.h"
#include "core/video/truncation.h"
#include "tests/fuzz/input.h"

TH_FUZZ(image) {
    using namespace throng;
    const std::vector<std::uint8_t> bytes(data, data + size);
    if (const std::optional<ImageHeader> header = read_image_header(bytes)) {
        fuzz::require(header->pages >= 1 && header->width >= 0 && header->width <= UINT32_MAX);
        fuzz::require(header->height >= 0 && header->height <= UINT32_MAX);
    }
    static_cast<void>(image_of_icon(bytes));
    fuzz::require(read_animation_plays(bytes) >= 0);
    static_cast<void>(is_truncated_image(bytes));
    if (const std::optional<HeifFile> file = read_heif(HeaderBytes(bytes))) {
        fuzz::require(file->items.contains(file->primary));
        // Nothing is as long as a number in the file says, without the bytes for it.
        std::size_t entries = 0;
        for (const auto& [id, item] : file->items) entries += item.extents.size() + item.inputs.size();
        fuzz::require(entries <= size);
    }
    return 0;
}
