// Models in use: detectors of a backend that were made for the same name share one, in host memory.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/detect/detector.h"

namespace throng {

// Any thread may call it. A model that no detector uses any more is freed, and read again when it is wanted. Until then,
// a file that replaces that of a model under the same name is not read.
template <class Model>
class SharedModels {
public:
    // read: returns what a Model is made of; called unless a detector of this kind and name of a model exists.
    template <class Read>
    [[nodiscard]] std::shared_ptr<const Model> get(const DetectorParams& params, const Read& read) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<const Model>& known = models_[{params.kind, params.model}];
        std::shared_ptr<const Model> model = known.lock();
        if (model == nullptr) known = model = std::make_shared<const Model>(read());
        return model;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<DetectorId, std::string>, std::weak_ptr<const Model>> models_;
};

}  // namespace throng
