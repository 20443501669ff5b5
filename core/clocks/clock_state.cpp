#include "core/clocks/clock_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/input_file.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"
#include "core/base/log.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path folder_for(const fs::path& prefix) {
    if (!prefix.empty()) return prefix / "run" / "throng";
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime != '\0') {
        return fs::path(runtime) / "throng";
    }
    if (::geteuid() == 0) return "/run/throng";
    return fs::temp_directory_path() / ("throng-" + std::to_string(::geteuid()));
}

[[noreturn]] void reject(const fs::path& path, const Message& problem) {
    throw Error(ErrorKind::input, {"cannot save the current clocks: %1", problem}, path.string(),
                "no clock was changed");
}

bool is_temporary(const fs::path& folder) {
    std::error_code ignored;
    const fs::path temporary = fs::temp_directory_path(ignored);
    return fs::equivalent(folder.parent_path(), temporary, ignored);
}

// In a folder of everybody, another user could have made the folder, with links to files of this one.
bool is_own_folder(const fs::path& folder) {
    if (!is_temporary(folder)) return true;
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

}  // namespace

ClockStateFile::ClockStateFile(const fs::path& prefix) : path_(folder_for(prefix) / "clocks.json") {}

std::optional<ClockState> ClockStateFile::read() const {
    if (!is_own_folder(path_.parent_path())) return std::nullopt;
    try {
        const Json json = parse_json<Json>(read_file(path_));
        ClockState state;
        state.owner = integer_at<int>(json, "owner");
        state.owner_start = json.at("owner_start").get<std::string>();
        state.gpu_kind = json.at("gpu_kind").get<std::string>();
        state.gpu = json.at("gpu").get<SavedClock>();
        state.cpu = json.at("cpu").get<SavedClock>();
        state.cpu_cluster = json.at("cpu_cluster").get<std::string>();
        // Absent in the file of a program that did not know the memory clock.
        state.memory_kind = json.value("memory_kind", state.memory_kind);
        state.memory = json.value("memory", state.memory);
        return state;
    } catch (const Json::exception& error) {
        const fs::path aside = path_.string() + ".broken";
        std::error_code ignored;
        fs::rename(path_, aside, ignored);
        logger().warn("{} is invalid and was renamed to {}: {}", path_.string(), aside.string(), error.what());
        return std::nullopt;
    } catch (const Error&) {  // there is none, or it cannot be read
        return std::nullopt;
    }
}

void ClockStateFile::write(const ClockState& state) const {
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    if (error) reject(path_, error.message());
    if (!is_own_folder(path_.parent_path())) reject(path_, "the folder is a link or belongs to another user");

    const Json json{{"owner", state.owner},
                    {"owner_start", state.owner_start},
                    {"gpu_kind", state.gpu_kind},
                    {"gpu", state.gpu},
                    {"cpu", state.cpu},
                    {"cpu_cluster", state.cpu_cluster},
                    {"memory_kind", state.memory_kind},
                    {"memory", state.memory}};
    try {
        write_durably(path_.string(), json.dump(1));
    } catch (const Error& failure) {
        reject(path_, failure.problem());
    }
}

ClockStateFile::Lock::~Lock() {
    if (fd_ >= 0) ::close(fd_);
}

ClockStateFile::Lock ClockStateFile::lock() const {
    std::error_code ignored;
    fs::create_directories(path_.parent_path(), ignored);
    if (!is_own_folder(path_.parent_path())) return Lock();
    const int fd = ::open((path_.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return Lock();
    throng::lock(fd);
    return Lock(fd);
}

void ClockStateFile::remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
}

std::string process_start(int process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return {};
    // The name in parentheses may contain spaces. The 20th field after it is the start time.
    const std::size_t close = line.rfind(')');
    if (close == std::string::npos) return {};
    std::istringstream fields(line.substr(close + 1));
    std::string field;
    for (int i = 0; i < 20; ++i) fields >> field;
    return fields ? field : std::string{};
}

bool owner_alive(const ClockState& state) {
    return state.owner > 0 && !state.owner_start.empty() && process_start(state.owner) == state.owner_start;
}

}  // namespace throng
