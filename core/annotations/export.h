// Converts the results of `throng detect` to annotations in the formats of other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/annotations/annotation_writer.h"

namespace throng {

struct ExportOptions {
    AnnotationFormat format = AnnotationFormat::coco;
    // Name of the class of all boxes; of the faces beside the class "person". Empty: what the detector finds.
    std::string label{};
};

struct ExportTotals {
    std::size_t sources = 0;
    std::int64_t images = 0;
    std::int64_t boxes = 0;
    std::set<std::string> left_out;  // what the images have and the format cannot hold: "scores", "landmarks"
};

// results: files of JSON lines, as `--json` writes them; each is read two or three times. out: a file, which appears when
// it is complete, or a folder, which must be missing or empty. Formats that hold tracks get the tracks of results that
// have them; otherwise the detections are written. Boxes are clipped to the image.
//
// A source with one frame is an image. Names are relative to the folder that holds all sources; the frames of a video
// are "clip.mp4.frames/frame_000012.png".
//
// Throws Error(usage) if `out` is a folder with files, or the format cannot hold what the results are: CVAT has the tracks
// of one video, Darknet and VOC one file per name without extension, WIDER FACE and the detections of MOT have one class.
// Throws Error(input) with file and line for damaged results, for a frame that is there twice and for one without a size,
// without a label for detectors that find different classes, and if an output cannot be written; nothing is left of it
// then. Throws Error(interrupted) after a stop request.
ExportTotals export_annotations(const std::vector<std::filesystem::path>& results, const std::string& out,
                                const ExportOptions& options, const std::stop_token& stop);

}  // namespace throng
