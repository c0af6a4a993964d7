/* QEMU TCG plugin: exact instruction counts of code regions, and where in them the instructions went.
 *
 *   -plugin count.so,out=FILE,region=NAME:BEGIN:END[,region=...][,profile=on]
 *
 * A region opens when the function at address BEGIN is entered and closes when the one at END is; both addresses are hexadecimal and
 * must start a translation block, as every called function does. FILE gets a line `NAME COUNT` each time a region closes, in the order
 * in which they close, and, with profile=on, a line `@ADDRESS COUNT` for every translation block that ran inside a region.
 *
 * Whole blocks are counted, which is exact as long as nothing leaves one half-way: no interrupts are enabled while regions are open.
 * No Debian package ships qemu-plugin.h, so the functions of its stable interface that this file needs are declared here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchains/qemu/plugin_api.h"

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { MAX_REGIONS = 8, NAME_BYTES = 32 };

struct region {
  char name[NAME_BYTES];
  uint64_t begin, end, count;
  int open;
};

struct block {
  uint64_t address, instructions, executions;
  struct block *next;
};

static struct region regions[MAX_REGIONS];
static int region_count;
static struct block *blocks;
static FILE *out;
static int profile;

static void on_block(unsigned cpu, void *data) {
  (void)cpu;
  struct block *block = data;
  for (struct region *r = regions; r < regions + region_count; ++r) {
    if (r->open && block->address == r->end) {
      fprintf(out, "%s %" PRIu64 "\n", r->name, r->count);
      r->open = 0;
    } else if (r->open) {
      r->count += block->instructions;
      block->executions++;
    } else if (block->address == r->begin) {
      r->open = 1;
      r->count = 0;
    }
  }
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb) {
  (void)id;
  struct block *block = malloc(sizeof *block);
  if (!block) abort();
  *block = (struct block){qemu_plugin_tb_vaddr(tb), qemu_plugin_tb_n_insns(tb), 0, blocks};
  blocks = block;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, block);
}

static void on_exit_of_qemu(plugin_id id, void *data) {
  (void)id;
  (void)data;
  for (struct block *b = blocks; profile && b; b = b->next) {
    if (b->executions) fprintf(out, "@%" PRIx64 " %" PRIu64 "\n", b->address, b->instructions * b->executions);
  }
  fclose(out);
}

static int add_region(const char *text) {
  struct region *r = &regions[region_count];
  if (region_count == MAX_REGIONS) return 0;
  if (sscanf(text, "%31[^:]:%" SCNx64 ":%" SCNx64, r->name, &r->begin, &r->end) != 3) return 0;
  ++region_count;
  return 1;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    int ok = 1;
    if (!strncmp(argv[i], "out=", 4)) out = fopen(argv[i] + 4, "w");
    else if (!strncmp(argv[i], "region=", 7)) ok = add_region(argv[i] + 7);
    else if (!strcmp(argv[i], "profile=on")) profile = 1;
    else ok = 0;
    if (!ok) {
      fprintf(stderr, "count_plugin: bad argument '%s'\n", argv[i]);
      return -1;
    }
  }
  if (!out) {
    fprintf(stderr, "count_plugin: out=FILE is missing or cannot be written\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
  return 0;
}
