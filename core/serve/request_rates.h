// How many requests each address may send.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "core/serve/limits.h"

namespace throng {

// A token bucket for each address.
class RequestRates {
public:
    using Clock = std::chrono::steady_clock;

    explicit RequestRates(const HttpLimits& limits) : limits_(limits) {}

    bool allows(const std::string& address, Clock::time_point now) {
        if (addresses_.size() >= kMaxAddresses && !addresses_.contains(address)) addresses_.clear();
        const auto [at, is_new] = addresses_.try_emplace(address, Bucket{limits_.requests_at_once, now});
        Bucket& bucket = at->second;
        const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
        bucket.tokens = std::min(limits_.requests_at_once, bucket.tokens + seconds * limits_.requests_per_second);
        bucket.filled = now;
        if (bucket.tokens < 1) return false;
        bucket.tokens -= 1;
        return true;
    }

private:
    static constexpr std::size_t kMaxAddresses = 1024;

    struct Bucket {
        double tokens;
        Clock::time_point filled;
    };
    const HttpLimits& limits_;
    std::unordered_map<std::string, Bucket> addresses_;
};

}  // namespace throng
