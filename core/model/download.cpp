#include "core/model/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/sha256.h"
#include "core/base/shared_library.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// libcurl's functions, loaded with the first download: it brings 20 libraries. Throws Error(unavailable) if it is not
// installed.
struct Curl {
    SharedLibrary library{"libcurl.so.4"};
    decltype(&curl_global_init) global_init = library.require<decltype(curl_global_init)>("curl_global_init");
    decltype(&curl_easy_init) init = library.require<decltype(curl_easy_init)>("curl_easy_init");
    decltype(&curl_easy_cleanup) cleanup = library.require<decltype(curl_easy_cleanup)>("curl_easy_cleanup");
    decltype(&curl_easy_perform) perform = library.require<decltype(curl_easy_perform)>("curl_easy_perform");
    decltype(&curl_easy_strerror) text_of = library.require<decltype(curl_easy_strerror)>("curl_easy_strerror");
    // Macros of these names hide the functions, to check the types of arguments.
    CURLcode (*set)(CURL*, CURLoption, ...) = library.require<CURLcode(CURL*, CURLoption, ...)>("curl_easy_setopt");
    CURLcode (*get)(CURL*, CURLINFO, ...) = library.require<CURLcode(CURL*, CURLINFO, ...)>("curl_easy_getinfo");
};

const Curl& loaded_curl() {
    static const Curl& curl = []() -> const Curl& {
        const auto& loaded = *new Curl();
        loaded.global_init(CURL_GLOBAL_DEFAULT);
        return loaded;
    }();
    return curl;
}

// TARGET.part, locked against a concurrent download of the same file. The file and its folder are created when the
// first bytes arrive. An empty file is removed.
class PartFile {
public:
    explicit PartFile(fs::path path) : path_(std::move(path)) {
        file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
        if (file_ >= 0) lock();
        if (file_ < 0 && errno != ENOENT && errno != ENOTDIR) fail("cannot be written");
    }
    ~PartFile() {
        if (file_ < 0) return;
        if (size() == 0) remove();
        ::close(file_);
    }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const {
        return file_ < 0 ? 0 : static_cast<std::uint64_t>(::lseek(file_, 0, SEEK_END));
    }

    void clear() {
        if (file_ >= 0 && ::ftruncate(file_, 0) != 0) fail("cannot be written");
    }
    void append(const char* data, std::size_t size) {
        if (file_ < 0) create();
        ::lseek(file_, 0, SEEK_END);
        while (size > 0) {
            const ssize_t written = ::write(file_, data, size);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) fail("cannot be written");
            data += written;
            size -= static_cast<std::size_t>(written);
        }
    }
    void move_to(const fs::path& target) {
        if (::fsync(file_) != 0) fail("cannot be written to disk");
        std::error_code failed;
        fs::rename(path_, target, failed);
        if (failed) throw Error(ErrorKind::input, {"cannot be written: %1", failed.message().c_str()}, target.string());
    }
    void remove() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }

private:
    void create() {
        std::error_code failed;
        fs::create_directories(path_.parent_path(), failed);
        if (failed) {
            throw Error(ErrorKind::input, {"cannot be created: %1", failed.message().c_str()},
                        path_.parent_path().string());
        }
        file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0) fail("cannot be written");
        lock();
        clear();  // another program may have written it in the meantime
    }

    void lock() {
        // On file systems without locks the file is written unlocked; its checksum decides.
        if (try_lock(file_) != FileLock::elsewhere) return;
        ::close(std::exchange(file_, -1));
        throw Error(ErrorKind::input, "is being downloaded by another program", path_.string());
    }

    [[noreturn]] void fail(const char* what) const {
        throw Error(ErrorKind::input, {"%1: %2", what, std::strerror(errno)}, path_.string());
    }

    fs::path path_;
    int file_ = -1;
};

struct Transfer {
    CURL* curl;
    const Download& what;
    const DownloadProgress& progress;
    PartFile& part;
    std::uint64_t done;
    bool rejected = false;  // the server cannot resume at our offset
    bool too_long = false;
    std::optional<Error> cannot_write = {};
    bool stopped = false;
};

std::size_t receive(char* data, std::size_t, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    if (transfer.done + count > transfer.what.size) {
        transfer.too_long = true;
        return 0;
    }
    // No exception may propagate through libcurl.
    try {
        transfer.part.append(data, count);
    } catch (const Error& error) {
        transfer.cannot_write = error;
        return 0;
    }
    transfer.done += count;
    return count;
}

int report(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(user);
    transfer.stopped = transfer.progress && !transfer.progress(transfer.done);
    return transfer.stopped ? 1 : 0;
}

void check(CURLcode code) {
    if (code != CURLE_OK) throw Error(ErrorKind::internal, loaded_curl().text_of(code), "libcurl");
}

void set_up(Transfer& transfer, char* message) {
    CURL* curl = transfer.curl;
    const Download& what = transfer.what;
    const auto set = [curl](CURLoption option, auto value) { check(loaded_curl().set(curl, option, value)); };
    set(CURLOPT_URL, what.address.c_str());
    set(CURLOPT_ERRORBUFFER, message);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    set(CURLOPT_QUICK_EXIT, 1L);  // does not wait for a name server after a stop request
#endif
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
    // Redirections are limited to the allowed protocols.
#if LIBCURL_VERSION_NUM >= 0x075500
    set(CURLOPT_PROTOCOLS_STR, what.plain ? "https,http" : "https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, what.plain ? "https,http" : "https");
#else
    const long protocols = CURLPROTO_HTTPS | (what.plain ? CURLPROTO_HTTP : 0L);
    set(CURLOPT_PROTOCOLS, protocols);
    set(CURLOPT_REDIR_PROTOCOLS, protocols);
#endif
    if (!what.certificates.empty()) set(CURLOPT_CAINFO, what.certificates.c_str());
    set(CURLOPT_USERAGENT, "throng");
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(what.stalled_after));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(1000 * what.limit));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(what.stalled_after));
    set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.done));
    set(CURLOPT_WRITEFUNCTION, receive);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, report);
    set(CURLOPT_XFERINFODATA, &transfer);
}

[[noreturn]] void throw_failure(CURLcode code, const Transfer& transfer, const char* message) {
    const std::string& address = transfer.what.address;
    if (transfer.stopped) throw Error(ErrorKind::interrupted, "stopped; run the command again to resume", address);
    if (transfer.cannot_write) throw Error(*transfer.cannot_write);
    if (transfer.too_long) {
        transfer.part.remove();
        throw Error(ErrorKind::input, "the server sends more bytes than expected", address,
                    "nothing was installed; the publisher may have changed the file");
    }
    long status = 0;
    loaded_curl().get(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
    const std::string reason = message[0] != '\0' ? message : loaded_curl().text_of(code);
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_CONNECT:
            throw Error(ErrorKind::input, {"cannot be reached: %1", reason}, address,
                        "check the network, or download the file elsewhere and copy it to the model folder");
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
            throw Error(ErrorKind::input, {"the certificate is not trusted: %1", reason}, address,
                        "check the system time and the installed certificates (ca-certificates)");
        case CURLE_HTTP_RETURNED_ERROR:
            throw Error(ErrorKind::input, Message("the server rejected the request with status %1", status), address,
                        "the publisher may have moved the file");
        case CURLE_UNSUPPORTED_PROTOCOL:
            throw Error(ErrorKind::input, {"unsupported protocol: %1", reason}, address, "use https");
        default:
            throw Error(
                ErrorKind::input,
                fmt::format("the download failed after {} of {} bytes: {}", transfer.done, transfer.what.size, reason),
                address, "run the command again to resume the download");
    }
}

// Returns false if the server cannot resume the file. The part is empty then, and the next attempt starts from the
// beginning.
bool transfer_once(const Download& what, const DownloadProgress& progress, PartFile& part) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(loaded_curl().init(), loaded_curl().cleanup);
    if (curl == nullptr) throw Error(ErrorKind::internal, "libcurl initialization failed");
    const std::uint64_t begun_at = part.size();
    Transfer transfer{curl.get(), what, progress, part, begun_at};
    char message[CURL_ERROR_SIZE] = {};
    set_up(transfer, message);
    const CURLcode code = loaded_curl().perform(curl.get());
    long status = 0;
    loaded_curl().get(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    const bool no_ranges = code == CURLE_RANGE_ERROR || (code == CURLE_HTTP_RETURNED_ERROR && status == 416);
    if (begun_at > 0 && no_ranges) {
        part.clear();
        return false;
    }
    if (code != CURLE_OK) throw_failure(code, transfer, message);
    if (transfer.done < what.size) {
        throw Error(ErrorKind::input, Message("the server sent only %1 of %2 bytes", transfer.done, what.size),
                    what.address, "run the command again to resume the download");
    }
    return true;
}

}  // namespace

DownloadResult download(const Download& what, const DownloadProgress& progress) {
    std::error_code failed;
    if (fs::is_regular_file(what.target, failed) && sha256_of(what.target) == what.sha256) {
        return DownloadResult::already_there;
    }
    PartFile part(what.target.string() + ".part");
    // The part of an earlier attempt may be complete, or belong to another file.
    if (part.size() > what.size) part.clear();
    bool resumed = part.size() > 0;
    for (;;) {
        while (part.size() < what.size && !transfer_once(what, progress, part)) resumed = false;
        if (sha256_of(part.path()) == what.sha256) break;
        if (!resumed) {
            part.remove();
            throw Error(ErrorKind::input, "the downloaded file is not the expected one: its checksum differs",
                        what.address, "nothing was installed; the publisher may have changed the file");
        }
        part.clear();  // the old part may be the cause
        resumed = false;
    }
    part.move_to(what.target);
    return DownloadResult::fetched;
}

}  // namespace throng
