// The inputs of a run over an archive: a sorted list of files, and its division among machines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct WorkItem {
    std::string path;        // as given, or found in a folder; may hold any bytes but NUL
    std::string name;        // relative path below the output folder, without "..": mirrors `path`; unique in a list
    std::uint64_t size = 0;  // bytes
    std::string problem;     // why the file cannot be an input: missing, a broken link, no regular file; normally empty
};

// Part `index` of `count`, from 1.
struct Shard {
    int index = 1;
    int count = 1;
};

// Parses "I/N", 1 <= I <= N. Throws Error(usage).
[[nodiscard]] Shard parse_shard(const std::string& text);

// Returns the entries of a list: separated by NUL if the list contains one, otherwise by line feeds. Empty entries are
// skipped. path "-" is standard input. Throws Error(input) if the list cannot be read or is empty.
[[nodiscard]] std::vector<std::string> read_list(const std::string& path);

// Makes the list from files and folders. A folder is searched recursively for files that `accepts` by their names;
// hidden files and folders, and links to folders, are skipped. A file given by name is always taken. No file is opened.
//
// The name of an input is its path: "photos/a.jpg" for photos/a.jpg, "data/a.jpg" for /data/a.jpg. A relative path that
// leaves the current folder is made absolute first. The list is sorted by name. A file given twice is taken once.
//
// Throws Error(input) if a folder cannot be read or nothing is found. Throws Error(usage) if two inputs have one name,
// or a folder contains `output`, the output folder: its results would become inputs.
[[nodiscard]] std::vector<WorkItem> make_work_list(const std::vector<std::string>& paths,
                                                   const std::function<bool(const std::string& name)>& accepts,
                                                   const std::string& output);

// Returns the shard's part of a list, sorted by name. Depends on names and sizes only: the largest item goes first, to
// the shard with the fewest bytes, then the fewest items, then the lowest index; equal sizes in the order of names.
[[nodiscard]] std::vector<WorkItem> select_shard(const std::vector<WorkItem>& items, Shard shard);

}  // namespace throng
