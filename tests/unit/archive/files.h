// Shared by the tests of archives: small files, random numbers with a printed seed, kinds of errors.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "core/base/error.h"
#include "tests/support/random.h"

namespace throng::test {

class Integers {
public:
    explicit Integers(std::uint64_t fixed_seed) : engine_(seed(fixed_seed)) {}
    std::int64_t operator()(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }

private:
    std::mt19937_64 engine_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the kind of the Error that the call throws; records a failure if it throws none.
inline ErrorKind kind_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "nothing thrown";
    return ErrorKind::internal;
}

}  // namespace throng::test
