#include "core/annotations/annotation_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Writes a file into the folder of an export, with the folders of its name.
void write_below(const fs::path& folder, const std::string& name, std::string_view text) {
    const fs::path path = folder / name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) throw Error(ErrorKind::input, "cannot be created", path.parent_path().string(), failure.message());
    write_file(path.string(), text);
}

std::string without_extension(const std::string& name) {
    return fs::path(name).replace_extension().generic_string();
}

std::string text_of(const pugi::xml_node& node, unsigned depth) {
    std::ostringstream text;
    node.print(text, "  ", pugi::format_default, pugi::encoding_utf8, depth);
    return text.str();
}

// Adds <name>text</name>.
void add_text(pugi::xml_node& parent, const char* name, const std::string& text) {
    parent.append_child(name).text().set(text.c_str());
}

std::string two_digits(float value) {
    return fmt::format("{:.2f}", value);
}

// The names of the classes: one, or those of people and of faces.
class Classes {
public:
    explicit Classes(std::vector<std::string> names) : names_(std::move(names)) {}

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    // Returns the position of the box's class in names().
    [[nodiscard]] std::size_t index_of(const ScoredBox& box) const {
        return names_.size() > 1 && box.object == BoxObject::face ? 1 : 0;
    }
    [[nodiscard]] const std::string& name_of(const ScoredBox& box) const { return names_[index_of(box)]; }
    // Returns one line per name.
    [[nodiscard]] std::string lines() const {
        std::string text;
        for (const std::string& name : names_) text += name + "\n";
        return text;
    }

private:
    std::vector<std::string> names_;
};

// Returns an id that people and faces do not share.
std::int64_t track_id(const ScoredBox& box) {
    if (box.object == BoxObject::unnamed) return box.id;
    const std::uint64_t is_face = box.object == BoxObject::face ? 1 : 0;
    return static_cast<std::int64_t>(2 * static_cast<std::uint64_t>(box.id) + is_face);
}

class CocoWriter final : public AnnotationWriter {
public:
    CocoWriter(const std::string& path, Classes classes) : file_(path), classes_(std::move(classes)) {}

    [[nodiscard]] int passes() const override { return 2; }  // images, annotations

    void add(const AnnotatedImage& image, int pass) override {
        begin(pass);
        if (pass == 0) {
            write({{"id", next_image_},
                   {"width", image.labels.width},
                   {"height", image.labels.height},
                   {"file_name", image.name},
                   {"license", 0},
                   {"date_captured", 0}});
        } else {
            for (std::size_t i = 0; i < image.labels.entries.size(); ++i) add_box(image.labels, i);
        }
        ++next_image_;
    }

    void finish() override {
        begin(1);
        std::string categories;
        for (std::size_t i = 0; i < classes_.names().size(); ++i) {
            Json category = {{"id", i + 1}, {"name", classes_.names()[i]}, {"supercategory", ""}};
            if (has_keypoints_ && i + 1 == classes_.names().size()) {  // of the faces
                category["keypoints"] = {"right_eye", "left_eye", "nose", "right_mouth_corner", "left_mouth_corner"};
                category["skeleton"] = Json::array();
            }
            categories += (i == 0 ? "" : ",\n") + json_text(category);
        }
        file_.write("\n],\n\"categories\":[\n" + categories + "\n]}\n");
        file_.commit();
    }

private:
    using Json = nlohmann::ordered_json;

    // The shortest decimal that identifies the 32-bit float.
    static double number(float value) { return std::stod(fmt::format("{}", value)); }

    void begin(int pass) {
        if (pass == pass_) return;
        if (pass_ < 0) {
            file_.write(
                "{\"info\":{\"description\":\"\",\"version\":\"\",\"year\":\"\",\"contributor\":\"\",\"url\":\"\","
                "\"date_created\":\"\"},\n\"licenses\":[{\"id\":0,\"name\":\"\",\"url\":\"\"}],\n\"images\":[");
        }
        if (pass == 1) file_.write("\n],\n\"annotations\":[");
        pass_ = pass;
        next_image_ = 1;
        separator_ = "\n";
    }

    void add_box(const DetectionLabels& labels, std::size_t i) {
        const ScoredBox& entry = labels.entries[i];
        const Box& box = entry.box;
        Json annotation = {{"id", next_annotation_++},
                           {"image_id", next_image_},
                           {"category_id", classes_.index_of(entry) + 1},
                           {"bbox", {number(box.x), number(box.y), number(box.w), number(box.h)}},
                           {"area", number(box.w * box.h)},
                           {"segmentation", Json::array()},
                           {"iscrowd", 0},
                           {"score", entry.score}};
        if (!labels.landmarks.empty() && entry.object != BoxObject::person) {
            constexpr int kVisible = 2;
            const auto& xy = labels.landmarks[i].xy;
            Json points = Json::array();
            int labeled = 0;
            for (std::size_t at = 0; at < std::size(xy); at += 2) {
                const bool is_known = std::isfinite(xy[at]) && std::isfinite(xy[at + 1]);
                const auto known = [&](float value) { return is_known ? number(value) : 0.0; };
                points.insert(points.end(), {known(xy[at]), known(xy[at + 1]), is_known ? kVisible : 0});
                labeled += is_known ? 1 : 0;
            }
            annotation["keypoints"] = std::move(points);
            annotation["num_keypoints"] = labeled;
            has_keypoints_ = true;
        }
        write(annotation);
    }

    void write(const Json& entry) {
        file_.write(separator_ + json_text(entry));
        separator_ = ",\n";
    }

    AtomicFile file_;
    Classes classes_;
    std::string separator_;
    int pass_ = -1;
    std::int64_t next_image_ = 1;
    std::int64_t next_annotation_ = 1;
    bool has_keypoints_ = false;
};

class YoloWriter final : public AnnotationWriter {
public:
    YoloWriter(fs::path folder, Classes classes) : folder_(std::move(folder)), classes_(std::move(classes)) {}

    void add(const AnnotatedImage& image, int) override {
        const auto width = static_cast<float>(image.labels.width);
        const auto height = static_cast<float>(image.labels.height);
        std::string text;
        for (const ScoredBox& entry : image.labels.entries) {
            const Box& box = entry.box;
            fmt::format_to(std::back_inserter(text), "{} {:.6f} {:.6f} {:.6f} {:.6f}\n", classes_.index_of(entry),
                           (box.x + box.w / 2) / width, (box.y + box.h / 2) / height, box.w / width, box.h / height);
        }
        write_below(folder_, "obj_train_data/" + without_extension(image.name) + ".txt", text);
        names_ += "data/obj_train_data/" + image.name + "\n";
    }

    void finish() override {
        write_below(folder_, "train.txt", names_);
        write_below(folder_, "obj.names", classes_.lines());
        write_below(folder_, "obj.data",
                    fmt::format("classes = {}\n", classes_.names().size()) +
                        "train = data/train.txt\nnames = data/obj.names\nbackup = backup/\n");
    }

private:
    fs::path folder_;
    Classes classes_;
    std::string names_;
};

class CvatWriter final : public AnnotationWriter {
public:
    CvatWriter(const std::string& path, Classes classes) : file_(path), classes_(std::move(classes)) {}

    [[nodiscard]] int passes() const override { return 2; }  // the first one counts the images

    void add(const AnnotatedImage& image, int pass) override {
        if (pass == 0) {
            source_ = image.source;
            ++num_images_;
            return;
        }
        begin();
        if (source_->has_tracks) {
            for (const ScoredBox& entry : image.labels.entries) {
                Track& track = tracks_[track_id(entry)];
                track.name = classes_.name_of(entry);
                track.boxes.push_back({image.frame, entry.box, entry.state == TrackState::predicted});
            }
            return;
        }
        pugi::xml_document document;
        pugi::xml_node node = document.append_child("image");
        node.append_attribute("id") = static_cast<long long>(next_++);
        node.append_attribute("name") = image.name.c_str();
        node.append_attribute("width") = image.labels.width;
        node.append_attribute("height") = image.labels.height;
        for (const ScoredBox& entry : image.labels.entries) {
            pugi::xml_node box = node.append_child("box");
            box.append_attribute("label") = classes_.name_of(entry).c_str();
            box.append_attribute("source") = "auto";
            box.append_attribute("occluded") = "0";
            add_corners(box, entry.box);
        }
        file_.write(text_of(node, 1));
    }

    void finish() override {
        begin();
        for (const auto& [id, track] : tracks_) write_track(id, track);
        file_.write("</annotations>\n");
        file_.commit();
    }

private:
    struct TrackBox {
        std::int64_t frame;
        Box box;
        bool occluded;
    };
    struct Track {
        std::string name;  // of its class
        std::vector<TrackBox> boxes;
    };

    static void add_corners(pugi::xml_node& at, const Box& box) {
        at.append_attribute("xtl") = two_digits(box.x).c_str();
        at.append_attribute("ytl") = two_digits(box.y).c_str();
        at.append_attribute("xbr") = two_digits(box.x + box.w).c_str();
        at.append_attribute("ybr") = two_digits(box.y + box.h).c_str();
        at.append_attribute("z_order") = "0";
    }

    void begin() {
        if (std::exchange(begun_, true)) return;
        pugi::xml_document document;
        pugi::xml_node meta = document.append_child("meta");
        pugi::xml_node task = meta.append_child("task");
        const std::int64_t size = source_->has_tracks ? source_->frames : num_images_;
        add_text(task, "name", source_->name);
        add_text(task, "size", std::to_string(size));
        add_text(task, "mode", source_->has_tracks ? "interpolation" : "annotation");
        add_text(task, "start_frame", "0");
        add_text(task, "stop_frame", std::to_string(size - 1));
        add_text(task, "z_order", "False");
        pugi::xml_node labels = task.append_child("labels");
        for (const std::string& name : classes_.names()) {
            pugi::xml_node label = labels.append_child("label");
            add_text(label, "name", name);
            label.append_child("attributes");
        }
        if (source_->has_tracks) {
            pugi::xml_node original = task.append_child("original_size");
            add_text(original, "width", std::to_string(source_->width));
            add_text(original, "height", std::to_string(source_->height));
            add_text(meta, "source", source_->name);
        }
        file_.write("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n" +
                    text_of(meta, 1));
    }

    void write_track(std::int64_t id, const Track& of) {
        const std::vector<TrackBox>& boxes = of.boxes;
        pugi::xml_document document;
        pugi::xml_node track = document.append_child("track");
        track.append_attribute("id") = static_cast<long long>(id);
        track.append_attribute("label") = of.name.c_str();
        track.append_attribute("source") = "auto";
        const auto add = [&](std::int64_t frame, const TrackBox& at, bool outside) {
            pugi::xml_node box = track.append_child("box");
            box.append_attribute("frame") = static_cast<long long>(frame);
            box.append_attribute("outside") = outside ? "1" : "0";
            box.append_attribute("occluded") = at.occluded ? "1" : "0";
            box.append_attribute("keyframe") = "1";
            add_corners(box, at.box);
        };
        // A track is shown until a box that is outside.
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            add(boxes[i].frame, boxes[i], false);
            const std::int64_t next = i + 1 < boxes.size() ? boxes[i + 1].frame : source_->frames;
            if (boxes[i].frame + 1 < next) add(boxes[i].frame + 1, boxes[i], true);
        }
        file_.write(text_of(track, 1));
    }

    AtomicFile file_;
    Classes classes_;
    const AnnotatedSource* source_ = nullptr;  // with tracks there is one
    std::int64_t num_images_ = 0;
    std::int64_t next_ = 0;
    bool begun_ = false;
    std::map<std::int64_t, Track> tracks_;
};

class MotWriter final : public AnnotationWriter {
public:
    MotWriter(fs::path folder, Classes classes) : folder_(std::move(folder)), classes_(std::move(classes)) {}

    void add(const AnnotatedImage& image, int) override {
        std::string& text = texts_[image.source];
        for (const ScoredBox& entry : image.labels.entries) {
            const Box& box = entry.box;
            fmt::format_to(std::back_inserter(text), "{},{},{:.2f},{:.2f},{:.2f},{:.2f},", image.frame + 1,
                           track_id(entry), box.x, box.y, box.w, box.h);
            // Truth: taken into account, class from 1, visible. Detections: score, no position in the world.
            if (image.source->has_tracks) {
                fmt::format_to(std::back_inserter(text), "1,{},{}\n", classes_.index_of(entry) + 1,
                               entry.state == TrackState::predicted ? 0 : 1);
            } else {
                fmt::format_to(std::back_inserter(text), "{:g},-1,-1,-1\n", entry.score);
            }
        }
    }

    void finish() override {
        for (const auto& [source, text] : texts_) {
            write_below(folder_, source->name + (source->has_tracks ? "/gt/gt.txt" : "/det/det.txt"), text);
            if (source->has_tracks) write_below(folder_, source->name + "/gt/labels.txt", classes_.lines());
            write_below(folder_, source->name + "/seqinfo.ini",
                        fmt::format("[Sequence]\nname={}\nimDir=img1\nframeRate={:.6g}\nseqLength={}\nimWidth={}\n"
                                    "imHeight={}\nimExt=.png\n",
                                    source->name, source->fps > 0 ? source->fps : 1, source->frames, source->width,
                                    source->height));
        }
    }

private:
    fs::path folder_;
    Classes classes_;
    std::map<const AnnotatedSource*, std::string> texts_;
};

class WiderWriter final : public AnnotationWriter {
public:
    explicit WiderWriter(const std::string& path) : file_(path) {}

    void add(const AnnotatedImage& image, int) override {
        const std::vector<ScoredBox>& entries = image.labels.entries;
        std::string text = fmt::format("{}\n{}\n", image.name, entries.size());
        // The data set marks "no faces" like this. Whole pixels; no blur, expression, illumination, occlusion, pose.
        if (entries.empty()) text += "0 0 0 0 0 0 0 0 0 0\n";
        for (const ScoredBox& entry : entries) {
            const Box& box = entry.box;
            fmt::format_to(std::back_inserter(text), "{} {} {} {} 0 0 0 0 0 0\n", std::lround(box.x),
                           std::lround(box.y), std::max(std::lround(box.w), 1L), std::max(std::lround(box.h), 1L));
        }
        file_.write(text);
    }
    void finish() override { file_.commit(); }

private:
    AtomicFile file_;
};

class VocWriter final : public AnnotationWriter {
public:
    VocWriter(fs::path folder, Classes classes) : folder_(std::move(folder)), classes_(std::move(classes)) {}

    void add(const AnnotatedImage& image, int) override {
        pugi::xml_document document;
        pugi::xml_node annotation = document.append_child("annotation");
        const fs::path name(image.name);
        add_text(annotation, "folder", name.parent_path().generic_string());
        add_text(annotation, "filename", name.filename().string());
        pugi::xml_node size = annotation.append_child("size");
        add_text(size, "width", std::to_string(image.labels.width));
        add_text(size, "height", std::to_string(image.labels.height));
        add_text(size, "depth", "3");
        add_text(annotation, "segmented", "0");
        for (const ScoredBox& entry : image.labels.entries) {
            pugi::xml_node object = annotation.append_child("object");
            add_text(object, "name", classes_.name_of(entry));
            add_text(object, "pose", "Unspecified");
            add_text(object, "truncated", "0");
            add_text(object, "difficult", "0");
            pugi::xml_node corners = object.append_child("bndbox");
            // Pixels are counted from 1, and the last one is part of the box.
            add_text(corners, "xmin", two_digits(entry.box.x + 1));
            add_text(corners, "ymin", two_digits(entry.box.y + 1));
            add_text(corners, "xmax", two_digits(entry.box.x + entry.box.w));
            add_text(corners, "ymax", two_digits(entry.box.y + entry.box.h));
        }
        write_below(folder_, "Annotations/" + without_extension(image.name) + ".xml", text_of(annotation, 0));
        // A second word of the line would be taken for the presence of a class.
        const std::string stem = without_extension(image.name);
        names_ += (stem.find(' ') != std::string::npos ? '"' + stem + '"' : stem) + "\n";
    }
    void finish() override { write_below(folder_, "ImageSets/Main/default.txt", names_); }

private:
    fs::path folder_;
    Classes classes_;
    std::string names_;
};

}  // namespace

bool is_folder(AnnotationFormat format) noexcept {
    return format == AnnotationFormat::yolo || format == AnnotationFormat::mot || format == AnnotationFormat::voc;
}

bool holds_tracks(AnnotationFormat format) noexcept {
    return format == AnnotationFormat::cvat || format == AnnotationFormat::mot;
}

std::unique_ptr<AnnotationWriter> make_annotation_writer(AnnotationFormat format, const std::string& path,
                                                         std::vector<std::string> names) {
    Classes classes(std::move(names));
    switch (format) {
        case AnnotationFormat::coco: return std::make_unique<CocoWriter>(path, std::move(classes));
        case AnnotationFormat::yolo: return std::make_unique<YoloWriter>(path, std::move(classes));
        case AnnotationFormat::cvat: return std::make_unique<CvatWriter>(path, std::move(classes));
        case AnnotationFormat::mot: return std::make_unique<MotWriter>(path, std::move(classes));
        case AnnotationFormat::wider: return std::make_unique<WiderWriter>(path);
        case AnnotationFormat::voc: return std::make_unique<VocWriter>(path, std::move(classes));
    }
    throw Error(ErrorKind::internal, "no such annotation format");
}

}  // namespace throng
