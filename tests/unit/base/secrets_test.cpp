#include "core/base/secrets.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Secrets, PasswordsInUrlsAreMasked) {
    const struct {
        const char* text;
        const char* masked;
    } cases[] = {
        {"rtsp://me:secret@cam:554/a", "rtsp://***@cam:554/a"},
        {"rtsp://me@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:se@cret@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:se/cret@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:se?c#ret@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:se!cr'et\"@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:se cret@cam/a", "rtsp://***@cam/a"},
        {"RTSP://me:1234@cam/a", "RTSP://***@cam/a"},
        {"me:secret@cam/a", "***@cam/a"},
        {"rtsp:/me:secret@cam/a", "***@cam/a"},
        {"rtsp//me:secret@cam/a: no such file", "***@cam/a: no such file"},
        {"rtsp:me:se@cret@cam/a", "***@cam/a"},
        {"mosaic:rtsp:/me:secret@cam/a", "mosaic:***@cam/a"},
        {"--from=me:secret@cam/a \"me:secret@cam\"", "--from=***@cam/a \"***@cam\""},
        {"rtsp://me:12/34@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:12/34@cam:554/a: not found", "rtsp://***@cam:554/a: not found"},
        {"rtsp://me:12?34@cam/a", "rtsp://***@cam/a"},
        {"rtsp://me:/34@cam/a", "rtsp://***@cam/a"},
        {"rtsp://[::1]:80/a rtsp://me:secret@[::1]:80/a", "rtsp://[::1]:80/a rtsp://***@[::1]:80/a"},
        {"mosaic:rtsp://me:secret@cam/a", "mosaic:rtsp://***@cam/a"},
        {"two: rtsp://a:b@c/d http://e:f@g/h", "two: rtsp://***@c/d http://***@g/h"},
        {"--frames: \"rtsp://me:secret@cam/a\" is no number", "--frames: \"rtsp://***@cam/a\" is no number"},
        {"--frmes=rtsp://me:secret@cam/a", "--frmes=rtsp://***@cam/a"},
    };
    for (const auto& [text, masked] : cases) EXPECT_EQ(mask_credentials(text), masked);
}

TEST(Secrets, ValuesOfSecretKeysAreMasked) {
    for (const char* key : {"password",
                            "passwd",
                            "passphrase",
                            "pwd",
                            "pw",
                            "pass",
                            "user-pw",
                            "key",
                            "apikey",
                            "api-key",
                            "api_key",
                            "access_key",
                            "API_KEY",
                            "secret",
                            "client_secret",
                            "auth",
                            "token",
                            "access_token",
                            "auth-token",
                            "signature",
                            "sig",
                            "sas",
                            "X-Amz-Signature",
                            "X-Amz-Credential",
                            "x-amz-security-token"}) {
        const std::string before = std::string("http://cam/a?user=me&") + key + "=";
        EXPECT_EQ(mask_credentials(before + "s3/cr+et%20&x=1"), before + "***&x=1");
        EXPECT_EQ(mask_credentials(before + "s3cret"), before + "***");
        EXPECT_EQ(mask_credentials(before + "s3cret: cannot be opened"), before + "***: cannot be opened");
        const std::string property = std::string("gst:rtspsrc ") + key + "=";
        EXPECT_EQ(mask_credentials(property + "\"s3 cret\" ! x"), property + "*** ! x");
        EXPECT_EQ(mask_credentials(property + "'s3 cret' ! x"), property + "*** ! x");
        EXPECT_EQ(mask_credentials(std::string(key) + " = s3cret"), std::string(key) + " = ***");
    }
    EXPECT_EQ(mask_credentials("http://cam/a;token=x;pw=y&key=z#f"), "http://cam/a;token=***;pw=***&key=***#f");
    EXPECT_EQ(mask_credentials("gst:rtspsrc location=rtsp://a:b@c/d user-pw=\"se cret\" ! x"),
              "gst:rtspsrc location=rtsp://***@c/d user-pw=*** ! x");
}

TEST(Secrets, ValuesOfPercentEncodedKeysAreMasked) {
    for (const char* key :
         {"acc%65ss_token", "%74%6F%6B%65%6E", "access%5Ftoken", "PA%53SWORD", "%63ode", "x%2Dapi%2dkey"}) {
        const std::string before = std::string("http://cam/a?user=me&") + key + "=";
        EXPECT_EQ(mask_credentials(before + "s3cret&x=1"), before + "***&x=1");
    }
    EXPECT_EQ(mask_credentials("50%key=s3cret"), "50%key=***");
}

TEST(Secrets, AnAuthorizationCodeIsMasked) {
    EXPECT_EQ(mask_credentials("http://h/a?code=s3cret&state=x"), "http://h/a?code=***&state=x");
    EXPECT_EQ(mask_credentials("http://h/a?state=x&Code=s3cret"), "http://h/a?state=x&Code=***");
    EXPECT_EQ(mask_credentials("http://h/a#code=s3cret: failed"), "http://h/a#code=***: failed");
}

TEST(Secrets, TextWithoutSecretsIsUnchanged) {
    for (const char* text : {"rtsp://cam:554/a",
                             "http://host/image@2x.png",
                             "http://[::1]:80/a",
                             "http://host:8080/a?user=me@host",
                             "clip@home.mp4",
                             "mosaic:clip@home.mp4",
                             "videos/12:30@home.mp4",
                             "[h264 @ 0x55] a: b @c",
                             "--keep 1@a.json,2@b:c.json",
                             "camera:0",
                             "csi:0@host",
                             "",
                             "://",
                             "crowd:faces=60,size=64x64",
                             "monkey=1",
                             "http://h/a?monkey=1&design=2&compass=3&author=me",
                             "--frames=3",
                             "http://h/a?zip_code=1&m%6Fnkey=1&encode=2",
                             "exit code=5",
                             "code = 5",
                             "%=1",
                             "%6=1",
                             "http://h/%6B%65%79s=1",
                             "key",
                             "=",
                             "pw=",
                             "cannot open rtsp://cam:554: me@home has no \"http://host:80\"",
                             "token: a@b"}) {
        EXPECT_EQ(mask_credentials(text), text);
    }
}

TEST(Secrets, MaskingIsIdempotent) {
    for (const char* text : {"rtsp://me:secret@cam/a?token=abc&x=1", "user-pw=\"a b\" ! key = v"}) {
        const std::string once = mask_credentials(text);
        EXPECT_EQ(mask_credentials(once), once);
    }
}

}  // namespace
}  // namespace throng
