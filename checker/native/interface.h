#pragma once

#include <stdint.h>

/*
 * The C interface between CMC and the native code of a model, a shared object that is compiled from generated C
 * (source.h). The same text is part of each generated source, so that nothing but a C compiler is needed to build it.
 *
 * A model's object exports one function, cmc_native_model(), which returns tables of functions. Each function does
 * what the Machine concept (checker/generator/machine.h) asks of it for one statement or expression, in the state
 * that a CmcCall describes: the same values, the same errors in the same order. A null function means "ask the VM".
 * If the call is traced, it calls `touch` for each scalar, channel and frame that it reads or writes, in the order in
 * which the VM does.
 *
 * State vectors are described at the top of ir/model.h. Numbers of statements and expressions are those of the
 * model's arenas. Functions keep nothing between calls, so threads may share an object as long as each has a CmcCall.
 *
 * Whoever changes anything here raises CMC_NATIVE_VERSION.
 */

#define CMC_NATIVE_VERSION 2u

/* What functions return. A condition, a buffered send or a statement that was executed is CMC_EXECUTABLE. */
enum {
  CMC_BLOCKED = 0,
  CMC_EXECUTABLE = 1,
  CMC_RENDEZVOUS = 2, /* test: a send on a rendezvous channel, or a receive that takes the message under way */
  CMC_FAULT = 3       /* an error was reported that prevents the step */
};

/* Errors of a model (RuntimeErrorKind, checker/generator/generator.h). After the first two a step goes on. */
enum {
  CMC_ASSERTION = 0,
  CMC_MESSAGE_FIELDS = 1,
  CMC_INDEX_OUT_OF_BOUNDS = 2,
  CMC_DIVISION_BY_ZERO = 3,
  CMC_UNINITIALIZED_CHANNEL = 4,
  CMC_RENDEZVOUS_POLLED = 5,
  CMC_ATOMIC_BLOCK_BLOCKS = 7,
  CMC_ENDLESS_ATOMIC_BLOCK = 8,
  CMC_PRIORITY_RANGE = 11
};

/* Where a channel is. */
struct CmcChannel {
  uint32_t offset; /* of its contents, in the state vector */
  uint32_t type;   /* number of its type */
};

/* A call of a function. CMC fills it in; the function writes only what is said to be its own. */
struct CmcCall {
  uint8_t* state;                    /* the state vector; only `execute` writes to it */
  const uint32_t* frames;            /* by pid: the offset of each frame in the state vector */
  uint8_t* frame;                    /* of the own process, in the state vector; not behind `state`: one load of both,
                                        which were just stored one by one, would have to wait */
  const struct CmcChannel* channels; /* by id; [0] is no channel */
  uint32_t process_count;
  uint32_t channel_count; /* ids 1..channel_count exist */
  uint32_t statement;     /* that errors are about; a d_step's function changes it */
  uint32_t rendezvous;    /* id of the channel of the message under way; 0: none is */
  const int32_t* message; /* its values */
  uint32_t message_count;
  uint32_t sent_channel; /* the results of `message`: the channel's id, */
  uint32_t sent_count;   /* the number of values, */
  int32_t* sent;         /* and the values; there is room for as many as the largest message of the model has */
  uint8_t pid;           /* of the own process; 0 for a claim */
  uint8_t timeout;       /* value of `timeout` */
  uint8_t earlier;       /* an earlier edge of this process was executable */
  uint8_t traced;        /* touch is to be called */
  void (*fault)(struct CmcCall* call, uint32_t kind, int32_t value); /* reports an error */
  void (*touch)(const struct CmcCall* call, const uint8_t* at);      /* notes that the value at `at` matters */
};

typedef int (*CmcFunction)(struct CmcCall* call, const uint32_t* constants);
typedef int (*CmcEvaluate)(struct CmcCall* call, int32_t* value, const uint32_t* constants);

/* Of a location without `unless`: one bit for each of its edges, in their order, that is clear if the edge is
 * blocked; in `certain` those whose bit is right if it is set, too. Reports no error and notes nothing: an edge whose
 * test has an error is one that is not known. */
typedef uint64_t (*CmcSelect)(struct CmcCall* call, uint64_t* certain);

/* What is called for a statement. Statements that differ in constants only share functions; so a call is given the
 * statement's own constants. */
struct CmcCode {
  CmcFunction function;
  const uint32_t* constants;
};

struct CmcStatement {
  struct CmcCode test;    /* is it executable? */
  struct CmcCode execute; /* REQUIRES: a test in the same state was CMC_EXECUTABLE or, of a receive, CMC_RENDEZVOUS */
  struct CmcCode message; /* of a send whose test was CMC_RENDEZVOUS: what it offers */
};

/* Likewise. */
struct CmcExpression {
  CmcEvaluate evaluate;
  const uint32_t* constants;
};

struct CmcModel {
  uint32_t version;   /* CMC_NATIVE_VERSION */
  const char* source; /* SHA-1 of the C source without what quotes the model, as 40 hexadecimal digits */
  uint32_t statement_count;
  uint32_t expression_count;
  uint32_t proctype_count;
  uint32_t longest_message;                /* values in the largest message */
  const struct CmcStatement* statements;   /* by number */
  const struct CmcExpression* expressions; /* by number */
  const CmcSelect* const* selections;      /* by proctype and location */
};

/* The name of the one function that an object exports, and its type. */
#define CMC_NATIVE_ENTRY "cmc_native_model"
typedef const struct CmcModel* (*CmcEntry)(void);
