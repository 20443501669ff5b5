// The fixture of tests of runs: small text files as inputs, and their results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "core/archive/archive_run.h"
#include "core/archive/merge.h"
#include "core/base/log.h"
#include "tests/support/test_data.h"
#include "tests/unit/archive/files.h"

namespace throng {

namespace fs = std::filesystem;
using test::bytes_of;
using test::kind_of;
using test::write_text;

// The result of an input is its text in upper case, as a line of detections would be.
inline std::string expected_result(const std::string& name, const std::string& text) {
    return R"({"source":")" + name + R"(","source_number":1,"frame":0,"pts":0,"text":")" + text + "\",\"kept\":[]}\n";
}

class ArchiveRuns : public ::testing::Test {
protected:
    void make_inputs(int count) {
        for (int i = 0; i < count; ++i) {
            write_text(file("in/" + std::to_string(i % 3) + "/" + std::to_string(i) + ".txt"),
                       std::string(static_cast<std::size_t>(1 + i % 7), static_cast<char>('a' + i % 26)));
        }
    }
    // Makes an input that is incomplete, one that fails, and two that are done: 17 bytes, of which 14 do not fail.
    void make_inputs_of_each_end() {
        write_text(file("in/a.txt"), "cut");
        write_text(file("in/b.txt"), "bad");
        write_text(file("in/c.txt"), "four");
        write_text(file("in/d.txt"), "letters");
    }
    [[nodiscard]] fs::path file(const std::string& name) const { return dir_.path() / name; }
    // Returns the name that a file given by its absolute path has below the output folder.
    [[nodiscard]] std::string mirrored(const std::string& name) const { return file(name).relative_path().string(); }
    // Returns the number of files of records whose names begin so.
    [[nodiscard]] std::ptrdiff_t records_of(const std::string& begin) const {
        const fs::directory_iterator records(file("out") / kRecordFolder);
        return std::count_if(fs::begin(records), fs::end(records),
                             [&](const auto& record) { return record.path().filename().string().starts_with(begin); });
    }
    [[nodiscard]] std::vector<WorkItem> list() const {
        return make_work_list(
            {file("in").string()}, [](const std::string&) { return true; }, file("out").string());
    }
    [[nodiscard]] ArchiveOptions options(const std::string& output = "out") {
        ArchiveOptions options;
        options.output = file(output);
        options.files.workers = [](std::size_t) { return 3; };
        options.settings = R"({"theta": "0.5"})";
        options.version = "1";
        options.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name + ".jsonl"}; };
        options.files.make_worker = [this](int, int) -> ProcessInput {
            return [this](const WorkItem& item, const std::vector<std::string>& outputs, const auto& add_frames,
                          const std::stop_token&) {
                ++processed_;
                const std::string text = bytes_of(item.path);
                if (text == "bad") throw Error(ErrorKind::input, "is bad", item.path);
                if (text == "huge") throw std::bad_alloc();
                if (text == "odd") throw std::runtime_error("of a library");
                add_frames(1);
                write_text(outputs.at(0), expected_result(item.name, text));
                return InputResult{1, text.size(), "cpu", text == "cut" ? "is cut" : ""};
            };
        };
        return options;
    }
    static ArchiveProgress files_of(const ArchiveTotals& totals) { return totals[Stage::file]; }
    ArchiveProgress run(const ArchiveOptions& options) { return files_of(run_archive(list(), options, {})); }

    // Expects a complete result of every input, and nothing else, below the output folder.
    void expect_all_results() const {
        std::set<std::string> expected;
        for (const WorkItem& item : list()) {
            expected.insert(item.name + ".jsonl");
            EXPECT_EQ(bytes_of(file("out") / (item.name + ".jsonl")), expected_result(item.name, bytes_of(item.path)));
        }
        std::set<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(file("out"))) {
            const std::string name = fs::relative(entry.path(), file("out")).string();
            if (entry.is_regular_file() && !name.starts_with(kRecordFolder)) found.insert(name);
        }
        EXPECT_EQ(found, expected);
        std::map<std::string, int> records;
        read_manifests(file("out"), [&](const fs::path&, ManifestEntry&& entry) { ++records[entry.input]; });
        for (const auto& [name, count] : records) EXPECT_EQ(count, 1) << name;
        EXPECT_EQ(records.size(), expected.size());
    }

    test::ScratchDir dir_;
    std::atomic<int> processed_ = 0;
};

}  // namespace throng
