#include "core/eval/evaluation.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/algo/box_size.h"
#include "core/base/error.h"
#include "core/track/assignment.h"

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

// One image with its detections.
struct ImagePair {
    const TruthLabels* truth;
    const std::vector<ScoredBox>* found;  // empty if the detections lack the image
};

// A file of the truth with its images in the order of their numbers.
struct FilePair {
    std::string source;
    bool found;
    std::vector<ImagePair> images;
};

// Pairs files and images. unjudged: number of images of the detections without truth.
std::vector<FilePair> pair_files(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                                 std::int64_t& unjudged) {
    const ByFile<TruthFace> truth_files = by_file(truth, "truth's lines");
    const ByFile<ScoredBox> detection_files = by_file(detections, "detections");
    NamesByBase others;  // files of the detections whose path is not in the truth
    for (const auto& entry : detection_files) {
        if (!truth_files.contains(entry.first)) others.emplace(base_name(entry.first), entry.first);
    }

    static const std::vector<ScoredBox> kNoBoxes;
    std::vector<FilePair> files;
    std::int64_t judged = 0;
    std::set<std::string> seen;
    for (const TruthLabels& labels : truth) {
        // Files are listed in the order of their first line; all images of a file are processed there.
        if (!seen.insert(labels.source).second) continue;
        const auto& images = truth_files.at(labels.source);
        const auto name =
            detection_files.contains(labels.source) ? std::optional(labels.source) : counterpart(labels.source, others);
        FilePair file{labels.source, name.has_value(), {}};
        const auto* found = name ? &detection_files.at(*name) : nullptr;
        const bool single = found != nullptr && found->size() == 1 && images.size() == 1;
        for (const auto& [frame, faces] : images) {
            const std::vector<ScoredBox>* boxes = &kNoBoxes;
            if (found != nullptr) {
                const auto image = single ? found->begin() : found->find(frame);
                if (image != found->end()) {
                    boxes = &image->second->entries;
                    ++judged;
                }
            }
            file.images.push_back({faces, boxes});
        }
        files.push_back(std::move(file));
    }
    unjudged = static_cast<std::int64_t>(detections.size()) - judged;
    return files;
}

// Returns true if more than half of the box lies in the face.
bool lies_in(const Box& box, const Box& face) {
    const double iou = intersection_over_union(box, face);
    const double common = iou / (1 + iou) * (area(box) + area(face));
    return common > 0.5 * area(box);
}

// Leaves out ignored faces and the boxes that belong to them.
TrackFrame judged_frame(const ImagePair& image, const MatchOptions& options) {
    const std::vector<TruthFace>& faces = image.truth->entries;
    const std::vector<ScoredBox>& boxes = *image.found;
    const auto ignored = [&options](const TruthFace& face) {
        return face.ignore || smaller_side(face.box) < options.min_size;
    };
    std::vector<AssignmentPair> pairs;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            const double iou = intersection_over_union(faces[f].box, boxes[b].box);
            if (iou >= options.iou) pairs.push_back({static_cast<int>(f), static_cast<int>(b), -iou});
        }
    }
    const std::vector<int> match = assign(static_cast<int>(faces.size()), static_cast<int>(boxes.size()), pairs, 0);
    std::vector<int> face_of(boxes.size(), -1);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        if (match[f] >= 0) face_of[static_cast<std::size_t>(match[f])] = static_cast<int>(f);
    }

    TrackFrame frame;
    std::set<std::int64_t> ids;
    for (const TruthFace& face : faces) {
        if (face.id < 0) {
            throw Error(ErrorKind::input, "the faces of the truth have no ids", image.truth->source,
                        {"use the truth of throng crowd, or leave %1 out", Setting{"tracks"}});
        }
        if (!ids.insert(face.id).second) {
            throw Error(ErrorKind::input, "the truth has the id " + std::to_string(face.id) + " twice in one frame",
                        image.truth->source);
        }
        if (!ignored(face)) frame.truth.push_back({face.id, face.box});
    }
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        bool judged = face_of[b] < 0 || !ignored(faces[static_cast<std::size_t>(face_of[b])]);
        if (face_of[b] < 0) {
            judged = smaller_side(boxes[b].box) >= options.min_size &&
                     std::none_of(faces.begin(), faces.end(), [&](const TruthFace& face) {
                         return ignored(face) && lies_in(boxes[b].box, face.box);
                     });
        }
        if (judged) frame.found.push_back({boxes[b].id, boxes[b].box});
    }
    return frame;
}

}  // namespace

Evaluation evaluate(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                    const MatchOptions& options) {
    check_options(options);
    Evaluation evaluation;
    for (const FilePair& pair : pair_files(truth, detections, evaluation.unjudged_images)) {
        MatchResult result;
        for (const ImagePair& image : pair.images) result += match(image.truth->entries, *image.found, options);
        evaluation.total += result;
        evaluation.files.push_back(
            {pair.source, static_cast<std::int64_t>(pair.images.size()), pair.found, std::move(result)});
    }
    return evaluation;
}

TrackEvaluation evaluate_tracks(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& tracks,
                                const MatchOptions& options) {
    check_options(options);
    TrackEvaluation evaluation;
    std::vector<TrackFrame> all;
    // Identities of all files: (file, id) to a number.
    std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> truth_ids, found_ids;
    for (const FilePair& pair : pair_files(truth, tracks, evaluation.unjudged_images)) {
        const std::size_t number = evaluation.files.size();
        const auto renumber = [number](std::vector<IdBox>& boxes, auto& ids) {
            for (IdBox& box : boxes) {
                box.id = ids.try_emplace({number, box.id}, static_cast<std::int64_t>(ids.size())).first->second;
            }
        };
        std::vector<TrackFrame> frames;
        for (const ImagePair& image : pair.images) frames.push_back(judged_frame(image, options));
        for (TrackFrame& frame : frames) {
            renumber(frame.truth, truth_ids);
            renumber(frame.found, found_ids);
        }
        evaluation.files.push_back({pair.source, static_cast<std::int64_t>(pair.images.size()), pair.found,
                                    compute_track_metrics(frames, options.iou)});
        all.insert(all.end(), frames.begin(), frames.end());
    }
    evaluation.total = compute_track_metrics(all, options.iou);
    return evaluation;
}

}  // namespace throng
