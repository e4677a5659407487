"""Habit: names that one .cc file has for itself clash with none of a file that can be compiled together with it.

With CMC_JOINED the files of the modules that CMakeLists.txt puts into one library, and those of a program of tests, are
compiled in groups: as one text, so that their anonymous namespaces are one. Which files make a group changes with every new
file, so that all files of a library are compared, whatever groups there are now. Functions of one name are overloads if
their parameters have other types.

It reads C++ by regular expressions, as far as needed to find what is declared at the level of namespaces.
"""

import collections
import re

import names
import tree

MODULE = re.compile(r"^cmc_module\([\w-]+ ([\w/-]+)(?: HOT| COLD)? JOINED (\w+)", re.MULTILINE)
PROGRAM = re.compile(r"^cmc_test\(([\w-]+)", re.MULTILINE)
MAIN = re.compile(r"/(.*_)?main\.cc$")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#\s*define\s+(\w+)", re.MULTILINE)
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))?$")
TYPE = re.compile(r"(?:class|struct|union|enum(?: class| struct)?) (\w+)(?: final)?(?: ?:(?!:).*)?$")
ALIAS = re.compile(r"using (\w+) ?=|using (?!namespace )[\w:]*::(\w+)$")
VARIABLE = re.compile(r"[\w>*&\]] ?[ *&](\w+)(?: ?\[[^\]]*\])*$")
FUNCTION = re.compile(r"(?<![\w:])(operator ?[^\w\s(]{1,3}|\w+) ?\($")
CALLED = {"TEST_CASE", "decltype", "alignas", "requires", "noexcept", "sizeof", "if", "static_assert"}


def blank(text):
    """The text without comments, directives and the contents of strings; lines stay where they are."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group())
    return DIRECTIVE.sub(spaces, names.CPP_TOKENS.sub(spaces, text))


def without_brackets(text, opening, closing):
    """The text without what is inside of such brackets at all depths."""
    kept, depth = [], 0
    for letter in text:
        depth -= letter == closing and depth > 0
        if depth == 0:
            kept.append(letter)
        depth += letter == opening
    return "".join(kept)


def parameter_types(text):
    """Of "(int a, const T& b = 3) const": the types, as they are spelled."""
    inside, depth = [""], 0
    for letter in text:
        depth -= letter in ")>]}"
        if depth < 0:
            break
        if letter == "," and depth == 0:
            inside.append("")
        else:
            inside[-1] += letter
        depth += letter in "(<[{"
    types = []
    for parameter in inside:
        words = parameter.split("=")[0].strip()
        named = re.fullmatch(r"(.*[\w>*&\]] ?[ *&])(\w+)", words)
        types.append(re.sub(r"\s", "", named.group(1) if named else words))
    return tuple(types)


def declared(head, body):
    """(name, what distinguishes it from others of the name) of a declaration, or None; body: whether { follows."""
    head = re.sub(r"\[\[.*?\]\]", "", " ".join(head.split()))
    if head.strip().startswith("template"):  # its parameters' types are compared without their arguments
        head = re.sub(r"^ ?template ?<>", "", without_brackets(head, "<", ">"))
    head = head.strip()
    if match := ALIAS.match(head):
        return match.group(1) or match.group(2), head
    if match := TYPE.match(head):
        return (match.group(1), None) if body else None
    if re.match(r"(using|friend|extern|namespace|static_assert|template|class|struct|enum|union)\b", head):
        return None
    start = head.split("=")[0] if "operator" not in head else head
    for match in re.finditer(r"\(", start):
        name = FUNCTION.search(start[:match.end()])
        if name and name.group(1) not in CALLED:
            return name.group(1), parameter_types(head[match.end():])
        if not name:
            return None  # a member, or a name that is qualified
    if match := VARIABLE.search(start.strip()):
        return match.group(1), None
    return None


def is_own(head, scopes):
    """Whether only this file sees what is declared so: in an anonymous namespace, static, or a constant."""
    if None in scopes:
        return True
    head = without_brackets(re.sub(r"\[\[.*?\]\]", "", head), "<", ">")
    is_function = "(" in head.split("=")[0]
    return re.match(r"\s*(template ?<> ?)?(inline )?" + ("static " if is_function else "(static|constexpr|const) "), head)


def end_of_body(text, position):
    """The place of the } that belongs to the { at the position."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, position):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def end_of_declaration(text, position, is_function):
    """The place of its last letter; the text has a { at the position. Behind a body of a function there is no semicolon."""
    position = end_of_body(text, position)
    while not is_function and position < len(text) and text[position] != ";":
        position = end_of_body(text, position) if text[position] == "{" else position + 1
    return position


def own_names(text):
    """(line, namespace, name, what distinguishes it) of everything that only this file sees."""
    text = blank(text)
    scopes, start, position = [], 0, 0
    while position < len(text):
        letter = text[position]
        if letter == "}":
            del scopes[-1:]
        elif letter in ";{":
            head = " ".join(text[start:position].split())
            namespace = NAMESPACE.match(head)
            if letter == "{" and (namespace or head == "extern"):
                scopes.append(namespace.group(1) if namespace else "")
            else:
                what = declared(head, letter == "{")
                if what and is_own(head, scopes):
                    first = re.compile(r"\S").search(text, start).start()
                    yield names.line_of(text, first), "::".join(scope or "" for scope in scopes), *what
                if letter == "{":
                    position = end_of_declaration(text, position, what is None or isinstance(what[1], tuple))
        if letter in ";{}":
            start = position + 1
        position += 1


def clash(one, other):
    """Whether two that have the same name may not stand in one text; each is what declared() says of it."""
    if isinstance(one, str) and isinstance(other, str):
        return one != other  # the same alias twice
    return not (isinstance(one, tuple) and isinstance(other, tuple) and one != other)


def problems(root):
    if "CMakeLists.txt" not in tree.files(root):
        return []
    cmake = "".join(tree.read(root, name) for name in tree.files(root) if name.rpartition("/")[2] == "CMakeLists.txt")
    library_of = {f"{folder}/": library for folder, library in MODULE.findall(cmake)}
    if "tests/CMakeLists.txt" in tree.files(root):
        library_of |= {f"tests/{name}/": f"tests_{name}" for name in PROGRAM.findall(tree.read(root, "tests/CMakeLists.txt"))}
    found, seen = [], collections.defaultdict(list)
    for file in tree.files(root):
        library = next((library_of[folder] for folder in library_of if file.startswith(folder)), None)
        if library is None or not file.endswith(".cc") or MAIN.search(file):
            continue
        text = tree.read(root, file)
        entries = [*own_names(text), *((names.line_of(text, match.start()), None, match.group(1), None)
                                       for match in MACRO.finditer(text))]
        for line, namespace, name, kind in entries:
            others = seen[library, namespace, name]
            for other, other_kind in others:
                if other.split(":")[0] != file and clash(kind, other_kind):
                    found.append(f"{file}:{line}: {name} clashes with {other} where both are compiled together")
                    break
            others.append((f"{file}:{line}", kind))
    return found


def self_test():
    first = """#include "x.h"
#define LIMIT 3
namespace cmc {
namespace {
using Json = int;
using Kind = A::Kind;
using std::string;
using A::Outcome;
constexpr int kWidth = 5;  // constexpr int kNothing = 1;
const char* const kText = "constexpr int kHidden = 2;";
constexpr Row kRows[] = {{1, [](int x) { return x; }}, {2, nullptr}};
struct Malformed { int field; };
struct Later;
enum class Order : uint8_t { kFirst };
template <typename T, typename U = std::vector<T>>
T most(const std::vector<T>& all, int start = 0) { const int inner = 1; return all[inner]; }
[[nodiscard]] bool holds(const State& state) {
  struct Local {};
  return state.ok();
}
std::string text_of(int number) { return {}; }
int counter = 0;
}  // namespace
static void act(int) {}
constexpr double kRatio = 0.5;
int linked(int x) { return x; }
Class::Class(int x) : member_{x}, other_(x) {}
bool Class::holds() const { return member_; }
}  // namespace cmc
"""
    second = """#define LIMIT 4
namespace cmc {
namespace {
using Json = long;
using Kind = A::Kind;
using std::string;
using Outcome = B::Outcome;
constexpr size_t kWidth = 6;
int kNothing, kHidden;
std::vector<Row> kRows;
class Malformed final : public Base<int, long> { int member = 1; };
struct Later { int x; } later;
struct Order {};
template <typename U>
U most(const std::vector<T>& list, int begin) { return list[begin]; }
inline bool holds(const State& other) noexcept;
std::string text_of(long number) { return {}; }
bool counter(false);
struct Local {};
int inner, member_, x;
}  // namespace
void act(int) {}
namespace other {
namespace {
constexpr double kRatio = 0.25;
}
}  // namespace other
}  // namespace cmc
"""
    cmake = ("cmc_module(a-b top HOT JOINED a USES cmc_base)\ncmc_module(c under JOINED a USES cmc_base)\n"
             "cmc_module(other other JOINED b USES cmc_base)\ncmc_module(side side USES cmc_base)\n")
    files = {"CMakeLists.txt": cmake, "top/a.cc": first, "under/b.cc": second, "other/in/a.cc": first,
             "top/cmc_main.cc": first, "side/a.cc": first, "side/b.cc": second}
    expected = {"LIMIT": (1, 2), "Json": (4, 5), "Outcome": (7, 8), "kWidth": (8, 9), "kRows": (10, 11), "Malformed": (11, 12),
                "Order": (13, 14), "most": (14, 15), "holds": (16, 17), "counter": (18, 22)}
    return tree.differences(files, problems, {
        f"under/b.cc:{line}: {name} clashes with top/a.cc:{other} where both are compiled together"
        for name, (line, other) in expected.items()})
