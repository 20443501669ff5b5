#include "ui/settings/usable_models.h"

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/base/log.h"
#include "core/model/cnn_plan.h"
#include "core/model/network.h"
#include "core/model/onnx_reader.h"

namespace throng::ui {

std::vector<InstalledModel> usable_models() {
    std::vector<InstalledModel> models;
    for (ModelFile& file : list_models()) {
        std::optional<float> threshold;
        try {
            if (lower_extension(file.path) == ".onnx") {
                const HeadFamily family = read_onnx(file.path).head.family;
                file.kind = detector_of_family(family);  // whatever its name says
                threshold = cnn_score_threshold({}, family);
            }
        } catch (const Error& error) {
            logger().debug("{}", error.what());
            continue;
        }
        models.push_back({std::move(file), threshold});
    }
    return models;
}

}  // namespace throng::ui
