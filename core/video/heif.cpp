#include "core/video/heif.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/coded_image.h"
#include "core/video/jpeg.h"

namespace throng {
namespace {

constexpr int kMaxDepth = 4;  // of images that are made of images

constexpr std::uint32_t code(const char (&text)[5]) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(text[i]);
    return value;
}

struct Atom {
    std::uint32_t type = 0;
    std::size_t begin = 0;  // of the content, in the bytes given
    HeaderBytes content{{}};
};

// Calls use(Atom) for every box in the bytes (ISO/IEC 14496-12, section 4.2).
template <class Use>
void for_each_box(const HeaderBytes& bytes, const Use& use) {
    for (std::size_t at = 0; at + 8 <= bytes.size();) {
        std::uint64_t size = bytes.big32(at);
        std::size_t head = 8;
        if (size == 1) {
            size = std::uint64_t{bytes.big32(at + 8)} << 32 | bytes.big32(at + 12);
            head = 16;
        }
        const std::size_t rest = bytes.size() - at;
        if (size == 0) size = rest;
        if (size < head) return;
        use(Atom{bytes.big32(at + 4), at + head, bytes.part(at + head, static_cast<std::size_t>(size) - head)});
        if (size >= rest) return;
        at += static_cast<std::size_t>(size);
    }
}

// Reads the "meta" box of a file.
class MetaReader {
public:
    // at: offset of `meta`, the content of the box, in the file.
    MetaReader(const HeaderBytes& meta, std::size_t at, HeifFile& file) : file_(file) {
        const HeaderBytes boxes = meta.part(4, meta.size());
        for_each_box(boxes, [&](const Atom& box) {
            if (box.type == code("idat")) data_ = at + 4 + box.begin;
        });
        for_each_box(boxes, [&](const Atom& box) {
            const std::uint32_t version = box.content.at(0);
            FieldReader fields(box.content.part(4, box.content.size()));
            if (box.type == code("pitm")) file_.primary = version == 0 ? fields.u16() : fields.u32();
            if (box.type == code("iinf")) read_types(fields, version);
            if (box.type == code("iloc")) read_extents(fields, version);
            if (box.type == code("iref")) read_references(fields, version);
            if (box.type == code("iprp")) read_properties(box.content);
        });
    }

    // The items that are another's transparency, by the item that they belong to.
    [[nodiscard]] std::uint32_t alpha_of(std::uint32_t item) const {
        for (const auto& [from, to] : auxiliary_) {
            if (to == item && alphas_.contains(from)) return from;
        }
        return 0;
    }
    [[nodiscard]] bool is_premultiplied(std::uint32_t item) const {
        return std::find(premultiplied_.begin(), premultiplied_.end(), item) != premultiplied_.end();
    }

private:
    void read_types(FieldReader fields, std::uint32_t version) {
        fields.skip(version == 0 ? 2 : 4);
        for_each_box(fields.rest(), [&](const Atom& box) {
            const std::uint32_t entry = box.content.at(0);
            if (box.type != code("infe") || entry < 2) return;
            FieldReader item(box.content.part(4, box.content.size()));
            const std::uint32_t id = entry == 2 ? item.u16() : item.u32();
            item.skip(2);  // protection
            file_.items[id].type = item.u32();
        });
    }

    void read_extents(FieldReader fields, std::uint32_t version) {
        const std::uint32_t sizes = fields.u16();
        const auto size_of = [sizes](int shift) { return static_cast<int>(sizes >> shift & 15U); };
        const int index_size = version == 0 ? 0 : size_of(0);
        const std::uint32_t items = version < 2 ? fields.u16() : fields.u32();
        for (std::uint32_t i = 0; i < items && !fields.ended(); ++i) {
            HeifItem& item = file_.items[version < 2 ? fields.u16() : fields.u32()];
            const std::uint32_t method = version == 0 ? 0 : fields.u16() & 15U;
            fields.skip(2);  // number of a file
            const std::uint64_t base = fields.number(size_of(4)) + (method == 1 ? data_ : 0);
            std::uint32_t extents = fields.u16();
            // These take no bytes. One is the whole item, and more are as wrong as two.
            if (index_size + size_of(12) + size_of(8) == 0) extents = std::min(extents, 2U);
            for (std::uint32_t k = 0; k < extents && !fields.ended(); ++k) {
                fields.skip(static_cast<std::size_t>(index_size));
                const std::uint64_t offset = fields.number(size_of(12));
                const std::uint64_t length = fields.number(size_of(8));
                if (method <= 1) item.extents.emplace_back(base + offset, length);
            }
        }
    }

    void read_references(FieldReader fields, std::uint32_t version) {
        for_each_box(fields.rest(), [&](const Atom& box) {
            FieldReader list(box.content);
            const auto id = [&] { return version == 0 ? list.u16() : list.u32(); };
            const std::uint32_t from = id();
            const std::uint32_t count = list.u16();
            for (std::uint32_t i = 0; i < count && !list.ended(); ++i) {
                const std::uint32_t to = id();
                if (box.type == code("dimg")) file_.items[from].inputs.push_back(to);
                if (box.type == code("auxl")) auxiliary_.emplace_back(from, to);
                if (box.type == code("prem")) premultiplied_.push_back(from);
            }
        });
    }

    void read_properties(const HeaderBytes& content) {
        std::vector<Atom> properties;
        for_each_box(content, [&](const Atom& box) {
            if (box.type != code("ipco")) return;
            for_each_box(box.content, [&](const Atom& property) { properties.push_back(property); });
        });
        for_each_box(content, [&](const Atom& box) {
            if (box.type != code("ipma")) return;
            const std::uint32_t version = box.content.at(0);
            const bool wide = (box.content.at(3) & 1U) != 0;
            FieldReader fields(box.content.part(4, box.content.size()));
            const std::uint32_t items = fields.u32();
            for (std::uint32_t i = 0; i < items && !fields.ended(); ++i) {
                const std::uint32_t id = version == 0 ? fields.u16() : fields.u32();
                const std::uint32_t count = fields.u8();
                for (std::uint32_t k = 0; k < count && !fields.ended(); ++k) {
                    const std::uint32_t index = wide ? fields.u16() & 0x7FFFU : fields.u8() & 0x7FU;
                    if (index >= 1 && index <= properties.size()) apply(properties[index - 1], id);
                }
            }
        });
    }

    void apply(const Atom& property, std::uint32_t id) {
        HeifItem& item = file_.items[id];
        const HeaderBytes& content = property.content;
        switch (property.type) {
            case code("ispe"):
                item.width = content.big32(4);
                item.height = content.big32(8);
                break;
            case code("irot"): {  // counterclockwise, by the number of right angles
                static constexpr std::array<std::uint32_t, 4> kExif = {1, 8, 3, 6};
                item.orientation = combined(item.orientation, orientation_of_exif(kExif[content.at(0) & 3U]));
                break;
            }
            case code("imir"):  // 0: top and bottom are exchanged
                item.orientation =
                    combined(item.orientation, {false, (content.at(0) & 1U) != 0, content.at(0) % 2 == 0});
                break;
            case code("av1C"):
            case code("hvcC"):
            case code("avcC"): item.configuration = content.span(); break;
            case code("colr"):
                if (!content.holds(0, "nclx")) break;
                item.matrix = static_cast<int>(content.big16(8));
                item.full_range = (content.at(10) & 0x80U) != 0;
                break;
            case code("auxC"):
                if (content.holds(4, "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") ||
                    content.holds(4, "urn:mpeg:hevc:2015:auxid:1") || content.holds(4, "urn:mpeg:avc:2015:auxid:1")) {
                    alphas_.insert(id);
                }
                break;
            default: break;
        }
    }

    HeifFile& file_;
    std::size_t data_ = 0;                                            // offset of the "idat" content in the file
    std::vector<std::pair<std::uint32_t, std::uint32_t>> auxiliary_;  // from, to
    std::vector<std::uint32_t> premultiplied_;
    std::set<std::uint32_t> alphas_;
};

class Decoder {
public:
    Decoder(const HeifFile& file, const HeaderBytes& bytes) : file_(file), bytes_(bytes) {}

    // Returns the colors in BGR, or the transparency in one channel.
    cv::Mat decode(std::uint32_t id, bool alpha, int depth = 0) {
        const auto found = file_.items.find(id);
        if (found == file_.items.end() || depth > kMaxDepth) throw undecodable_image();
        const HeifItem& item = found->second;
        switch (item.type) {
            case code("grid"): return grid(item, alpha, depth);
            case code("iden"):
                if (item.inputs.size() != 1) throw undecodable_image();
                return decode(item.inputs.front(), alpha, depth + 1);
            case code("jpeg"): {
                const ImagePixels jpeg = decode_jpeg(data_of(item));
                if (jpeg.image.empty()) throw undecodable_image();
                damaged_ = damaged_ || !jpeg.damage.empty();
                cv::Mat image = jpeg.image;
                if (alpha && image.channels() == 3) cv::cvtColor(image, image, cv::COLOR_BGR2GRAY);
                if (!alpha && image.channels() == 1) cv::cvtColor(image, image, cv::COLOR_GRAY2BGR);
                return image;
            }
            case code("av01"): return coded(item, AV_CODEC_ID_AV1, alpha);
            case code("hvc1"): return coded(item, AV_CODEC_ID_HEVC, alpha);
            case code("avc1"): return coded(item, AV_CODEC_ID_H264, alpha);
            default: break;
        }
        std::string type;
        for (int shift = 24; shift >= 0; shift -= 8) {
            const auto c = static_cast<char>(item.type >> shift & 0xFFU);
            type += c >= ' ' && c <= '~' ? c : '?';
        }
        throw Error(ErrorKind::input, {"HEIF images of the kind \"%1\" are not supported", type}, "",
                    "convert it to JPEG or PNG");
    }

    [[nodiscard]] bool damaged() const { return damaged_; }

private:
    [[nodiscard]] std::vector<std::uint8_t> data_of(const HeifItem& item) {
        std::vector<std::uint8_t> data;
        for (const auto& [offset, length] : item.extents) {
            // A length of 0 is the rest of the file. Extents that overlap must not add up to more than the file.
            const auto part = bytes_.part(offset, length == 0 ? bytes_.size() : length).span();
            if (data.size() + part.size() > bytes_.size()) throw undecodable_image();
            data.insert(data.end(), part.begin(), part.end());
        }
        num_bytes_ += data.size();
        check_effort();
        return data;
    }

    // Grids of grids could decode one item any number of times.
    void check_effort() const {
        constexpr int kMaxUses = 16;                          // of all bytes, of all pixels
        constexpr std::size_t kSmall = std::size_t{1} << 20;  // bytes of a file whose grids may repeat one item
        if (num_bytes_ / kMaxUses > std::max(bytes_.size(), kSmall) || num_pixels_ / kMaxUses > kMaxPixels) {
            throw undecodable_image();
        }
    }

    // The tiles of a grid, row by row (ISO/IEC 23008-12, section 6.6.2.3).
    cv::Mat grid(const HeifItem& item, bool alpha, int depth) {
        const std::vector<std::uint8_t> description = data_of(item);
        FieldReader fields{HeaderBytes(description)};
        fields.skip(1);
        const int length = (fields.u8() & 1U) != 0 ? 4 : 2;
        const std::size_t rows = fields.u8() + std::size_t{1};
        const std::size_t columns = fields.u8() + std::size_t{1};
        const std::uint64_t width = fields.number(length);
        const std::uint64_t height = fields.number(length);
        if (item.inputs.size() != rows * columns || width == 0 || height == 0 ||
            height > static_cast<std::uint64_t>(kMaxPixels) / width) {
            throw undecodable_image();
        }
        cv::Mat whole(static_cast<int>(height), static_cast<int>(width), alpha ? CV_8UC1 : CV_8UC3,
                      cv::Scalar::all(128));
        cv::Size tile;
        for (std::size_t i = 0; i < item.inputs.size(); ++i) {
            const cv::Mat image = decode(item.inputs[i], alpha, depth + 1);
            if (i == 0) tile = image.size();
            if (image.size() != tile) throw undecodable_image();
            num_pixels_ += static_cast<std::int64_t>(image.total());
            check_effort();
            const cv::Rect place(static_cast<int>(i % columns) * tile.width,
                                 static_cast<int>(i / columns) * tile.height, tile.width, tile.height);
            const cv::Rect inside = place & cv::Rect(0, 0, whole.cols, whole.rows);
            if (!inside.empty()) image(inside - place.tl()).copyTo(whole(inside));
        }
        if (static_cast<std::uint64_t>(tile.width) * columns < width ||
            static_cast<std::uint64_t>(tile.height) * rows < height) {
            throw undecodable_image();
        }
        return whole;
    }

    cv::Mat coded(const HeifItem& item, AVCodecID codec_id, bool alpha) {
        av::FramePtr av_frame = decode_packet(codec_id, data_of(item), item.configuration, damaged_);
        // Without other information, the colors are those of sRGB in JPEG.
        if (item.matrix != AVCOL_SPC_UNSPECIFIED && item.matrix != AVCOL_SPC_RGB) {
            av_frame->colorspace = static_cast<AVColorSpace>(item.matrix);
        } else if (av_frame->colorspace == AVCOL_SPC_UNSPECIFIED) {
            av_frame->colorspace = AVCOL_SPC_SMPTE170M;
        }
        if (item.full_range) av_frame->color_range = *item.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        if (av_frame->color_range == AVCOL_RANGE_UNSPECIFIED) av_frame->color_range = AVCOL_RANGE_JPEG;
        cv::Mat image = pixels_of(std::move(av_frame), true).image;
        if (image.channels() == 1 && !alpha) cv::cvtColor(image, image, cv::COLOR_GRAY2BGR);
        if (image.channels() == 3 && alpha) cv::extractChannel(image, image, 0);
        return image;
    }

    const HeifFile& file_;
    const HeaderBytes& bytes_;
    std::size_t num_bytes_ = 0;    // decoded so far
    std::int64_t num_pixels_ = 0;  // of tiles
    bool damaged_ = false;
};

}  // namespace

std::optional<HeifFile> read_heif(const HeaderBytes& bytes) {
    constexpr std::array kBrands = {code("avif"), code("heic"), code("heix"), code("heim"), code("heis"),
                                    code("mif1"), code("mif2"), code("avci"), code("jpeg")};
    if (!bytes.holds(4, "ftyp") || std::find(kBrands.begin(), kBrands.end(), bytes.big32(8)) == kBrands.end()) {
        return std::nullopt;
    }
    HeifFile file;
    for_each_box(bytes, [&](const Atom& box) {
        if (box.type != code("meta") || file.primary != 0) return;
        const MetaReader meta(box.content, box.begin, file);
        file.alpha = meta.alpha_of(file.primary);
        file.premultiplied = meta.is_premultiplied(file.primary);
    });
    file.items.try_emplace(file.primary);
    return file;
}

ImagePixels decode_heif(const HeifFile& file, const HeaderBytes& bytes) {
    Decoder decoder(file, bytes);
    ImagePixels pixels{decoder.decode(file.primary, false)};
    pixels.premultiplied = file.premultiplied;
    if (file.alpha != 0) {
        pixels.alpha = decoder.decode(file.alpha, true);
        if (pixels.alpha.size() != pixels.image.size()) {
            cv::resize(pixels.alpha, pixels.alpha, pixels.image.size(), 0, 0, cv::INTER_LINEAR);
        }
    }
    if (decoder.damaged()) pixels.damage = "its decoder reports errors";
    return pixels;
}

}  // namespace throng
