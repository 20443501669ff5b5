#include "core/video/url.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Url, schemes) {
    EXPECT_EQ(url_scheme("RTSP://host/x"), "rtsp");
    EXPECT_EQ(url_scheme("/a/b://c"), "");
    EXPECT_EQ(url_scheme("clip.mp4"), "");
    EXPECT_EQ(url_scheme("://x"), "");
    EXPECT_EQ(url_scheme("camera:0"), "");
}

TEST(Url, file_addresses_are_decoded) {
    EXPECT_EQ(file_url_path("file:///a/b%20c%C3%A4.mp4"), "/a/b c\xC3\xA4.mp4");
    EXPECT_EQ(file_url_path("file:///100%"), "/100%");
    EXPECT_EQ(file_url_path("file:///a%zz"), "/a%zz");
}

}  // namespace
}  // namespace throng
