#include "core/publish/mqtt_counts.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace throng {
namespace {

// Returns a name of letters, digits, '-' and '_' that only this text has, as Home Assistant requires.
std::string home_assistant_name(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '-');
        name += plain ? std::string(1, c) : fmt::format("_{:02x}", byte);
    }
    return name;
}

CountTotals no_counts(const CountPlan& plan) {
    CountTotals totals;
    totals.lines.resize(plan.lines.size());
    totals.zones.resize(plan.zones.size());
    return totals;
}

}  // namespace

MqttCounts::MqttCounts(const MqttOptions& options, const CountPlan& plan, std::size_t sources)
    : plan_(plan), client_(options) {
    for (int source = 1; source <= static_cast<int>(sources); ++source) {
        each_number(source, no_counts(plan_),
                    [&](const std::string& topic, auto, const std::string& title, bool grows) {
                        describe(source, topic, title, grows);
                    });
        totals(source, no_counts(plan_));
    }
}

template <class Use>
void MqttCounts::each_number(int source, const CountTotals& totals, Use use) const {
    const std::string start = fmt::format("{}/{}/", client_.prefix(), source);
    use(start + "people", std::int64_t{totals.people}, "people", false);
    use(start + "unique", totals.unique, "people so far", true);
    for (std::size_t i = 0; i < plan_.lines.size(); ++i) {
        const std::string& name = plan_.lines[i].name;
        use(start + "line/" + name + "/in", totals.lines[i].in, name + " in", true);
        use(start + "line/" + name + "/out", totals.lines[i].out, name + " out", true);
    }
    for (std::size_t i = 0; i < plan_.zones.size(); ++i) {
        const std::string& name = plan_.zones[i].name;
        use(start + "zone/" + name + "/people", std::int64_t{totals.zones[i].occupancy}, name + " people", false);
        use(start + "zone/" + name + "/visits", totals.zones[i].visits, name + " visits", true);
    }
}

void MqttCounts::describe(int source, const std::string& topic, const std::string& title, bool grows) {
    const std::string device = fmt::format("{}/{}", client_.prefix(), source);
    const std::string node = home_assistant_name(device);
    const std::string id = home_assistant_name(topic.substr(device.size() + 1));
    const nlohmann::ordered_json description = {
        {"name", title},
        {"unique_id", node + "_" + id},
        {"state_topic", topic},
        {"state_class", grows ? "total_increasing" : "measurement"},
        {"icon", "mdi:account-group"},
        {"availability_topic", client_.prefix() + "/availability"},
        {"device", {{"identifiers", {node}}, {"name", device}, {"manufacturer", "Throng"}}}};
    client_.set_state(fmt::format("homeassistant/sensor/{}/{}/config", node, id), json_text(description));
}

void MqttCounts::event(int source_number, const std::string& line) {
    client_.send_event(fmt::format("{}/{}/events", client_.prefix(), source_number), line);
}

void MqttCounts::totals(int source_number, const CountTotals& totals) {
    const auto [sent, is_new] = sent_.try_emplace(source_number, totals);
    if (!is_new && std::exchange(sent->second, totals) == totals) return;
    each_number(source_number, totals, [this](const std::string& topic, std::int64_t value, const auto&, bool) {
        client_.set_state(topic, std::to_string(value));
    });
}

}  // namespace throng
