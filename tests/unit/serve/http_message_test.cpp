// Requests of untrusted clients: however they are cut, and whatever is wrong with them.
#include "core/serve/http_message.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

using State = RequestReader::State;

// What a reader makes of bytes that come in pieces of this size: each request in one line, then a failure.
std::string outcome(const std::string& bytes, std::size_t piece, const HttpLimits& limits) {
    RequestReader reader(limits);
    std::string result, waiting;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        waiting += bytes.substr(at, piece);
        while (reader.advance(waiting) == State::complete) {
            const HttpRequest request = reader.take();
            result += request.method + " " + request.path + (request.keep_alive ? " keep" : " close");
            for (const auto& [key, value] : request.query) result += " " + key + "=" + value;
            for (const auto& [name, value] : request.headers) result += " " + name + ":" + value;
            result += " [" + request.body + "]\n";
            if (waiting.empty()) break;
        }
        if (reader.state() == State::failed) return result + std::to_string(reader.failure().status);
        EXPECT_LE(reader.held(), limits.body_bytes);
        EXPECT_LE(waiting.size(), limits.head_bytes + piece);
    }
    return result;
}

const std::vector<std::string>& valid_requests() {
    static const std::vector<std::string> kRequests = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a%20b/%41?x=1&y=a+b%2B&flag HTTP/1.0\r\n\r\n",
        "\r\nHEAD /x HTTP/1.1\r\nhOsT:b\r\nConnection: close\r\nCookie: a=1; b=2\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: "
        "1\r\n\r\n"};
    return kRequests;
}

TEST(HttpMessage, PiecesMakeNoDifference) {
    const HttpLimits limits;
    std::string all;
    for (const std::string& request : valid_requests()) all += request;
    const std::string expected =
        "GET / keep host:a []\n"
        "GET /a b/A close flag= x=1 y=a b+ []\n"
        "HEAD /x close host:b connection:close cookie:a=1; b=2 []\n"
        "POST /p keep host:a content-length:5 [hello]\n"
        "POST /p keep host:a transfer-encoding:chunked [abc0123456789]\n";
    for (std::size_t piece = 1; piece <= all.size(); ++piece) ASSERT_EQ(outcome(all, piece, limits), expected) << piece;
}

TEST(HttpMessage, RejectsWhatIsAmbiguousOrTooLarge) {
    const HttpLimits limits;
    const auto get = [](const std::string& headers) { return "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n"; };
    const std::string big = std::to_string(limits.body_bytes + 1);
    const std::vector<std::pair<std::string, int>> cases = {
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {get("Host: b\r\n"), 400},
        {"GET / HTTP/1.1\nHost: a\n\n", 400},
        {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"GET / FTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"GE T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"\x16\x03\x01\x02 hello\r\n\r\n", 400},
        {get(" folded\r\n"), 400},
        {get("Name : value\r\n"), 400},
        {get("Name\r\n"), 400},
        {get("Name: a\x01z\r\n"), 400},
        {get("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
        {get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400},
        {get("Content-Length: +5\r\n"), 400},
        {get("Content-Length: 0x5\r\n"), 400},
        {get("Content-Length: " + big + "\r\n"), 413},
        {get("Content-Length: 99999999999999999999999\r\n"), 413},
        {get("Transfer-Encoding: gzip\r\n"), 501},
        {get("Transfer-Encoding: chunked\r\n") + "xyz\r\n", 400},
        {get("Transfer-Encoding: chunked\r\n") + "2\r\nabcd\r\n", 400},
        {get("Transfer-Encoding: chunked\r\n") + "ffffffff\r\n", 413},
        {get("Transfer-Encoding: chunked\r\n") + "ffffffffffffffffffff\r\n", 400},
        {"GET /" + std::string(2 * limits.target_bytes, 'a'), 414},
        {get("Name: " + std::string(limits.head_bytes, 'a') + "\r\n"), 431},
        {"GET / HTTP/1.1\r\nHost: " + std::string(limits.head_bytes, 'a'), 431}};
    for (const auto& [bytes, status] : cases) {
        for (const std::size_t piece : {bytes.size(), std::size_t{7}}) {
            EXPECT_EQ(outcome(bytes, piece, limits), std::to_string(status)) << bytes.substr(0, 80);
        }
    }
    std::string many;
    for (std::size_t i = 0; i <= limits.num_headers; ++i) many += "a: b\r\n";
    EXPECT_EQ(outcome(get(many), 1000, limits), "431");
}

// Bytes are changed, added, removed and repeated. The outcome must not depend on the pieces, and no limit is exceeded.
TEST(HttpMessage, ChangedRequests) {
    HttpLimits limits;
    limits.body_bytes = 64;
    limits.head_bytes = 256;
    std::mt19937_64 random(test::seed(51));
    const auto below = [&random](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::string alphabet("\r\n :;/?%&=-0159afxGH\t\0\xff\x80", 24);
    const std::size_t cases = test::case_count(20'000);
    std::size_t failed = 0;
    for (std::size_t i = 0; i < cases; ++i) {
        std::string bytes;
        for (std::size_t k = 1 + below(2); k > 0; --k) bytes += valid_requests()[below(valid_requests().size())];
        for (std::size_t change = below(4); change > 0; --change) {
            const std::size_t at = below(bytes.size());
            switch (below(4)) {
                case 0: bytes[at] = alphabet[below(alphabet.size())]; break;
                case 1: bytes.insert(at, 1, alphabet[below(alphabet.size())]); break;
                case 2: bytes.erase(at, 1 + below(3)); break;
                default: bytes.insert(at, bytes.substr(below(bytes.size()), below(40))); break;
            }
        }
        const std::string whole = outcome(bytes, bytes.size() + 1, limits);
        ASSERT_EQ(outcome(bytes, 1, limits), whole) << i << ": " << bytes;
        failed += whole.empty() || whole.back() != '\n' ? 1 : 0;
    }
    EXPECT_GT(failed, cases / 10);
    EXPECT_LT(failed, cases);
}

HttpRequest form_request(const std::string& body, const std::string& type) {
    HttpRequest request;
    request.headers = {{"content-type", type}};
    request.body = body;
    return request;
}

TEST(HttpMessage, Forms) {
    const std::string image("\xff\xd8\r\n--not the end\r\n\0x", 21);
    const std::string body =
        "preamble\r\n--b\r\nContent-Disposition: form-data; filename=\"name\"; name=\"image\"\r\n"
        "Content-Type: image/jpeg\r\n\r\n" +
        image + "\r\n--b\r\ncontent-disposition: form-data; name=n\r\n\r\n\r\n--b--\r\n";
    const HttpRequest request = form_request(body, "multipart/form-data; boundary=\"b\"");
    const auto parts = form_parts(request);
    ASSERT_TRUE(parts && parts->size() == 2);
    EXPECT_EQ(parts->at(0).name, "image");
    EXPECT_EQ(parts->at(0).content, image);
    EXPECT_EQ(parts->at(1).name, "n");
    EXPECT_EQ(parts->at(1).content, "");
    // Without the preamble, the delimiter is at the very beginning.
    const HttpRequest plain = form_request(body.substr(10), "Multipart/Form-Data; charset=x; boundary=b");
    const auto same = form_parts(plain);
    ASSERT_TRUE(same && same->size() == 2);
    EXPECT_EQ(same->at(0).content, image);
    for (std::size_t size = 0; size < body.size() - 4; ++size) {
        EXPECT_FALSE(form_parts(form_request(body.substr(0, size), "multipart/form-data; boundary=b"))) << size;
    }
    EXPECT_FALSE(form_parts(form_request(body, "multipart/form-data")));
    EXPECT_FALSE(form_parts(form_request(body, "image/jpeg; boundary=b")));
}

}  // namespace
}  // namespace throng
