#include "checker/cli/options/options.h"

namespace cmc {

namespace {

constexpr CommandRow kCommands[] = {
    {Command::kCheck, "check", "MODEL", "explore the reachable states and say whether the model is free of errors",
     "Reads a Promela model, explores the states that it can reach, and says: it holds (no assertion fails, no "
     "process gets stuck, nothing goes wrong at run time), it is violated (with a counterexample: the steps that "
     "lead to the error), or the search is incomplete (with every reason).",
     "cmc check model.pml\n"
     "cmc check -DN=4 --search bfs model.pml      a shortest counterexample\n"
     "cmc check --max-errors 0 --json model.pml   every error, as JSON\n"
     "cmc check --memory 8G --time 1h model.pml\n"
     "cmc check --trail bug.trail model.pml && echo fine"},
    {Command::kResume, "resume", "FOLDER", "go on with a search that `cmc check --checkpoint FOLDER` has saved",
     "Goes on from the last checkpoint. The model's text and all options are those that the check began with; only "
     "limits, threads and what is printed or written can be others. A time limit counts from now on.",
     "cmc check --checkpoint run --time 8h model.pml\n"
     "cmc resume run --time 8h"},
    {Command::kSimulate, "simulate", "MODEL", "run the model once, with random choices or with yours",
     "Runs the model once and prints each step and what the model prints. It proves nothing; it helps to get to "
     "know a model.",
     "cmc simulate --seed 7 model.pml\n"
     "cmc simulate --interactive --trace full model.pml\n"
     "cmc simulate -q --max-steps 0 model.pml     only what the model prints"},
    {Command::kExplore, "explore", "MODEL [TRAIL]", "walk through the model in a page of your browser",
     "Serves a page on this machine, for you alone, and prints its address. It shows a run of the model that you "
     "walk "
     "forwards and backwards: the source with where each process is, the steps, the state with what changed, what "
     "can be done next and where it leads. TRAIL, of CMC or SPIN, is the run at first. Keys do everything; ? lists "
     "them. It ends with Ctrl-C, when the page says so, or when the last page was closed.",
     "cmc explore model.pml\n"
     "cmc explore --open model.pml bug.trail\n"
     "cmc explore --property safety model.pml     the counterexample, step by step"},
    {Command::kReplay, "replay", "MODEL TRAIL", "show a counterexample again that `cmc check --trail` wrote",
     "Replays a trail step by step. Every step is checked against the model, so a trail of another model is "
     "refused and never misread. The -D, -U, -I and -J of the check are taken from the trail unless you give your "
     "own.",
     "cmc check --trail bug.trail model.pml\n"
     "cmc replay model.pml bug.trail --trace columns"},
    {Command::kInfo, "info", "MODEL", "say what is in the model: processes, variables, channels, state size",
     "Reads a model without running it and prints its processes, variables and channels, where they lie in the "
     "state vector, how large a state is, and which properties it states, with their names. Of a folder that "
     "`cmc check --checkpoint` made it says what is in it, and where `cmc resume` would go on.",
     "cmc info model.pml\n"
     "cmc info run                                what checkpoints are there\n"
     "cmc info --dump model.pml"},
    {Command::kProfile, "profile", "MODEL", "say which statements the time of a search goes to",
     "Checks a model, and counts for each statement and process type how often it was tried, executable, executed "
     "and newly computed, how long that took, and how many states were first reached through it. Everything is "
     "counted, so the search is slower than one without a profile. All options of check can be given. "
     "docs/profile.md says what the columns mean.",
     "cmc profile model.pml\n"
     "cmc profile --lines 0 --threads 1 model.pml     all statements\n"
     "cmc profile --profile-plot plots model.pml      a picture, plots/profile.svg\n"
     "cmc check --profile profile.json model.pml      a check with a profile"},
    {Command::kLog, "log", "FILE...", "show logs of searches side by side, check their arithmetic, draw plots",
     "Reads what `cmc check --log` and `cmc check --json` wrote, and the logs of CMC of 2006, and prints their "
     "figures side by side. Identities tie nearly every figure to others; below the table it says whether they "
     "hold. The course of a search is read from FILE.csv if there is one. A log whose search still runs, or was "
     "killed, says so.",
     "cmc check --log run.log model.pml\n"
     "cmc log run.log other.log\n"
     "cmc log --plot plots run.log"},
    {Command::kTune, "tune", "MODEL", "check with every combination of some options, and name the best",
     "Runs `cmc check` for every combination of options that are given as lists, several times if that takes "
     "seconds, in shuffled order, one run after the other, and compares time, memory and disk. All options of "
     "check but those about output can be given, and each as a list: 1M,64M or, whole numbers, 1..9; of a macro "
     "the values: -DN=2,3. Only runs that search for the same are compared, and what differs by less than the "
     "spread of the runs is called equal. Runs that fail are rows like the others. Ctrl-C ends the current run; "
     "the same command does the rest.",
     "cmc tune model.pml --threads 1,2,4 --memo 1M,16M,256M\n"
     "cmc tune model.pml -DN=3..6 --time 10m --best memory\n"
     "cmc tune model.pml --search dfs,bfs --dry-run"},
    {Command::kTest, "test", "[PATH...]", "check many models against what their texts say they expect",
     "Reads the `expect:` lines of models (docs/testing.md), each of which is a case: a verdict, kinds of errors, "
     "figures, options. Checks the cases, several at the same time, each in a process of its own, and compares. "
     "PATH is a model or a folder, whose files *.pml are taken, also those in its folders (default: the current "
     "one). A case that has no verdict (the model cannot be read, the line has an unknown word, the check crashed "
     "or was killed) is an error of this case only.",
     "cmc test models\n"
     "cmc test --slow too --jobs 4 models/leader models/lunar/lunar.pml\n"
     "cmc test --cache .verdicts --junit cmc.xml --sarif cmc.sarif models\n"
     "cmc test --annotations github --time 5m --kill-after 6m models"},
    {Command::kMutate, "mutate", "MODEL", "change the model in many small ways, and say which changes nobody notices",
     "Makes mutants: a statement is dropped, a guard negated, an operator or a constant replaced. Each is checked, "
     "with "
     "10 times the model's states and time as its budget. A mutant that no property kills shows what the properties "
     "do "
     "not say. Parts of formulas and assertions are made stronger, too: one that still holds says nothing there. "
     "docs/mutation.md explains the report. Properties that the model itself violates are left out.",
     "cmc mutate model.pml\n"
     "cmc mutate --show 12 model.pml                  one mutant in full\n"
     "cmc mutate --at-least 80% --time 10m model.pml   for continuous integration\n"
     "cmc mutate --mutants 100 --seed 7 --json model.pml"},
    {Command::kConform, "conform", "MODEL LOG...",
     "say whether the model has a run that explains what a program logged",
     "Holds logs of a real program against the model. A map says which event is which step: a message, an "
     "assignment, "
     "a label, a printf. Other steps are free. A log that is explained gets a run of the model beside its lines; one "
     "that is not, the first event that no run explains, what the model could have done instead, and the nearest "
     "change of the log that would pass. Logs are lines of JSON, CSV or text; - is standard input. "
     "docs/conformance.md has the language of maps. The exit code is 1 if a log is not explained.",
     "cmc conform model.pml run.jsonl\n"
     "cmc conform --each --uncovered more model.pml logs/*.jsonl\n"
     "cmc conform --follow model.pml /var/log/server.log\n"
     "cmc conform --suggest model.pml run.jsonl > map"},
    {Command::kLint, "lint", "MODEL", "find guards that are superfluous or dead, without running the model",
     "Asks a solver about each guard by itself: can it be true at all, can it be false, is an `else` ever taken? "
     "It assumes nothing but the types of the variables (a byte is 0..255). So each finding is true, but a model "
     "without findings can still have dead guards. Contents of channels are not examined. Findings are warnings: "
     "they change neither the verdict of a check nor, without --fail-on, the exit code, which is 3 if there is no "
     "solver.",
     "cmc lint model.pml\n"
     "cmc lint --incomplete model.pml             also where a process can get stuck\n"
     "cmc lint --fail-on any model.pml           for continuous integration\n"
     "cmc lint --json model.pml"},
    {Command::kFmt, "fmt", "FILE...", "lay out models: indentation and spaces",
     "Writes each file anew with the indentation and the spaces of the house; - is standard input, which is printed. "
     "Lines stay, and so do comments, lines of the preprocessor and C. A file that does not parse is left alone, and "
     "so is one that would be read differently afterwards: its tokens are compared before it is written.",
     "cmc fmt model.pml\n"
     "cmc fmt --check models/*.pml                for continuous integration\n"
     "cmc fmt --diff model.pml\n"
     "cmc fmt --indent tab - < model.pml"},
    {Command::kExpand, "expand", "MODEL", "print a model in Promela/S as plain Promela",
     "Writes down each solver guard value by value: exists becomes a disjunction, choose and least a selection "
     "with one d_step for each tuple of values. The result has the same states and steps, and SPIN understands it. "
     "Ranges must be constant and small.",
     "cmc expand model.pml > plain.pml\n"
     "cmc expand -DSMALL model.pml > plain.pml"},
    {Command::kCompile, "compile", "MODEL", "make C code of a model's steps, or a program that runs the model",
     "Writes what `cmc check --generator native` compiles: model.c, with the model's lines as comments, and the "
     "object model.so that $CC (or cc) makes of it. With --program it writes a folder of sources: the processes "
     "step as the model says, and world.cc, which is yours to change, says where messages go and come from; at "
     "first it reads and prints lines of text. Such a program is built with CMake and CMC's library.",
     "cmc compile model.pml -o code\n"
     "cmc compile --program endpoint.pml -o endpoint"},
    {Command::kAutomaton, "automaton", "[MODEL]", "print the automaton that a formula is translated to",
     "Translates formulas of linear temporal logic to Büchi automata, as `cmc check` does. An automaton accepts "
     "the runs that violate the formula (those of `spin -f '!(FORMULA)'`); a state whose name begins with accept "
     "is accepting. Without a model, the names in formulas of --ltl are variables.",
     "cmc automaton model.pml\n"
     "cmc automaton --property response --format dot model.pml | dot -Tsvg > a.svg\n"
     "cmc automaton --ltl '[] (x == 1 -> <> y == 1)' model.pml\n"
     "cmc automaton --ltl '[] (p -> <> q)'"},
    {Command::kGraph, "graph", "MODEL", "draw the states of a small model and the steps between them",
     "Explores a model without any reduction, breadth first, and prints its states and steps as a graph: who "
     "moves, and what the step changes. Ends, deadlocks and failing steps are marked; the mouse on a state shows "
     "all its values. The exit code is 3 if there are more states than --max-states says.",
     "cmc graph model.pml | dot -Tpdf > graph.pdf\n"
     "cmc graph --format svg model.pml > graph.svg"},
    {Command::kLsp, "lsp", "", "answer an editor: the Language Server Protocol on standard input and output",
     "Editors start it. While somebody writes a model they show what is wrong with it, what a name means, where it "
     "is declared and used, names that fit, an outline; they rename, and fold. It reads texts as they are in the "
     "editor, included ones too. Options say how models are read.",
     "cmc lsp\n"
     "cmc lsp -DN=3 -I include"},
    {Command::kDap, "dap", "",
     "be the debugger of an editor: the Debug Adapter Protocol on standard input and output",
     "Editors start it. It walks through a run of a model, forwards and backwards: step by step as you choose, at "
     "random, along a trail of CMC or SPIN, or along the counterexample of a property. Processes are threads; it has "
     "breakpoints with conditions, stops when a variable changes, and evaluates expressions of the model's "
     "language.",
     "cmc dap"},
    {Command::kMcp, "mcp", "", "answer an agent: the Model Context Protocol on standard input and output",
     "Agents start it. Its tools check models, explain counterexamples, simulate, lint, and translate formulas; "
     "every "
     "answer is bounded and says how to get more. Only models below the folder in which it was started are read, and "
     "texts that are sent.",
     "cmc mcp"},
    {Command::kSolver, "solver", "ACTION [FILE]", "talk to the solver directly",
     "Starts a solver in a separate process, as a check does, and ends it again. ping: does it work, do both sides "
     "have the same version, and how long does a round trip take? stats: its memory and counters. eval FILE: sends "
     "the SMT-LIB2 commands in FILE (-: standard input) to it and prints the answers, e.g. for the queries that a "
     "check saves next to --solver-log. Commands that set options are refused.",
     "cmc solver ping\n"
     "cmc solver stats\n"
     "echo '(check-sat)' | cmc solver eval -"},
};

}  // namespace

std::span<const CommandRow> command_table() { return kCommands; }

}  // namespace cmc
