#include "promela/preprocessor/preprocessor.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "promela/preprocessor/pp_define.h"
#include "promela/preprocessor/pp_expander.h"
#include "promela/preprocessor/pp_expression.h"
#include "promela/preprocessor/pp_lexer.h"
#include "promela/preprocessor/pp_output.h"

namespace cmc::promela {
namespace {

using Kind = CToken::Kind;

constexpr size_t kMaxIncludeDepth = 64;
constexpr size_t kMaxIncludedBytes = size_t{256} << 20;
constexpr size_t kMaxOutputTokens = 10'000'000;

// Of what gcc 12 predefines on x86-64 Linux under -std=gnu99, the names that a model could use by accident (`linux`
// and `unix` are 1!) or ask for in an #if.
constexpr std::string_view kPredefined =
    "#define linux 1\n#define unix 1\n#define __linux 1\n#define __linux__ 1\n#define __gnu_linux__ 1\n"
    "#define __unix 1\n#define __unix__ 1\n#define __ELF__ 1\n#define _LP64 1\n#define __LP64__ 1\n"
    "#define __x86_64 1\n#define __x86_64__ 1\n#define __amd64 1\n#define __amd64__ 1\n"
    "#define __STDC__ 1\n#define __STDC_VERSION__ 199901L\n#define __STDC_HOSTED__ 1\n"
    "#define __GNUC__ 12\n#define __GNUC_MINOR__ 2\n#define __GNUC_PATCHLEVEL__ 0\n#define __GNUC_STDC_INLINE__ 1\n"
    "#define __NO_INLINE__ 1\n#define __VERSION__ \"12.2.0\"\n#define __CHAR_BIT__ 8\n"
    "#define __SCHAR_MAX__ 0x7f\n#define __SHRT_MAX__ 0x7fff\n#define __INT_MAX__ 0x7fffffff\n"
    "#define __LONG_MAX__ 0x7fffffffffffffffL\n#define __LONG_LONG_MAX__ 0x7fffffffffffffffLL\n"
    "#define __SIZEOF_SHORT__ 2\n#define __SIZEOF_INT__ 4\n#define __SIZEOF_LONG__ 8\n#define __SIZEOF_LONG_LONG__ "
    "8\n"
    "#define __SIZEOF_POINTER__ 8\n#define __SIZEOF_SIZE_T__ 8\n#define __SIZE_TYPE__ long unsigned int\n"
    "#define __ORDER_LITTLE_ENDIAN__ 1234\n#define __ORDER_BIG_ENDIAN__ 4321\n"
    "#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__\n";

struct BuiltinName {
  std::string_view name;
  Macro::Builtin builtin;
};
constexpr std::array<BuiltinName, 5> kBuiltins = {{{"__LINE__", Macro::Builtin::kLine},
                                                   {"__FILE__", Macro::Builtin::kFile},
                                                   {"__BASE_FILE__", Macro::Builtin::kBaseFile},
                                                   {"__COUNTER__", Macro::Builtin::kCounter},
                                                   {"__INCLUDE_LEVEL__", Macro::Builtin::kIncludeLevel}}};

// The definitions of a command line as #define lines.
std::string command_lines(const std::vector<PreprocessorOptions::Command>& commands) {
  std::string text;
  for (const PreprocessorOptions::Command& command : commands) {
    std::string body = command.text;
    std::replace(body.begin(), body.end(), '\n', ' ');
    const size_t equal = body.find('=');
    if (command.undefine) {
      text += "#undef " + body;
    } else if (equal == std::string::npos) {
      text += "#define " + body + " 1";
    } else {
      text += "#define " + body.substr(0, equal) + " " + body.substr(equal + 1);
    }
    text += '\n';
  }
  return text;
}

// Carries out directives and feeds the expander; the rest is its output.
class Preprocessor final : public TokenReader {
 public:
  Preprocessor(Sources& sources, const PreprocessorOptions& options, Diagnostics& diagnostics,
               std::deque<std::string>& arena)
      : sources_(sources),
        options_(options),
        diagnostics_(diagnostics),
        arena_(arena),
        expander_(sources, diagnostics, arena, *this) {
    for (const BuiltinName& builtin : kBuiltins) {
      auto macro = std::make_shared<Macro>();
      macro->name = builtin.name;
      macro->builtin = builtin.builtin;
      expander_.define(std::move(macro));
    }
  }

  // At the end of the text.
  [[nodiscard]] Dialect dialect() const {
    const Macro* const macro = expander_.find("PROMELA_S");
    const bool off = macro == nullptr || (macro->body.size() == 1 && macro->body[0].text == "0");
    return off ? Dialect::kPromela : Dialect::kPromelaS;
  }

  std::vector<PpToken> run(uint32_t main) {
    main_ = main;
    run_file(sources_.add("<built-in>", std::string(kPredefined)));
    run_file(sources_.add("<command line>", command_lines(options_.commands)));
    return read_on(main);
  }

  // Another text, behind what has been read.
  std::vector<PpToken> read_on(uint32_t file) {
    output_ = PpOutput();
    run_file(file);
    std::vector<PpToken> result = output_.take();
    PpToken end;
    end.location = end_;
    end.starts_line = true;
    result.push_back(end);
    return result;
  }

 private:
  // A group between #if, #elif, #else and #endif.
  struct Conditional {
    Location location;
    bool skipping = false;        // this group
    bool outer_skipping = false;  // all groups
    bool taken = false;           // one of the groups so far
    bool seen_else = false;
  };

  struct OpenFile {
    PpLexer lexer;
    uint32_t file;
    ExpansionId expansion;
    std::string name;         // as #line says
    int64_t line_offset = 0;  // as #line says
    std::vector<Conditional> conditionals;
  };

  struct Directive {
    std::string_view name;
    void (Preprocessor::*run)(const CToken& name);
    bool is_conditional;
  };

  void run_file(uint32_t file) {
    open(file, 0);
    while (!diagnostics_.too_many_errors()) {
      const CToken token = expander_.next();
      if (token.kind == Kind::kEnd) break;
      if (output_.size() >= kMaxOutputTokens) {
        diagnostics_.error(token.location, "the model has more than 10 million tokens");
        break;
      }
      output_.print(token);
    }
    files_.clear();
    unread_.reset();
  }

  void open(uint32_t file, ExpansionId expansion) {
    files_.push_back({PpLexer(sources_.text(file), file, expansion, &diagnostics_, arena_),
                      file,
                      expansion,
                      sources_.name(file),
                      0,
                      {}});
    warn_of_null_bytes(file, expansion);
  }

  // As gcc -E: outside strings they are blanks.
  void warn_of_null_bytes(uint32_t file, ExpansionId expansion) {
    const std::string_view text = sources_.text(file);
    const size_t at = text.find('\0');
    if (at == std::string_view::npos) return;
    const std::string_view before = text.substr(0, at);
    const auto lines = static_cast<uint32_t>(std::ranges::count(before, '\n'));
    const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const SourcePlace place = {file, lines + 1, static_cast<uint32_t>(at - line_start + 1)};
    const auto count = std::ranges::count(text, '\0');
    diagnostics_.warning({place, expansion},
                         fmt::format("a zero byte, which is read as a blank{}",
                                     count == 1 ? "" : fmt::format("; the file has {} of them", count)));
  }

  OpenFile& current() { return files_.back(); }
  [[nodiscard]] bool skipping() const {
    return !files_.back().conditionals.empty() && files_.back().conditionals.back().skipping;
  }

  // TokenReader

  CToken read(Purpose purpose) override {
    while (!diagnostics_.too_many_errors() && !stopped_) {
      const CToken token = lex();
      if (token.kind == Kind::kEnd) {
        close_conditionals();
        end_ = token.location;
        // Neither a macro's arguments nor the search for its `(` leave a file.
        if (files_.size() == 1 || purpose != Purpose::kText) return token;
        leave_file();
        continue;
      }
      if (token.starts_line && token.is("#") && purpose != Purpose::kParenthesis) {
        directive(token);
        continue;
      }
      if (skipping()) continue;
      if (!token.starts_line) return token;
      if (purpose == Purpose::kText) output_.line_change(token);
      CToken first = token;
      first.space_before = first.space_before || purpose == Purpose::kArguments;
      return first;
    }
    return {};
  }

  void unread(const CToken& token) override { unread_ = token; }

  std::string builtin(Macro::Builtin which, const CToken& use) override {
    switch (which) {
      case Macro::Builtin::kLine: return std::to_string(use.line);
      case Macro::Builtin::kFile: return double_quoted(current().name);
      case Macro::Builtin::kBaseFile: return double_quoted(sources_.name(main_));
      case Macro::Builtin::kCounter: return std::to_string(counter_++);
      case Macro::Builtin::kIncludeLevel: return std::to_string(files_.size() - 1);
      case Macro::Builtin::kNone: break;
    }
    return {};
  }

  CToken lex() {
    if (unread_) {
      const CToken token = *unread_;
      unread_.reset();
      return token;
    }
    CToken token = current().lexer.next();
    token.line = static_cast<uint32_t>(token.line + current().line_offset);
    return token;
  }

  void close_conditionals() {
    for (const Conditional& conditional : current().conditionals) {
      diagnostics_.error(conditional.location, "this condition has no #endif");
    }
    current().conditionals.clear();
    current().lexer.set_quiet(false);
  }

  void leave_file() {
    const uint32_t include_line = sources_.expansion(current().expansion).place.line;
    files_.pop_back();
    output_.file_change(static_cast<uint32_t>(include_line + 1 + current().line_offset));
  }

  // Directives

  static constexpr size_t kDirectiveCount = 17;
  static const std::array<Directive, kDirectiveCount>& directives() {
    static constexpr std::array<Directive, kDirectiveCount> kDirectives = {{
        {"define", &Preprocessor::do_define, false},
        {"undef", &Preprocessor::do_undef, false},
        {"include", &Preprocessor::do_include, false},
        {"if", &Preprocessor::do_if, true},
        {"ifdef", &Preprocessor::do_ifdef, true},
        {"ifndef", &Preprocessor::do_ifdef, true},
        {"elif", &Preprocessor::do_elif, true},
        {"elifdef", &Preprocessor::do_elif, true},
        {"elifndef", &Preprocessor::do_elif, true},
        {"else", &Preprocessor::do_else, true},
        {"endif", &Preprocessor::do_endif, true},
        {"error", &Preprocessor::do_message, false},
        {"warning", &Preprocessor::do_message, false},
        {"line", &Preprocessor::do_line, false},
        {"pragma", &Preprocessor::do_pragma, false},
        {"ident", &Preprocessor::ignore_line, false},
        {"sccs", &Preprocessor::ignore_line, false},
    }};
    return kDirectives;
  }

  void directive(const CToken& hash) {
    const CToken name = current().lexer.next_in_line();
    const auto found = std::find_if(directives().begin(), directives().end(),
                                    [&](const Directive& candidate) { return name.is_name(candidate.name); });
    const bool known = found != directives().end();
    const size_t depth = files_.size();
    if (known && (found->is_conditional || !skipping())) {
      (this->*found->run)(name);
    } else if (!known && !skipping() && name.kind == Kind::kNumber) {
      set_line(name, line());
    } else if (!known && !skipping() && name.kind != Kind::kEnd) {
      unknown_directive(hash, name);
    }
    const bool entered_file = files_.size() > depth;
    if (!entered_file) ignore_line(name);
  }

  void unknown_directive(const CToken& hash, const CToken& name) {
    if (name.kind != Kind::kIdentifier) {
      diagnostics_.error(hash.location, "the name of a preprocessor directive is expected");
      return;
    }
    std::vector<std::string_view> names;
    for (const Directive& directive : directives()) names.push_back(directive.name);
    const std::string_view close = closest_match(name.text, names);
    const std::string hint = close.empty() ? "" : fmt::format("; did you mean '#{}'?", close);
    diagnostics_.error(name.location, fmt::format("unknown preprocessor directive '#{}'{}", name.text, hint));
  }

  // What is left of the current line.
  std::vector<CToken> line() {
    std::vector<CToken> tokens;
    for (CToken token = current().lexer.next_in_line(); token.kind != Kind::kEnd;
         token = current().lexer.next_in_line()) {
      token.line = static_cast<uint32_t>(token.line + current().line_offset);
      tokens.push_back(token);
    }
    return tokens;
  }

  void ignore_line(const CToken&) {
    current().lexer.set_quiet(true);
    while (current().lexer.next_in_line().kind != Kind::kEnd) {
    }
    current().lexer.set_quiet(skipping());
  }

  void warn_extra_tokens(const CToken& directive) {
    const CToken extra = current().lexer.next_in_line();
    if (extra.kind == Kind::kEnd) return;
    diagnostics_.warning(extra.location, fmt::format("extra tokens at the end of #{}", directive.text));
  }

  void do_define(const CToken& name) {
    std::shared_ptr<Macro> macro = parse_definition(line(), name.location, diagnostics_);
    if (macro == nullptr) return;
    const Macro* const old = expander_.find(macro->name);
    if (old != nullptr && !same_definition(*old, *macro)) {
      diagnostics_.warning(macro->location, fmt::format("macro '{}' is redefined", macro->name));
      if (old->location.place.line != 0) diagnostics_.note(old->location, "previous definition is here");
    }
    expander_.define(std::move(macro));
  }

  // The name of a macro that `directive` must be followed by; kEnd after an error.
  CToken macro_name(const CToken& directive) {
    CToken name = current().lexer.next_in_line();
    if (name.kind == Kind::kIdentifier) return name;
    const Location at = name.kind == Kind::kEnd ? directive.location : name.location;
    diagnostics_.error(at, fmt::format("#{} needs the name of a macro", directive.text));
    return {};
  }

  void do_undef(const CToken& directive) {
    const CToken name = macro_name(directive);
    if (name.kind == Kind::kEnd) return;
    expander_.undefine(name.text);
    warn_extra_tokens(directive);
  }

  void do_message(const CToken& directive) {
    const std::string text = current().lexer.rest_of_line();
    if (directive.text == "error") {
      diagnostics_.error(directive.location, "#error " + text);
    } else {
      diagnostics_.warning(directive.location, "#warning " + text);
    }
  }

  void do_pragma(const CToken& directive) {
    if (current().lexer.next_in_line().is_name("once")) once_.insert(current().file);
    ignore_line(directive);
  }

  // Conditions

  void open_conditional(const CToken& directive, const std::function<bool()>& condition) {
    Conditional conditional;
    conditional.location = directive.location;
    conditional.outer_skipping = skipping();
    conditional.taken = conditional.outer_skipping || condition();
    conditional.skipping = conditional.outer_skipping || !conditional.taken;
    current().conditionals.push_back(conditional);
  }

  void do_if(const CToken& directive) {
    open_conditional(directive, [&] { return condition(directive); });
  }

  void do_ifdef(const CToken& directive) {
    open_conditional(directive, [&] { return is_defined(directive); });
  }

  bool condition(const CToken& directive) {
    const std::vector<CToken> tokens = expander_.expand_line(line(), MacroExpander::Defined::kOperator);
    return !expander_.gave_up() && evaluate_condition(tokens, directive.location, diagnostics_);
  }

  // Of #ifdef, #ifndef, #elifdef, #elifndef.
  bool is_defined(const CToken& directive) {
    const CToken name = macro_name(directive);
    if (name.kind == Kind::kEnd) return false;
    warn_extra_tokens(directive);
    return (expander_.find(name.text) != nullptr) == (directive.text.find('n') == std::string_view::npos);
  }

  // The innermost open condition for an #elif, #else or #endif; null (reported) if there is none.
  Conditional* open_condition(const CToken& directive) {
    if (current().conditionals.empty()) {
      diagnostics_.error(directive.location, fmt::format("#{} without #if", directive.text));
      return nullptr;
    }
    return &current().conditionals.back();
  }

  bool check_no_else(const Conditional& conditional, const CToken& directive) {
    if (!conditional.seen_else) return true;
    diagnostics_.error(directive.location, fmt::format("#{} after #else", directive.text));
    diagnostics_.note(conditional.location, "the condition begins here");
    return false;
  }

  void do_elif(const CToken& directive) {
    Conditional* const conditional = open_condition(directive);
    if (conditional == nullptr || !check_no_else(*conditional, directive)) return;
    if (conditional->taken) {
      conditional->skipping = true;
      return;
    }
    current().lexer.set_quiet(false);
    const bool holds = directive.text == "elif" ? condition(directive) : is_defined(directive);
    conditional->skipping = !holds;
    conditional->taken = holds;
  }

  void do_else(const CToken& directive) {
    Conditional* const conditional = open_condition(directive);
    if (conditional == nullptr || !check_no_else(*conditional, directive)) return;
    conditional->skipping = conditional->taken;
    conditional->taken = true;
    conditional->seen_else = true;
    if (!conditional->outer_skipping) warn_extra_tokens(directive);
  }

  void do_endif(const CToken& directive) {
    const Conditional* const conditional = open_condition(directive);
    if (conditional == nullptr) return;
    const bool outer_skipping = conditional->outer_skipping;
    current().conditionals.pop_back();
    if (!outer_skipping) warn_extra_tokens(directive);
  }

  // #line

  void do_line(const CToken& directive) {
    set_line(directive, expander_.expand_line(line(), MacroExpander::Defined::kOrdinaryName));
  }

  // `# 12 "file"` and `#line 12 "file"`: counts on from there. Diagnostics keep to the real place.
  void set_line(const CToken& directive, std::vector<CToken> tokens) {
    if (directive.kind == Kind::kNumber) tokens.insert(tokens.begin(), directive);
    const std::optional<uint32_t> number = parse_number<uint32_t>(tokens.empty() ? "" : tokens[0].text);
    if (!number) {
      diagnostics_.error(tokens.empty() ? directive.location : tokens[0].location, "#line needs a line number");
      return;
    }
    if (tokens.size() > 1) {
      const std::string_view name = tokens[1].text;
      if (tokens[1].kind != Kind::kString || name.size() < 2 || !name.ends_with('"')) {
        diagnostics_.error(tokens[1].location, "the name of a file in quotes is expected");
        return;
      }
      current().name = name.substr(1, name.size() - 2);
    }
    current().line_offset = int64_t{*number} - int64_t{directive.location.place.line} - 1;
    output_.file_change(*number);
  }

  // #include

  void do_include(const CToken& directive) {
    CToken header = current().lexer.next_header();
    std::vector<CToken> rest = line();
    if (header.kind != Kind::kString && header.kind != Kind::kEnd) {
      rest.insert(rest.begin(), header);
      rest = expander_.expand_line(std::move(rest), MacroExpander::Defined::kOrdinaryName);
      header = spelled_header(rest);
    }
    const std::string_view text = header.text;
    const bool angled = text.starts_with('<');
    if (header.kind != Kind::kString || text.size() < 3 || !text.ends_with(angled ? '>' : '"')) {
      diagnostics_.error(directive.location, "#include needs \"file\" or <file>");
      return;
    }
    if (!rest.empty()) diagnostics_.warning(rest[0].location, "extra tokens at the end of #include");
    include(directive, header, std::string(text.substr(1, text.size() - 2)), angled);
  }

  // A header that a macro stands for: takes its tokens from the front of `line`.
  CToken spelled_header(std::vector<CToken>& line) {
    if (line.empty()) return {};
    CToken header = line[0];
    size_t count = 1;
    if (header.is("<")) {
      std::string text = "<";
      for (; count < line.size() && !line[count - 1].is(">"); ++count) {
        if (line[count].space_before && count > 1) text += ' ';
        text += line[count].text;
      }
      header.kind = Kind::kString;
      header.text = arena_.emplace_back(std::move(text));
    }
    line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(count));
    return header;
  }

  void include(const CToken& directive, const CToken& header, const std::string& path, bool angled) {
    if (files_.size() > kMaxIncludeDepth) {
      diagnostics_.error(directive.location, "#include is nested too deeply (more than 64 files)");
      return;
    }
    const std::vector<std::string> directories = directories_of(path, angled);
    const std::optional<std::string> place = find_file(path, directories);
    if (!place && angled && output_.in_embedded_c()) {
      diagnostics_.warning(header.location,
                           fmt::format("file '{}' is not found and left out; CMC does not run embedded C", path));
      return;
    }
    if (!place) report_missing(header, path, directories);
    const std::optional<uint32_t> file = place ? load(header, *place) : std::nullopt;
    stopped_ = !file;  // whatever is missing in it would be complained about
    if (!file || once_.contains(*file)) return;
    constexpr size_t kBytesPerInclude = 4096;  // what opening an empty file may cost
    included_bytes_ += sources_.text(*file).size() + kBytesPerInclude;
    if (included_bytes_ > kMaxIncludedBytes) {
      diagnostics_.error(directive.location, "included files have more than 256 MiB in total");
      return;
    }
    const ExpansionId expansion =
        sources_.add_expansion({Expansion::Kind::kInclude, path, directive.location.place, current().expansion});
    open(*file, expansion);
    output_.file_change(1);
  }

  [[nodiscard]] std::vector<std::string> directories_of(const std::string& path, bool angled) {
    namespace fs = std::filesystem;
    if (fs::path(path).is_absolute()) return {""};
    std::vector<std::string> directories;
    if (!angled) directories.push_back(fs::path(sources_.name(current().file)).parent_path().string());
    directories.insert(directories.end(), options_.include_directories.begin(), options_.include_directories.end());
    return directories;
  }

  [[nodiscard]] std::optional<std::string> find_file(const std::string& path,
                                                     const std::vector<std::string>& directories) const {
    for (const std::string& directory : directories) {
      std::string candidate = (std::filesystem::path(directory) / path).string();
      if (candidate.find('\0') == std::string::npos && sources_.is_file(candidate)) return candidate;
    }
    return std::nullopt;
  }

  void report_missing(const CToken& header, const std::string& path, const std::vector<std::string>& directories) {
    diagnostics_.error(header.location, fmt::format("file '{}' is not found", path));
    std::string searched;
    for (const std::string& directory : directories) {
      searched += fmt::format("{}'{}'", searched.empty() ? "" : ", ", directory.empty() ? "." : directory);
    }
    diagnostics_.note(header.location, searched.empty() ? "no directories to search: give some with -I"
                                                        : fmt::format("searched in: {}", searched));
  }

  std::optional<uint32_t> load(const CToken& header, const std::string& path) {
    const auto loaded = loaded_.find(path);
    if (loaded != loaded_.end()) return loaded->second;
    // A pipe would be waited for, and standard input is that of a server's client.
    Result<uint32_t> file =
        sources_.is_regular_file(path) ? sources_.load(path) : Error{fmt::format("'{}' is no regular file", path)};
    if (!file.ok()) {
      diagnostics_.error(header.location, file.error());
      return std::nullopt;
    }
    loaded_[path] = file.value();
    return file.value();
  }

  Sources& sources_;
  const PreprocessorOptions& options_;
  Diagnostics& diagnostics_;
  std::deque<std::string>& arena_;
  MacroExpander expander_;
  PpOutput output_;
  uint32_t main_ = 0;
  std::deque<OpenFile> files_;
  std::optional<CToken> unread_;
  bool stopped_ = false;  // nothing more is read
  Location end_;
  std::map<std::string, uint32_t> loaded_;
  std::set<uint32_t> once_;
  size_t included_bytes_ = 0;
  uint32_t counter_ = 0;
};

}  // namespace

std::vector<PpToken> preprocess(Sources& sources, uint32_t main, const PreprocessorOptions& options,
                                Diagnostics& diagnostics, std::deque<std::string>& arena, Dialect* dialect) {
  Preprocessor preprocessor(sources, options, diagnostics, arena);
  std::vector<PpToken> tokens = preprocessor.run(main);
  if (dialect != nullptr) *dialect = preprocessor.dialect();
  return tokens;
}

Preprocessed preprocess(Sources& sources, uint32_t main, std::span<const uint32_t> appended,
                        const PreprocessorOptions& options, Diagnostics& diagnostics,
                        std::deque<std::string>& arena) {
  Preprocessor preprocessor(sources, options, diagnostics, arena);
  Preprocessed result;
  result.main = preprocessor.run(main);
  result.dialect = preprocessor.dialect();
  for (const uint32_t file : appended) result.appended.push_back(preprocessor.read_on(file));
  return result;
}

}  // namespace cmc::promela
