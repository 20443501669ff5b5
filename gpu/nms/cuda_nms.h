// Non-maximum suppression on a CUDA device: chooses the kernels for the parameters and owns their scratch memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/nms.h"
#include "core/detect/nms_profiling.h"
#include "gpu/nms/expected_count.h"
#include "gpu/nms/grid_nms.h"
#include "gpu/nms/matrix_nms.h"
#include "gpu/nms/merge.h"
#include "gpu/nms/nms_task.h"
#include "gpu/nms/pair_gate.h"
#include "gpu/nms/paper_nms.h"
#include "gpu/nms/soft_nms.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// In addition to the names of core/detect/stage.h.
namespace stage_name {
inline constexpr std::string_view kNmsCompact = "nms_compact";  // after the paper's kernels: order and hits
inline constexpr std::string_view kNmsMerge = "nms_merge";
}  // namespace stage_name

// Selects the engine of the rules one-pass and greedy. Both give the same result for any number of detections. choose
// is for normal use, the others are for tests and measurements; matrix applies up to kMatrixLimit detections.
enum class FastEngine { choose, matrix, grid };

class CudaNms final : public Nms, public NmsProfiling {
public:
    // Enqueues on stream, which must outlive this object and belong to the device. expected: number of detections to
    // expect while recent_count() is unknown; null: unknown. It only makes a call faster: the launches are sized for it,
    // and the faster engine is chosen by it. A graph keeps the choice of its capture.
    CudaNms(const DeviceInfo& device, StreamView stream, FastEngine engine = FastEngine::choose,
            std::shared_ptr<const ExpectedCount> expected = nullptr);

    void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                 StageRecorder& recorder) override {
        run(raw, kept, params, recorder, nullptr);
    }

    // Receives the number of detections in recent frames of this object from their readback.
    [[nodiscard]] const std::shared_ptr<ExpectedCount>& recent_count() const { return recent_; }

    // Prepares for these buffers. Returns a number for what enqueue launches then: equal numbers, equal launches, if the
    // buffers are the same. Other objects return other numbers.
    [[nodiscard]] std::uint64_t prepare_launches(const DetectionBuffer& raw, const DetectionBuffer& kept,
                                                 const NmsParams& params);

    // Restricts the pairs of later calls. Not with merge, the paper's kernels, or Soft-NMS with a negative score_min.
    void set_gate(const PairGate& gate) { gate_ = gate; }

    // Allocates what enqueue needs for buffers of these capacities, so that enqueue can be captured in a graph. Throws
    // Error(unavailable) with the sizes if there is not enough memory; afterwards smaller buffers still work.
    // to_clear, if not null: receives words that the caller must set to 0 before the first enqueue. Otherwise this
    // object enqueues it.
    void prepare(std::int32_t raw_capacity, std::int32_t kept_capacity, const NmsParams& params,
                 ClearedWords* to_clear = nullptr);

    // Available after replay(), which counts the tests in a separate run; for the matrix engine those of the
    // map stage.
    [[nodiscard]] std::optional<std::uint64_t> pair_tests() const override { return pair_tests_; }
    [[nodiscard]] std::vector<double> replay(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                                             int repeats) override;

private:
    // What the launches depend on, apart from the buffers.
    struct Launches {
        NmsParams params;
        std::int32_t size;
        bool matrix;
        std::uint64_t memory;

        friend bool operator==(const Launches&, const Launches&) = default;
    };

    // Number of detections that a frame in a buffer of that capacity probably has.
    [[nodiscard]] std::int32_t expected_count(std::int32_t capacity) const;
    // Number of detections that launches are sized for.
    [[nodiscard]] std::int32_t sized_for(std::int32_t capacity);
    [[nodiscard]] bool uses_matrix(std::int32_t capacity) const;
    void allocate(const NmsParams& params, ClearedWords* to_clear);
    void release() noexcept;
    [[nodiscard]] std::uint64_t count_pair_tests(const DetectionBuffer& raw, DetectionBuffer& kept,
                                                 const NmsParams& params);
    // d_tests: as in NmsTask.
    void run(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params, StageRecorder& recorder,
             unsigned long long* d_tests);
    void run_fast(NmsTask task, const NmsRuleSet& rules, StageRecorder& recorder);

    DeviceInfo device_;
    StreamView stream_;
    FastEngine engine_;
    PairGate gate_;
    std::shared_ptr<const ExpectedCount> expected_;
    std::shared_ptr<ExpectedCount> recent_ = std::make_shared<ExpectedCount>();
    std::int32_t raw_capacity_ = 0;  // capacity of the scratch below
    std::int32_t kept_capacity_ = 0;
    std::optional<MatrixNms> matrix_;
    std::optional<GridNms> grid_;
    std::optional<SoftNms> soft_;
    std::optional<PaperNms> paper_;
    std::optional<MergeBoxes> merge_;
    DeviceBuffer<std::int32_t> owner_;
    std::optional<std::uint64_t> pair_tests_;
    std::int32_t size_ = 0;
    std::uint64_t memory_ = 0;                                  // changes with the scratch
    std::vector<std::pair<Launches, std::uint64_t>> launches_;  // with their numbers, the oldest first
};

}  // namespace throng::gpu
