// Still images in HEIF files: HEIC, AVIF.
#include <gtest/gtest.h>

#include <initializer_list>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/video/file_kind.h"
#include "core/video/heif.h"
#include "core/video/image_file.h"
#include "tests/support/video_files.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

// A HEIF file, written by the standard (ISO/IEC 23008-12): its items are JPEG images, which any build decodes.
class HeifBuilder {
public:
    using Content = std::vector<std::pair<std::string, Bytes>>;

    // Returns the number of the item, from 1. properties: those of the item, in order.
    std::size_t add(const std::string& type, const Bytes& data, std::initializer_list<Bytes> properties) {
        items_.push_back({type, data, properties, {}});
        return items_.size();
    }
    void refer(const std::string& type, std::size_t from, const std::vector<std::size_t>& to) {
        items_[from - 1].references.emplace_back(type, to);
    }

    static Bytes box(const std::string& type, const Bytes& content) {
        Bytes bytes = big32(content.size() + 8);
        append(bytes, text_bytes(type));
        append(bytes, content);
        return bytes;
    }
    static Bytes size_property(int width, int height) {
        Bytes content(4, 0);
        append(content, big32(static_cast<std::size_t>(width)));
        append(content, big32(static_cast<std::size_t>(height)));
        return box("ispe", content);
    }
    static Bytes rotation(std::uint8_t angle) { return box("irot", {angle}); }
    static Bytes mirror(std::uint8_t axis) { return box("imir", {axis}); }

    // in_data_box: the items are in "idat" instead of at places of the file.
    [[nodiscard]] Bytes file(std::size_t primary, bool in_data_box) const {
        const Bytes head = box("ftyp", text_bytes(std::string("avif") + std::string(4, '\0') + "avifmif1"));
        Bytes meta = made(primary, in_data_box, 0);
        if (!in_data_box) meta = made(primary, false, head.size() + meta.size() + 8);
        Bytes bytes = head;
        append(bytes, meta);
        append(bytes, box("mdat", in_data_box ? Bytes() : data()));
        return bytes;
    }

private:
    struct Item {
        std::string type;
        Bytes data;
        std::vector<Bytes> properties;
        std::vector<std::pair<std::string, std::vector<std::size_t>>> references;
    };

    static Bytes big16(std::size_t value) {
        return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
    }

    [[nodiscard]] Bytes data() const {
        Bytes all;
        for (const Item& item : items_) append(all, item.data);
        return all;
    }

    [[nodiscard]] Bytes made(std::size_t primary, bool in_data_box, std::size_t data_at) const {
        Bytes meta(4, 0);
        append(meta, box("hdlr", text_bytes(std::string(8, '\0') + "pict" + std::string(13, '\0'))));
        Bytes first(4, 0);
        append(first, big16(primary));
        append(meta, box("pitm", first));
        Bytes places = {1, 0, 0, 0, 0x44, 0x00};
        Bytes types(4, 0);
        append(places, big16(items_.size()));
        append(types, big16(items_.size()));
        Bytes references(4, 0);
        Bytes properties;
        Bytes associations(4, 0);
        append(associations, big32(items_.size()));
        std::size_t offset = data_at;
        std::uint8_t property = 0;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            append(places, big16(i + 1));
            append(places, {0, static_cast<std::uint8_t>(in_data_box ? 1 : 0), 0, 0, 0, 1});
            append(places, big32(offset));
            append(places, big32(items_[i].data.size()));
            offset += items_[i].data.size();
            Bytes entry = {2, 0, 0, 0};
            append(entry, big16(i + 1));
            append(entry, {0, 0});
            append(entry, text_bytes(items_[i].type));
            entry.push_back(0);
            append(types, box("infe", entry));
            for (const auto& [type, to] : items_[i].references) {
                Bytes list = big16(i + 1);
                append(list, big16(to.size()));
                for (const std::size_t id : to) append(list, big16(id));
                append(references, box(type, list));
            }
            append(associations, big16(i + 1));
            associations.push_back(static_cast<std::uint8_t>(items_[i].properties.size()));
            for (const Bytes& bytes : items_[i].properties) {
                append(properties, bytes);
                associations.push_back(++property);
            }
        }
        append(meta, box("iloc", places));
        append(meta, box("iinf", types));
        append(meta, box("iref", references));
        Bytes all_properties = box("ipco", properties);
        append(all_properties, box("ipma", associations));
        append(meta, box("iprp", all_properties));
        if (in_data_box) append(meta, box("idat", data()));
        return box("meta", meta);
    }

    std::vector<Item> items_;
};

TEST(Heif, RotationAndMirrorAreApplied) {
    const ScratchDir scratch;
    const Bytes jpeg = encode_bytes(".jpg", with_white_corner(CV_8UC3));
    using Heif = HeifBuilder;
    // Rotation is counterclockwise by right angles; the mirror exchanges top and bottom (0) or left and right (1).
    const std::pair<std::vector<Bytes>, int> cases[] = {
        {{}, 1},
        {{Heif::mirror(1)}, 2},
        {{Heif::rotation(2)}, 3},
        {{Heif::mirror(0)}, 4},
        {{Heif::rotation(1), Heif::mirror(0)}, 5},
        {{Heif::rotation(3)}, 6},
        {{Heif::rotation(3), Heif::mirror(0)}, 7},
        {{Heif::rotation(1)}, 8},
    };
    for (const auto& [transformations, orientation] : cases) {
        for (const bool in_data_box : {false, true}) {
            SCOPED_TRACE(orientation);
            HeifBuilder heif;
            std::vector<Bytes> all = {Heif::size_property(64, 32)};
            all.insert(all.end(), transformations.begin(), transformations.end());
            const std::size_t item = all.size() == 1   ? heif.add("jpeg", jpeg, {all[0]})
                                     : all.size() == 2 ? heif.add("jpeg", jpeg, {all[0], all[1]})
                                                       : heif.add("jpeg", jpeg, {all[0], all[1], all[2]});
            const std::string path = write_bytes(scratch, "a.avif", heif.file(item, in_data_box));
            EXPECT_TRUE(is_still_image(path));
            expect_corner(load_image(path).frame, kDisplayed[orientation - 1]);
        }
    }
}

TEST(Heif, GridsAreJoinedAndTransparencyIsComposedOverWhite) {
    const ScratchDir scratch;
    using Heif = HeifBuilder;
    HeifBuilder heif;
    std::vector<std::size_t> tiles;
    for (const int gray : {10, 60, 110, 160, 210, 250}) {  // two rows of three
        tiles.push_back(heif.add("jpeg", encode_bytes(".jpg", cv::Mat(16, 16, CV_8UC3, cv::Scalar::all(gray))),
                                 {Heif::size_property(16, 16)}));
    }
    const std::size_t grid =
        heif.add("grid", {0, 0, 1, 2, 0, 40, 0, 30}, {Heif::size_property(40, 30), Heif::rotation(2)});
    heif.refer("dimg", grid, tiles);
    const std::string whole = write_bytes(scratch, "grid.heic", heif.file(grid, false));
    const Frame frame = load_image(whole).frame;
    ASSERT_EQ(frame.width(), 40);
    ASSERT_EQ(frame.height(), 30);
    const auto pixel = [](const Frame& of, int x, int y) {
        return int{of.plane(0).data[y * of.plane(0).pitch + 3 * x]};
    };
    EXPECT_NEAR(pixel(frame, 39, 29), 10, 2);  // rotated by 180 degrees
    EXPECT_NEAR(pixel(frame, 15, 29), 60, 2);
    EXPECT_NEAR(pixel(frame, 0, 0), 250, 2);
    EXPECT_NEAR(pixel(frame, 39, 0), 160, 2);

    cv::Mat opacity(32, 64, CV_8UC1, cv::Scalar(255));
    opacity(cv::Rect(0, 0, 32, 32)).setTo(0);
    HeifBuilder cut;
    const std::size_t color = cut.add("jpeg", encode_bytes(".jpg", cv::Mat(32, 64, CV_8UC3, cv::Scalar::all(40))),
                                      {Heif::size_property(64, 32)});
    Bytes auxiliary(4, 0);
    append(auxiliary, text_bytes(std::string("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") + '\0'));
    const std::size_t alpha = cut.add("jpeg", encode_bytes(".jpg", opacity),
                                      {Heif::size_property(64, 32), HeifBuilder::box("auxC", auxiliary)});
    cut.refer("auxl", alpha, {color});
    const Frame composed = load_image(write_bytes(scratch, "cut.avif", cut.file(color, false))).frame;
    EXPECT_NEAR(pixel(composed, 10, 10), 255, 3);
    EXPECT_NEAR(pixel(composed, 50, 10), 40, 3);

    // Damaged in any place: an image or an error.
    const Bytes bytes = heif.file(grid, false);
    for (std::size_t i = 0; i < 200; ++i) {
        Bytes damaged = bytes;
        damaged[(i * 7919) % damaged.size()] ^= static_cast<std::uint8_t>(1U << i % 8);
        if (i % 3 == 0) damaged.resize(damaged.size() * (i + 1) / 201);
        try {
            static_cast<void>(load_image(write_bytes(scratch, "x.heic", damaged)));
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::input);
        }
    }
    HeifBuilder unknown;
    const std::size_t other = unknown.add("unci", {1, 2, 3}, {Heif::size_property(4, 4)});
    expect_rejected_image(write_bytes(scratch, "u.heic", unknown.file(other, false)), "\"unci\"");
}

TEST(Heif, NothingIsAsLargeAsANumberInTheFileClaims) {
    // An extent without an offset, an index and a length takes no bytes: a list may claim any number.
    Bytes extents = {0, 0, 0, 0, 0, 0, 0, 100};
    for (std::uint8_t i = 0; i < 100; ++i) append(extents, {0, i, 0, 0, 0xFF, 0xFF});
    Bytes meta(4, 0);
    append(meta, HeifBuilder::box("iloc", extents));
    Bytes bytes = HeifBuilder::box("ftyp", text_bytes(std::string("mif1") + std::string(4, '\0') + "mif1"));
    append(bytes, HeifBuilder::box("meta", meta));
    const std::optional<HeifFile> lists = read_heif(HeaderBytes(bytes));
    ASSERT_TRUE(lists);
    for (const auto& [id, item] : lists->items) EXPECT_LE(item.extents.size(), 2U);

    // Many items may have one configuration, which none of them copies.
    HeifBuilder shared;
    const std::size_t item = shared.add("hvc1", {1}, {HeifBuilder::box("hvcC", Bytes(1000, 7))});
    const Bytes file = shared.file(item, false);
    const std::optional<HeifFile> read = read_heif(HeaderBytes(file));
    ASSERT_TRUE(read);
    const auto& configuration = read->items.at(read->primary).configuration;
    ASSERT_EQ(configuration.size(), 1000U);
    EXPECT_GE(configuration.data(), file.data());
    EXPECT_LT(configuration.data(), file.data() + file.size());
}

TEST(Heif, GridsOfGridsEnd) {
    const ScratchDir scratch;
    HeifBuilder heif;
    Bytes jpeg = encode_bytes(".jpg", cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(90)));
    Bytes comment = {0xFF, 0xFE, 0x7F, 0xFF};
    comment.resize(2 + 0x7FFF);
    jpeg.insert(jpeg.begin() + 2, comment.begin(), comment.end());
    std::size_t tile = heif.add("jpeg", jpeg, {HeifBuilder::size_property(8, 8)});
    for (const int side : {128, 2048}) {  // 65,536 decodings of one item
        const auto high = static_cast<std::uint8_t>(side >> 8);
        const auto low = static_cast<std::uint8_t>(side);
        const std::size_t grid =
            heif.add("grid", {0, 0, 15, 15, high, low, high, low}, {HeifBuilder::size_property(side, side)});
        heif.refer("dimg", grid, std::vector<std::size_t>(256, tile));
        tile = grid;
        const std::string path = write_bytes(scratch, "grid.heic", heif.file(grid, false));
        if (side == 128) {
            EXPECT_EQ(load_image(path).frame.width(), side);
        } else {
            expect_rejected_image(path, "");
        }
    }
}

// As phones write it: the one frame of an MP4 file, with its decoder configuration.
TEST(Heif, HevcIsDecoded) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string corner = write_bytes(scratch, "corner.png", encode_bytes(".png", with_white_corner(CV_8UC3)));
    const std::filesystem::path mp4 = scratch.path() / "a.mp4";
    try {
        test::ffmpeg("-i " + corner + " -frames:v 1 -pix_fmt yuv420p -c:v libx265 -tag:v hvc1", mp4);
    } catch (const std::runtime_error&) {
        GTEST_SKIP() << "skipped: this ffmpeg program cannot encode HEVC";
    }
    const std::vector<char> bytes = test::read_file(mp4);
    const std::string file(bytes.begin(), bytes.end());
    // Returns the content of the first box of this type.
    const auto content = [&](const std::string& type) {
        const std::size_t at = file.find(type);
        std::size_t size = 0;
        for (std::size_t i = at - 4; i < at; ++i) size = size << 8 | static_cast<std::uint8_t>(file.at(i));
        return text_bytes(file.substr(at + 4, size - 8));
    };
    using Heif = HeifBuilder;
    HeifBuilder heif;
    const std::size_t item = heif.add(
        "hvc1", content("mdat"), {Heif::size_property(64, 32), Heif::box("hvcC", content("hvcC")), Heif::rotation(3)});
    expect_corner(load_image(write_bytes(scratch, "a.heic", heif.file(item, false))).frame, kDisplayed[5]);
}

TEST(Heif, Av1IsDecoded) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const std::string corner = write_bytes(scratch, "corner.png", encode_bytes(".png", with_white_corner(CV_8UC3)));
    int read = 0;
    for (const char* encoder : {"libaom-av1 -cpu-used 8", "libsvtav1"}) {
        const std::filesystem::path path = scratch.path() / ("a" + std::to_string(read) + ".avif");
        try {
            test::ffmpeg("-i " + corner + " -frames:v 1 -pix_fmt yuv420p -c:v " + encoder, path);
        } catch (const std::runtime_error&) {
            continue;  // this FFmpeg has no such encoder, or no writer of AVIF
        }
        ++read;
        expect_corner(load_image(path).frame, kDisplayed[0]);
    }
    if (read == 0) GTEST_SKIP() << "skipped: this ffmpeg program cannot write AVIF";
}

}  // namespace
}  // namespace throng
