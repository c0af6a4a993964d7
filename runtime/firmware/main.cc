// The main program that a firmware has unless it brings its own.

#include "runtime/firmware/harness.h"

int main() { return kindling::run_harness(kindling::kFirmwareModel); }
