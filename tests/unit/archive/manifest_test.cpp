// The records of a shard: any bytes in names, lines cut by a crash, locks.
#include "core/archive/manifest.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "tests/support/test_data.h"
#include "tests/unit/archive/files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;

ManifestEntry entry_of(const std::string& name) {
    ManifestEntry entry;
    entry.input = name;
    entry.size = 12345678901ULL;
    entry.sha256 = sha256_of_text(name);
    entry.outputs = {{name + ".jsonl", 7, sha256_of_text("out")}};
    entry.settings = sha256_of_text("settings");
    entry.version = "1.2.3";
    entry.backend = "cpu";
    entry.frames = 3;
    entry.faces = 9;
    entry.seconds = 0.25;
    return entry;
}

// From FIPS 180-2, appendix B.
TEST(Sha256, IsThatOfTheStandard) {
    EXPECT_EQ(sha256_of_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const test::ScratchDir dir;
    std::ofstream(dir.path() / "a") << std::string(1000000, 'a');
    EXPECT_EQ(sha256_of(dir.path() / "a"), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_THROW(static_cast<void>(sha256_of(dir.path() / "none")), Error);
    EXPECT_THROW(static_cast<void>(sha256_of(dir.path())), Error);
}

TEST(ManifestLine, HoldsNamesOfAnyBytes) {
    test::Integers integer(2702);
    for (int round = 0; round < 200; ++round) {
        std::string name = "n";  // no path from the root
        for (auto left = integer(1, 12); left > 0; --left) name += static_cast<char>(integer(1, 255));
        ManifestEntry entry = entry_of(name);
        entry.status = static_cast<InputStatus>(integer(0, 2));
        entry.error = name;
        const std::string line = manifest_line(entry);
        EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
        EXPECT_TRUE(nlohmann::json::accept(line));
        const ManifestEntry read = parse_manifest_line(line);
        EXPECT_EQ(read.input, name);
        EXPECT_EQ(read.outputs.front().name, name + ".jsonl");
        EXPECT_EQ(read.status, entry.status);
        EXPECT_EQ(read.size, entry.size);
        EXPECT_EQ(read.seconds, entry.seconds);
    }
}

TEST(ManifestLine, RejectsDamage) {
    const std::string line = manifest_line(entry_of("a"));
    for (std::size_t i = 0; i + 2 < line.size(); ++i) {
        EXPECT_THROW(static_cast<void>(parse_manifest_line(line.substr(0, i))), Error) << i;
    }
    for (const char* bad : {"[]", "{}", "null", "3", "{\"input\":1}"}) {
        EXPECT_THROW(static_cast<void>(parse_manifest_line(bad)), Error) << bad;
    }
    const std::string deep(2'000'000, '[');
    std::string nested = line;
    nested.replace(nested.find("\"\""), 2, deep + std::string(deep.size(), ']'));
    for (const std::string& bad : {deep, nested}) {
        EXPECT_THROW(static_cast<void>(parse_manifest_line(bad)), Error);
    }
    for (const char* number : {"-1", "1.5", "1e30", "18446744073709551616", "\"2\""}) {
        std::string wrong = line;
        const std::size_t begin = wrong.find("\"frames\":") + 9;
        wrong.replace(begin, wrong.find(',', begin) - begin, number);
        try {
            static_cast<void>(parse_manifest_line(wrong));
            ADD_FAILURE() << "accepted " << number;
        } catch (const Error& error) {
            EXPECT_NE(
                error.problem().text().find("'frames' must be a whole number from 0 to 18446744073709551615, not"),
                std::string::npos)
                << error.what();
        }
    }
    std::string unknown = line;
    unknown.replace(unknown.find("\"done\""), 6, "\"over\"");
    EXPECT_THROW(static_cast<void>(parse_manifest_line(unknown)), Error);
}

TEST(Manifest, DropsALineCutShortAtAnyByte) {
    const std::string first = manifest_line(entry_of("first"));
    const std::string second = manifest_line(entry_of("second"));
    for (std::size_t cut = 0; cut < second.size(); cut += 7) {
        const test::ScratchDir dir;
        fs::create_directories(dir.path() / kRecordFolder);
        const fs::path path = dir.path() / kRecordFolder / "shard-2-of-3.jsonl";
        std::ofstream(path, std::ios::binary) << first << second.substr(0, cut);
        const auto count = [&] {
            int entries = 0;
            read_manifests(dir.path(), [&](const fs::path&, ManifestEntry&&) { ++entries; });
            return entries;
        };
        EXPECT_EQ(count(), 1);  // also while another process writes the line
        Manifest manifest(dir.path(), {2, 3});
        EXPECT_EQ(bytes_of(path), first);
        manifest.append(second);
        EXPECT_EQ(bytes_of(path), first + second);
        EXPECT_EQ(count(), 2);
    }
}

// A shard that waits for others reads their records again and again.
TEST(ManifestReader, ReturnsEachLineOnce) {
    test::Integers integer(2741);
    const test::ScratchDir dir;
    fs::create_directories(dir.path() / kRecordFolder);
    const auto path = [&](std::int64_t shard) {
        return dir.path() / kRecordFolder / ("shard-" + std::to_string(shard) + "-of-3.jsonl");
    };
    ManifestReader reader(dir.path());
    std::set<std::string> expected;
    std::multiset<std::string> read;
    const auto read_on = [&] {
        reader.read([&](const fs::path&, ManifestEntry&& entry) { read.insert(entry.input); });
    };
    read_on();
    EXPECT_TRUE(read.empty());
    for (int round = 0; round < 50; ++round) {
        const fs::path manifest = path(integer(1, 3));
        for (auto lines = integer(0, 3); lines > 0; --lines) {
            const std::string name = std::to_string(expected.size());
            expected.insert(name);
            const std::string line = manifest_line(entry_of(name));
            // The reader sees the line half written, too.
            const auto half = static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(line.size())));
            std::ofstream(manifest, std::ios::binary | std::ios::app) << line.substr(0, half);
            read_on();
            std::ofstream(manifest, std::ios::binary | std::ios::app) << line.substr(half);
        }
        read_on();
        ASSERT_TRUE(std::equal(read.begin(), read.end(), expected.begin(), expected.end())) << round;
    }
    // Lines that have been read are not read again.
    std::string damaged = bytes_of(path(1));
    damaged.front() = '?';
    std::ofstream(path(1), std::ios::binary) << damaged;
    read_on();
    EXPECT_EQ(read.size(), expected.size());
    std::ofstream(path(1), std::ios::binary | std::ios::app) << "damaged\n";
    try {
        read_on();
        FAIL();
    } catch (const Error& error) {
        const auto lines = std::count(damaged.begin(), damaged.end(), '\n');
        EXPECT_TRUE(error.where().text().ends_with("shard-1-of-3.jsonl:" + std::to_string(lines + 1))) << error.where();
    }
}

// A failed append is removed. What follows may be longer or shorter.
TEST(ManifestReader, StartsAgainAfterLinesWereRemoved) {
    for (const char* next : {"b", "another and a longer name"}) {
        const test::ScratchDir dir;
        fs::create_directories(dir.path() / kRecordFolder);
        const fs::path path = dir.path() / kRecordFolder / "shard-1-of-1.jsonl";
        const std::string first = manifest_line(entry_of("first"));
        std::ofstream(path, std::ios::binary) << first << manifest_line(entry_of("removed"));
        ManifestReader reader(dir.path());
        reader.read([](const fs::path&, ManifestEntry&&) {});
        std::ofstream(path, std::ios::binary) << first << manifest_line(entry_of(next));
        std::vector<std::string> read;
        reader.read([&](const fs::path&, ManifestEntry&& entry) { read.push_back(entry.input); });
        EXPECT_EQ(read, (std::vector<std::string>{"first", next}));
    }
}

TEST(Manifest, NamesTheDamagedLine) {
    const test::ScratchDir dir;
    fs::create_directories(dir.path() / kRecordFolder);
    std::ofstream(dir.path() / kRecordFolder / "shard-1-of-1.jsonl") << manifest_line(entry_of("a")) << "damaged\n";
    try {
        read_manifests(dir.path(), [](const fs::path&, ManifestEntry&&) {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(error.where().text().find("shard-1-of-1.jsonl:2"), std::string::npos) << error.what();
    }
}

TEST(Manifest, NamesWhatCannotBeOpened) {
    const test::ScratchDir dir;
    const fs::path path = dir.path() / kRecordFolder / "shard-1-of-1.jsonl";
    fs::create_directories(path);
    try {
        const Manifest manifest(dir.path(), {1, 1});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("cannot create the manifest"), std::string::npos) << error.what();
    }
}

// A later run reads them, perhaps not as root.
TEST(Manifest, FilesBelongToTheirOwner) {
    const test::ScratchDir dir;
    Manifest manifest(dir.path(), {1, 1});
    const std::vector<OutputRecord> files = {{"a", 1, sha256_of_text("a")}, {"b", 2, sha256_of_text("b")}};
    manifest.intend(files);
    std::size_t num_files = 0;
    for (const auto& file : fs::directory_iterator(dir.path() / kRecordFolder)) {
        if (!file.is_regular_file()) continue;
        ++num_files;
        EXPECT_EQ(file.status().permissions() & fs::perms::owner_all, fs::perms::owner_read | fs::perms::owner_write)
            << file.path();
    }
    EXPECT_EQ(num_files, 2U) << "the manifest and the intents";
    const std::vector<OutputRecord> intents = read_intents(dir.path());
    ASSERT_EQ(intents.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(intents[i].name, files[i].name);
}

TEST(Manifest, IsLockedUntilItsProcessDies) {
    const test::ScratchDir dir;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const Manifest manifest(dir.path(), {1, 2});
        static_cast<void>(!::write(ready[1], "x", 1));
        for (;;) ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    try {
        const Manifest second(dir.path(), {1, 2});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("another process works on this shard"), std::string::npos);
    }
    EXPECT_NO_THROW(Manifest(dir.path(), {2, 2}));
    EXPECT_TRUE(is_at_work(dir.path(), {1, 2}));
    EXPECT_FALSE(is_at_work(dir.path(), {2, 2})) << "ended";
    EXPECT_FALSE(is_at_work(dir.path(), {3, 4})) << "never begun";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(is_at_work(dir.path(), {1, 2}));
    EXPECT_NO_THROW(Manifest(dir.path(), {1, 2}));
    ::close(ready[0]);
    ::close(ready[1]);
}

}  // namespace
}  // namespace throng
