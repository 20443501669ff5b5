// Writes boxes as annotations in the formats of other tools.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/annotations/labels.h"

namespace throng {

enum class AnnotationFormat : std::uint8_t {
    // Boxes: YOLO has center and size as shares of the image, CVAT corners and MOT x, y, width, height with two digits,
    // WIDER FACE whole pixels, VOC the first and the last pixel, counted from 1. MOT counts frames from 1; its folder
    // "gt" has tracks, "det" detections.
    coco,   // one JSON file: T.-Y. Lin et al., Microsoft COCO, ECCV 2014; boxes, and landmarks as keypoints
    yolo,   // a folder with one text file per image, as Darknet reads it
    cvat,   // one XML file, CVAT 1.1: images, or the tracks of a video
    mot,    // a folder per sequence, MOTChallenge: A. Milan et al., MOT16, 2016
    wider,  // one text file: S. Yang et al., WIDER FACE, CVPR 2016
    voc,    // a folder with one XML file per image: M. Everingham et al., Pascal VOC, 2010
};
inline constexpr std::pair<std::string_view, AnnotationFormat> kAnnotationFormats[] = {
    {"coco", AnnotationFormat::coco}, {"yolo", AnnotationFormat::yolo},   {"cvat", AnnotationFormat::cvat},
    {"mot", AnnotationFormat::mot},   {"wider", AnnotationFormat::wider}, {"voc", AnnotationFormat::voc}};

// The output is a folder of files.
[[nodiscard]] bool is_folder(AnnotationFormat format) noexcept;
// The format has ids of tracks.
[[nodiscard]] bool holds_tracks(AnnotationFormat format) noexcept;

// An image or a video.
struct AnnotatedSource {
    std::string name;  // relative path, unique among all sources, no "..": "hall/a.jpg"
    bool is_video = false;
    bool has_tracks = false;  // the entries of its images have ids
    int width = 0;            // of its first image, pixels
    int height = 0;
    std::int64_t frames = 0;  // number of the last frame + 1
    double fps = 0;           // 0: unknown
};

// An image or a frame of a video. Boxes lie within it.
struct AnnotatedImage {
    const AnnotatedSource* source = nullptr;
    std::string name;  // relative path: that of the image, or "a.mp4.frames/frame_000012.png"
    std::int64_t frame = 0;
    DetectionLabels labels;
};

// Not thread-safe. After an error, it must be destroyed.
class AnnotationWriter {
public:
    AnnotationWriter() = default;
    AnnotationWriter(const AnnotationWriter&) = delete;
    AnnotationWriter& operator=(const AnnotationWriter&) = delete;
    virtual ~AnnotationWriter() = default;

    // Number of times that all images are passed to add, in the same order.
    [[nodiscard]] virtual int passes() const { return 1; }
    // pass: from 0. Throws Error(input) if a file cannot be written.
    virtual void add(const AnnotatedImage& image, int pass) = 0;
    // Writes the rest. Throws Error(input).
    virtual void finish() = 0;
};

// path: a file, which appears when it is finished, or an empty folder. classes: the name of the class of all boxes; or
// two, of people and of faces (not WIDER FACE, nor the detections of MOT).
[[nodiscard]] std::unique_ptr<AnnotationWriter> make_annotation_writer(AnnotationFormat format, const std::string& path,
                                                                       std::vector<std::string> classes);

}  // namespace throng
