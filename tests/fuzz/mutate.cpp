// Replaces libFuzzer in builds without it: calls the function of a target with seeded mutations of the files in a folder.
// usage: fuzz TARGET CORPUS [INPUTS]; $THRONG_SEED and $THRONG_FUZZ_RUNS change the seed and the number of inputs.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/input.h"

namespace {

using throng::fuzz::Target;

using Input = std::vector<std::uint8_t>;

constexpr std::size_t kMaxInput = 1 << 14;

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
    const char* value = std::getenv(variable);
    return value != nullptr ? std::strtoull(value, nullptr, 10) : fallback;
}

std::vector<Input> read_corpus(const char* folder) {
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // the same order on every machine
    std::vector<Input> inputs;
    for (const auto& file : files) {
        std::ifstream stream(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    if (inputs.empty()) inputs.emplace_back();
    return inputs;
}

const Target* target = nullptr;
const Input* current = nullptr;  // the input that the target has now

constexpr long kMaxMemory = 2048L << 10;  // KiB, as libFuzzer's limit

// An input that takes far more memory than it has bytes is a finding, too.
void run(const Input& input) {
    current = &input;
    target->run(input.data(), input.size());
    struct rusage usage {};
    throng::fuzz::require(::getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss <= kMaxMemory);
}

// The target calls abort for a finding, and an uncaught exception ends there, too.
void on_abort(int) {
    const std::string name = std::string(target->name) + "-failing-input";  // others run in the same folder
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(current->data()), static_cast<std::streamsize>(current->size()));
    std::fprintf(stderr, "kept as %s\n", name.c_str());
}

class Mutator {
public:
    Mutator(std::vector<Input> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), random_(seed) {}

    Input next() {
        Input input = corpus_[below(corpus_.size())];
        for (std::size_t n = below(4) + 1; n > 0; --n) mutate(input);
        input.resize(std::min(input.size(), kMaxInput));
        return input;
    }

private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

    void insert(Input& input, const std::string& text) {
        const auto at = static_cast<std::ptrdiff_t>(below(input.size() + 1));
        input.insert(input.begin() + at, text.begin(), text.end());
    }

    void mutate(Input& input) {
        static const std::vector<std::string> words = {"nan",  "-inf", "1e999", "-1", "0",  "99999999999999999999",
                                                       "\"",   "{",    "}",     "[",  "]",  "<",
                                                       ">",    ",",    "\n",    "=",  "--", "\\u0000",
                                                       "null", "\xFF"};
        const std::size_t begin = below(input.size());
        const std::size_t length = std::min(below(64), input.size() - begin);
        const auto first = input.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = first + static_cast<std::ptrdiff_t>(length);
        switch (below(6)) {
            case 0:
                if (!input.empty()) input[begin] = static_cast<std::uint8_t>(random_());
                break;
            case 1: input.erase(first, last); break;
            case 2: insert(input, std::string(first, last)); break;  // duplicates a part
            case 3: insert(input, words[below(words.size())]); break;
            case 4: {
                const Input& other = corpus_[below(corpus_.size())];
                input.resize(begin);
                input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size() + 1)),
                             other.end());
                break;
            }
            case 5: {  // repeats a part many times: depth and counts
                const std::string word = words[below(words.size())];
                std::string many;
                for (std::size_t n = below(600); n > 0; --n) many += word;
                insert(input, many);
                break;
            }
            default: break;
        }
    }

    std::vector<Input> corpus_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    for (const Target& each : throng::fuzz::targets()) {
        if (argc >= 3 && each.name == std::string(argv[1])) target = &each;
    }
    if (target == nullptr) {
        std::fputs("usage: fuzz TARGET CORPUS [INPUTS]; targets:", stderr);
        for (const Target& each : throng::fuzz::targets()) std::fprintf(stderr, " %s", each.name);
        std::fputs("\n", stderr);
        return 2;
    }
    const std::uint64_t seed = number_from("THRONG_SEED", 20240607);
    const std::uint64_t runs = number_from("THRONG_FUZZ_RUNS", argc > 3 ? std::stoull(argv[3]) : 4000);
    std::printf("seed %llu, %llu inputs\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(runs));
    std::vector<Input> corpus = read_corpus(argv[2]);
    std::signal(SIGABRT, on_abort);
    for (const Input& input : corpus) run(input);
    Mutator mutator(std::move(corpus), seed);
    for (std::uint64_t i = 0; i < runs; ++i) {
        const Input input = mutator.next();
        run(input);
    }
    return 0;
}
