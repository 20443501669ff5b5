// libgstthrong.so: registers the elements.
#include <gst/gst.h>

#include <algorithm>
#include <string>

#include "app/gstreamer/element.h"
#include "core/base/log.h"
#include "core/base/message.h"

namespace throng::gst_plugin {
namespace {

GST_DEBUG_CATEGORY_STATIC(log_category);

GstDebugLevel level_of(spdlog::level::level_enum level) {
    switch (level) {
        case spdlog::level::err:
        case spdlog::level::critical: return GST_LEVEL_ERROR;
        case spdlog::level::warn: return GST_LEVEL_WARNING;
        case spdlog::level::info: return GST_LEVEL_INFO;
        default: return GST_LEVEL_DEBUG;
    }
}

// Messages name settings as properties are spelled.
std::string spell_property(const Setting& setting) {
    std::string name(setting.name);
    std::replace(name.begin(), name.end(), '_', '-');
    return name + (setting.value.empty() ? "" : "=" + setting.value);
}

gboolean load(GstPlugin* plugin) {
    GST_DEBUG_CATEGORY_INIT(log_category, "throng", 0, "Throng");
    set_spelling(spell_property);
    write_log_to(
        [](spdlog::level::level_enum level, std::string_view text) {
            gst_debug_log(log_category, level_of(level), "", "", 0, nullptr, "%s", std::string(text).c_str());
        },
        spdlog::level::debug);
    return register_elements(plugin);
}

}  // namespace
}  // namespace throng::gst_plugin

#define PACKAGE "throng"
// NOLINTNEXTLINE: GStreamer's macro
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, throng, "Detects and hides faces", throng::gst_plugin::load,
                  TH_VERSION, "Apache 2.0", "Throng", "https://throng.invalid")
