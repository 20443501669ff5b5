#include "core/video/source.h"
