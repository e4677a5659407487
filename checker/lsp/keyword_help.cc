#include "checker/lsp/keyword_help.h"

namespace cmc::lsp {
namespace {

constexpr Keyword kKeywords[] = {
    {"active", "`active [N] proctype P()`: N processes of P (one, if N is left out) run from the start.", nullptr},
    {"assert", "`assert(e)`: an error if e is 0. It can always be executed.", "assert(${1:condition})"},
    {"atomic", "`atomic { ... }`: no other process takes a step in between, unless a statement inside has to wait.",
     "atomic {\n\t$0\n}"},
    {"bit", "A variable of 0 or 1.", nullptr},
    {"bool", "A variable of 0 (`false`) or 1 (`true`).", nullptr},
    {"break", "Leaves the innermost `do` or `for`.", nullptr},
    {"byte", "A variable of 0 to 255; a larger value loses its upper bits.", nullptr},
    {"c_code", "Embedded C. CMC does not run it.", nullptr},
    {"c_decl", "Embedded C. CMC does not run it.", nullptr},
    {"c_expr", "Embedded C. CMC does not run it.", nullptr},
    {"c_state", "Embedded C. CMC does not run it.", nullptr},
    {"c_track", "Embedded C. CMC does not run it.", nullptr},
    {"chan", "`chan c = [N] of { TYPES }`: a channel for N messages; with N = 0 sender and receiver meet.",
     "chan ${1:name} = [${2:1}] of { ${3:byte} }"},
    {"D_proctype", "A process type of which CMC, as SPIN, reports choices between several statements.", nullptr},
    {"d_step",
     "`d_step { ... }`: one step, whatever is inside. The first of several choices is taken; to wait inside is an "
     "error.",
     "d_step {\n\t$0\n}"},
    {"do", "`do :: ... od`: repeats one of the options that can be executed, until `break` or `goto`.",
     "do\n:: $0\nod"},
    {"else", "The option that can be executed when no other one of its `if` or `do` can.", nullptr},
    {"empty", "`empty(c)`: whether the channel has no message.", "empty(${1:channel})"},
    {"enabled", "`enabled(pid)`: whether that process can take a step. In claims only.", nullptr},
    {"eval", "`c ? eval(e)`: receives a message only if it has the value of e there.", "eval(${1:expression})"},
    {"false", "0.", nullptr},
    {"fi", "Ends an `if`.", nullptr},
    {"for", "`for (i : 1 .. 5) { ... }`, or `for (i in array)`: a loop.",
     "for (${1:i} : ${2:1} .. ${3:5}) {\n\t$0\n}"},
    {"full", "`full(c)`: whether the channel has no room for a message.", "full(${1:channel})"},
    {"get_priority", "`get_priority(pid)`: the priority of a process.", nullptr},
    {"goto", "Goes on at a label of the same process type.", nullptr},
    {"hidden", "A variable that is no part of the state.", nullptr},
    {"if", "`if :: ... fi`: one of the options that can be executed. If none can, the process waits.",
     "if\n:: $1\n:: else$0\nfi"},
    {"in", "`for (i in array)`, `for (message in channel)`.", nullptr},
    {"init", "The process that is there from the start, once.", "init {\n\t$0\n}"},
    {"inline",
     "`inline name(parameters) { ... }`: its text stands in place of a call, with the arguments as they are written.",
     "inline ${1:name}(${2:parameters}) {\n\t$0\n}"},
    {"int", "A variable of 32 bits, with sign.", nullptr},
    {"len", "`len(c)`: how many messages the channel has.", "len(${1:channel})"},
    {"local", "A variable that only one process uses, whatever the text looks like.", nullptr},
    {"ltl",
     "`ltl name { formula }`: every run is to satisfy it. `[]` always, `<>` eventually, `U` until, `W` weak until, "
     "`V` release, `X` next.",
     "ltl ${1:name} { [] ($0) }"},
    {"mtype", "`mtype = { a, b }` declares symbolic values; `mtype x` is a variable of them.", "mtype = { $0 }"},
    {"nempty", "`nempty(c)`: whether the channel has a message.", "nempty(${1:channel})"},
    {"never",
     "`never { ... }`: what must not happen. A run that the claim can follow to its end, or through accepting labels "
     "for ever, is an error.",
     nullptr},
    {"nfull", "`nfull(c)`: whether the channel has room for a message.", "nfull(${1:channel})"},
    {"notrace", "Sends and receives that must not happen in this order.", nullptr},
    {"np_", "Whether no process is at a label that begins with `progress`.", nullptr},
    {"od", "Ends a `do`.", nullptr},
    {"of", "`chan c = [N] of { TYPES }`.", nullptr},
    {"pc_value", "`pc_value(pid)`: the number of the state that a process is in.", nullptr},
    {"pid", "A variable for the number of a process: 0 to 255.", nullptr},
    {"printf", "Prints when a run is simulated or shown; it can always be executed.", "printf(\"$0\\\\n\")"},
    {"printm", "Prints the name of an mtype.", nullptr},
    {"priority", "`run P() priority 2`: a process with a lower one waits while this one can take a step.", nullptr},
    {"proctype", "`proctype P(byte x) { ... }`: a type of processes. `run P(1)` starts one.",
     "proctype ${1:Name}(${2}) {\n\t$0\n}"},
    {"provided", "`proctype P() provided (e)`: its processes take steps only while e is not 0.", nullptr},
    {"return", "The result of an inline that stands behind `=`.", nullptr},
    {"run", "`run P(1)`: starts a process; its value is the process's number, or 0 if there are too many.", nullptr},
    {"select", "`select (x : 1 .. 5)`: x gets any of these values.", "select (${1:x} : ${2:0} .. ${3:5})"},
    {"set_priority", "`set_priority(pid, n)`.", nullptr},
    {"short", "A variable of 16 bits, with sign.", nullptr},
    {"show", "A variable whose changes simulations show.", nullptr},
    {"skip", "1: a statement that can always be executed and does nothing.", nullptr},
    {"timeout", "Whether no process can take another step.", nullptr},
    {"trace", "The order in which sends and receives have to happen.", nullptr},
    {"true", "1.", nullptr},
    {"typedef", "`typedef T { byte a; int b[3] }`: a structure.", "typedef ${1:Name} {\n\t$0\n}"},
    {"unless", "`{ a } unless { b }`: goes on with b as soon as its first statement can be executed.", nullptr},
    {"unsigned", "`unsigned x : 5`: a variable of so many bits.", nullptr},
    {"xr",
     "`xr c`: only this process receives from the channel. It helps the reduction; CMC reports where it is wrong.",
     nullptr},
    {"xs", "`xs c`: only this process sends to the channel. It helps the reduction; CMC reports where it is wrong.",
     nullptr},
    {"_pid", "The number of this process.", nullptr},
    {"_nr_pr", "How many processes there are.", nullptr},
    {"_last", "The process that took the last step.", nullptr},
    {"_priority", "The priority of this process.", nullptr},
};

}  // namespace

std::span<const Keyword> keywords() { return kKeywords; }

const char* keyword_help(std::string_view word) {
  for (const Keyword& keyword : kKeywords) {
    if (word == keyword.word) return keyword.help;
  }
  return nullptr;
}

}  // namespace cmc::lsp
