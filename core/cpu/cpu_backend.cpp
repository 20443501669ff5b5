#include "core/cpu/cpu_backend.h"
