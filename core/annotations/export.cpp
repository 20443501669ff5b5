#include "core/annotations/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPeople = "person";  // their class, beside that of the faces
constexpr const char* kFaces = "face";     // their class, without a label

// Name and number of a source in the results.
using SourceKey = std::pair<std::string, std::int64_t>;

struct ReadSource {
    AnnotatedSource annotated;
    DetectionLabels last;  // its last line
    double first_seconds = 0;
    std::int64_t lines = 0;
};

// Returns the path without a slash at its end.
std::string name_of_folder(const std::string& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).string();
}

// The folder that an export writes, under another name until it is complete.
class NewFolder {
public:
    explicit NewFolder(const std::string& path) : path_(name_of_folder(path)), temporary_(path_ + ".part") {
        std::error_code failure;
        const bool is_new = !fs::exists(path_, failure) || (fs::is_directory(path_, failure) && fs::is_empty(path_));
        if (!is_new) throw Error(ErrorKind::usage, "is not an empty folder", path_, "name a new folder");
        check_output_path(temporary_);
        if (!fs::create_directory(temporary_, failure)) {
            throw Error(ErrorKind::input, "cannot be created", temporary_,
                        failure ? failure.message() : "remove it if no other export writes it");
        }
    }
    ~NewFolder() {
        std::error_code ignored;
        if (!committed_) fs::remove_all(temporary_, ignored);
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    [[nodiscard]] const std::string& temporary() const { return temporary_; }
    void commit() {
        std::error_code failure;
        fs::rename(temporary_, path_, failure);
        if (failure) throw Error(ErrorKind::input, "cannot be created", path_, failure.message());
        committed_ = true;
    }

private:
    std::string path_;
    std::string temporary_;
    bool committed_ = false;
};

// Returns the path of a source, or one component for a URL.
fs::path path_of(std::string source) {
    if (source.find("://") == std::string::npos) return fs::absolute(source).lexically_normal();
    std::replace_if(
        source.begin(), source.end(), [](char c) { return c == '/' || c == ':' || c == '?' || c == '\\'; }, '_');
    return fs::absolute(source);
}

// Returns true for a name that can be a line of text.
bool is_one_line(const std::string& name) {
    return name.find('\n') == std::string::npos && name.find_first_not_of(" \t\r") != std::string::npos;
}

// Returns the folder that holds all paths.
fs::path common_folder(const std::vector<fs::path>& paths) {
    fs::path common = paths.front().parent_path();
    for (const fs::path& path : paths) {
        const auto ends = std::mismatch(common.begin(), common.end(), path.begin(), path.end());
        fs::path shorter;
        for (auto part = common.begin(); part != ends.first; ++part) shorter /= *part;
        common = shorter;
    }
    return common;
}

class Export {
public:
    Export(const std::vector<fs::path>& results, const ExportOptions& options, const std::stop_token& stop)
        : results_(results), options_(options), stop_(stop) {
        for (const fs::path& file : results_) with_tracks_ = with_tracks_ && has_track_lines(file);
    }

    // Finds the sources and checks what the format can hold.
    void look() {
        for_each_line([this](const fs::path& file, DetectionLabels&& line) {
            const auto [at, is_new] = sources_.try_emplace({line.source, line.source_number});
            ReadSource& source = at->second;
            AnnotatedSource& annotated = source.annotated;
            if (line.source.empty()) {
                throw Error(ErrorKind::input, "'source' is empty", fmt::format("{}:{}", file.string(), line.line));
            }
            if (line.width == 0 || line.height == 0) {
                throw Error(ErrorKind::input, "'width' or 'height' is missing",
                            fmt::format("{}:{}", file.string(), line.line));
            }
            if (!has_faces_) has_faces_ = line.has_faces;
            if (*has_faces_ != line.has_faces) {
                throw Error(ErrorKind::input, "some frames have people and their faces, and others have one class",
                            fmt::format("{}:{}", file.string(), line.line), "export them separately");
            }
            if (object_.empty()) object_ = line.object;
            if (options_.label.empty() && !line.object.empty() && line.object != object_) {
                throw Error(ErrorKind::input, fmt::format("has the class {}, and others {}", line.object, object_),
                            fmt::format("{}:{}", file.string(), line.line),
                            {"export them separately, or name one class for all with %1", Setting{"label"}});
            }
            if (is_new) {
                order_.push_back(&*at);
                source.first_seconds = line.pts;
                annotated.width = line.width;
                annotated.height = line.height;
            } else {
                check_order(source.last, line, file);
            }
            annotated.frames = line.frame.value_or(source.lines) + 1;
            ++source.lines;
            source.last = std::move(line);
            source.last.entries.clear();
        });
        if (sources_.empty()) throw Error(ErrorKind::input, "has no frames", results_.front().string());
        name_sources();
        check_format();
    }

    ExportTotals write(const std::string& out) {
        const std::unique_ptr<AnnotationWriter> writer = make_annotation_writer(options_.format, out, classes());
        ExportTotals totals;
        totals.sources = sources_.size();
        for (int pass = 0; pass < writer->passes(); ++pass) {
            totals.images = totals.boxes = 0;
            std::map<const ReadSource*, std::int64_t> next;  // frame of results without numbers
            for_each_line([&](const fs::path& file, DetectionLabels&& line) {
                const auto found = sources_.find({line.source, line.source_number});
                if (found == sources_.end()) throw Error(ErrorKind::input, "changed while it was read", file.string());
                const ReadSource& source = found->second;
                AnnotatedImage image{&source.annotated, source.annotated.name, 0, std::move(line)};
                image.frame = image.labels.frame.value_or(next[&source]++);
                if (source.annotated.is_video) image.name += fmt::format(".frames/frame_{:06}.png", image.frame);
                clip(image.labels);
                ++totals.images;
                totals.boxes += static_cast<std::int64_t>(image.labels.entries.size());
                find_left_out(image, totals.left_out);
                writer->add(image, pass);
            });
        }
        writer->finish();
        return totals;
    }

private:
    template <class Use>
    void for_each_line(Use use) const {
        const bool tracks = with_tracks_ && holds_tracks(options_.format);
        for (const fs::path& file : results_) {
            const auto checked = [&](DetectionLabels&& line) {
                if (stop_.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", file.string());
                use(file, std::move(line));
            };
            tracks ? for_each_track_line(file, checked, LineObjects::both)
                   : for_each_detection_line(file, checked, LineObjects::both);
        }
    }

    [[nodiscard]] std::vector<std::string> classes() const {
        const bool has_faces = has_faces_.value_or(false);
        const std::string found = has_faces || object_.empty() ? kFaces : object_;
        const std::string label = options_.label.empty() ? found : options_.label;
        return has_faces ? std::vector<std::string>{kPeople, label} : std::vector<std::string>{label};
    }

    void name_sources() {
        std::vector<fs::path> paths;
        for (const auto* each : order_) paths.push_back(path_of(each->first.first));
        const fs::path folder = common_folder(paths);
        std::set<std::string> names;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            ReadSource& source = order_[i]->second;
            AnnotatedSource& annotated = source.annotated;
            annotated.name = paths[i].lexically_relative(folder).generic_string();
            for (int copy = 2; !names.insert(annotated.name).second; ++copy) {
                annotated.name = fmt::format("{}-{}", paths[i].lexically_relative(folder).generic_string(), copy);
            }
            annotated.is_video = source.lines > 1 || annotated.frames > 1;
            annotated.has_tracks = with_tracks_ && holds_tracks(options_.format);
            const double seconds = source.last.pts - source.first_seconds;
            if (seconds > 0) annotated.fps = static_cast<double>(annotated.frames - 1) / seconds;
        }
    }

    void check_format() const {
        const AnnotationFormat format = options_.format;
        if (format == AnnotationFormat::cvat && with_tracks_ && sources_.size() > 1) {
            throw Error(ErrorKind::usage,
                        fmt::format("has the tracks of {} sources, but a file of CVAT holds one", sources_.size()),
                        results_.front().string(), "export the results of each source by itself");
        }
        if (has_faces_.value_or(false) && options_.label == kPeople) {
            throw Error(ErrorKind::usage, "is the class of the people beside the faces", Setting{"label"},
                        "name the faces otherwise");
        }
        const bool mot_detections = format == AnnotationFormat::mot && !with_tracks_;
        if (has_faces_.value_or(false) && (format == AnnotationFormat::wider || mot_detections)) {
            throw Error(ErrorKind::usage, "has people and their faces, but the format holds one class",
                        results_.front().string(),
                        mot_detections ? "use results with tracks (detect --track), or another format"
                                       : "use another format, or detect one class: throng detect --detector cnn");
        }
        if (format == AnnotationFormat::wider && !std::all_of(order_.begin(), order_.end(), [](const auto* each) {
                return is_one_line(each->second.annotated.name);
            })) {
            throw Error(ErrorKind::usage, "has a source whose name is blank or has a line feed: no name of this format",
                        results_.front().string(), "use another format, or rename the source");
        }
        if (format != AnnotationFormat::yolo && format != AnnotationFormat::voc) return;
        std::map<std::string, const std::string*> stems;
        for (const auto* each : order_) {
            const AnnotatedSource& source = each->second.annotated;
            if (source.is_video) continue;
            const auto [at, is_new] = stems.emplace(fs::path(source.name).replace_extension().string(), &source.name);
            if (is_new) continue;
            throw Error(ErrorKind::usage,
                        fmt::format("{} and {} would share a file: the format names it without their extensions",
                                    *at->second, source.name),
                        results_.front().string(), "export each by itself");
        }
    }

    void find_left_out(const AnnotatedImage& image, std::set<std::string>& left_out) const {
        const AnnotationFormat format = options_.format;
        if (format == AnnotationFormat::coco) return;
        const bool has_boxes = !image.labels.entries.empty();
        const bool holds_scores = format == AnnotationFormat::mot && !image.source->has_tracks;
        if (has_boxes && !holds_scores) left_out.insert("scores");
        if (!image.labels.landmarks.empty()) left_out.insert("landmarks");
        if (has_boxes && format == AnnotationFormat::wider) left_out.insert("fractions of pixels");
    }

    // Clips boxes to the image; those outside go.
    static void clip(DetectionLabels& labels) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < labels.entries.size(); ++i) {
            Box& box = labels.entries[i].box;
            const float right = std::min(box.x + box.w, static_cast<float>(labels.width));
            const float bottom = std::min(box.y + box.h, static_cast<float>(labels.height));
            const float left = std::max(box.x, 0.0F);
            const float top = std::max(box.y, 0.0F);
            if (left > box.x || top > box.y || right < box.x + box.w || bottom < box.y + box.h) {
                box = {left, top, right - left, bottom - top};
            }
            if (!(box.w > 0 && box.h > 0)) continue;
            labels.entries[kept] = labels.entries[i];
            if (!labels.landmarks.empty()) labels.landmarks[kept] = labels.landmarks[i];
            ++kept;
        }
        labels.entries.resize(kept);
        if (!labels.landmarks.empty()) labels.landmarks.resize(kept);
    }

    const std::vector<fs::path>& results_;
    const ExportOptions& options_;
    const std::stop_token& stop_;
    bool with_tracks_ = true;
    std::optional<bool> has_faces_;  // the lines have people and their faces; known after look()
    std::string object_;             // what the detector finds; empty if the lines have none; known after look()
    std::map<SourceKey, ReadSource> sources_;
    std::vector<std::map<SourceKey, ReadSource>::value_type*> order_;  // as in the results
};

}  // namespace

ExportTotals export_annotations(const std::vector<fs::path>& results, const std::string& out,
                                const ExportOptions& options, const std::stop_token& stop) {
    std::optional<NewFolder> folder;
    if (is_folder(options.format)) folder.emplace(out);
    Export run(results, options, stop);
    run.look();
    ExportTotals totals = run.write(folder ? folder->temporary() : out);
    if (folder) folder->commit();
    return totals;
}

}  // namespace throng
