// Installs recommended models, for `throng models fetch` and the Python module.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/model/download.h"
#include "core/model/model_catalogue.h"

namespace throng {

struct ModelFetch {
    std::vector<std::string> names;  // of recommended models; none: the recommended network
    std::string folder;              // empty: the user's model folder
    std::string mirror;              // URL of a folder with the same files; empty: TH_MODEL_MIRROR, or the publisher's
    std::string certificates;        // as Download::certificates
    // What the caller calls them, for messages:
    Message folder_name = Setting{"to", "DIR"};
    Message mirror_name = Setting{"from"};
};

// Seconds that a download without a name waits for the network: it is optional.
inline constexpr double kOptionalFetchLimit = 15;

class ModelFetchObserver {
public:
    virtual ~ModelFetchObserver() = default;

    // Gets what is fetched, from where and under which terms, before the first byte. The user must see it.
    virtual void show_terms(const std::string& text) = 0;
    // Called at intervals with the bytes received so far. Returning false stops the download.
    virtual bool update(const RecommendedModel& model, std::uint64_t done) = 0;
    virtual void finish(const RecommendedModel& model, const std::filesystem::path& path, DownloadResult result) = 0;
};

// Downloads, verifies and installs each model. Throws Error(usage) for a wrong name or mirror and for a model that is part
// of a package, Error(unavailable) if the variable TH_FETCH=OFF declines, otherwise as download does.
void fetch_models(const ModelFetch& what, ModelFetchObserver& observer);

}  // namespace throng
