// Frames that are replayed as graphs, from the detector to the readback, give what the same launches give.
#include <array>
#include <random>
#include <tuple>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "core/detect/null_recorder.h"
#include "core/detect/stage.h"
#include "core/model/onnx.pb.h"
#include "gpu/backend.h"
#include "gpu/lab/ablation.h"
#include "tests/gpu/pipeline/runs.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/random.h"
#include "tests/support/video_files.h"

namespace throng::test {
namespace {

class FrameReplay : public CrowdTest {};

constexpr std::int32_t kReplayCapacities[] = {4096, 6000, 20000};  // more than any of these frames needs

// One of two backends that get the same frames, with two frames in flight.
struct ReplaySide {
    ReplaySide(const DetectorParams& params, const char* graph) : backend(make_cuda_backend()) {
        DetectorParams chosen = params;
        chosen.switches["graph"] = graph;
        detector = backend->make_detector(chosen);
        nms = backend->make_nms();
        recorder = backend->make_recorder();
        for (auto& slot : slots) {
            slot.readback = backend->make_readback();
            resize(slot, kReplayCapacities[0]);
        }
    }
    struct Slot {
        DetectionBuffer raw, kept;
        std::unique_ptr<FrameReadback> readback;
        Frame frame;
    };
    void resize(Slot& slot, std::int32_t capacity) const {
        slot.raw = backend->make_buffer(capacity, detector->optional_fields());
        slot.kept = backend->make_buffer(capacity, detector->optional_fields());
    }
    void submit(std::size_t at, const Frame& frame, const NmsParams& params, bool raw_boxes, bool measured) {
        Slot& slot = slots[at];
        slot.frame = frame;
        NullRecorder none;
        backend->enqueue_frame({*detector, *nms, *slot.readback, slot.frame, slot.raw, slot.kept, params, {raw_boxes}},
                               measured ? *recorder : static_cast<StageRecorder&>(none));
        if (measured) static_cast<void>(recorder->end_frame());
    }

    // Lets the detector have the memory for candidates that the frame needs.
    void reserve_for(const Frame& frame) {
        DetectionSet raw, kept;
        do {
            submit(0, frame, {}, false, false);
            slots[0].readback->finish(raw, kept, slots[0].frame);
        } while (detector->reserve(raw.candidates));
    }

    std::shared_ptr<Backend> backend;
    std::unique_ptr<Detector> detector;
    std::unique_ptr<Nms> nms;
    std::unique_ptr<StageRecorder> recorder;
    std::array<Slot, 2> slots;
};

using ReplayBox = std::tuple<float, float, float, float, float, std::int32_t>;

// kept: in order; raw detections have none.
std::vector<ReplayBox> replay_boxes(const DetectionSet& set, bool kept) {
    std::vector<ReplayBox> boxes;
    for (const Detection& d : set.detections)
        boxes.emplace_back(d.box.x, d.box.y, d.box.w, d.box.h, d.score, kept ? d.hits : 0);
    if (!kept) std::sort(boxes.begin(), boxes.end());
    return boxes;
}

TEST_F(FrameReplay, EqualsTheLaunches) {
    std::vector<DetectorParams> kinds(3);
    kinds[0].kind = DetectorId::haar;
    kinds[0].model = crowd_model()->string();
    kinds[1].kind = DetectorId::hog;
    kinds[1].score_threshold = -1.0F;
    const ScratchDir folder;
    kinds[2].kind = DetectorId::cnn;
    kinds[2].model = (folder.path() / "faces.onnx").string();
    const std::string network = bytes_of(yunet_of_faces_everywhere());
    write_file(kinds[2].model, {network.begin(), network.end()});
    std::vector<NmsParams> rules(4);
    rules[0].overlap = Overlap::min;
    rules[1].rule = NmsRule::one_pass;
    rules[1].min_hits = 2;
    rules[2].theta = 0.6F;
    rules[2].merge = Merge::mean;
    rules[3].rule = NmsRule::soft_linear;
    std::mt19937_64 random(seed(81));
    for (const DetectorParams& params : kinds) {
        std::vector<Frame> frames;
        for (const auto& [width, height, faces] : {std::tuple{320, 240, 4}, {320, 240, 40}, {322, 246, 12}}) {
            CrowdOptions options;
            options.width = width;
            options.height = height;
            options.faces = faces;
            frames.push_back(gpu::device_frame(Crowd(options).frame(0), view()));
        }
        ReplaySide launched(params, "off");
        ReplaySide replayed(params, "on");
        for (const Frame& each : frames) {
            launched.reserve_for(each);
            replayed.reserve_for(each);
        }
        std::array<bool, 2> raw_boxes{};
        std::size_t found = 0;
        const auto compare = [&](std::size_t slot) {
            std::array<std::vector<ReplayBox>, 4> sets;
            std::size_t next = 0;
            for (ReplaySide* side : {&launched, &replayed}) {
                DetectionSet raw;
                DetectionSet kept;
                side->slots[slot].readback->finish(raw, kept, side->slots[slot].frame);
                sets[next++] = replay_boxes(raw, false);
                sets[next++] = replay_boxes(kept, true);
                found += raw.total;
            }
            ASSERT_EQ(sets[0], sets[2]) << detector_kind(params.kind).name;
            ASSERT_EQ(sets[1], sets[3]) << detector_kind(params.kind).name;
        };
        std::size_t frame = 0;
        NmsParams nms = rules[0];
        for (std::size_t turn = 0; turn < 120; ++turn) {
            const std::size_t slot = turn % 2;
            if (turn >= 2) compare(slot);
            if (HasFatalFailure()) return;
            // Runs of equal calls, which are replayed, and every change between them.
            if (random() % 8 == 0) frame = random() % frames.size();
            if (random() % 12 == 0) nms = rules[random() % rules.size()];
            raw_boxes[slot] = random() % 16 == 0;
            const bool measured = random() % 10 == 0;
            const bool resized = random() % 20 == 0;
            const std::int32_t capacity = kReplayCapacities[random() % std::size(kReplayCapacities)];
            for (ReplaySide* side : {&launched, &replayed}) {
                if (resized) side->resize(side->slots[slot], capacity);
                side->submit(slot, frames[frame], nms, raw_boxes[slot], measured);
            }
        }
        EXPECT_GT(found, 100U) << detector_kind(params.kind).name;
    }
}

}  // namespace
}  // namespace throng::test
