// Files of records: exact after reading, and an error where a crash cut them short.
#include "core/base/record_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

class RecordFile : public ::testing::Test {
protected:
    [[nodiscard]] std::string path() const { return (dir_.path() / "records").string(); }
    [[nodiscard]] std::string bytes() const {
        std::ifstream stream(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void write_bytes(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
    void write(const std::vector<Json>& records) const {
        RecordWriter writer(path());
        for (const Json& record : records) writer.write(record, {});
        writer.close({});
    }
    [[nodiscard]] std::vector<Json> read() const {
        RecordReader reader(path());
        std::vector<Json> records;
        for (Json record = reader.read({}); !record.is_null(); record = reader.read({})) records.push_back(record);
        return records;
    }
    // Returns the message of the error; empty if the file can be read.
    [[nodiscard]] std::string problem() const {
        try {
            static_cast<void>(read());
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), path());
            return error.problem().text();
        }
        return {};
    }

    test::ScratchDir dir_;
};

TEST_F(RecordFile, ReturnsWhatWasWritten) {
    std::mt19937_64 random(test::seed(2744));
    std::vector<Json> written = {Json::array(), Json::object(), "", std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<std::int64_t>::min()};
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t bits = random();
        double number = 0;
        std::memcpy(&number, &bits, sizeof(number));
        if (number != number) number = 0.1;
        written.push_back({number, static_cast<float>(0.1), bits, {{"key", i}}});
    }
    write(written);
    EXPECT_EQ(read(), written);
    write({});
    EXPECT_TRUE(read().empty());
}

// Bytes may be line feeds.
TEST_F(RecordFile, ReturnsTheBytesThatFollowALine) {
    std::mt19937_64 random(test::seed(2745));
    std::vector<std::vector<std::uint8_t>> written(50);
    {
        RecordWriter writer(path());
        for (std::vector<std::uint8_t>& bytes : written) {
            bytes.resize(random() % 300);
            if (&bytes == &written[1]) bytes.resize(std::size_t{1} << 20U);  // a block
            if (&bytes == &written[3]) bytes.resize((std::size_t{1} << 20U) + 1);
            for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
            writer.write(Json{{"key", bytes.size()}}, bytes, {});
            writer.write_line("[]", {});
        }
        writer.close({});
    }
    RecordReader reader(path());
    for (const std::vector<std::uint8_t>& bytes : written) {
        EXPECT_EQ(reader.read({}).at("key"), bytes.size());
        EXPECT_EQ(reader.bytes(), bytes);
        EXPECT_EQ(reader.read({}), Json::array());
        EXPECT_TRUE(reader.bytes().empty());
    }
    EXPECT_TRUE(reader.read({}).is_null());
}

TEST_F(RecordFile, RejectsARecordThatACrashCutShort) {
    std::set<std::size_t> ends = {0};  // of whole records
    for (int count = 1; count <= 3; ++count) {
        RecordWriter writer(path());
        writer.write(Json{1, 2.5}, {});
        if (count > 1) writer.write(Json("text"), {});
        if (count > 2) writer.write(Json::object(), std::vector<std::uint8_t>{1, 2, 3}, {});
        writer.close({});
        ends.insert(bytes().size());
    }
    const std::string whole = bytes();
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        write_bytes(whole.substr(0, size));
        const char* expected = ends.contains(size) ? "" : "the result of the part is damaged: a record is cut short";
        EXPECT_EQ(problem(), expected) << size;
    }
}

TEST_F(RecordFile, RejectsDamage) {
    for (const auto& [size, why] : {std::pair{"4", "cut short"},
                                    {"1073741824", "cut short"},  // which must not be allocated
                                    {"1073741825", "too large"},
                                    {"18446744073709551615", "too large"}}) {
        write_bytes(std::string("{\"bytes\":") + size + "}\nabc");
        EXPECT_EQ(problem(), std::string("the result of the part is damaged: a record is ") + why) << size;
    }
    for (const char* text : {"{\n", "{\"bytes\":\"x\"}\n", "\xff\n", "\n"}) {
        write_bytes(text);
        EXPECT_NE(problem(), "") << text;
    }
    write_bytes(std::string(200'000, '[') + "\n");
    EXPECT_NE(problem(), "");
    std::filesystem::remove(path());
    EXPECT_EQ(problem(), "the result of the part is damaged: it cannot be read");
}

TEST_F(RecordFile, StopsOnRequest) {
    write({1});
    std::stop_source stop;
    stop.request_stop();
    RecordReader reader(path());
    try {
        static_cast<void>(reader.read(stop.get_token()));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
}

}  // namespace
}  // namespace throng
