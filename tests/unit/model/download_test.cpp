// Downloads from a local server: complete, resumed, interrupted, with a wrong checksum, over TLS.
#include "core/model/download.h"

#include <gtest/gtest.h>

#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/model/model_catalogue.h"
#include "tests/support/test_data.h"

namespace {

// Errors that fsync and flock return for this program; 0: none. They replace the functions of the C library.
std::atomic<int> sync_error = 0;
std::atomic<int> lock_error = 0;

int failed_with(int code) {
    errno = code;
    return -1;
}

}  // namespace

extern "C" int fsync(int file) {
    return sync_error != 0 ? failed_with(sync_error) : static_cast<int>(::syscall(SYS_fsync, file));
}
extern "C" int flock(int file, int operation) noexcept {
    return lock_error != 0 ? failed_with(lock_error) : static_cast<int>(::syscall(SYS_flock, file, operation));
}

namespace throng {
namespace {

namespace fs = std::filesystem;

// A server with ranges and faults: /file.bin; /plain/ ignores ranges; /short/ closes the connection halfway; /missing/
// is 404.
constexpr const char* kServer = R"(
import http.server, os, ssl, sys
folder, certificate = sys.argv[1], sys.argv[2]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, name = os.path.split(self.path)
        path = os.path.join(folder, name)
        if kind == '/missing' or not os.path.isfile(path):
            return self.send_error(404)
        data = open(path, 'rb').read()
        begin = 0
        expected = self.headers.get('Range')
        if expected and kind != '/plain':
            begin = int(expected.split('=')[1].split('-')[0])
            if begin >= len(data):
                return self.send_error(416)
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header('Content-Range', 'bytes %d-%d/%d' % (begin, len(data) - 1, len(data)))
        self.send_header('Content-Length', str(len(data) - begin))
        self.end_headers()
        self.wfile.write(data[begin:] if kind != '/short' else data[begin:len(data) // 2])
    def log_message(self, *arguments):
        with open(os.path.join(folder, 'log'), 'a') as log:
            log.write('%s %s\n' % (self.path, self.headers.get('Range')))
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
)";

class Server {
public:
    Server(const fs::path& folder, const std::string& certificate) {
        int ends[2];
        if (::pipe(ends) != 0) return;
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::execlp("python3", "python3", "-c", kServer, folder.c_str(), certificate.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        std::FILE* out = ::fdopen(ends[0], "r");
        if (std::fscanf(out, "%d", &port_) != 1) port_ = 0;
        std::fclose(out);
    }
    ~Server() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    [[nodiscard]] int port() const { return port_; }

private:
    pid_t process_ = -1;
    int port_ = 0;
};

class Downloading : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("python3 -c 'import http.server' 2>/dev/null") != 0) GTEST_SKIP() << "skipped: no python3";
        fs::create_directories(served());
        std::ofstream stream(served() / "file.bin", std::ios::binary);
        for (std::uint32_t i = 0; i < 200000; ++i) stream.put(static_cast<char>(i * i >> 3));
        stream.close();
        what_.target = scratch_.path() / "models/file.bin";
        what_.size = 200000;
        what_.sha256 = sha256_of(served() / "file.bin");
        what_.plain = true;
        what_.stalled_after = 5;
    }

    void start(const std::string& certificate = {}) {
        server_ = std::make_unique<Server>(served(), certificate);
        ASSERT_GT(server_->port(), 0);
    }
    void aim(const std::string& path, const char* scheme = "http") {
        what_.address = std::string(scheme) + "://localhost:" + std::to_string(server_->port()) + path;
        if (std::string(scheme) == "http") what_.address.replace(7, 9, "127.0.0.1");
    }
    [[nodiscard]] fs::path served() const { return scratch_.path() / "served"; }
    [[nodiscard]] fs::path part() const { return what_.target.string() + ".part"; }
    [[nodiscard]] std::string log() const {
        std::ifstream stream(served() / "log");
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void put_part(std::size_t size, char fill = 0) {
        fs::create_directories(part().parent_path());
        std::ifstream from(served() / "file.bin", std::ios::binary);
        std::string bytes(size, fill);
        if (fill == 0) from.read(bytes.data(), static_cast<std::streamsize>(size));
        std::ofstream(part(), std::ios::binary) << bytes;
    }
    void expect_failure(const char* message, ErrorKind kind = ErrorKind::input) {
        try {
            download(what_, {});
            FAIL() << "no error was thrown";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind);
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        }
        EXPECT_FALSE(fs::exists(what_.target));
    }
    void expect_whole() {
        EXPECT_EQ(sha256_of(what_.target), what_.sha256);
        EXPECT_FALSE(fs::exists(part()));
    }

    test::ScratchDir scratch_;
    std::unique_ptr<Server> server_;
    Download what_;
};

TEST_F(Downloading, DownloadsTheFileOnce) {
    start();
    aim("/file.bin");
    std::uint64_t last = 0;
    EXPECT_EQ(download(what_, [&](std::uint64_t done) { return last = done, true; }), DownloadResult::fetched);
    EXPECT_LE(last, what_.size);
    expect_whole();
    EXPECT_EQ(download(what_, {}), DownloadResult::already_there);
}

TEST_F(Downloading, IsNotInstalledUnlessItIsOnTheDisk) {
    put_part(what_.size);
    for (const int code : {EIO, ENOSPC, EDQUOT}) {
        sync_error = code;
        expect_failure(std::strerror(code));
        sync_error = 0;
        EXPECT_EQ(fs::file_size(part()), what_.size) << "kept for the next attempt";
    }
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST_F(Downloading, WorksOnFileSystemsWithoutLocks) {
    for (const int code : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
        put_part(what_.size);
        fs::remove(what_.target);
        lock_error = code;
        EXPECT_EQ(download(what_, {}), DownloadResult::fetched) << std::strerror(code);
        lock_error = 0;
        expect_whole();
    }
    put_part(what_.size);
    fs::remove(what_.target);
    lock_error = EWOULDBLOCK;
    expect_failure("is being downloaded by another program");
    lock_error = 0;
}

TEST_F(Downloading, ResumesAPart) {
    start();
    aim("/file.bin");
    put_part(120000);
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
    EXPECT_NE(log().find("bytes=120000-"), std::string::npos) << log();
}

TEST_F(Downloading, RestartsIfTheServerCannotResume) {
    start();
    aim("/plain/file.bin");
    put_part(120000);
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST_F(Downloading, RestartsIfThePartBelongsToAnotherFile) {
    start();
    aim("/file.bin");
    put_part(1000, 'x');
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST_F(Downloading, KeepsThePartAfterABrokenConnection) {
    start();
    aim("/short/file.bin");
    expect_failure("run the command again");
    EXPECT_EQ(fs::file_size(part()), 100000U);
    aim("/file.bin");
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST_F(Downloading, RejectsAWrongChecksum) {
    start();
    aim("/file.bin");
    what_.sha256.front() = what_.sha256.front() == '0' ? '1' : '0';
    expect_failure("checksum differs");
    EXPECT_FALSE(fs::exists(part()));
}

TEST_F(Downloading, RejectsAFileThatIsTooLong) {
    start();
    aim("/file.bin");
    what_.size = 1000;
    expect_failure("more bytes than expected");
    EXPECT_FALSE(fs::exists(part()));
}

TEST_F(Downloading, ReportsTheServersStatus) {
    start();
    aim("/missing/file.bin");
    expect_failure("status 404");
}

TEST_F(Downloading, ReportsAnUnreachableServer) {
    start();
    aim("/file.bin");
    server_.reset();
    expect_failure("cannot be reached");
    what_.address = "https://no-such-host.invalid/file.bin";
    expect_failure("cannot be reached");
}

TEST_F(Downloading, LeavesNoFilesIfNoDataArrives) {
    start();
    what_.target = scratch_.path() / "new" / "folder" / "file.bin";
    aim("/missing/file.bin");
    expect_failure("status 404");
    EXPECT_FALSE(fs::exists(scratch_.path() / "new"));
    server_.reset();
    expect_failure("cannot be reached");
    EXPECT_FALSE(fs::exists(scratch_.path() / "new"));
    // An empty part left by an earlier version.
    put_part(0, 'x');
    ASSERT_TRUE(fs::exists(part()));
    expect_failure("cannot be reached");
    EXPECT_FALSE(fs::exists(part()));
}

TEST_F(Downloading, CreatesTheFolderForTheFirstBytes) {
    start();
    aim("/file.bin");
    what_.target = scratch_.path() / "new" / "folder" / "file.bin";
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST_F(Downloading, ReportsAFolderThatCannotBeCreated) {
    start();
    aim("/file.bin");
    std::ofstream(scratch_.path() / "no-folder") << "x";
    what_.target = scratch_.path() / "no-folder" / "file.bin";
    expect_failure("cannot be created");
}

TEST_F(Downloading, StopsOnRequest) {
    start();
    aim("/file.bin");
    EXPECT_THROW(download(what_, [](std::uint64_t) { return false; }), Error);
    EXPECT_FALSE(fs::exists(what_.target));
}

TEST_F(Downloading, AcceptsPlainHttpOnlyIfAllowed) {
    start();
    aim("/file.bin");
    what_.plain = false;
    expect_failure("use https");
}

TEST_F(Downloading, TrustsOnlyTheGivenCertificates) {
    const std::string pem = (scratch_.path() / "server.pem").string();
    const std::string make =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
        "subjectAltName=DNS:localhost -keyout " +
        pem + ".key -out " + pem + ".crt 2>/dev/null && cat " + pem + ".key " + pem + ".crt > " + pem;
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "skipped: no openssl";
    start(pem);
    aim("/file.bin", "https");
    what_.plain = false;
    expect_failure("is not trusted");
    what_.certificates = pem + ".crt";
    EXPECT_EQ(download(what_, {}), DownloadResult::fetched);
    expect_whole();
}

TEST(ModelCatalogue, IsConsistent) {
    for (const RecommendedModel& model : recommended_models()) {
        EXPECT_EQ(&recommended_model(model.name), &model);
        if (model.address.empty()) {
            EXPECT_FALSE(model.package.empty());
            continue;
        }
        EXPECT_EQ(model.address.substr(0, 8), "https://");
        EXPECT_EQ(model.sha256.size(), 64U);
        EXPECT_GT(model.size, 100000U);
        const std::string file = file_name(model);
        EXPECT_EQ(model.address.substr(model.address.size() - file.size()), file);
    }
    EXPECT_THROW(static_cast<void>(recommended_model("yunet_n_dynamyc")), Error);
}

TEST(ModelCatalogue, MatchesThePublishedFiles) {
    std::map<std::string, std::pair<std::uint64_t, std::string>> published;
    std::ifstream list(test::source_dir() / "tests/oracle/models.txt");
    for (std::string line; std::getline(list, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        std::string sha256, name;
        std::uint64_t size = 0;
        ASSERT_TRUE(fields >> sha256 >> size >> name) << line;
        published[name] = {size, sha256};
    }
    for (const RecommendedModel& model : recommended_models()) {
        if (model.address.empty()) continue;
        const auto expected = published.find(file_name(model));
        ASSERT_NE(expected, published.end()) << model.name;
        EXPECT_EQ(model.size, expected->second.first) << model.name;
        EXPECT_EQ(model.sha256, expected->second.second) << model.name;
        const auto data = test::data_dir();
        const fs::path file = data.value_or("") / "models" / file_name(model);
        if (!data || !fs::exists(file)) continue;
        EXPECT_EQ(fs::file_size(file), model.size) << model.name;
        EXPECT_EQ(sha256_of(file), model.sha256) << model.name;
    }
}

}  // namespace
}  // namespace throng
