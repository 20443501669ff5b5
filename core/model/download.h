// Downloads a file whose size and checksum are known: over HTTPS, resumable, and never half a file under its final
// name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace throng {

struct Download {
    std::string address;           // https://…; http:// only where `plain` allows it
    std::filesystem::path target;  // its folder is created by the first bytes
    std::uint64_t size = 0;        // bytes
    std::string sha256;            // lower-case hexadecimal digits
    bool plain = false;            // http:// may be used, for a server that the user named
    std::string certificates;      // file of certificates to trust in place of the system's; empty: the system's
    double stalled_after = 30;     // seconds without a byte
};

// Called now and then with the bytes that are here; false stops the download.
using DownloadProgress = std::function<bool(std::uint64_t done)>;

enum class DownloadResult { fetched, already_there };

// Writes TARGET.part, goes on with one that an earlier attempt left, checks size and checksum, and renames. Throws
// Error(input) saying what to do: no network, the server's rejection, a connection that broke (the part stays), a file
// that is not the one expected (the part goes); Error(interrupted) when progress said so.
DownloadResult download(const Download& what, const DownloadProgress& progress);

}  // namespace throng
