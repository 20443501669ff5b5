// Draws an overlay plan with a QPainter, for Qt's software renderer, which does not draw custom geometry.
#pragma once

#include <QPainter>

#include "ui/render/overlay_plan.h"

namespace throng::ui {

// The painter must use the plan's coordinates. May be called on any thread if the painter draws on an image.
void paint_overlay(QPainter& painter, const OverlayPlan& plan);

}  // namespace throng::ui
