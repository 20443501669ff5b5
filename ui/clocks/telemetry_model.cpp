#include "ui/clocks/telemetry_model.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "ui/clocks/profile_model.h"
#include "ui/language/language.h"
#include "ui/models/stage_model.h"
#include "ui/plot/plot_item.h"

namespace throng::ui {
namespace {

using Value = std::function<std::optional<double>(const TelemetrySample&)>;

std::optional<NamedReading> largest(const std::vector<NamedReading>& readings) {
    const auto found = std::max_element(readings.begin(), readings.end(),
                                        [](const auto& a, const auto& b) { return a.value < b.value; });
    return found == readings.end() ? std::nullopt : std::optional(*found);
}

// Total power if the board measures it, otherwise the rail with the highest power.
std::optional<double> power(const TelemetrySample& sample) {
    if (sample.power) return sample.power;
    const auto rail = largest(sample.rails);
    return rail ? std::optional(rail->value) : std::nullopt;
}

std::optional<double> as_double(const std::optional<Hertz>& hertz) {
    return hertz ? std::optional(static_cast<double>(*hertz)) : std::nullopt;
}

QString listed(const std::vector<NamedReading>& readings, const QString& unit, int decimals) {
    QStringList lines;
    for (const NamedReading& reading : readings) {
        lines +=
            QStringLiteral("%1  %2 %3").arg(QString::fromStdString(reading.name), fixed(reading.value, decimals), unit);
    }
    return lines.join(QLatin1Char('\n'));
}

struct Quantity {
    const char* id;
    QString title;
    Value value;
    std::function<QString(double)> words;
    double highest;  // upper end of the plot; 0: a round number above all values
};

std::vector<Quantity> quantities() {
    const auto percent = [](double part) { return QStringLiteral("%1 %").arg(qRound(part * 100)); };
    const auto clock = [](double hertz) { return megahertz(static_cast<Hertz>(hertz)); };
    const auto tr = [](const char* text) { return translated(text); };
    return {
        {"gpu_load", tr("GPU load"), [](const TelemetrySample& s) { return s.gpu_load; }, percent, 1},
        {"gpu_clock", tr("GPU clock"), [](const TelemetrySample& s) { return as_double(s.gpu_clock); }, clock, 0},
        {"temperature", tr("Temperature"),
         [](const TelemetrySample& s) {
             const auto found = largest(s.temperatures);
             return found ? std::optional(found->value) : std::nullopt;
         },
         [](double degrees) { return QStringLiteral("%1 °C").arg(fixed(degrees, 1)); }, 110},
        {"power", tr("Power"), power,
         [](double watts) { return QStringLiteral("%1 W").arg(fixed(watts, watts < 100 ? 1 : 0)); }, 0},
        {"energy", tr("Energy per frame"), [](const TelemetrySample& s) { return s.joules_per_frame; },
         [](double joules) {
             return joules < 0.9995 ? QStringLiteral("%1 mJ").arg(shortest(joules * 1000, 3))
                                    : QStringLiteral("%1 J").arg(shortest(joules, 3));
         },
         0},
        {"cpu_load", tr("CPU load"), [](const TelemetrySample& s) { return s.cpu_load; }, percent, 1},
        {"cpu_clock", tr("CPU clock"), [](const TelemetrySample& s) { return as_double(s.cpu_clock); }, clock, 0},
        {"memory_clock", tr("Memory clock"), [](const TelemetrySample& s) { return as_double(s.memory_clock); }, clock,
         0},
    };
}

// Returns an area with the newest value at the right.
QVariant plot_of(const TelemetryRow& row) {
    constexpr qsizetype kLeast = 45;  // values across the width
    const auto last = static_cast<double>(std::max(kLeast, row.series.size()) - 1);
    PlotSeries series{PlotSeries::Look::area, 0, {}};
    for (qsizetype i = 0; i < row.series.size(); ++i) {
        series.values.emplace_back(1 - static_cast<double>(row.series.size() - 1 - i) / last,
                                   row.highest > 0 ? row.series[i] / row.highest : 0);
    }
    return QVariant::fromValue(Plot{std::move(series)});
}

}  // namespace

std::vector<TelemetryRow> telemetry_rows(const std::vector<TelemetrySample>& history) {
    std::vector<TelemetryRow> rows;
    if (history.empty()) return rows;
    const TelemetrySample& newest = history.back();
    for (const Quantity& quantity : quantities()) {
        const std::optional<double> now = quantity.value(newest);
        if (!now) continue;
        TelemetryRow row{
            QString::fromLatin1(quantity.id), quantity.title, quantity.words(*now), {}, {}, quantity.highest};
        double highest = 0;
        for (const TelemetrySample& sample : history) {
            const double value = quantity.value(sample).value_or(std::numeric_limits<double>::quiet_NaN());
            row.series.push_back(value);
            if (value > highest) highest = value;
        }
        if (row.highest == 0) row.highest = round_scale(highest);
        if (row.id == QLatin1String("temperature")) {
            row.details = listed(newest.temperatures, QStringLiteral("°C"), 1);
        }
        if (row.id == QLatin1String("power")) {
            row.details = listed(newest.rails, QStringLiteral("W"), 2);
            if (!newest.power) row.title = QString::fromStdString(largest(newest.rails)->name);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

TelemetryModel::TelemetryModel(QObject* parent)
    : RowModel({{"quantity", [this](auto row) { return rows_[row].id; }},
                {"title", [this](auto row) { return rows_[row].title; }},
                {"value", [this](auto row) { return rows_[row].value; }},
                {"details", [this](auto row) { return rows_[row].details; }},
                {"plot", [this](auto row) { return plot_of(rows_[row]); }}},
               parent) {}

void TelemetryModel::update(const std::vector<TelemetrySample>& history) {
    replace(rows_, telemetry_rows(history), [](const auto& a, const auto& b) { return a.id == b.id; });
}

}  // namespace throng::ui
