#include "core/video/url.h"

#include "core/base/error.h"
#include "core/video/source.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Url, Schemes) {
    EXPECT_EQ(url_scheme("RTSP://host/x"), "rtsp");
    EXPECT_EQ(url_scheme("/a/b://c"), "");
    EXPECT_EQ(url_scheme("clip.mp4"), "");
    EXPECT_EQ(url_scheme("://x"), "");
    EXPECT_EQ(url_scheme("camera:0"), "");
}

TEST(Url, Hosts) {
    EXPECT_EQ(url_host("rtsp://cam.local:554/a"), "cam.local");
    EXPECT_EQ(url_host("http://me:se@cret@host?x=y://z"), "host");
    EXPECT_EQ(url_host("http://[::1]:80/a"), "::1");
    EXPECT_EQ(url_host("http://[::1"), "::1");
    EXPECT_EQ(url_host("udp://@:1234"), "");
    EXPECT_EQ(url_host("http://"), "");
    EXPECT_EQ(url_host("/a/clip.mp4"), "");
}

TEST(Url, Parts) {
    const auto parts = parse_url("MQTT://me%40home:p%3Aq@r@host:1883/a%20b/c?d");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->scheme, "mqtt");
    EXPECT_EQ(parts->user, "me@home");
    EXPECT_EQ(parts->password, "p:q@r");
    EXPECT_EQ(parts->host, "host");
    EXPECT_EQ(parts->port, 1883);
    EXPECT_EQ(parts->path, "a b/c?d");
    const auto few = parse_url("mqtt://[::1]");
    ASSERT_TRUE(few);
    EXPECT_EQ(few->host, "::1");
    EXPECT_EQ(few->port, 0);
    EXPECT_EQ(few->user + few->password + few->path, "");
    EXPECT_EQ(parse_url("mqtt://[::1]:99")->port, 99);
    for (const char* none :
         {"", "host", "mqtt://", "mqtt://:1", "mqtt://host:", "mqtt://host:0", "mqtt://host:65536", "mqtt://host:1x"}) {
        EXPECT_FALSE(parse_url(none)) << none;
    }
}

TEST(Url, UnencodedPasswordsEndTheHost) {
    for (const char* url : {"rtsp://me:se/cret@host/a", "rtsp://me:12?4@host", "http://me:se#c@ret@host/"}) {
        EXPECT_TRUE(has_unencoded_password(url)) << url;
    }
    for (const char* url : {"rtsp://me:se@cret@host/a", "rtsp://me:secret@host", "http://host/a", "http://", "a/b@c"}) {
        EXPECT_FALSE(has_unencoded_password(url)) << url;
    }
}

// A label of more than 63 characters is rejected without asking a name server.
TEST(Url, AnUnencodedPasswordIsNotShownAsAMissingHost) {
    const std::string user(70, 'u');
    for (const char* password : {"se/cret", "12/34", "1?2", "s@1/2", "s:1#2"}) {
        try {
            static_cast<void>(open_source("rtsp://" + user + ":" + password + "@127.0.0.1:9/a"));
            ADD_FAILURE() << password;
        } catch (const Error& error) {
            const std::string text = error.what();
            EXPECT_NE(error.advice().text().find("%2F"), std::string::npos) << text;
            EXPECT_EQ(error.where(), "rtsp://***@127.0.0.1:9/a") << password;
            EXPECT_EQ(text.find("uuu"), std::string::npos) << text;
        }
    }
}

TEST(Url, FileUrlsAreDecoded) {
    EXPECT_EQ(file_url_path("file:///a/b%20c%C3%A4.mp4"), "/a/b c\xC3\xA4.mp4");
    EXPECT_EQ(file_url_path("file:///100%"), "/100%");
    EXPECT_EQ(file_url_path("file:///a%zz"), "/a%zz");
    EXPECT_EQ(file_url_path("FILE:///a"), "/a");
    EXPECT_EQ(file_url_path("file:///"), "/");
}

TEST(Url, FileWithoutSlashesIsParsedLikeFfmpeg) {
    EXPECT_EQ(file_url_path("file:a.mp4"), "a.mp4");
    EXPECT_EQ(file_url_path("file:/b/a%20.mp4"), "/b/a%20.mp4");
    EXPECT_EQ(file_url_path("file:"), "");
    EXPECT_EQ(file_url_path("a.mp4"), std::nullopt);
    EXPECT_EQ(file_url_path("files:a.mp4"), std::nullopt);
    EXPECT_EQ(file_url_path("http://h/a.mp4"), std::nullopt);
}

}  // namespace
}  // namespace throng
