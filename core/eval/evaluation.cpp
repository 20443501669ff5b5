#include "core/eval/evaluation.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"

namespace throng {
namespace {

using FrameNumber = std::optional<std::int64_t>;

// The images of each file by frame number.
template <typename Entry>
using ByFile = std::map<std::string, std::map<FrameNumber, const Labels<Entry>*>>;

template <typename Entry>
ByFile<Entry> by_file(const std::vector<Labels<Entry>>& all, const char* what) {
    ByFile<Entry> files;
    for (const Labels<Entry>& labels : all) {
        if (files[labels.source].emplace(labels.frame, &labels).second) continue;
        const std::string frame = labels.frame ? "frame " + std::to_string(*labels.frame) : "the image";
        throw Error(ErrorKind::input, std::string("the ") + what + " have " + frame + " twice", labels.source);
    }
    return files;
}

// Returns the number of path components that two paths share, from the end; 0 for different names.
int shared_parts(const std::string& a, const std::string& b) {
    const std::filesystem::path path_a = std::filesystem::path(a).lexically_normal();
    const std::filesystem::path path_b = std::filesystem::path(b).lexically_normal();
    const std::vector<std::filesystem::path> parts_a(path_a.begin(), path_a.end());
    const std::vector<std::filesystem::path> parts_b(path_b.begin(), path_b.end());
    int shared = 0;
    for (auto i = parts_a.rbegin(), j = parts_b.rbegin(); i != parts_a.rend() && j != parts_b.rend() && *i == *j;
         ++i, ++j)
        ++shared;
    return shared;
}

using NamesByBase = std::multimap<std::string, std::string>;

std::string base_name(const std::string& source) {
    return std::filesystem::path(source).filename().string();
}

// Returns the file of the detections that matches a file of the truth, or nothing if there is none.
std::optional<std::string> counterpart(const std::string& source, const NamesByBase& names) {
    std::optional<std::string> best;
    int max_shared = 0;
    bool tied = false;
    const auto [first, last] = names.equal_range(base_name(source));
    for (auto it = first; it != last; ++it) {
        const int shared = shared_parts(source, it->second);
        tied = shared == max_shared || (tied && shared < max_shared);
        if (shared > max_shared) {
            max_shared = shared;
            best = it->second;
        }
    }
    if (tied)
        throw Error(ErrorKind::input, "the detections have several files of this name", source,
                    "give their paths in the truth");
    return best;
}

}  // namespace

Evaluation evaluate(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                    const MatchOptions& options) {
    check_options(options);
    const ByFile<TruthFace> truth_files = by_file(truth, "truth's lines");
    const ByFile<ScoredBox> detection_files = by_file(detections, "detections");
    NamesByBase others;  // files of the detections whose path is not in the truth
    for (const auto& entry : detection_files) {
        if (!truth_files.contains(entry.first)) others.emplace(base_name(entry.first), entry.first);
    }

    static const std::vector<ScoredBox> kNone;
    Evaluation evaluation;
    std::int64_t judged = 0;
    std::set<std::string> seen;
    for (const TruthLabels& labels : truth) {
        // Files are listed in the order of their first line; all images of a file are processed there.
        if (!seen.insert(labels.source).second) continue;
        const auto& images = truth_files.at(labels.source);
        FileResult file;
        file.source = labels.source;
        const auto name =
            detection_files.contains(labels.source) ? std::optional(labels.source) : counterpart(labels.source, others);
        file.found = name.has_value();
        const auto* found = name ? &detection_files.at(*name) : nullptr;
        const bool single = found != nullptr && found->size() == 1 && images.size() == 1;
        for (const auto& [frame, faces] : images) {
            const std::vector<ScoredBox>* boxes = &kNone;
            if (found != nullptr) {
                const auto image = single ? found->begin() : found->find(frame);
                if (image != found->end()) {
                    boxes = &image->second->entries;
                    ++judged;
                }
            }
            ++file.images;
            file.result += match(faces->entries, *boxes, options);
        }
        evaluation.total += file.result;
        evaluation.files.push_back(std::move(file));
    }
    evaluation.unjudged_images = static_cast<std::int64_t>(detections.size()) - judged;
    return evaluation;
}

}  // namespace throng
