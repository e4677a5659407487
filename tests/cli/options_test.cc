#include "checker/cli/options/options.h"

#include <set>

#include "checker/check/describe.h"
#include "checker/cli/options/spin_words.h"
#include "checker/cli/options/texts.h"
#include "checker/cli/options/tune_grid.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Arguments = std::vector<std::string>;

Options options_of(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  if (const auto* answer = std::get_if<Answer>(&parsed)) FAIL(answer->text);
  return std::get<Options>(parsed);
}

Answer answer_of(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<Answer>(parsed));
  return std::get<Answer>(parsed);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("options: every option of a command is in its help") {
  for (const CommandRow& command : command_table()) {
    const std::string help = command_help(command);
    CHECK(contains(help, "Exit codes:"));
    for (const OptionRow& row : option_table()) {
      if (applies(row, command.command)) CHECK(contains(help, "  " + names_of(row).front()));
    }
    CHECK(contains(general_help(), command.summary == nullptr ? "" : std::string("  ") + command.name));
  }
}

TEST_CASE("options: help texts fit into a terminal") {
  std::vector<std::string> texts = {general_help()};
  for (const CommandRow& command : command_table()) texts.push_back(command_help(command));
  for (const std::string& text : texts) {
    size_t begin = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
      INFO(text.substr(begin, end - begin));
      CHECK(end - begin <= 80);
    }
  }
}

TEST_CASE("options: an option that takes a value refuses nonsense") {
  for (const OptionRow& row : option_table()) {
    const std::string name = std::string(row.names).substr(std::string(row.names).find(',') + 1);
    if (row.value == nullptr || name == "-I" || std::string(row.value) == "FILE" ||
        std::string(row.value) == "[FILE]" || std::string(row.value) == "FOLDER" ||
        std::string(row.value) == "FORMULA") {
      continue;
    }
    Options options;
    INFO(row.names);
    CHECK(!row.set(options, "1 nonsense?").ok());
  }
}

TEST_CASE("options: options keep their values") {
  const Options options = options_of({"check",
                                      "-DN=3",
                                      "-D",
                                      "F(x)=[x]",
                                      "-UM",
                                      "-I",
                                      "inc",
                                      "-J",
                                      "--search=bfs",
                                      "--max-errors",
                                      "0",
                                      "m.pml",
                                      "--memory",
                                      "1.5G",
                                      "--time",
                                      "2m",
                                      "--steps",
                                      "statement",
                                      "-E",
                                      "--json",
                                      "-",
                                      "--trail",
                                      "t",
                                      "--trace",
                                      "columns",
                                      "--color",
                                      "never",
                                      "--progress",
                                      "off",
                                      "-q",
                                      "--generator",
                                      "reference",
                                      "--reductions",
                                      "none",
                                      "--trace-limit",
                                      "7"});
  CHECK(options.model == "m.pml");
  REQUIRE(options.reading.preprocessor.commands.size() == 3);
  CHECK(preprocessor_arguments(options.reading.preprocessor) == Arguments{"-DN=3", "-DF(x)=[x]", "-UM", "-Iinc"});
  CHECK(options.reading.escapes_like_java);
  CHECK(options.check.search == SearchOptions::Order::kBreadthFirst);
  CHECK(options.check.max_errors == 0);
  CHECK(options.check.memory_bytes == uint64_t{3} << 29);
  CHECK(options.check.time_seconds == 120);
  CHECK(options.check.steps == StepMode::kStatement);
  CHECK(!options.check.check_end_states);
  CHECK(options.output.json == "-");
  CHECK(options.files.trail == "t");
  CHECK(options.shown.style == TraceStyle::kColumns);
  CHECK(options.output.color == When::kNever);
  CHECK(options.output.progress == When::kNever);
  CHECK(options.output.verbosity == Verbosity::kQuiet);
  CHECK(options.check.generator == GeneratorKind::kReference);
  CHECK(options.shown.limit == 7);
}

TEST_CASE("options: -D and -U keep their order") {
  const Options options = options_of({"check", "-UA", "m.pml", "-DA=1", "-UA", "-DB"});
  CHECK(preprocessor_arguments(options.reading.preprocessor) == Arguments{"-UA", "-DA=1", "-UA", "-DB"});
}

TEST_CASE("options: words are flags together, values that touch their letter, names behind --") {
  const Options options = options_of({"check", "-qEj3", "--search=bfs", "-DN=1", "--", "-m.pml"});
  CHECK(options.model == "./-m.pml");
  CHECK(options.output.verbosity == Verbosity::kQuiet);
  CHECK(!options.check.check_end_states);
  CHECK(options.check.threads == 3);
  CHECK(preprocessor_arguments(options.reading.preprocessor) == Arguments{"-DN=1"});
  CHECK(options_of({"check", "--trail", "t", "m.pml"}).files.trail == "t");
  CHECK(options_of({"check", "--json", "m.pml"}).output.json == kStandardOutput);
  CHECK(options_of({"check", "--json", "-"}).model == "-");
  CHECK(options_of({"log", "--json", "-", "a.log"}).log.files == Arguments{"a.log"});
  CHECK(options_of({"test", "-E", "-DN=1"}).test.check_arguments == Arguments{"--no-end-states", "-DN=1"});
  CHECK(contains(answer_of({"check", "m.pml", "--keep=false"}).text, "--keep takes no value"));
  CHECK(contains(answer_of({"check", "m.pml", "-qD"}).text, "-D needs a value"));
  CHECK(contains(answer_of({"check", "m.pml", "-qZ"}).text, "unknown option '-Z'"));
  CHECK(contains(answer_of({"check", "--json=", "m.pml"}).text, "--json needs a value"));
}

TEST_CASE("options: standard input and the two files of replay are found") {
  CHECK(options_of({"check", "-"}).model == "-");
  const Options options = options_of({"replay", "m.pml", "t.trail"});
  CHECK(options.model == "m.pml");
  CHECK(options.files.trail == "t.trail");
}

TEST_CASE("options: a mistake gets exit code 2 and a hint") {
  const auto expect = [](const Arguments& arguments, std::string_view hint) {
    const Answer answer = answer_of(arguments);
    INFO(answer.text);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, hint));
  };
  expect({}, "Usage:");
  expect({"chekc", "m.pml"}, "did you mean 'check'?");
  expect({"m.pml"}, "cmc check m.pml");
  expect({"check"}, "which model?");
  expect({"replay", "m.pml"}, "which trail?");
  expect({"check", "m.pml", "--serach", "dfs"}, "did you mean '--search'?");
  expect({"check", "m.pml", "--seed", "3"}, "unknown option '--seed'");
  expect({"-a", "m.pml"}, "'-a' must come after a command; as in SPIN: cmc spin -a ...");
  expect({"simulate", "-u50", "m.pml"}, "SPIN's own command lines go with `cmc spin`");
  expect({"check", "-dash.pml"}, "a file of that name is ./-dash.pml");
  expect({"check", "m.pml", "--max-error=3"}, "did you mean '--max-errors'?");
  expect({"check", "m.pml", "n.pml"}, "unexpected argument 'n.pml'");
  expect({"check", "m.pml", "--search", "up"}, "'up' is not one of: auto, dfs, bfs");
  expect({"check", "m.pml", "--max-errors", "-1"}, "'-1' is not a whole number");
  expect({"check", "m.pml", "--max-errors", "99999999999999999999"}, "is not a whole number");
  expect({"check", "m.pml", "--memory", "lots"}, "'lots'");
  expect({"check", "m.pml", "--trail", "--json"}, "looks like an option");
  expect({"check", "m.pml", "--trail"}, "needs a value");
  expect({"check", "m.pml", "--json="}, "needs a value");
  expect({"check", "m.pml", "other.pml"}, "cmc test");
  expect({"check", "m.pml", "-D", "3"}, "does not begin with a name");
  expect({"check", "m.pml", "--reductions", "symmetric"}, "not one of: por");
  expect({"check", "m.pml", "--reductions", "por,all"}, "cannot be combined");
}

TEST_CASE("options: the words of SPIN get what CMC has for them") {
  const auto text_of = [](const Arguments& arguments) { return answer_of(arguments).text; };
  CHECK(contains(text_of({"check", "m.pml", "-f"}), "unknown option '-f'; CMC has --fairness weak"));
  CHECK(contains(text_of({"check", "-m10000", "m.pml"}), "unknown option '-m10000'; there is no depth limit"));
  CHECK(contains(text_of({"check", "-run", "-a", "m.pml"}), "command lines go with `cmc spin`"));
  for (const char* word : {"-a", "-l", "-t", "-i", "--never", "--bitstate", "-search"})
    CHECK(contains(text_of({"check", word, "m.pml"}), "cmc spin"));
  CHECK(contains(text_of({"simulate", "-p", "m.pml"}), "cmc spin"));
  CHECK(!contains(text_of({"log", "-a", "a.log"}), "spin"));
  CHECK(!contains(text_of({"check", "-mx", "m.pml"}), "spin"));
}

TEST_CASE("options: an option of another command is said to be one") {
  CHECK(contains(answer_of({"check", "m.pml", "--seed", "3"}).text, "; it is an option of `cmc simulate`"));
  CHECK(contains(answer_of({"check", "m.pml", "--jobs", "3"}).text, "; it is an option of `cmc test`, `cmc mutate`"));
}

TEST_CASE("options: a near miss of a value gets a suggestion") {
  CHECK(contains(answer_of({"check", "m.pml", "--search", "dsf"}).text, "auto, dfs, bfs; did you mean 'dfs'?"));
  CHECK(contains(answer_of({"check", "m.pml", "--reductions", "merge,prr"}).text, "did you mean 'por'?"));
}

TEST_CASE("options: a switch of SPIN's verifier is noted unless the model has that name") {
  const std::vector<std::string_view> texts = {"byte NOREDUCED;", "#ifdef BFS"};
  const std::vector<std::string> notes = spin_macro_notes({"NOREDUCE", "MEMLIM=400", "N=3", "BFS"}, texts);
  REQUIRE(notes.size() == 2);
  CHECK(contains(notes[0], "-DNOREDUCE is for the compilation of SPIN's verifier: CMC has --reductions none"));
  CHECK(contains(notes[1], "-DMEMLIM=400"));
}

TEST_CASE("options: the help of a command has its own exit codes") {
  const auto has = [](const char* command, std::string_view text) {
    INFO(command << ": " << text);
    CHECK(contains(answer_of({"help", command}).text, text));
  };
  has("check", "    0  the model holds\n    1  the model is violated\n    2  wrong usage");
  has("conform", "    1  a log is not explained\n");
  has("fmt", "    1  --check: a file would change\n");
  has("mutate", "    1  --at-least: the score is below");
  has("lint", "    1  --fail-on: there is such a finding\n");
  for (const CommandRow& command : command_table()) {
    const std::string codes = exit_codes_text(command.command);
    INFO(command.name << "\n" << codes);
    for (const char* line : {"\n    2  ", "\n    4  ", "\n  130  "}) CHECK(contains(codes, line));
    CHECK(codes.starts_with("    0  "));
    CHECK(codes.find("\n    2  ") == codes.rfind("\n    2  "));
  }
  for (const char* server : {"lsp", "dap", "mcp"})
    CHECK(!contains(answer_of({"help", server}).text, "the model holds"));
  CHECK(contains(answer_of({"help", "dap"}).text, "Options:\n  -h, --help"));
}

TEST_CASE("options: a number out of its range is refused") {
  const auto refused = [](const char* name, const char* value, std::string_view range) {
    const Answer answer = answer_of({"check", "m.pml", name, value});
    INFO(answer.text);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, name));
    CHECK(contains(answer.text, range));
  };
  refused("--page-size", "1", "1 is not between 512 and 256M");
  refused("--page-size", "257M", "between 512 and 256M");
  refused("--bloom-bits", "2048T", "between 1 and 1024T");
  refused("--bloom-hashes", "0", "between 1 and 8");
  refused("--bloom-hashes", "9", "between 1 and 8");
  refused("--lossy-capacity", "2T", "between 1 and 1T");
  refused("--reclaim-ahead", "2T", "between 1 and 1T");
  refused("--reclaim-ahead", "0%", "at most 100%");
  refused("--reclaim-ahead", "%", "not a percentage");
  refused("--lookup-buffer", "2G", "between 1 and 1G");
  refused("--partitions", "0", "between 1 and 4096");
  refused("--partitions", "4097", "between 1 and 4096");
  refused("--zlib-level", "10", "between 1 and 9");
  refused("--page-codec", "sha1:8", "between 16 and ");
  refused("--io", "async", "buffered-async");
  refused("--dump-states", "100", "is not N:FILE");
  refused("--dump-states", "0:f", "between 1 and");
  refused("--dump-states", "x:f", "whole number");
  refused("--dump-states", "5:", "empty");
  refused("--threads", "0", "1 to 1024");
  refused("--solver-workers", "65", "1 to 64");
  refused("--memory", "0", "less than one byte");
  refused("--memory", "10", "10 bytes is too little: the least is 4M; a number without K, M, G or T is bytes");
  refused("--memory", "4095K", "too little");
  refused("--time", "0", "not greater than zero");
  CHECK(options_of({"check", "m.pml", "--page-size", "512"}).check.store.page_bytes == 512);
  const StoreSettings share =
      options_of({"check", "m.pml", "--reclaim-ahead", "5", "--reclaim-ahead", "10%"}).check.store;
  CHECK((share.reclaim_percent == 10 && !share.reclaim_ahead && share.from_start));
}

TEST_CASE("options: the simple engine refuses a disk store") {
  for (const Arguments& store :
       {Arguments{"--store", "d"}, {"--keep"}, {"--partitions", "8"}, {"--io", "direct"}, {"--page-codec", "raw"}}) {
    for (const Arguments& engine : {Arguments{"--engine", "simple"}, {"--generator", "reference"}}) {
      Arguments arguments = {"check", "m.pml", engine[0], engine[1]};
      arguments.insert(arguments.end(), store.begin(), store.end());
      const Answer answer = answer_of(arguments);
      CHECK(answer.exit_code == kExitUsage);
      CHECK(contains(answer.text, engine[0] + " " + engine[1] + " keeps all states in RAM"));
    }
  }
  CHECK(!options_of({"check", "m.pml", "--engine", "simple", "--no-store"}).check.store.enabled);
}

TEST_CASE("options: properties and formulas keep their order") {
  const Options options = options_of({"check", "m.pml", "--ltl", "[] p", "--property", "safety", "--ltl=<> q",
                                      "--property", "ltl_0", "--property", "safety", "--fairness", "weak"});
  CHECK(options.check.properties == Arguments{"safety", "ltl_0"});
  CHECK(options.reading.formulas == Arguments{"[] p", "<> q"});
  CHECK(options.check.fairness == Fairness::kWeak);
  CHECK(options.check.cycles == CycleAlgorithm::kAuto);
  const auto refused = [](const char* name, const char* value, std::string_view hint) {
    const Answer answer = answer_of({"check", "m.pml", name, value});
    INFO(answer.text);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, hint));
  };
  refused("--property", "", "is not the name of a property");
  refused("--property", "[] p", "'[] p' is not the name of a property");
  refused("--ltl", " ", "the formula is empty");
  refused("--ltl", "--fairness", "is the formula missing?");
  refused("--fairness", "strong", "not one of: none, weak");
  refused("--cycles", "tarjan", "not one of: auto, ndfs, hull");
}

TEST_CASE("options: a search for cycles refuses what it cannot do") {
  const auto refused = [](Arguments arguments, std::string_view hint) {
    arguments.insert(arguments.begin(), {"check", "m.pml"});
    const Answer answer = answer_of(arguments);
    INFO(answer.text);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, hint));
  };
  refused({"--cycles", "ndfs", "--fairness", "weak"}, "does not support fairness");
  refused({"--cycles", "ndfs", "--partitions", "8"}, "keeps all states in RAM");
  refused({"--cycles", "ndfs", "--search", "bfs"}, "searches depth first");
  refused({"--cycles", "hull", "--engine", "simple"}, "is for the fast engine");
  CHECK(options_of({"check", "m.pml", "--cycles", "hull", "--fairness", "weak", "--partitions", "8"}).check.cycles ==
        CycleAlgorithm::kHull);
}

TEST_CASE("options: the files of cmc log are found") {
  const Options options = options_of({"log", "a.log", "--plot", "p", "b.json", "--csv"});
  CHECK(options.log.files == Arguments{"a.log", "b.json"});
  CHECK(options.log.plot == "p");
  CHECK(options.log.csv);
  CHECK(contains(answer_of({"log"}).text, "which logs?"));
  CHECK(contains(answer_of({"log", "a.log", "-DN=3"}).text, "unknown option '-D"));
  CHECK(contains(answer_of({"check", "m.pml", "--log", "-"}).text, "the name of a file is needed"));
  CHECK(contains(answer_of({"check", "m.pml", "--trail", "-"}).text, "only --json writes to standard output"));
  CHECK(options_of({"check", "m.pml", "--log", "l"}).files.log == "l");
}

TEST_CASE("options: a list is expanded, and one that makes no sense refused") {
  const auto list = [](const char* text) { return expand_list(text).value(); };
  CHECK(list("1M") == Arguments{"1M"});
  CHECK(list("1M,64M") == Arguments{"1M", "64M"});
  CHECK(list("1,4..6,9") == Arguments{"1", "4", "5", "6", "9"});
  CHECK(list("f(1,2),[3,4]") == Arguments{"f(1,2)", "[3,4]"});
  CHECK(list("../folder") == Arguments{"../folder"});
  CHECK(list("") == Arguments{""});
  for (const char* bad : {"1,,2", "1,", "5..3", "1,1", "1..3,2", "0..99999999", "0..18446744073709551615"}) {
    INFO(bad);
    CHECK(!expand_list(bad).ok());
  }
}

TEST_CASE("options: tune tries what was asked for") {
  const Options options =
      options_of({"tune", "dir/m.pml", "--threads", "1,2", "-DN=3..5", "-DF(x,y)=x,y", "-E", "--memo", "1M", "-Iinc",
                  "--best", "memory", "--kill-after", "2m", "--dry-run"});
  CHECK(options.tune.out == "m.tune");
  CHECK(options.tune.best == TuneMeasure::kMemory);
  CHECK(options.kill_after_seconds == 120);
  CHECK(options.tune.dry_run);
  const std::vector<TuneRun> runs = grid_runs(options.tune.settings, "0123");
  REQUIRE(runs.size() == 6);
  CHECK(runs[0].arguments ==
        Arguments{"--threads", "1", "-DN=3", "-DF(x,y)=x,y", "--no-end-states", "--memo", "1M", "-Iinc"});
  CHECK(runs[0].values == Arguments{"1", "3"});
  CHECK(runs[1].values == Arguments{"1", "4"});
  CHECK(runs[5].values == Arguments{"2", "5"});
  std::set<std::string> ids;
  for (const TuneRun& run : runs) {
    ids.insert(run.id);
    // What the runs are given is what check takes.
    Arguments check = {"check", "m.pml"};
    check.insert(check.end(), run.arguments.begin(), run.arguments.end());
    CHECK(options_of(check).check.memo_bytes == 1 << 20);
  }
  CHECK(ids.size() == 6);
  CHECK(grid_runs(options.tune.settings, "0123")[3].id == runs[3].id);
  CHECK(grid_runs(options.tune.settings, "0124")[3].id != runs[3].id);
  CHECK(grid_runs({}, "0123").size() == 1);
}

TEST_CASE("options: short names and percentages are understood") {
  CHECK(options_of({"check", "m.pml", "-j", "3"}).check.threads == 3);
  CHECK(options_of({"tune", "m.pml", "-j", "1,2"}).tune.settings.at(0).option == "--threads");
  CHECK(options_of({"test", "-j", "3", "--threads", "2"}).test.jobs == 3);
  const Options half = options_of({"check", "m.pml", "--memory", "50%"});
  const Options whole = options_of({"check", "m.pml", "--memory", "100%"});
  CHECK(half.check.memory_bytes > 0);
  CHECK(whole.check.memory_bytes / 2 - half.check.memory_bytes <= 1);
  const Options share = options_of({"check", "m.pml", "--reclaim-ahead", "12.5%"});
  CHECK(share.check.store.reclaim_percent == 12.5);
  CHECK(share.check.store.from_start);
  CHECK(options_of({"check", "m.pml", "--reclaim-ahead", "5%", "--reclaim-ahead", "7"}).check.store.reclaim_ahead ==
        7);
  for (const char* wrong : {"0%", "101%", "%", "50%%", "x%"}) {
    INFO(wrong);
    CHECK(answer_of({"check", "m.pml", "--memory", wrong}).exit_code == kExitUsage);
    CHECK(answer_of({"check", "m.pml", "--reclaim-ahead", wrong}).exit_code == kExitUsage);
  }
}

TEST_CASE("options: only options with an effect are tuned") {
  const auto refused = [](const Arguments& arguments, std::string_view message) {
    const Answer answer = answer_of(arguments);
    INFO(message);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, message));
  };
  refused({"tune", "m.pml", "--zlib-level", "1,9"}, "--zlib-level has no effect here");
  refused({"tune", "m.pml", "--zlib-level", "1,9", "--page-codec", "raw"}, "--zlib-level");
  refused({"tune", "m.pml", "--threads", "1,2", "--engine", "simple"}, "--threads");
  refused({"tune", "m.pml", "--shorten", "1,2"}, "--shorten");
  refused({"tune", "m.pml", "--no-store", "--bloom-bits", "1M,2M"}, "--no-store");
  refused({"tune", "m.pml", "--store", "a,b", "--no-store"}, "--store");
  refused({"tune", "m.pml", "--generator", "vm", "--compiler-time", "1,2"}, "--compiler-time");
  for (const Arguments& fine :
       {Arguments{"tune", "m.pml", "--zlib-level", "1,9", "--page-codec", "raw,zlib"},
        Arguments{"tune", "m.pml", "--threads", "1,2", "--engine", "simple,fast"},
        Arguments{"tune", "m.pml", "--memory", "1G,2G", "--no-store"},
        Arguments{"tune", "m.pml", "--generator", "native", "--compiler-time", "1,2"}, Arguments{"tune", "m.pml"}}) {
    CHECK(options_of(fine).model == "m.pml");
  }
  const Options options = options_of({"tune", "m.pml", "-DN=1,2", "--steps", "spin,path", "-j", "1,2", "-E"});
  CHECK(options.tune.settings.at(0).changes_question);
  CHECK(options.tune.settings.at(1).changes_question);
  CHECK(!options.tune.settings.at(2).changes_question);
  CHECK(options.tune.settings.at(3).changes_question);
}

TEST_CASE("options: check refuses an option that cannot act, and tune with the same words") {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--zlib-level", "3"}, "--zlib-level has no effect here: only --page-codec zlib compresses so; leave it out"},
      {{"--page-codec", "raw", "--zlib-level", "3"}, "--zlib-level has no effect here"},
      {{"--no-store", "--partitions", "8"},
       "--no-store has no effect here: an option about a part of the disk store"},
      {{"--no-store", "--keep"}, "--keep has no effect here: --no-store keeps all states in RAM"},
      {{"--engine", "simple", "--threads", "2"}, "--threads has no effect here: the simple engine has one thread"},
      {{"--generator", "vm", "--compiler-time", "2"}, "--compiler-time has no effect here"},
      {{"--generator", "reference", "--page-size", "4K"}, "--page-size has no effect here: --generator reference"}};
  for (const auto& [given, message] : cases) {
    for (const char* command : {"check", "profile", "tune"}) {
      Arguments arguments = {command, "m.pml"};
      arguments.insert(arguments.end(), given.begin(), given.end());
      const Answer answer = answer_of(arguments);
      INFO(command << " " << message);
      CHECK(answer.exit_code == kExitUsage);
      CHECK(contains(answer.text, message));
    }
  }
  for (const Arguments& fine :
       {Arguments{"check", "m.pml", "--page-codec", "zlib", "--zlib-level", "3"},
        Arguments{"check", "m.pml", "--page-codec", "raw", "--page-codec", "zlib", "--zlib-level", "3"},
        Arguments{"check", "m.pml", "--engine", "simple", "--threads", "1"},
        Arguments{"check", "m.pml", "--compiler-time", "2"}, Arguments{"check", "m.pml", "--shorten", "2"}}) {
    CHECK(options_of(fine).model == "m.pml");
  }
}

TEST_CASE("options: tune does not begin when its command line is wrong") {
  const auto expect = [](const Arguments& arguments, std::string_view hint) {
    const Answer answer = answer_of(arguments);
    INFO(answer.text);
    CHECK(answer.exit_code == kExitUsage);
    CHECK(contains(answer.text, hint));
  };
  expect({"tune"}, "which model?");
  expect({"tune", "-"}, "must be a file");
  expect({"tune", "m.pml", "--threads", "1,0"}, "the number of threads is 1 to");
  expect({"tune", "m.pml", "--search", "dfs,up"}, "'up' is not one of: auto, dfs, bfs");
  expect({"tune", "m.pml", "--memo", "1M,1M"}, "twice");
  expect({"tune", "m.pml", "--memo", "1M", "--memo", "2M"}, "given before");
  expect({"tune", "m.pml", "-DN=1", "-DN=2"}, "given before");
  expect({"tune", "m.pml", "-D3=1,2"}, "does not begin with a name");
  expect({"tune", "m.pml", "--runs", "0"}, "1 to 100");
  expect({"tune", "m.pml", "--json=x"}, "unknown option '--json'");
  expect({"tune", "m.pml", "--max-errors", "1..9000", "-DN=1..9000"}, "more than 100000 combinations");
}

TEST_CASE("options: every option of check can be tuned") {
  size_t tunable = 0;
  for (const OptionRow& row : option_table()) {
    const bool of_check = applies(row, Command::kCheck);
    CHECK(is_tunable(row) == (of_check && std::string_view(row.section) != "Output"));
    tunable += is_tunable(row) ? 1 : 0;
  }
  CHECK(tunable > 10);
}

std::string in_roff(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '-' ? "\\-" : std::string(1, c);
  return result;
}

TEST_CASE("options: manual pages and completions leave nothing out") {
  for (const CommandRow& command : command_table()) {
    const std::string page = man_page(command);
    for (const OptionRow* const row : options_of(command)) {
      const std::string name = std::string(row->names).substr(std::string(row->names).find(',') + 1);
      const bool own = (row->commands & static_cast<unsigned>(command.command)) != 0;
      CHECK((!own || contains(page, in_roff(name))));
      CHECK(contains(bash_completion(), " " + name));
    }
    CHECK(contains(man_page(), in_roff(command.summary)));
    for (const std::string& text : {bash_completion(), zsh_completion(), fish_completion()})
      CHECK(contains(text, command.name));
  }
}

TEST_CASE("options: a completion offers the values that the option takes") {
  size_t named = 0;
  for (const OptionRow& row : option_table()) {
    for (const std::string& name : choices_of(row)) {
      Options options;
      INFO(row.names << ' ' << name);
      CHECK((name.ends_with(':') || row.set(options, name).ok()));
      ++named;
    }
  }
  CHECK(named > 30);
}

TEST_CASE("options: help is no error") {
  for (const Arguments& arguments :
       {Arguments{"--help"}, {"help"}, {"help", "check"}, {"check", "--help"}, {"info", "-h"}, {"--version"}}) {
    CHECK(answer_of(arguments).exit_code == kExitHolds);
  }
  CHECK(contains(answer_of({"help", "replay"}).text, "cmc replay MODEL TRAIL"));
}

}  // namespace
}  // namespace cmc
