// Which files a source reads. FFmpeg's documentation of the concat demuxer and RFC 8216 define the lists.
#include "core/video/source_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/base/error.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class SourceFileList : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) {
        fs::create_directories((dir_.path() / name).parent_path());
        std::ofstream(dir_.path() / name, std::ios::binary) << text;
    }
    // Returns the files by their paths relative to the folder.
    [[nodiscard]] std::set<std::string> files_of(const std::string& name) const {
        std::set<std::string> names;
        for (const std::string& file : files_of_file((dir_.path() / name).string())) {
            names.insert(fs::path(file).lexically_normal().lexically_relative(dir_.path()).string());
        }
        return names;
    }
    using Names = std::set<std::string>;

    test::ScratchDir dir_;
};

TEST_F(SourceFileList, HasTheFilesOfAConcatList) {
    write("c.mp4",
          "ffconcat version 1.0\r\n# file no.mp4\n  file  plain.mp4 \nduration 3\n\tfile 'it'\\''s a.mp4'\r\n"
          "file two\\ words.mp4\nfile deep/x.mp4\nfile https://example.org/no.mp4\nfiles no.mp4\nfile");
    EXPECT_EQ(files_of("c.mp4"), (Names{"c.mp4", "plain.mp4", "it's a.mp4", "two words.mp4", "deep/x.mp4"}));
}

TEST_F(SourceFileList, HasTheFilesOfAnM3u8List) {
    write("list.m3u8",
          "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=0x1\n#EXT-X-MAP:BYTERANGE=\"9@0\",URI=\"init.mp4\"\n"
          "#EXTINF:3,\nsegments/1.ts\r\n\n#EXTINF:3,\nsegments/1.ts\nhttp://example.org/2.ts\n# a remark\n");
    EXPECT_EQ(files_of("list.m3u8"), (Names{"list.m3u8", "key.bin", "init.mp4", "segments/1.ts"}));
}

TEST_F(SourceFileList, FollowsListsOfLists) {
    write("master.m3u8",
          "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"audio/a.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nvideo/v.m3u8\n");
    write("audio/a.m3u8", "#EXTM3U\n1.aac\n");
    write("video/v.m3u8", "#EXTM3U\n1.ts\n../master.m3u8\n");  // names its own list, too
    EXPECT_EQ(files_of("master.m3u8"),
              (Names{"master.m3u8", "audio/a.m3u8", "audio/1.aac", "video/v.m3u8", "video/1.ts"}));
    // Longer than any list by hand, and deeper than a stack.
    std::string text = "ffconcat version 1.0\n";
    for (int i = 0; i < 40'000; ++i) text += "file segment-with-a-long-name-" + std::to_string(i) + ".mp4\n";
    write("long.txt", text);
    EXPECT_EQ(files_of("long.txt").size(), 40'001U);
    for (int i = 0; i < 3000; ++i) {
        write("chain/" + std::to_string(i), "ffconcat version 1.0\nfile " + std::to_string(i + 1) + "\n");
    }
    EXPECT_EQ(files_of("chain/0").size(), 3001U);
}

TEST_F(SourceFileList, ReadsAListOnceThatNamesItself) {
    // Each pair of names would double the paths until they are too long; after a zero, any path is the list itself.
    const std::string zero(1, '\0');
    write("self.m3u8", "#EXTM3U\n./self.m3u8\n.//self.m3u8\n../" + dir_.path().filename().string() +
                           "/self.m3u8\nself.m3u8" + zero + "/\n1.ts" + zero + "x\n");
    EXPECT_EQ(files_of("self.m3u8"), (Names{"self.m3u8", "1.ts"}));
}

TEST_F(SourceFileList, BoundsTheLinesOfAList) {
    for (const std::string head : {"ffconcat version 1.0\nfile a.mp4\n", "#EXTM3U\na.ts\n"}) {
        write("list", head + std::string(std::size_t{2} << 20U, 'x'));
        try {
            static_cast<void>(files_of("list"));
            ADD_FAILURE() << "accepted after " << head;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where().text(), (dir_.path() / "list:3").string());
        }
    }
}

TEST_F(SourceFileList, TakesTheFolderOfADashManifest) {
    write("dash/m.mpd", "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"></MPD>\n");
    write("dash/chunk-1.m4s", "");
    write("dash/deep/other.mp4", "");
    EXPECT_EQ(files_of("dash/m.mpd"), (Names{"dash/m.mpd", "dash/chunk-1.m4s"}));
    EXPECT_FALSE(files_of_source((dir_.path() / "dash/m.mpd").string()).complete);
}

TEST_F(SourceFileList, IsTheFileAloneOtherwise) {
    write("a.mp4", std::string(2000, '\0') + "#EXTM3U\nno.ts\n");
    EXPECT_EQ(files_of("a.mp4"), Names{"a.mp4"});
    EXPECT_EQ(files_of("missing.mp4"), Names{"missing.mp4"});
    EXPECT_EQ(files_of("."), Names{"."});
}

}  // namespace
}  // namespace throng
