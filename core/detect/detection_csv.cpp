#include "core/detect/detection_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "core/base/csv.h"

namespace throng {
namespace {

constexpr std::size_t kBoxColumns = 5;
constexpr std::size_t kDensityColumn = 5;
constexpr std::size_t kFeatureColumn = 6;

std::string column_name(std::size_t column) {
    static constexpr const char* kNames[] = {"x1", "y1", "x2", "y2", "score", "density"};
    return column < kFeatureColumn ? kNames[column] : "f" + std::to_string(column - kFeatureColumn);
}

const char* const kColumns = "the columns are x1,y1,x2,y2,score[,density[,f0,f1,...]]";

// Returns true if the line is a header. Throws if it is neither a valid header nor a row of numbers.
bool is_header(const CsvReader& reader) {
    double value = 0;
    if (parse_number(reader.values().front(), value)) return false;
    for (std::size_t column = 0; column < reader.values().size(); ++column) {
        if (reader.values()[column] == column_name(column)) continue;
        throw reader.error_at(column, column_name(column), "is neither the name of this column nor a number", kColumns);
    }
    return true;
}

Box box_of(const std::array<double, 4>& corners) {
    const auto [x1, y1, x2, y2] = corners;
    return {static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2 - x1), static_cast<float>(y2 - y1)};
}

void read_row(const CsvReader& reader, DetectionTable& table) {
    DetectionTable::Row row{};
    for (std::size_t k = 0; k < 4; ++k) row.corners[k] = reader.number(k, column_name(k));
    row.score = reader.number(4, column_name(4));
    table.rows.push_back(row);

    DetectionSet& set = table.detections;
    set.detections.push_back(
        {box_of(row.corners), static_cast<float>(row.score), 1, static_cast<std::int32_t>(set.detections.size())});
    const std::size_t columns = reader.values().size();
    if (columns > kDensityColumn) {
        const double density = reader.number(kDensityColumn, column_name(kDensityColumn));
        if (!(density >= 0 && density <= 1)) {
            throw reader.error_at(kDensityColumn, column_name(kDensityColumn), "must lie in [0, 1]");
        }
        set.density.push_back(static_cast<float>(density));
    }
    for (std::size_t column = kFeatureColumn; column < columns; ++column) {
        const auto feature = static_cast<float>(reader.number(column, column_name(column)));
        if (!std::isfinite(feature)) throw reader.error_at(column, column_name(column), "must be a finite number");
        set.features.push_back(feature);
    }
}

}  // namespace

DetectionTable read_detections(std::istream& stream, const std::string& name) {
    CsvReader reader(stream, name);
    DetectionTable table;
    if (!reader.next()) throw Error(ErrorKind::input, "is empty: there is neither a header nor a row", name, kColumns);
    const std::size_t columns = reader.values().size();
    if (columns < kBoxColumns) throw reader.error("has fewer than 5 values", kColumns);
    if (columns > kFeatureColumn) table.detections.feature_size = static_cast<std::int32_t>(columns - kFeatureColumn);

    for (bool more = !is_header(reader) || reader.next(); more; more = reader.next()) {
        reader.require_columns(columns);
        if (table.rows.size() == std::numeric_limits<std::int32_t>::max()) throw reader.error("has too many rows");
        read_row(reader, table);
    }
    table.detections.total = static_cast<std::uint32_t>(table.rows.size());
    return table;
}

void write_detections(std::ostream& stream, const DetectionSet& kept, const DetectionTable& table) {
    constexpr std::size_t kBlock = std::size_t{64} << 10U;
    fmt::memory_buffer text;
    auto out = std::back_inserter(text);
    fmt::format_to(out, "index,x1,y1,x2,y2,score,hits\n");
    for (const Detection& detection : kept.detections) {
        const DetectionTable::Row& row = table.rows.at(static_cast<std::size_t>(detection.source));
        const Detection& raw = table.detections.detections[static_cast<std::size_t>(detection.source)];
        const Box& box = detection.box;
        const bool moved = std::memcmp(&box, &raw.box, sizeof box) != 0;  // kept boxes may hold NaN
        fmt::format_to(out, "{},", detection.source);
        if (moved) {
            fmt::format_to(out, "{},{},{},{},", box.x, box.y, box.x + box.w, box.y + box.h);
        } else {
            fmt::format_to(out, "{},{},{},{},", row.corners[0], row.corners[1], row.corners[2], row.corners[3]);
        }
        if (std::memcmp(&detection.score, &raw.score, sizeof raw.score) != 0) {
            fmt::format_to(out, "{},{}\n", detection.score, detection.hits);
        } else {
            fmt::format_to(out, "{},{}\n", row.score, detection.hits);
        }
        if (text.size() >= kBlock) {
            stream.write(text.data(), static_cast<std::streamsize>(text.size()));
            text.clear();
        }
    }
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace throng
