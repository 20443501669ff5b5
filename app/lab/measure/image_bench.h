// Shared by the measurements of a detector on one image: the image, the detector with its buffers, the options and the
// run of the commands, and the count of boxes that two detectors have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/lab/measure/bench_run.h"
#include "app/options/command.h"
#include "app/options/detection_options.h"
#include "core/detect/backend.h"
#include "core/detect/nms.h"

namespace throng {

struct BenchImage {
    Frame frame;
    std::string source;  // the file name, or a description of the drawn image
};

// Returns the first image of a file. Throws what open_source throws, and Error(input) if the file has no image.
[[nodiscard]] BenchImage first_image(const std::string& file);

// Returns a drawn crowd. size: "WxH"; faces below 0: the default of CrowdOptions. Throws Error(usage).
[[nodiscard]] BenchImage drawn_image(const std::string& size, int faces = -1);

// Returns a view of the luma plane or, without one, of the BGR pixels. The frame must be in host memory and outlive it.
[[nodiscard]] cv::Mat luma_or_bgr(const Frame& frame);
// Returns the gray image: the same view, or the converted BGR pixels.
[[nodiscard]] cv::Mat gray_of(const Frame& frame);

// Returns the selected backend and, where --backend auto selected a GPU, also the CPU.
[[nodiscard]] std::vector<std::shared_ptr<Backend>> backends_to_compare(const CommonOptions& common,
                                                                        const DetectorParams& detector);

// Returns "cpu: DESCRIPTION\n" per backend.
[[nodiscard]] std::string describe(const std::vector<std::shared_ptr<Backend>>& backends);
// Returns the same as a JSON object.
[[nodiscard]] nlohmann::ordered_json devices_json(const std::vector<std::shared_ptr<Backend>>& backends);

// A detector of one backend with its buffers and, optionally, suppression.
class DetectorRun {
public:
    // nms: null for raw detections only; otherwise the buffers have the program's default capacity.
    DetectorRun(const std::shared_ptr<Backend>& backend, const DetectorParams& params, const NmsParams* nms = nullptr);

    // From the frame to boxes on the host: kept ones with suppression, otherwise raw ones.
    void run(const Frame& frame);
    // Ends the frame and returns its stage times.
    [[nodiscard]] StageTimes stages() { return recorder_->end_frame(); }
    // Returns a case that refers to this object and to the frame. Both must outlive it and must not be moved.
    [[nodiscard]] BenchCase bench_case(const Frame& frame);

    [[nodiscard]] const Detector& detector() const { return *detector_; }
    [[nodiscard]] const DetectionSet& found() const { return found_; }  // of the last run
    [[nodiscard]] std::int64_t raw_count() const;                       // of the last run

private:
    std::shared_ptr<Backend> backend_;
    std::unique_ptr<Detector> detector_;
    std::unique_ptr<StageRecorder> recorder_;
    std::optional<NmsParams> params_;
    std::unique_ptr<Nms> nms_;
    DetectionBuffer raw_, kept_;
    DetectionSet found_;
};

// A row of results: the detector's parameters under a name.
struct DetectorSetting {
    std::string name;
    DetectorParams params;
    std::string size{};  // of the drawn crowd; empty: that of the arguments
};

struct ImageBenchArguments {
    std::string image;  // file; empty: a drawn crowd
    std::string size;
    int faces = -1;  // below 0: the default of CrowdOptions
    DetectionOptions detection;
    DetectorParams detector;   // of `detection`, when the command runs
    bool one_setting = false;  // detector options were given; otherwise the standard settings are measured
    bool ablation = false;
    BenchOptions bench;
};

// Adds --image, --size, --ablation, the options of the detector and those of add_bench_options.
void add_image_bench_options(CLI::App& command, ImageBenchArguments& arguments);

// The run of a command that measures settings of a detector on one image, and its ablation.
class ImageBench {
public:
    ImageBench(const ImageBenchArguments& arguments, const CommonOptions& common, const std::string& label,
               std::vector<std::shared_ptr<Backend>> backends);
    virtual ~ImageBench() = default;

    // Returns the exit status.
    int run(const std::vector<DetectorSetting>& settings);

protected:
    // Measures one setting and adds its rows to results().
    virtual void measure(const DetectorSetting& setting) = 0;

    [[nodiscard]] bool compares() const { return !arguments_.bench.no_baselines; }
    // As throng::measure_interleaved, with the repetitions of the command.
    void measure_in_turn(std::vector<BenchCase>& cases, const DetectorSetting& setting);
    void add_note(const std::string& note) { notes_ = note; }  // replaces the previous one
    // Names the model in the heading and in the JSON object.
    void set_model(const std::string& title, const std::string& path);

    const ImageBenchArguments& arguments_;
    const std::vector<std::shared_ptr<Backend>> backends_;
    BenchRun bench_;
    BenchImage image_;  // of the current setting
    ResultList results_;

private:
    void read_image(const std::string& size);

    const CommonOptions& common_;
    std::string model_title_;
    std::optional<std::string> model_;
    std::string notes_;
};

// Returns the number of boxes that two detectors have in common. Compares boxes in whole pixels; the coordinates of
// `ours` are truncated. A box that occurs several times counts as often as it occurs in both.
[[nodiscard]] std::int64_t common_boxes(const DetectionSet& ours, std::vector<cv::Rect> theirs);

}  // namespace throng
