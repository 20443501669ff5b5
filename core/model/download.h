// Downloads a file whose size and checksum are known: over HTTPS, resumable, never leaving an incomplete file under its
// final name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace throng {

struct Download {
    std::string address;           // https://…; http:// only if `plain` is true
    std::filesystem::path target;  // its folder is created when the first bytes arrive
    std::uint64_t size = 0;        // bytes
    std::string sha256;            // lower-case hexadecimal digits
    bool plain = false;            // http:// allows http://, for a server that the user named
    std::string certificates;      // file of trusted certificates; empty: the system's
    double stalled_after = 15;     // seconds without a connection or data until the download fails
    double limit = 0;              // seconds for each attempt; 0: none
};

// Called at intervals with the number of bytes received so far. Returning false stops the download.
using DownloadProgress = std::function<bool(std::uint64_t done)>;

enum class DownloadResult { fetched, already_there };

// Writes TARGET.part, resuming one left by an earlier attempt, checks size and checksum, and renames it. Throws
// Error(input) with advice: no network, rejection by the server, a broken connection (the part is kept), a file other
// than the expected one (the part is deleted). Throws Error(interrupted) if progress returned false.
DownloadResult download(const Download& what, const DownloadProgress& progress);

}  // namespace throng
