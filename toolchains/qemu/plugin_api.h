// The version of QEMU's plugin interface that a plugin built here asks for: QEMU 10.0 takes 2 to 4.

#pragma once

#define QEMU_PLUGIN_VERSION 4
