// Score thresholds that networks have of their own, by family of model. A score is a probability.
#pragma once

namespace throng {

inline constexpr float kYuNetThreshold = 0.792F;
inline constexpr float kUltraFaceThreshold = 0.995F;  // most scores are close to 0 or 1
inline constexpr float kRetinaFaceThreshold = 0.825F;
inline constexpr float kYoloxThreshold = 0.3F;  // of its authors' demonstration

}  // namespace throng
