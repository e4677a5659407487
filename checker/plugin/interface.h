#pragma once

#include <stdint.h>

/*
 * The C interface between CMC and a plug-in: hand-written successors of one model, a shared object in C or C++.
 *
 *     cmc info --plugin-header MODEL > model.h       the model's layout as constants, and which text they are of
 *     c++ -std=c++20 -O2 -shared -fPIC -I. -Ichecker/plugin -o flat.so studies/xtp/plugin/flat.cc
 *     cmc check --generator plugin:flat.so --check-generator MODEL
 *
 * The object exports `const struct CmcPlugin* cmc_plugin(void)`. CMC calls process_successors from several threads,
 * each with an expansion of its own; it must keep nothing between calls. What a plug-in need not know (errors of the
 * model, rare cases) it leaves to CMC with CMC_PLUGIN_ASK.
 */

#define CMC_PLUGIN_VERSION 1u

enum {
  CMC_PLUGIN_BLOCKED = 0, /* the process can do nothing */
  CMC_PLUGIN_MOVES = 1,   /* its successors are there */
  CMC_PLUGIN_ASK = 2      /* CMC computes them; what is there does not count */
};

/* A state of which the successors by one process are asked for. State vectors are described at the top of ir/model.h;
   between steps nobody holds atomicity. */
struct CmcExpansion {
  const uint8_t* state;
  uint32_t size; /* bytes */
  uint32_t process_count;
  const uint32_t* frames; /* by pid: offset of the frame */
  uint32_t pid;           /* whose steps are asked for */
  uint8_t timeout;        /* value of `timeout` */

  /* Begins the next successor: a copy of the state, for the plug-in to change. An atomic sequence is one step, with
     all its ends, in the order of SPIN. The address is valid until the next call. */
  uint8_t* (*successor)(struct CmcExpansion* expansion);
  /* Says that the answer depends on the variable or channel at this offset, or that it changes it; an offset within
     the first four bytes of a frame stands for what process is there and where it stands. A plug-in that calls this
     at all calls it for everything, also if it returns CMC_PLUGIN_BLOCKED: then CMC can remember the answer for other
     states. If it is not called, everything matters. */
  void (*touch)(struct CmcExpansion* expansion, uint32_t offset);
};

struct CmcPlugin {
  uint32_t version;  /* CMC_PLUGIN_VERSION */
  const char* model; /* CMC_MODEL_SHA1 of the header that it was compiled with */
  int (*process_successors)(struct CmcExpansion* expansion);
};

#define CMC_PLUGIN_ENTRY "cmc_plugin"
