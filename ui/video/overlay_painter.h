// Draws an overlay plan with a painter: the way for Qt's software renderer, which leaves custom geometry out.
#pragma once

#include <QPainter>

#include "ui/video/overlay_plan.h"

namespace throng::ui {

// The painter's coordinates must be the plan's. Works on any thread, on an image.
void paint_overlay(QPainter& painter, const OverlayPlan& plan);

}  // namespace throng::ui
