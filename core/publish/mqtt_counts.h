// Publishes counts of people, crossings and zones by MQTT, and describes them to Home Assistant.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/count/count_plan.h"
#include "core/publish/mqtt_client.h"
#include "core/sinks/count_sink.h"

namespace throng {

// Topics below the prefix, N is the number of the source:
//   N/people, N/unique                              retained numbers: now, and since the start
//   N/line/NAME/in, N/line/NAME/out                 retained numbers: crossings since the start
//   N/zone/NAME/people, N/zone/NAME/visits          retained numbers: now, and since the start
//   N/events                                        the lines of --events, each once or more
// All numbers are zero at first, so that those of an earlier run vanish. Each number is a sensor of Home Assistant: its
// retained description is homeassistant/sensor/NODE/NAME/config.
class MqttCounts final : public CountListener {
public:
    // Throws as MqttClient.
    MqttCounts(const MqttOptions& options, const CountPlan& plan, std::size_t sources);

    void event(int source_number, const std::string& line) override;
    void totals(int source_number, const CountTotals& totals) override;
    void close() override { client_.close(); }

private:
    // Calls use(topic, value, title, grows) with each number of a source.
    template <class Use>
    void each_number(int source, const CountTotals& totals, Use use) const;
    void describe(int source, const std::string& topic, const std::string& title, bool grows);

    CountPlan plan_;
    MqttClient client_;
    std::map<int, CountTotals> sent_;  // by number of the source
};

}  // namespace throng
