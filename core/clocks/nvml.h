// The NVML functions that the program uses, loaded at run time. A machine without NVIDIA's driver is not an error.
// Source: NVML API Reference, sections Device Queries and Device Commands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace throng {

// The NVML return codes that the program distinguishes.
enum class NvmlStatus : int {
    success = 0,
    not_supported = 3,
    no_permission = 4,
    insufficient_size = 7,
    driver_not_loaded = 9,
    function_not_found = 13,  // also: the library lacks the symbol
    gpu_is_lost = 15,
    unknown = 999,
};

// Bits of the reasons for a reduced clock (NVML: clocks event reasons).
namespace throttle {
inline constexpr std::uint64_t kIdle = 0x1;
inline constexpr std::uint64_t kApplicationClocks = 0x2;
inline constexpr std::uint64_t kPowerCap = 0x4;
inline constexpr std::uint64_t kHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kSoftwareThermal = 0x20;
inline constexpr std::uint64_t kHardwareThermal = 0x40;
inline constexpr std::uint64_t kPowerBrake = 0x80;
// Reasons that deserve a warning to the user.
inline constexpr std::uint64_t kSlowing =
    kPowerCap | kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;
}  // namespace throttle

// One device of one loaded library. Queries return nothing if a value is unavailable; no function throws.
class Nvml {
public:
    // library: file name or path, "libnvidia-ml.so.1" by default. Returns null and sets `reason` if it cannot be used.
    [[nodiscard]] static std::shared_ptr<Nvml> open(const std::string& library, int device, std::string& reason);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::vector<unsigned> graphics_clocks_mhz()
        const;  // supported at the highest memory clock; ascending
    [[nodiscard]] std::optional<unsigned> graphics_clock_mhz() const;
    [[nodiscard]] std::optional<unsigned> memory_clock_mhz() const;
    [[nodiscard]] std::optional<double> load() const;         // 0 to 1
    [[nodiscard]] std::optional<double> temperature() const;  // degrees Celsius
    [[nodiscard]] std::optional<double> power_watts() const;
    [[nodiscard]] std::optional<std::uint64_t> throttle_reasons() const;

    NvmlStatus lock_clocks(unsigned min_mhz, unsigned max_mhz);
    NvmlStatus reset_clocks();

private:
    struct Api;
    explicit Nvml(std::unique_ptr<Api> api);
    std::unique_ptr<Api> api_;
};

// Opens the library of this machine, or with a root only the library inside it (usr/lib). Returns null if there is
// none.
[[nodiscard]] std::shared_ptr<Nvml> open_nvml(const std::filesystem::path& root = {}, int device = 0);

// Returns a message for an NVML status.
[[nodiscard]] std::string describe(NvmlStatus status);

}  // namespace throng
