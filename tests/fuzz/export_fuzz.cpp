// Any detections are exported, and what is imported again has the same images and boxes, or are rejected with an Error.
// The first byte selects the format; JSON lines follow.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "core/annotations/export.h"
#include "core/annotations/labels.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

namespace {

using namespace throng;

// Returns what is exported of each line: the parts of the boxes within the image.
std::vector<std::vector<Box>> clipped_boxes(const std::string& path) {
    std::vector<std::vector<Box>> images;
    for (const DetectionLabels& labels : read_detection_lines(path, LineObjects::both)) {
        std::vector<Box>& boxes = images.emplace_back();
        for (const ScoredBox& entry : labels.entries) {
            const Box& b = entry.box;
            const float left = std::max(b.x, 0.0F);
            const float top = std::max(b.y, 0.0F);
            const float w = std::min(b.x + b.w, static_cast<float>(labels.width)) - left;
            const float h = std::min(b.y + b.h, static_cast<float>(labels.height)) - top;
            if (w > 0 && h > 0) boxes.push_back({left, top, w, h});
        }
    }
    return images;
}

bool is_near(const Box& a, const Box& b, float tolerance) {
    const auto near = [&](float p, float q) { return std::fabs(p - q) <= tolerance; };
    return near(a.x, b.x) && near(a.y, b.y) && near(a.w, b.w) && near(a.h, b.h);
}

void check_wider(const std::string& path, const std::vector<std::vector<Box>>& images) {
    const std::vector<TruthLabels> read = read_truth(path);
    fuzz::require(read.size() == images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        fuzz::require(read[i].entries.size() == images[i].size());
        for (std::size_t k = 0; k < images[i].size(); ++k) {
            fuzz::require(is_near(read[i].entries[k].box, images[i][k], 1));
        }
    }
}

void check_coco(const std::string& path, const std::vector<std::vector<Box>>& images) {
    std::ifstream stream(path);
    const auto coco = nlohmann::json::parse(stream);
    fuzz::require(coco.at("images").size() == images.size());
    std::size_t at = 0;
    for (const std::vector<Box>& boxes : images) {
        for (const Box& box : boxes) {
            const auto& values = coco.at("annotations").at(at++).at("bbox");
            const Box read{values.at(0), values.at(1), values.at(2), values.at(3)};
            fuzz::require(is_near(read, box, 0.05F));
        }
    }
    fuzz::require(coco.at("annotations").size() == at);
}

void check_cvat(const std::string& path, const std::vector<std::vector<Box>>& images) {
    pugi::xml_document document;
    fuzz::require(document.load_file(path.c_str()));
    std::size_t read = 0;
    std::size_t expected = 0;
    for (const pugi::xml_node image : document.child("annotations").children("image")) {
        for (const pugi::xml_node box : image.children("box")) read += box.attribute("xtl") ? 1 : 0;
    }
    for (const std::vector<Box>& boxes : images) expected += boxes.size();
    fuzz::require(read == expected);
}

}  // namespace

TH_FUZZ(export) {
    static const fuzz::MemoryFile file;
    static const std::string out = "/dev/shm/throng-fuzz-" + std::to_string(getpid());
    fuzz::Bytes bytes(data, size);
    constexpr AnnotationFormat kFormats[] = {AnnotationFormat::wider, AnnotationFormat::coco, AnnotationFormat::cvat};
    const AnnotationFormat format = kFormats[bytes.take_in(0, 2)];
    const std::string& path = file.put(bytes.rest());
    try {
        if (has_track_lines(path)) return 0;
        static_cast<void>(export_annotations({path}, out, {format}, {}));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input || error.kind() == ErrorKind::usage);
        return 0;
    }
    const std::vector<std::vector<Box>> images = clipped_boxes(path);
    if (format == AnnotationFormat::wider) check_wider(out, images);
    if (format == AnnotationFormat::coco) check_coco(out, images);
    if (format == AnnotationFormat::cvat) check_cvat(out, images);
    static_cast<void>(::unlink(out.c_str()));
    return 0;
}
