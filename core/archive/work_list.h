// The inputs of a run over an archive: a sorted list of files, and its division among machines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct SplitVideo;  // segments.h

struct WorkItem {
    std::string path;        // as given, or found in a folder; may hold any bytes but NUL
    std::string name;        // relative path below the output folder, without "..": mirrors `path`; unique in a list
    std::uint64_t size = 0;  // bytes
    std::string problem;     // why the file cannot be an input: missing, a broken link, no regular file; normally empty
    std::string sha256;      // of the content; set while a run processes the item
    std::shared_ptr<const SplitVideo> split{};  // a video that is processed in parts; null: as a whole
    int part = 0;                               // of `split`, from 1; 0: the joining of all parts
};

// Part `index` of `count`, from 1.
struct Shard {
    int index = 1;
    int count = 1;
};

// Parses "I/N", 1 <= I <= N. Throws Error(usage).
[[nodiscard]] Shard parse_shard(const std::string& text);

// Returns the entries of a list: separated by NUL if the list contains one, otherwise by line feeds with or without a
// carriage return. Empty entries are skipped. A byte order mark tells UTF-8, UTF-16 and UTF-32; without it, entries may
// hold any bytes. path "-" is standard input. Throws Error(input) if the list cannot be read or is empty, or looks like
// UTF-16 or UTF-32 without a mark; Error(interrupted) after a stop request.
[[nodiscard]] std::vector<std::string> read_list(const std::string& path, const std::stop_token& stop = {});

// Returns the name of a file. entry: the entry of the list that led to it, the file itself or a folder above it.
using NameOfInput = std::function<std::string(const std::string& entry, const std::string& path)>;

// Returns the path without a root: "photos/a.jpg" for photos/a.jpg, "data/a.jpg" for /data/a.jpg. A relative path that
// leaves the current folder is made absolute first.
[[nodiscard]] std::string name_by_path(const std::string& entry, const std::string& path);
// Returns the path below the entry if that is a folder, otherwise the name of the file.
[[nodiscard]] std::string name_below_entry(const std::string& entry, const std::string& path);

// Makes the list from files and folders. A folder is searched recursively for files whose paths `accepts`; hidden
// files and folders, links to folders, and `output`, the output folder, are skipped. The log names the other files, and
// `left_out` gets their names. A file given by name is always taken. Only `accepts` opens files. The list is sorted by
// name. A file given twice is taken once.
//
// Throws Error(input) if a folder cannot be read or nothing is found. Throws Error(usage) if two inputs have one name,
// if a folder is the output folder: results would become inputs, and if the output folder is below a folder and has
// files that are accepted and that no record names: they would be left out.
[[nodiscard]] std::vector<WorkItem> make_work_list(const std::vector<std::string>& paths,
                                                   const std::function<bool(const std::string& path)>& accepts,
                                                   const std::string& output, const NameOfInput& name_of = name_by_path,
                                                   std::vector<std::string>* left_out = nullptr);

// Returns the shard of each item, from 1 to count. Depends on names and sizes only: the largest item goes first, to
// the shard with the fewest bytes, then the fewest items, then the lowest index; equal sizes in the order of names.
[[nodiscard]] std::vector<int> assign_shards(const std::vector<WorkItem>& items, int count);
// Returns the shard's part of a list, in its order.
[[nodiscard]] std::vector<WorkItem> select_shard(const std::vector<WorkItem>& items, Shard shard);

}  // namespace throng
