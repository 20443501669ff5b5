// Brings the results of the open source to the parts of the window, and what they need to its pipeline.
#pragma once

#include <cstdint>
#include <memory>

#include "core/pipeline/pipeline.h"

namespace throng::ui {

// Lists what the parts of the window need besides the user's settings.
struct PipelineNeeds {
    bool raw = false;            // all raw detections
    bool measures = false;       // the configured detection, unchanged: no boxes of an earlier frame, no other sizes
    bool fixed_sizes = false;    // the configured ones, however slow
    bool same_detector = false;  // only the user changes it
    bool results = false;        // also while nobody sees the window
    bool hidden_faces = false;   // of outputs, whatever is on screen
    bool host_pixels = false;
    DetectorId hides_by = DetectorId::haar;  // see SessionSetup

    friend bool operator==(const PipelineNeeds&, const PipelineNeeds&) = default;
};

// Describes what is on screen, or about to be.
struct RunFrame {
    std::shared_ptr<const FrameResult> result;  // the newest one; null: none yet
    const Pipeline& pipeline;                   // of the open source
    PipelineSettings settings;                  // of the pipeline
    PipelineNeeds needs;                        // of all parts
    bool settled = false;                       // the pipeline has the requested settings
    std::uint64_t number = 0;                   // of the result: of those with times of their own, from 1
    bool playing = false;
    double duration = 0;  // of a file that can be played from any time, in seconds; 0: it cannot
};

// The functions are called on the window's thread, for all listeners in the order in which they were added.
class RunListener {
public:
    RunListener() = default;
    virtual ~RunListener() = default;
    RunListener(const RunListener&) = delete;
    RunListener& operator=(const RunListener&) = delete;

    // Another source. Null: there is none, and what belongs to the previous one is dropped.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those that override it keep the pipeline
    virtual void attach(std::shared_ptr<Pipeline>) {}
    virtual void detach() {}                                      // from a pipeline that goes on without the session
    virtual void on_result(const RunFrame&) {}                    // each new result, which is not null
    virtual void on_refresh(const RunFrame&) {}                   // eight times per second while the window is seen
    [[nodiscard]] virtual bool covered() const { return false; }  // it gets neither results nor refreshes

    // Changes are noticed after a result; otherwise the listener announces them.
    virtual void add_needs(PipelineNeeds&) const {}
    virtual void adjust(PipelineSettings&) const {}  // of the user
};

}  // namespace throng::ui
