// The list of inputs and its division among shards.
#include "core/archive/work_list.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "core/archive/manifest.h"
#include "core/base/error.h"
#include "tests/support/test_data.h"
#include "tests/unit/archive/files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::kind_of;
using test::write_text;

bool is_text(const std::string& name) {
    return name.ends_with(".txt");
}

std::vector<std::string> names(const std::vector<WorkItem>& items) {
    std::vector<std::string> all;
    for (const WorkItem& item : items) all.push_back(item.name);
    return all;
}

class WorkList : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] std::vector<WorkItem> list(const std::vector<std::string>& paths) const {
        return make_work_list(paths, is_text, file("out"));
    }
    [[nodiscard]] std::string mirrored(const std::string& name) const { return file(name).substr(1); }

    test::ScratchDir dir_;
};

TEST(ShardText, IsIOfN) {
    EXPECT_EQ(parse_shard("3/8").index, 3);
    EXPECT_EQ(parse_shard("3/8").count, 8);
    EXPECT_EQ(parse_shard("1/1").count, 1);
    for (const char* bad : {"0/3",           "5/4",           "",      "/",        "1",    "1/",    "/4",  "-1/4",
                            "1/-4",          "a/b",           "1/4x",  " 1/4",     "1/ 4", "1.0/4", "1/0", "0/0",
                            "1/99999999999", "99999999999/4", "1/2/3", "1/1000001"}) {
        EXPECT_EQ(kind_of([&] { static_cast<void>(parse_shard(bad)); }), ErrorKind::usage) << bad;
    }
}

// The definition, as plain loops over all shards.
std::vector<std::set<std::string>> reference_shards(std::vector<WorkItem> items, int count) {
    std::sort(items.begin(), items.end(), [](const WorkItem& a, const WorkItem& b) {
        return a.size != b.size ? a.size > b.size : a.name < b.name;
    });
    std::vector<std::set<std::string>> shards(static_cast<std::size_t>(count));
    std::vector<std::uint64_t> loads(shards.size());
    for (const WorkItem& item : items) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < shards.size(); ++i) {
            if (loads[i] < loads[best] || (loads[i] == loads[best] && shards[i].size() < shards[best].size())) best = i;
        }
        loads[best] += item.size;
        shards[best].insert(item.name);
    }
    return shards;
}

TEST(SelectShard, DividesRandomListsAsDefined) {
    test::Integers integer(2701);
    for (int round = 0; round < 60; ++round) {
        std::vector<WorkItem> items;
        const auto count = integer(1, 9);
        const auto size_limit = integer(0, 3) == 0 ? 1 : integer(1, 100000);
        for (auto left = integer(0, 80); left > 0; --left) {
            WorkItem item;
            item.name = "f" + std::to_string(items.size());
            item.size = static_cast<std::uint64_t>(integer(0, size_limit));
            items.push_back(item);
        }
        std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        const auto reference = reference_shards(items, static_cast<int>(count));
        std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t high = 0;
        std::uint64_t largest = 0;
        std::size_t total = 0;
        for (int index = 1; index <= count; ++index) {
            const auto part = select_shard(items, {index, static_cast<int>(count)});
            const auto found = names(part);
            EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
            EXPECT_EQ(std::set<std::string>(found.begin(), found.end()),
                      reference[static_cast<std::size_t>(index - 1)]);
            std::uint64_t load = 0;
            for (const WorkItem& item : part) load += item.size;
            low = std::min(low, load);
            high = std::max(high, load);
            total += part.size();
        }
        for (const WorkItem& item : items) largest = std::max(largest, item.size);
        EXPECT_EQ(total, items.size());
        EXPECT_LE(high - low, largest);
    }
}

TEST(SelectShard, SpreadsEmptyFiles) {
    std::vector<WorkItem> items(10);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].name = std::to_string(i);
    for (int index = 1; index <= 5; ++index) EXPECT_EQ(select_shard(items, {index, 5}).size(), 2U);
}

TEST_F(WorkList, SearchesFoldersAndMirrorsTheirPaths) {
    for (const char* name :
         {"in/b.txt", "in/a.txt", "in/deep/er/c.txt", "in/.hidden.txt", "in/.git/d.txt", "in/e.bin"}) {
        write_text(file(name), name);
    }
    const auto items = list({file("in")});
    EXPECT_EQ(names(items),
              (std::vector<std::string>{mirrored("in/a.txt"), mirrored("in/b.txt"), mirrored("in/deep/er/c.txt")}));
    EXPECT_EQ(items[2].size, std::string("in/deep/er/c.txt").size());
    EXPECT_EQ(names(list({file("in/") + "/./deep/../"})), names(items));
    std::vector<std::string> left_out;
    const auto accepts = [](const std::string& path) { return path.ends_with(".txt"); };
    static_cast<void>(make_work_list({file("in")}, accepts, file("out"), name_by_path, &left_out));
    EXPECT_EQ(left_out, std::vector<std::string>{mirrored("in/e.bin")});
    // A file named one by one is taken whatever its extension.
    EXPECT_EQ(names(list({file("in/e.bin")})), std::vector<std::string>{mirrored("in/e.bin")});
}

TEST_F(WorkList, KeepsRelativePathsBelowTheOutput) {
    const fs::path before = fs::current_path();
    write_text(file("a/x.txt"), "1");
    write_text(file("b/y.txt"), "2");
    fs::current_path(file("a"));
    const auto items = list({"x.txt", "./../b/y.txt"});
    fs::current_path(before);
    EXPECT_EQ(names(items), (std::vector<std::string>{mirrored("b/y.txt"), "x.txt"}));
    for (const WorkItem& item : items) EXPECT_EQ(item.name.find(".."), std::string::npos);
}

TEST_F(WorkList, TakesAFileGivenTwiceOnce) {
    write_text(file("in/a.txt"), "1");
    EXPECT_EQ(list({file("in/a.txt"), file("in"), file("in/./a.txt"), file("in/a.txt")}).size(), 1U);
}

TEST_F(WorkList, RejectsTwoInputsOfOneName) {
    write_text(file("a.txt"), "absolute");
    const fs::path before = fs::current_path();
    fs::create_directories(file("cwd"));
    fs::current_path(file("cwd"));
    write_text(fs::path(mirrored("a.txt")), "relative");
    EXPECT_EQ(kind_of([&] { static_cast<void>(list({file("a.txt"), mirrored("a.txt")})); }), ErrorKind::usage);
    fs::current_path(before);
}

TEST_F(WorkList, RecordsWhatCannotBeAnInput) {
    fs::create_symlink("nowhere", file("link.txt"));
    ASSERT_EQ(::mkfifo(file("pipe.txt").c_str(), 0600), 0);
    const auto items = list({file("link.txt"), file("pipe.txt"), file("missing.txt")});
    ASSERT_EQ(items.size(), 3U);
    for (const WorkItem& item : items) EXPECT_FALSE(item.problem.empty()) << item.name;
    EXPECT_EQ(items[0].problem.find("broken link"), 0U);
    fs::create_directories(file("in"));
    fs::create_symlink("nowhere", file("in/link.txt"));
    EXPECT_EQ(list({file("in")}).size(), 1U) << "a broken link in a folder is not dropped silently";
}

TEST_F(WorkList, SkipsTheOutputFolder) {
    write_text(file("in/a.txt"), "1");
    write_text(file("in/there/deep/result.txt"), "1");
    for (const auto& [output, name] : {std::pair{"in/there", "deep/result.txt"}, {"in/there/deep", "result.txt"}}) {
        ManifestEntry entry;
        entry.outputs = {{name, 1, "hash"}};
        Manifest(file(output), {1, 1}).append(manifest_line(entry));
    }
    fs::create_symlink(file("in/there"), file("way"));
    for (const std::string& output : {file("in"), file("in/there/..")}) {
        EXPECT_EQ(kind_of([&] { static_cast<void>(make_work_list({file("in")}, is_text, output)); }), ErrorKind::usage)
            << output;
    }
    for (const std::string& output : {file("in/there"), file("in/there/deep"), file("way"), file("way/deep")}) {
        EXPECT_EQ(make_work_list({file("in")}, is_text, output).size(), 1U) << output;
    }
    for (const std::string& output : {file("in-out"), file("in/new")}) {
        EXPECT_EQ(make_work_list({file("in")}, is_text, output).size(), 2U) << output;
    }
    // A file there that is no result would be left out without a word.
    write_text(file("in/there/other.bin"), "no input");
    EXPECT_EQ(make_work_list({file("in")}, is_text, file("in/there")).size(), 1U);
    for (const auto& [name, output] : {std::pair{"in/there/deep/photo.txt", "in/there/deep"},
                                       {"in/there/photo.txt", "way"},
                                       {"in/there/deep/result.txt", "in/there"}}) {
        const std::string before = fs::exists(file(name)) ? bytes_of(file(name)) : "";
        write_text(file(name), "a photo");
        try {
            static_cast<void>(make_work_list({file("in")}, is_text, file(output)));
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_EQ(error.where(), file(name));
        }
        fs::remove(file(name));
        if (!before.empty()) write_text(file(name), before);
    }
}

TEST_F(WorkList, NamesFilesByTheirPathBelowTheEntry) {
    write_text(file("in/a.txt"), "1");
    write_text(file("in/deep/b.txt"), "1");
    write_text(file("other/c.txt"), "1");
    for (const std::string& folder : {file("in"), file("in/"), file("other/../in")}) {
        const auto items = make_work_list({folder, file("other/c.txt")}, is_text, file("out"), name_below_entry);
        ASSERT_EQ(items.size(), 3U) << folder;
        EXPECT_EQ(items[0].name, "a.txt");
        EXPECT_EQ(items[1].name, "c.txt");
        EXPECT_EQ(items[2].name, "deep/b.txt");
    }
    write_text(file("other/a.txt"), "1");
    EXPECT_EQ(kind_of([&] {
                  static_cast<void>(
                      make_work_list({file("in"), file("other/a.txt")}, is_text, file("out"), name_below_entry));
              }),
              ErrorKind::usage);
}

TEST_F(WorkList, NamesTheFolderThatCannotBeRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "skipped: root reads every folder";
    write_text(file("in/a.txt"), "a");
    write_text(file("in/b/locked/c.txt"), "c");
    write_text(file("in/d/e.txt"), "e");
    fs::permissions(file("in/b/locked"), fs::perms::none);
    try {
        static_cast<void>(make_work_list({file("in")}, is_text, file("out")));
        ADD_FAILURE() << "the folder was left out";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.where(), file("in/b/locked"));
    }
    fs::permissions(file("in/b/locked"), fs::perms::owner_all);
}

TEST_F(WorkList, RejectsNothing) {
    fs::create_directories(file("empty"));
    EXPECT_EQ(kind_of([&] { static_cast<void>(list({file("empty")})); }), ErrorKind::input);
    write_text(file("list"), "\n\n");
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("list"))); }), ErrorKind::input);
    write_text(file("list0"), "");
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("list0"))); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("none"))); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("empty"))); }), ErrorKind::input);
}

TEST_F(WorkList, NamesTheLineThatIsNoPath) {
    for (const char separator : {'\n', '\0'}) {
        write_text(file("list"), std::string("a.mp4") + separator + std::string(5000, 'x') + separator + "b.mp4");
        try {
            static_cast<void>(read_list(file("list")));
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where().text(), file("list:2"));
        }
    }
}

TEST_F(WorkList, ReadsLinesAndNul) {
    using Names = std::vector<std::string>;
    write_text(file("lines"), "a b\n\n ./c \nlast");
    EXPECT_EQ(read_list(file("lines")), (Names{"a b", " ./c ", "last"}));
    write_text(file("nul"), std::string("with\nnewline\0\xff\xfe.txt\0", 20));
    EXPECT_EQ(read_list(file("nul")), (Names{"with\nnewline", "\xff\xfe.txt"}));
}

// Encodes a text of characters up to U+FFFF, without a mark.
std::string encoded_list(std::u16string_view text, std::size_t unit, bool little_endian) {
    std::string bytes;
    for (const char16_t character : text) {
        std::string code(unit, '\0');
        code[little_endian ? 0 : unit - 1] = static_cast<char>(character & 0xFFU);
        code[little_endian ? 1 : unit - 2] = static_cast<char>(character >> 8U);
        bytes += code;
    }
    return bytes;
}

TEST_F(WorkList, ReadsListsOfOtherSystems) {
    using Names = std::vector<std::string>;
    const Names expected = {"pub/\xC3\xA4 b.png", "\xE7\x85\xA7\xE7\x89\x87.jpg", "last"};
    for (const char16_t* text :
         {u"pub/\u00e4 b.png\r\n\r\n\u7167\u7247.jpg\r\nlast", u"pub/\u00e4 b.png\n\u7167\u7247.jpg\nlast\n"}) {
        for (const std::size_t unit : {2, 4}) {
            for (const bool little_endian : {false, true}) {
                write_text(file("list"), encoded_list(std::u16string(u"\ufeff") + text, unit, little_endian));
                EXPECT_EQ(read_list(file("list")), expected) << unit << " " << little_endian;
                // Without a mark it cannot be told from NUL characters as separators for sure, so nothing is read.
                write_text(file("list"), encoded_list(text, unit, little_endian));
                EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("list"))); }), ErrorKind::input);
            }
        }
    }
    write_text(file("list"), "\xEF\xBB\xBFpub/a.png\nb.png\n");
    EXPECT_EQ(read_list(file("list")), (Names{"pub/a.png", "b.png"}));
    write_text(file("list"),
               "\xEF\xBB\xBFpub/a.png\r\n\xEF\xBB\xBF"
               "b.png\r\n");  // two lists
    EXPECT_EQ(read_list(file("list")), (Names{"pub/a.png", "b.png"}));
    write_text(file("list"), "pub/a.png\r\n\r\nb.png\r\nc.png");
    EXPECT_EQ(read_list(file("list")), (Names{"pub/a.png", "b.png", "c.png"}));
    write_text(file("list"), std::string("a\r\0\xEF\xBB\xBF"
                                         "b\0",
                                         8));
    EXPECT_EQ(read_list(file("list")), (Names{"a\r",
                                              "\xEF\xBB\xBF"
                                              "b"}))
        << "between NUL characters every byte counts";
    // A character beyond U+FFFF; halves of one; a cut unit.
    write_text(file("list"), std::string("\xFF\xFE\x3D\xD8\x00\xDE", 6));
    EXPECT_EQ(read_list(file("list")), (Names{"\xF0\x9F\x98\x80"}));
    for (const std::string& bad : {std::string("\xFF\xFE\x3D\xD8", 4),
                                   std::string("\xFF\xFE"
                                               "a",
                                               3),
                                   std::string("\xFF\xFE\0\0\0\0\x11\0", 8), std::string("\xFE\xFF\xDC\0", 4)}) {
        write_text(file("list"), bad);
        EXPECT_EQ(kind_of([&] { static_cast<void>(read_list(file("list"))); }), ErrorKind::input);
    }
}

TEST_F(WorkList, TakesNamesOfAnyBytes) {
    const std::string odd = "in/a\nb \xff\xfe,\"'\\.txt";
    write_text(file(odd), "1");
    const auto items = list({file("in")});
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].name, mirrored(odd));
    EXPECT_EQ(items[0].problem, "");
}

}  // namespace
}  // namespace throng
