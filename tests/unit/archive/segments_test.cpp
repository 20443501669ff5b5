// The parts of long videos: names, times, records and the lock of those who join them.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class Segments : public ::testing::Test {
protected:
    [[nodiscard]] SplitVideo video() const { return {"clips/a.mp4", 2.5, 3, parts_folder(dir_.path())}; }

    // Records a result of a part. text: of its file.
    void record(int part, const std::string& text, ManifestEntry entry = {}) {
        const fs::path file = video().file_of(part);
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
        entry.input = video().name_of(part);
        if (entry.sha256.empty()) entry.sha256 = "content";
        if (entry.settings.empty()) entry.settings = "settings";
        if (entry.version.empty()) entry.version = "1";
        if (entry.status != InputStatus::failed) {
            entry.outputs = {{video().output_of(part), fs::file_size(file), sha256_of(file)}};
        }
        Manifest manifest(video().folder, {1, 1});
        manifest.append(manifest_line(entry));
    }
    [[nodiscard]] PartRecords records() const { return {dir_.path(), "settings", "1"}; }
    [[nodiscard]] std::string problem() const {
        try {
            static_cast<void>(records().results(video(), "content"));
        } catch (const Error& error) {
            return error.problem().text();
        }
        return {};
    }

    test::ScratchDir dir_;
};

TEST_F(Segments, PartsFollowEachOther) {
    WorkItem item;
    item.name = video().name;
    item.size = 300;
    item.split = std::make_shared<SplitVideo>(video());
    const std::vector<WorkItem> parts = parts_of(item);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[1].name, "clips/a.mp4.2.5s/00002-of-00003");
    EXPECT_EQ(parts[1].size, 100U);
    EXPECT_EQ(video().begin_of(1), 0);
    for (int part = 1; part < 3; ++part) EXPECT_EQ(video().end_of(part), video().begin_of(part + 1));
    EXPECT_TRUE(std::isinf(video().end_of(3)));
}

TEST_F(Segments, NamesWhatIsMissing) {
    EXPECT_EQ(records().missing(video()), "3 of 3 segments: 1 (missing), 2 (missing), 3 (missing)");
    record(1, "one");
    ManifestEntry other;
    other.settings = "other";
    record(2, "two", other);
    other = {};
    other.version = "2";
    record(3, "three", other);
    EXPECT_EQ(records().missing(video()), "2 of 3 segments: 2 (other settings), 3 (version 2)");
    record(2, "two");
    record(3, "three");
    EXPECT_EQ(records().missing(video()), "");
    EXPECT_EQ(problem(), "");
    fs::remove(video().file_of(1));
    EXPECT_EQ(records().missing(video()), "1 of 3 segments: 1 (missing)");
}

// Without the video, from the records alone. The folder of the parts ends in "2.5s".
TEST_F(Segments, NamesWhatIsMissingOfAName) {
    EXPECT_EQ(missing_parts(dir_.path(), video().name), "");
    WorkItem item;
    item.name = video().name;
    item.split = std::make_shared<SplitVideo>(video());
    std::vector<WorkItem> parts = parts_of(item);
    // A video whose name begins with that of the other one.
    item.name += ".mp4";
    item.split = std::make_shared<SplitVideo>(SplitVideo{item.name, 2.5, 2, video().folder});
    for (WorkItem& part : parts_of(item)) parts.push_back(std::move(part));
    record(2, "text");
    write_list(video().folder, parts, {});
    EXPECT_EQ(missing_parts(dir_.path(), video().name), "2 of 3 segments: 00001-of-00003, 00003-of-00003");
    record(1, "text");
    record(3, "text");
    EXPECT_EQ(missing_parts(dir_.path(), video().name), "its segments are not joined");
    EXPECT_EQ(missing_parts(dir_.path(), item.name), "2 of 2 segments: 00001-of-00002, 00002-of-00002");
    EXPECT_EQ(missing_parts(dir_.path(), "clips/a"), "");
}

TEST_F(Segments, ChecksResults) {
    for (const int part : {1, 2, 3}) record(part, "text");
    EXPECT_EQ(problem(), "");
    EXPECT_EQ(records().content_of(video()), "content");
    ManifestEntry entry;
    entry.sha256 = "before";
    record(2, "text", entry);
    EXPECT_EQ(records().content_of(video()), "content");
    EXPECT_EQ(problem(), "") << "the file of the part fits the result of the same content";
    EXPECT_THROW(static_cast<void>(records().results(video(), "before")), Error);
    entry = {};
    entry.status = InputStatus::incomplete;
    entry.error = "cut short";
    record(1, "text", entry);
    EXPECT_EQ(records().incomplete(video(), "content"), "segment 1 of 3: cut short");
}

TEST_F(Segments, EncodedPartsAreThoseOfTheirDetections) {
    for (const int part : {1, 2, 3}) record(part, "text");
    const SplitVideo encoded = *records().encoded(video(), "content");
    EXPECT_EQ(encoded.detections.size(), 16U);
    EXPECT_EQ(encoded.name_of(2), video().subfolder() + "/" + encoded.detections + "/00002-of-00003");
    EXPECT_EQ(encoded.output_of(2), encoded.name_of(2) + ".part");
    EXPECT_EQ(records().missing_parts(encoded), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(records().incomplete(encoded, "content"), "") << "nobody tried";
    record(3, "other");
    EXPECT_NE(records().encoded(video(), "content")->detections, encoded.detections);
}

TEST_F(Segments, AFailedPartIsNoMissingPart) {
    record(1, "text");
    record(3, "text");
    ManifestEntry entry;
    entry.status = InputStatus::failed;
    entry.error = "no data";
    record(2, "", entry);
    EXPECT_EQ(records().missing(video()), "");
    EXPECT_EQ(problem(), "segment 2 of 3 failed: no data");
    record(2, "text");
    EXPECT_EQ(problem(), "");
}

TEST_F(Segments, ARecordWithoutAFileIsNoResult) {
    record(1, "one");
    record(2, "two");
    record(3, "three");
    const fs::path manifest = video().folder / kRecordFolder / "shard-1-of-1.jsonl";
    std::vector<ManifestEntry> entries;
    read_manifests(video().folder,
                   [&](const fs::path&, ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
    entries.at(1).outputs.clear();
    std::ofstream edited(manifest);
    for (const ManifestEntry& entry : entries) edited << manifest_line(entry);
    edited.close();
    EXPECT_EQ(records().missing(video()), "1 of 3 segments: 2 (missing)");
    EXPECT_EQ(records().content_of(video()), "");
}

TEST_F(Segments, UpdatesWithWhatOtherShardsRecord) {
    PartRecords known = records();
    for (const int part : {2, 3, 1}) {
        EXPECT_FALSE(known.has(video(), part, "content"));
        record(part, "text");
        EXPECT_FALSE(known.has(video(), part, "content"));
        known.update();
        EXPECT_TRUE(known.has(video(), part, "content"));
        EXPECT_FALSE(known.has(video(), part, "other content"));
    }
    EXPECT_EQ(known.missing(video()), "");
    fs::remove(video().file_of(2));
    EXPECT_FALSE(known.has(video(), 2, "content"));
}

// An encoded part of another content is made again, also if it failed since the file changed.
TEST_F(Segments, PartsOfAnotherContentAreMissing) {
    ManifestEntry entry;
    entry.sha256 = "before";
    record(1, "text", entry);
    entry.status = InputStatus::failed;
    record(2, "", entry);
    record(3, "text");
    const auto missing = [&](const std::string& sha256) { return records().missing_parts(video(), sha256); };
    EXPECT_EQ(missing("content"), (std::vector<int>{1, 2}));
    EXPECT_EQ(missing("before"), std::vector<int>{3});
    EXPECT_EQ(missing(""), std::vector<int>());
    record(1, "text");
    entry.sha256 = "content";
    record(2, "", entry);
    EXPECT_EQ(missing("content"), std::vector<int>()) << "a failed part of this content is not tried for ever";
}

// A shard of another process encodes a part, then dies.
TEST_F(Segments, APartIsClaimedUntilItsProcessDies) {
    SplitVideo encoded = video();
    encoded.detections = "0123456789abcdef";
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        WorkClaims locks(encoded.folder);
        const WorkClaims::Claim lock = locks.claim(encoded.name_of(2));
        static_cast<void>(!::write(ready[1], lock ? "x" : "-", 1));
        for (;;) ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    WorkClaims locks(encoded.folder);
    EXPECT_FALSE(locks.claim(encoded.name_of(2)));
    EXPECT_TRUE(locks.claim(encoded.name_of(1)));
    EXPECT_TRUE(locks.claim(video().subfolder())) << "another name";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(locks.claim(encoded.name_of(2)));
    for (const int file : ready) ::close(file);
}

TEST_F(Segments, OneHolderJoins) {
    WorkClaims locks(video().folder);
    WorkClaims other_process(video().folder);
    WorkClaims::Claim first = locks.claim(video().subfolder());
    EXPECT_TRUE(first);
    EXPECT_FALSE(locks.claim(video().subfolder())) << "another worker";
    EXPECT_FALSE(other_process.claim(video().subfolder()));
    first.reset();
    first = other_process.claim(video().subfolder());
    EXPECT_TRUE(first);
    EXPECT_FALSE(locks.claim(video().subfolder()));
}

int open_files() {
    return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST_F(Segments, AnyNumberOfClaimsNeedsOneOpenFile) {
    const int before = open_files();
    std::vector<WorkClaims::Claim> held;
    SplitVideo encoded = video();
    encoded.parts = 3000;
    {
        WorkClaims locks(video().folder);
        for (int part = 1; part <= encoded.parts; ++part) held.push_back(locks.claim(encoded.name_of(part)));
        EXPECT_EQ(std::count(held.begin(), held.end(), nullptr), 0);
        EXPECT_LE(open_files(), before + 1);
    }
    EXPECT_FALSE(WorkClaims(video().folder).claim(encoded.name_of(1500))) << "a claim outlives its WorkClaims";
    held.clear();
    EXPECT_TRUE(WorkClaims(video().folder).claim(encoded.name_of(1500)));
    EXPECT_EQ(open_files(), before);
}

// Nobody holds the lock then, so nobody would ever join the video.
TEST_F(Segments, AClaimThatCannotBeTakenIsAnError) {
    const auto problem_of = [](const fs::path& folder) -> std::string {
        try {
            WorkClaims locks(folder);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unavailable);
            return error.problem().text();
        }
        return {};
    };
    EXPECT_NE(problem_of("/dev/null/parts"), "");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const std::string full = problem_of(dir_.path());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_NE(full.find("Too many open files"), std::string::npos) << full;
}

TEST_F(Segments, PartsAreDiscardedUnlessAFileIsNotOurs) {
    const fs::path folder = video().folder / video().subfolder();
    const fs::path original = folder / "original.jpg";
    for (int part = 1; part <= 3; ++part) record(part, "text");
    std::ofstream(original) << "mine";
    OwnFiles own(video().folder);
    discard_parts(video(), {1, 1}, own);
    EXPECT_TRUE(fs::exists(original));
    EXPECT_TRUE(fs::exists(video().file_of(1)));
    fs::remove(original);
    discard_parts(video(), {1, 1}, own);
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Segments, ShardsShareWhatTheyFindOutAboutFiles) {
    const fs::path clip = dir_.path() / "clip.mp4";
    std::ofstream(clip) << "one";
    const auto item = [&] {
        WorkItem clip_item;
        clip_item.name = "clip.mp4";
        clip_item.path = clip.string();
        clip_item.size = fs::file_size(clip);
        return clip_item;
    };
    {
        SharedDivisions first(video().folder, {1, 2}, 2.5, "1");
        EXPECT_FALSE(first.find(item()));
        first.add(item(), {7, "", false});
        WorkItem brief = item();
        brief.name = "short.mp4";
        first.add(brief, {1, "it is short", true});
    }
    {
        SharedDivisions second(video().folder, {2, 2}, 2.5, "1");
        const auto found = second.find(item());
        ASSERT_TRUE(found);
        EXPECT_EQ(found->parts, 7);
        WorkItem brief = item();
        brief.name = "short.mp4";
        ASSERT_TRUE(second.find(brief));
        EXPECT_TRUE(second.find(brief)->expected);
        EXPECT_EQ(second.find(brief)->why_whole, "it is short");
    }
    EXPECT_FALSE(SharedDivisions(video().folder, {2, 2}, 5, "1").find(item())) << "of other parts";
    EXPECT_FALSE(SharedDivisions(video().folder, {2, 2}, 2.5, "2").find(item())) << "of another version";
    // A number that is 7 in 32 bits.
    const fs::path manifest = video().folder / "divisions" / kRecordFolder / "shard-1-of-2.jsonl";
    std::ifstream recorded(manifest);
    std::string lines(std::istreambuf_iterator<char>(recorded), {});
    const std::string seven = "\"frames\":7,";
    ASSERT_NE(lines.find(seven), std::string::npos) << lines;
    std::ofstream(manifest) << lines.replace(lines.find(seven), seven.size(), "\"frames\":4294967303,");
    EXPECT_FALSE(SharedDivisions(video().folder, {2, 2}, 2.5, "1").find(item()));
    std::ofstream(clip) << "changed";
    EXPECT_FALSE(SharedDivisions(video().folder, {2, 2}, 2.5, "1").find(item()));
}

}  // namespace
}  // namespace throng
