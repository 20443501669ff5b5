#include "core/base/message.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace throng {
namespace {

std::string in_capitals(const std::string& sentence) {
    std::string text;
    for (const char c : sentence) text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

TEST(Message, InsertsValues) {
    EXPECT_EQ(Message("%2 of %1, %2%", 7, std::string("a%1")).text(), "a%1 of 7, a%1%");
    EXPECT_EQ(Message("no value for %1").text(), "no value for %1");
    EXPECT_EQ(Message("%1 and %3", 1, 2).text(), "1 and %3");
    EXPECT_TRUE(Message().empty());
    EXPECT_EQ(joined(joined({}, "a"), joined("b", {})).text(), "a; b");
}

TEST(Message, TranslatesSentencesOnly) {
    const Message reason("no data for %1 s", std::string("five"));
    EXPECT_EQ(Message("a %1: %2", std::string("camera"), reason).text(in_capitals), "A camera: NO DATA FOR five S");
}

TEST(Message, MasksCredentials) {
    EXPECT_EQ(Message("cannot open %1", std::string("rtsp://me:secret@host/")).text(), "cannot open rtsp://***@host/");
    EXPECT_EQ(Error(ErrorKind::input, "a problem", "rtsp://me:secret@host/", "advice").message().text(),
              "rtsp://***@host/: a problem (advice)");
}

TEST(Message, SpellsSettingsAsTheProcessDoes) {
    const Message message("%1 or %2", Setting{"min_size"}, Setting{"backend", "cpu"});
    EXPECT_EQ(message.text(in_capitals), "min_size OR backend=cpu");
    const Spell before = spelling();
    set_spelling([](const Setting& setting) { return "--" + std::string(setting.name) + " " + setting.value; });
    EXPECT_EQ(message.text(), "--min_size  or --backend cpu");
    EXPECT_STREQ(Error(ErrorKind::usage, "is wrong", Setting{"theta", "2"}).what(), "--theta 2: is wrong");
    set_spelling(before);
}

}  // namespace
}  // namespace throng
