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

TEST(Url, passwords_are_masked) {
    EXPECT_EQ(mask_credentials("rtsp://me:secret@cam:554/a"), "rtsp://***@cam:554/a");
    EXPECT_EQ(mask_credentials("rtsp://me@cam/a"), "rtsp://***@cam/a");
    EXPECT_EQ(mask_credentials("rtsp://me:se@cret@cam/a"), "rtsp://***@cam/a");
    EXPECT_EQ(mask_credentials("rtsp://me:se/cret@cam/a"), "rtsp://***@cam/a");
    EXPECT_EQ(mask_credentials("rtsp://me:se?c#ret@cam/a"), "rtsp://***@cam/a");
    EXPECT_EQ(mask_credentials("http://cam/a?user=me&password=secret&x=1"), "http://cam/a?user=me&password=***&x=1");
    EXPECT_EQ(mask_credentials("mosaic:rtsp://me:secret@cam/a"), "mosaic:rtsp://***@cam/a");
    EXPECT_EQ(mask_credentials("gst:rtspsrc location=rtsp://a:b@c/d user-pw=\"se cret\" ! x"),
              "gst:rtspsrc location=rtsp://***@c/d user-pw=*** ! x");
    EXPECT_EQ(mask_credentials("two: rtsp://a:b@c/d http://e:f@g/h"), "two: rtsp://***@c/d http://***@g/h");
}

TEST(Url, what_holds_no_password_stays) {
    for (const char* text : {"rtsp://cam:554/a", "http://host/picture@2x.png", "http://[::1]:80/a", "clip@home.mp4",
                             "camera:0", "", "://", "crowd:faces=60,size=64x64"}) {
        EXPECT_EQ(mask_credentials(text), text);
    }
}

TEST(Url, file_addresses_are_decoded) {
    EXPECT_EQ(file_url_path("file:///a/b%20c%C3%A4.mp4"), "/a/b c\xC3\xA4.mp4");
    EXPECT_EQ(file_url_path("file:///100%"), "/100%");
    EXPECT_EQ(file_url_path("file:///a%zz"), "/a%zz");
}

}  // namespace
}  // namespace throng
