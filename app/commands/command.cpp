#include "app/commands/command.h"
