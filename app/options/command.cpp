#include "app/options/command.h"
