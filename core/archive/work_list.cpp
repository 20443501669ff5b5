#include "core/archive/work_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <filesystem>
#include <numeric>
#include <queue>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/archive/own_files.h"
#include "core/base/error.h"
#include "core/base/first_of_list.h"
#include "core/base/input_file.h"
#include "core/base/log.h"
#include "core/base/text_encoding.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxShards = 1'000'000;
constexpr std::uint64_t kMaxList = std::uint64_t{1} << 30;  // bytes

WorkItem item_of(std::string path, std::string name) {
    WorkItem item;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        const int code = errno;
        const bool link = ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
        item.problem = (link ? "broken link: " : "") + std::generic_category().message(code);
    } else if (!S_ISREG(status.st_mode)) {
        item.problem = "is not a regular file";
    } else {
        item.size = static_cast<std::uint64_t>(status.st_size);
    }
    item.name = std::move(name);
    item.path = std::move(path);
    return item;
}

// Calls use(path) for the files below a folder, and enter(path), which may decline, for the folders; not for hidden ones.
template <class Enter, class Use>
void for_each_file_below(const fs::path& folder, Enter enter, Use use) {
    std::error_code failure;
    fs::recursive_directory_iterator it(folder, failure);
    fs::path entered = folder;  // the folder that the next step reads
    for (const fs::recursive_directory_iterator end; !failure && it != end; it.increment(failure)) {
        const fs::path& path = it->path();
        std::error_code ignored;
        const bool is_folder = it->is_directory(ignored);
        const bool is_hidden = path.filename().string().front() == '.';
        entered = is_folder ? path : folder;
        if (is_folder && (is_hidden || !enter(path))) it.disable_recursion_pending();
        if (!is_folder && !is_hidden) use(path);
    }
    if (failure) throw Error(ErrorKind::input, "cannot read the folder: " + failure.message(), entered.string());
}

// Throws Error(usage) if the output folder, which is below an input, has a file that is an input, and that no record
// names: the folder is not searched, so the file would be left out.
void check_results(const fs::path& output, const std::function<bool(const std::string&)>& accepts) {
    OwnFiles own(output);
    const auto check = [&](const fs::path& path) {
        if (!accepts(path.string())) return;
        std::error_code failure;
        const std::uintmax_t size = fs::file_size(path, failure);
        if (!failure && own.has_record_of(path.lexically_relative(output).string(), size)) return;
        throw Error(
            ErrorKind::usage, "is in the output folder and not a result of an earlier run, so it would be left out",
            path.string(), {"name an empty folder, or one that is not below the inputs, for %1", Setting{"out"}});
    };
    for_each_file_below(
        output, [](const fs::path&) { return true; }, check);
}

// Adds the files below a folder. Calls leave_out(folder, path) for those that are no inputs.
void add_folder(const std::string& folder, const std::function<bool(const std::string&)>& accepts,
                const std::string& output, const NameOfInput& name_of, std::vector<WorkItem>& items,
                const std::function<void(const std::string&, const std::string&)>& leave_out) {
    const auto enter = [&](const fs::path& path) {
        std::error_code ignored;
        if (!fs::equivalent(path, output, ignored)) return true;
        check_results(path, accepts);
        return false;
    };
    const auto add = [&](const fs::path& path) {
        if (accepts(path.string())) {
            items.push_back(item_of(path.string(), name_of(folder, path.string())));
        } else {
            leave_out(folder, path.string());
        }
    };
    for_each_file_below(folder, enter, add);
}

}  // namespace

std::string name_by_path(const std::string& /*entry*/, const std::string& path) {
    fs::path normal = fs::path(path).lexically_normal();
    if (normal.is_relative() && *normal.begin() == "..") normal = fs::absolute(normal).lexically_normal();
    return normal.relative_path().string();
}

std::string name_below_entry(const std::string& entry, const std::string& path) {
    return path == entry ? fs::path(path).filename().string() : fs::path(path).lexically_relative(entry).string();
}

Shard parse_shard(const std::string& text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto [slash, no_index] = std::from_chars(text.data(), end, shard.index);
    bool valid = no_index == std::errc{} && slash != end && *slash == '/';
    if (valid) {
        const auto [rest, no_count] = std::from_chars(slash + 1, end, shard.count);
        valid = no_count == std::errc{} && rest == end && 1 <= shard.index && shard.index <= shard.count &&
                shard.count <= kMaxShards;
    }
    if (!valid)
        throw Error(ErrorKind::usage, fmt::format("is not I/N with I from 1 to N, and N at most {}", kMaxShards),
                    Setting{"shard", text}, "the first of eight shards is 1/8");
    return shard;
}

std::vector<std::string> read_list(const std::string& path, const std::stop_token& stop) {
    const std::string shown = path == "-" ? "standard input" : path;
    ReadOptions options;
    options.stop = stop;
    options.what = "list";
    options.max_bytes = kMaxList;
    options.takes_dash = true;
    const std::string text = decode_text(read_file(path, options), shown);
    const char separator = text.find('\0') != std::string::npos ? '\0' : '\n';
    std::vector<std::string> entries;
    std::size_t single = 0;  // entries of one byte
    std::size_t number = 0;  // of the line
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        // A carriage return before a line feed is a part of the line ending.
        const bool returns = separator == '\n' && end > begin && text[end - 1] == '\r';
        std::string entry = text.substr(begin, end - begin - (returns ? 1 : 0));
        // Lists that were joined have marks inside.
        if (separator == '\n' && entry.starts_with("\xEF\xBB\xBF")) entry.erase(0, 3);
        ++number;
        if (entry.size() >= PATH_MAX) {
            throw Error(ErrorKind::input, "is longer than any path", fmt::format("{}:{}", shown, number),
                        "separate the paths by line feeds or NUL characters");
        }
        single += entry.size() == 1 ? 1 : 0;
        if (!entry.empty()) entries.push_back(std::move(entry));
        begin = end + 1;
    }
    // Each character of UTF-16 without a mark would be an entry; "." and "/" are folders with files that nobody listed.
    if (separator == '\0' && single > 1 && 2 * single >= entries.size()) {
        throw Error(ErrorKind::input, "the list seems to be UTF-16 or UTF-32 without a byte order mark", shown,
                    "write it as UTF-8; between NUL characters, write ./a for a file with the name a");
    }
    if (entries.empty()) throw Error(ErrorKind::input, "the list is empty", shown);
    return entries;
}

std::vector<WorkItem> make_work_list(const std::vector<std::string>& paths,
                                     const std::function<bool(const std::string& path)>& accepts,
                                     const std::string& output, const NameOfInput& name_of,
                                     std::vector<std::string>* left_out) {
    std::vector<WorkItem> items;
    std::vector<std::string> others;  // paths
    const auto leave_out = [&](const std::string& folder, const std::string& path) {
        others.push_back(path);
        if (left_out != nullptr) left_out->push_back(name_of(folder, path));
    };
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (!fs::is_directory(path, ignored) || !fs::equivalent(path, output, ignored)) continue;
        throw Error(ErrorKind::usage, "is an input, too: results would become inputs", Setting{"out", output},
                    "name another folder");
    }
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (fs::is_directory(path, ignored)) {
            add_folder(path, accepts, output, name_of, items, leave_out);
        } else {
            items.push_back(item_of(path, name_of(path, path)));
        }
    }
    if (!others.empty()) {
        std::sort(others.begin(), others.end());
        const bool one = others.size() == 1;
        logger().info("{} other {} in the folders {}: {}", others.size(), one ? "file" : "files",
                      one ? "is not an input" : "are not inputs", first_of_list(others));
    }
    if (items.empty()) {
        throw Error(ErrorKind::input, "no inputs found", paths.empty() ? "" : paths.front(),
                    "folders are searched for images and videos");
    }

    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const auto absolute = [](const WorkItem& item) { return fs::absolute(item.path).lexically_normal(); };
    const auto same = [&](const WorkItem& a, const WorkItem& b) {
        if (a.name != b.name) return false;
        if (absolute(a) == absolute(b)) return true;
        throw Error(ErrorKind::usage, "has the same name below the output folder as " + a.path, b.path,
                    "process one of them in a run of its own");
    };
    const auto last = std::unique(items.begin(), items.end(), same);
    if (const auto twice = std::distance(last, items.end()); twice > 0) {
        logger().warn("{} given more than once", twice == 1 ? "1 input was" : fmt::format("{} inputs were", twice));
    }
    items.erase(last, items.end());
    return items;
}

std::vector<int> assign_shards(const std::vector<WorkItem>& items, int count) {
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(items[b].size, items[a].name) < std::tie(items[a].size, items[b].name);
    });
    using Load = std::tuple<std::uint64_t, std::size_t, int>;  // bytes, items, index
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (int i = 1; i <= count; ++i) loads.emplace(0, 0, i);
    std::vector<int> shards(items.size());
    for (const std::size_t item : order) {
        const auto [bytes, items_of_shard, index] = loads.top();
        loads.pop();
        loads.emplace(bytes + items[item].size, items_of_shard + 1, index);
        shards[item] = index;
    }
    return shards;
}

std::vector<WorkItem> select_shard(const std::vector<WorkItem>& items, Shard shard) {
    const std::vector<int> shards = assign_shards(items, shard.count);
    std::vector<WorkItem> part;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (shards[i] == shard.index) part.push_back(items[i]);
    }
    return part;
}

}  // namespace throng
