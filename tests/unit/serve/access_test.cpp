// Token, Host and Origin.
#include "core/serve/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

HttpRequest request_with(std::vector<std::pair<std::string, std::string>> headers, const std::string& token = {}) {
    HttpRequest request;
    request.headers = std::move(headers);
    if (!token.empty()) request.query["token"] = token;
    return request;
}

int status_of(const AccessRules& rules, const HttpRequest& request) {
    const auto refused = check_access(rules, request);
    return refused ? refused->status : 200;
}

TEST(Access, ForeignPagesAndNamesAreRefused) {
    AccessRules rules;
    rules.host = "camera.example";
    for (const char* host : {"127.0.0.1:8080", "localhost", "[::1]:8080", "192.168.1.5", "camera.example:1"}) {
        EXPECT_EQ(status_of(rules, request_with({{"host", host}})), 200) << host;
    }
    for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil", "[::1"}) {
        EXPECT_EQ(status_of(rules, request_with({{"host", host}})), 403) << host;
    }
    const auto with_origin = [&](const char* origin) {
        return status_of(rules, request_with({{"host", "127.0.0.1:8080"}, {"origin", origin}}));
    };
    EXPECT_EQ(with_origin("http://127.0.0.1:8080"), 200);
    for (const char* origin :
         {"null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:80801", "https://localhost:8080"}) {
        EXPECT_EQ(with_origin(origin), 403) << origin;
    }
    const auto fetched = [&](const char* mode) {
        return status_of(
            rules, request_with({{"host", "localhost"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", mode}}));
    };
    EXPECT_EQ(fetched("navigate"), 200);
    EXPECT_EQ(fetched("no-cors"), 403);
}

TEST(Access, ATokenIsNeededInOneOfThreePlaces) {
    AccessRules rules;
    rules.token = "0123456789abcdef";
    rules.cookie = "throng_token_80";
    EXPECT_EQ(status_of(rules, request_with({{"host", "any.example"}})), 401);
    EXPECT_EQ(status_of(rules, request_with({{"authorization", "Bearer 0123456789abcdef"}})), 200);
    EXPECT_EQ(status_of(rules, request_with({{"cookie", "a=b; throng_token_80=0123456789abcdef"}})), 200);
    EXPECT_EQ(status_of(rules, request_with({}, "0123456789abcdef")), 200);
    for (const char* wrong : {"", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0"}) {
        EXPECT_EQ(status_of(rules, request_with({{"authorization", std::string("Bearer ") + wrong}})), 401) << wrong;
        EXPECT_EQ(status_of(rules, request_with({{"cookie", std::string("throng_token_80=") + wrong}})), 401) << wrong;
        EXPECT_EQ(status_of(rules, request_with({}, wrong)), 401) << wrong;
        EXPECT_FALSE(cookie_header(rules, request_with({}, wrong)));
    }
    EXPECT_EQ(status_of(rules, request_with({{"cookie", "throng_token_81=0123456789abcdef"}})), 401);
    const std::string cookie = cookie_header(rules, request_with({}, rules.token)).value_or("");
    EXPECT_TRUE(cookie.starts_with("throng_token_80=0123456789abcdef; ")) << cookie;
    EXPECT_NE(cookie.find("; HttpOnly; SameSite=Lax"), std::string::npos) << cookie;
    EXPECT_EQ(cookie.find("Secure"), std::string::npos);
    rules.secure = true;
    EXPECT_TRUE(cookie_header(rules, request_with({}, rules.token))->ends_with("; Secure"));
}

TEST(Access, TheTokenIsMadeOnceAndForItsOwner) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "state" / "token").string();
    std::vector<std::string> tokens(4);
    {
        std::vector<std::jthread> programs;
        for (std::string& token : tokens) programs.emplace_back([&] { token = load_token(path); });
    }
    EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), 1U);
    EXPECT_GE(tokens.front().size(), 24U);
    EXPECT_EQ(load_token(path), tokens.front());
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_NE(load_token((folder.path() / "other").string()), tokens.front());

    for (const char* bad :
         {"", "\n", "short\n", "has a blank in it, so it is none\n", "0123456789;abcdef0123456789\n",
          "0123456789\"abcdef\n", "0123456789,abcdef\n", "0123456789+abcdef\n", "0123456789%abcdef\n"}) {
        std::ofstream(path, std::ios::trunc) << bad;
        EXPECT_THROW(static_cast<void>(load_token(path)), Error) << bad;
    }
    std::ofstream(path, std::ios::trunc) << "my own token without blanks\r\n";
    EXPECT_THROW(static_cast<void>(load_token(path)), Error);
    std::ofstream(path, std::ios::trunc) << "my-own-token-without-blanks\r\n";
    EXPECT_EQ(load_token(path), "my-own-token-without-blanks");
    std::ofstream(path, std::ios::trunc) << "aA0-._~=/aA0-._~=/";
    EXPECT_EQ(load_token(path), "aA0-._~=/aA0-._~=/");
    EXPECT_THROW(static_cast<void>(load_token(folder.path().string())), Error);
    EXPECT_THROW(static_cast<void>(load_token("/proc/none/token")), Error);
}

}  // namespace
}  // namespace throng
