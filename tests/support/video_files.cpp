#include "tests/support/video_files.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "core/base/child_process.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

namespace fs = std::filesystem;

// Returns what `ffmpeg -version` prints; empty if there is no such program.
const std::string& ffmpeg_version() {
    static const std::string version = run_child({"ffmpeg", "-version"}, std::chrono::minutes(10)).output;
    return version;
}

constexpr const char* kFfmpeg = "ffmpeg -nostdin -loglevel error -y -threads 1 ";

// Returns where the file that these arguments draw is kept for later runs, also those of other builds. Half of the time
// of a test is often that of the encoder. Nothing is kept of arguments that name another file, or of several files.
fs::path kept_file(const std::string& arguments, const fs::path& path) {
    const std::string name = path.filename().string();
    if (arguments.find('/') != std::string::npos || name.ends_with(".m3u8") || name.find('%') != std::string::npos) {
        return {};
    }
    const std::size_t key = std::hash<std::string>()(ffmpeg_version() + kFfmpeg + arguments);
    return source_dir() / "build" / "test-clips" / (std::to_string(key) + "-" + name);
}

}  // namespace

bool has_ffmpeg() {
    return !ffmpeg_version().empty();
}

void ffmpeg(const std::string& arguments, const fs::path& path) {
    const fs::path kept = kept_file(arguments, path);
    std::error_code problem;
    if (!kept.empty() && fs::copy_file(kept, path, fs::copy_options::overwrite_existing, problem)) return;
    const std::string log = path.string() + ".log";
    const std::string command = kFfmpeg + arguments + " '" + path.string() + "' > '" + log + "' 2>&1";
    if (std::system(command.c_str()) != 0) {
        const std::vector<char> output = read_file(log);
        throw std::runtime_error(command + "\n" + std::string(output.begin(), output.end()));
    }
    fs::remove(log);
    if (kept.empty()) return;
    // Another test may keep the same file now. A checkout that cannot be written keeps nothing.
    const fs::path part = kept.string() + "." + std::to_string(getpid());
    fs::create_directories(kept.parent_path(), problem);
    if (fs::copy_file(path, part, fs::copy_options::overwrite_existing, problem)) {
        fs::rename(part, kept, problem);
    } else {
        fs::remove(part, problem);
    }
}

std::vector<char> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::vector<char>& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

namespace {

// A time stamp of a PES packet is spread over five bytes with marker bits.
std::uint64_t stamp_at(const unsigned char* at) {
    return std::uint64_t{at[0] & 0x0eU} << 29U | std::uint64_t{at[1]} << 22U | std::uint64_t{at[2] & 0xfeU} << 14U |
           std::uint64_t{at[3]} << 7U | at[4] >> 1U;
}

void put_stamp(unsigned char* at, std::uint64_t stamp) {
    at[0] = static_cast<unsigned char>((at[0] & 0xf1U) | (stamp >> 29U & 0x0eU));
    at[1] = static_cast<unsigned char>(stamp >> 22U);
    at[2] = static_cast<unsigned char>((stamp >> 14U & 0xfeU) | 1U);
    at[3] = static_cast<unsigned char>(stamp >> 7U);
    at[4] = static_cast<unsigned char>((stamp << 1U & 0xfeU) | 1U);
}

}  // namespace

std::vector<char> with_later_clock(std::vector<char> bytes, std::int64_t ticks) {
    auto* data = reinterpret_cast<unsigned char*>(bytes.data());
    for (std::size_t i = 0; i + 19 < bytes.size(); ++i) {
        unsigned char* packet = data + i;
        const bool starts = packet[0] == 0 && packet[1] == 0 && packet[2] == 1;
        if (!starts || (packet[3] != 0xe0 && packet[3] != 0xc0) || (packet[6] & 0xc0U) != 0x80) continue;
        const int stamps = (packet[7] & 0x80U) == 0 ? 0 : (packet[7] & 0x40U) == 0 ? 1 : 2;  // pts, dts
        for (int k = 0; k < stamps; ++k) {
            unsigned char* at = packet + 9 + 5 * k;
            put_stamp(at, stamp_at(at) + static_cast<std::uint64_t>(ticks));
        }
    }
    return bytes;
}

}  // namespace throng::test
