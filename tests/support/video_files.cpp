#include "tests/support/video_files.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace throng::test {

bool has_ffmpeg() {
    static const bool found = std::system("ffmpeg -version > /dev/null 2>&1") == 0;
    return found;
}

void ffmpeg(const std::string& arguments, const std::filesystem::path& path) {
    const std::string log = path.string() + ".log";
    const std::string command =
        "ffmpeg -nostdin -loglevel error -y -threads 1 " + arguments + " '" + path.string() + "' > '" + log + "' 2>&1";
    if (std::system(command.c_str()) != 0) {
        const std::vector<char> output = read_file(log);
        throw std::runtime_error(command + "\n" + std::string(output.begin(), output.end()));
    }
    std::filesystem::remove(log);
}

std::vector<char> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::vector<char>& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace throng::test
