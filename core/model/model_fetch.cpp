#include "core/model/model_fetch.h"

#include <fmt/format.h>

#include <strings.h>

#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/base/secrets.h"
#include "core/model/model_finder.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

std::string environment_value(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

std::string terms_of(const RecommendedModel& model, const std::string& address) {
    return fmt::format(
        "fetching {} by {}: {} bytes from {}\n  license of the file: {}; trained on {}\n  to decline, set "
        "TH_FETCH=OFF: without a network, {} is the Haar cascade",
        model.name, model.publisher, model.size, mask_credentials(address), model.license, model.training,
        Message(Setting{"detector", "auto"}).text());
}

// The mirror that the caller or the environment names; empty: the publishers'. Throws Error(usage).
std::string mirror_of(const ModelFetch& what) {
    const bool named = !what.mirror.empty();
    std::string mirror = named ? what.mirror : environment_value("TH_MODEL_MIRROR");
    // Without a scheme, libcurl would guess the protocol, and mask_credentials would not recognize a password.
    const auto begins = [&mirror](std::string_view start) {
        return strncasecmp(mirror.c_str(), start.data(), start.size()) == 0;
    };
    if (!mirror.empty() && !begins("https://") && !begins("http://")) {
        throw Error(ErrorKind::usage, "must start with https:// or http://",
                    named ? what.mirror_name : Message("TH_MODEL_MIRROR"));
    }
    return mirror;
}

void fetch_model(const RecommendedModel& model, const Download& what, ModelFetchObserver& observer) {
    std::error_code ignored;
    if (!fs::exists(what.target, ignored)) observer.show_terms(terms_of(model, what.address));
    const DownloadResult result = download(what, [&](std::uint64_t done) { return observer.update(model, done); });
    observer.finish(model, what.target, result);
}

}  // namespace

void fetch_models(const ModelFetch& what, ModelFetchObserver& observer) {
    const fs::path folder = what.folder.empty() ? user_model_folder() : fs::path(what.folder);
    if (folder.empty()) {
        throw Error(ErrorKind::usage, "no folder for models is known", {},
                    {"set HOME or XDG_DATA_HOME, or give %1", what.folder_name});
    }
    std::vector<const RecommendedModel*> models;
    for (const std::string& name : what.names) models.push_back(&recommended_model(name));
    const bool optional = models.empty();
    if (optional) models.push_back(&recommended_network());
    const std::string mirror = mirror_of(what);
    if (environment_value("TH_FETCH") == "OFF") {
        throw Error(ErrorKind::unavailable, "downloads are declined", "TH_FETCH=OFF",
                    "unset the variable, or copy the file into the model folder");
    }
    for (const RecommendedModel* model : models) {
        if (model->address.empty()) {
            throw Error(ErrorKind::usage, "is part of a package and cannot be downloaded", std::string(model->name),
                        {"install the package %1", std::string(model->package)});
        }
        Download each;
        each.address = std::string(model->address);
        if (!mirror.empty()) each.address = mirror + (mirror.back() == '/' ? "" : "/") + file_name(*model);
        each.target = folder / file_name(*model);
        each.size = model->size;
        each.sha256 = model->sha256;
        each.plain = !mirror.empty();
        each.certificates = what.certificates;
        if (optional) each.limit = kOptionalFetchLimit;
        try {
            fetch_model(*model, each, observer);
        } catch (const Error& error) {
            if (!optional || error.kind() == ErrorKind::interrupted) throw;
            throw Error(error.kind(), error.problem(), error.where(),
                        joined("without it, the Haar cascade finds faces, but misses more", error.advice()));
        }
    }
}

}  // namespace throng
