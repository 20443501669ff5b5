#include "app/options/encoder_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr auto kProbeLimit = std::chrono::seconds(5);  // a driver that has to start takes about one

std::vector<std::string> probe_command() {
    if (const char* program = std::getenv("THRONG_ENCODER_PROBE"); program != nullptr && *program != '\0') {
        return {program};
    }
    return {"/proc/self/exe", "info", "--config", "", "--probe-encoder"};
}

EncoderInfo probe(const std::string& name) {
    return probe_encoder(name, probe_command(), kProbeLimit);
}

}  // namespace

std::vector<EncoderInfo> list_encoders() {
    std::vector<EncoderInfo> encoders;
    for (const std::string& name : encoder_names()) encoders.push_back(probe(name));
    return encoders;
}

EncoderChoice choose_encoder(const std::string& requested) {
    if (requested != "auto") {
        const EncoderInfo info = probe(requested);
        if (info.available) return {requested, requested};
        throw Error(ErrorKind::unavailable, "the encoder is unavailable: " + info.details,
                    Setting{"encoder", requested}, {"use %1", Setting{"encoder", "auto"}});
    }
    std::string skipped;
    for (const std::string& name : encoder_names()) {
        const EncoderInfo info = probe(name);
        if (info.available) {
            const char* remark = info.verified ? "" : ", never verified on hardware by the developers";
            return {name, name + remark + (skipped.empty() ? "" : " (" + skipped + ")")};
        }
        skipped += fmt::format("{}{} unavailable: {}", skipped.empty() ? "" : "; ", name, info.details);
    }
    throw Error(ErrorKind::unavailable, "no H.264 encoder works: " + skipped, Setting{"encoder", "auto"},
                "install an FFmpeg with libx264");
}

}  // namespace throng
