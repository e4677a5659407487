#!/usr/bin/env python3
"""Puts mistakes into the rules of the reductions, one at a time, and looks whether the tests find them.

Usage: mutants.py SOURCES [--texts] [--only TEXT...] [--folder FOLDER]

SOURCES is copied to a folder, where tests_keys and cmc are built once for each mistake; only what a mistake changes is
compiled. A mistake is found if tests_keys, tests_generator or tests/cli/reductions_test.py fails; one in an engine, if
tests_search does. What is likely to fail soon runs first. Prints a line for each. Exit code 1: a mistake was not found,
although the table does not say why it is none, or it does not compile. The text that a mistake replaces has to be in
its file exactly once.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

STUBBORN, WORKER, CONFLICTS, FUTURES, READER, PRESENT, STICKY = (
    f"checker/por/{name}.cc" for name in ("stubborn", "stubborn_worker", "conflicts", "futures", "futures_reader", "present",
                                          "sticky"))
PATHS = "checker/generator/wrappers/path_steps.cc"
EFFECTS = "ir/effects.cc"
LOOKUP, GENERATOR, JOINER = (f"checker/keys/{name}.h" for name in ("step_lookup", "key_generator", "half_joiner"))
CACHED, ROUNDS, OPEN = (f"checker/search/{name}.h" for name in (
    "disk/disk_worker", "disk/disk_rounds", "disk/trail_expander"))

UNUSABLE = "IT DOES NOT COMPILE"
LONG_CASES = ("carried steps*", "key generator*")  # nine tenths of the time of tests_keys; they use nothing of checker/por


@dataclass
class Mistake:
    name: str
    file: str
    old: str
    new: str
    covered: str = ""  # by which rule, if the tests cannot find it


MISTAKES = [
    # Which processes sleep.
    Mistake("a process sleeps beside the step of a higher one", LOOKUP, "pid > mover && ", "pid != mover && "),
    Mistake("what a move changed is not looked at by those who sleep", LOOKUP,
            "const uint32_t same = are_disjoint(delta, its.touched) ? ~uint32_t{0} : 0;",
            "const uint32_t same = are_disjoint(delta, its.touched) || true ? ~uint32_t{0} : 0;"),
    Mistake("a process sleeps although it changes what the mover looked at", LOOKUP,
            "are_disjoint(its.changed, touched) && ", "(are_disjoint(its.changed, touched) || true) && "),
    Mistake("a process with an error sleeps", LOOKUP,
            "are_disjoint(its.changed, touched) && (its.flags & Steps<W>::kSpecial) == 0;",
            "are_disjoint(its.changed, touched);"),
    Mistake("who sleeps without a step is not awake for timeout", GENERATOR,
            "lookup_.has_too_many() ? 0 : control.process_count;", """lookup_.has_too_many() ? 0 : control.process_count;
    const bool some_sleep = std::any_of(row + 1, row + 1 + control.process_count, [](uint32_t word) {
      return word >= carried_row::kAsleep;
    });
    if (all_wait && some_sleep) flags.blocked = flags.special = true;
    if (all_wait && some_sleep) return Expanded::kAll;"""),
    Mistake("somebody sleeps after a step of timeout", GENERATOR, "carried.known = all_wait || lookup_.has_too_many()",
            "carried.known = (all_wait && false) || lookup_.has_too_many()"),
    Mistake("processes sleep beside one that holds atomicity", GENERATOR,
            "if (control.holder != kNoProcess || control.process_count > processes) [[unlikely]] {",
            "if (control.process_count > processes) [[unlikely]] {",
            covered="who is computed looks at who holds atomicity, and has no step beside one that moves"),
    Mistake("a handshake looks at no frame of those who are asked", JOINER, "      if (notes_touched_) touched_ |= frame_masks_[each.pid];\n", ""),
    Mistake("by a mask the next process sleeps", LOOKUP, "mask |= asleep & 1U << pid;", "mask |= asleep & 2U << pid;"),
    Mistake("steps of who sleeps by a mask do not count", GENERATOR, "if (word == carried_row::kAsleep &&",
            "if (word == carried_row::kAsleep && false &&"),
    Mistake("a memo that is cleared in a long step takes no leaf with it", GENERATOR, "counted |= forget_leaves(row, pid);", ";"),
    # Who sleeps, in the engines.
    Mistake("candidates have the sleepers of another one", CACHED, "parent.depth + 1, asleep_[i]}", "parent.depth + 1, asleep_[0]}"),
    Mistake("in rounds candidates have the sleepers of another one", ROUNDS, "parent.depth + 1, asleep[i]}", "parent.depth + 1, asleep[0]}"),
    Mistake("beyond memory open states have the sleepers of others", OPEN, "static_cast<SleepMask>(batch[number].asleep)",
            "static_cast<SleepMask>(batch[batch.size() - 1 - number].asleep)"),
    # Which processes disturb which.
    Mistake("a process that looks at all others disturbs nobody", CONFLICTS,
            "if (future.sees_all) return {Kind::kEverything};", ""),
    Mistake("accesses disturb nobody", CONFLICTS,
            "if (common) return {Kind::kComponent, static_cast<ComponentId>(*common)};", ""),
    Mistake("steps on channels that are not known disturb nobody", CONFLICTS,
            "(present.any_channel && future.uses_channels) ||", "",
            covered="what a step touches names the channel, and of an operation that is not known all counts"),
    Mistake("later operations on channels that are not known disturb nobody", CONFLICTS,
            "|| (present.uses_channels && future.any_channel)", ""),
    Mistake("two processes may create", CONFLICTS,
            "if (present.creates && (future.creates || future.sees_processes))",
            "if (present.creates && future.sees_processes)"),
    Mistake("nobody sees that a process was created", CONFLICTS,
            "if (present.creates && (future.creates || future.sees_processes))",
            "if (present.creates && future.creates)"),
    Mistake("an end disturbs nobody who creates", CONFLICTS,
            "if (present.ends && (future.creates || future.sees_processes))",
            "if (present.ends && future.sees_processes)"),
    Mistake("nobody sees that a process ended", CONFLICTS,
            "if (present.ends && (future.creates || future.sees_processes))",
            "if (present.ends && future.creates)"),
    Mistake("who counts processes does not mind new ones", CONFLICTS,
            "if (present.sees_processes && future.creates) return {Kind::kProcesses};", ""),
    Mistake("tests of handshakes do not mind unknown channels", CONFLICTS,
            "if (other.any_channel) return true;", ""),
    Mistake("fair runs: others may take back what a step makes possible", WORKER,
            "    if (channels.empty()) continue;", "    continue;"),
    Mistake("fair runs: a message that others can take", WORKER, "{std::pair(Access::kReceive, Access::kTestNotEmpty),",
            "{std::pair(Access::kSend, Access::kTestNotFull),"),
    Mistake("fair runs: room that others can fill", WORKER, "std::pair(Access::kSend, Access::kTestNotFull)})",
            "std::pair(Access::kReceive, Access::kTestNotEmpty)})"),
    Mistake("fair runs: who is left out counts as disabled", "checker/keys/system_steps.h",
            "        movers.push_back(part.pid);", ""),
    Mistake("else and unless do not mind who is ready for a handshake", WORKER,
            "return tests_of(first, second) || tests_of(second, first);", "return false;"),
    Mistake("a partner of a handshake stays outside", WORKER,
            "uint64_t row = its.partners;", "uint64_t row = 0;",
            covered="a handshake changes the partner's frame, which the partner writes"),
    Mistake("who creates does not wait for the youngest", WORKER,
            "its.present->creates || its.present->waits_to_end || its.present->sees_processes;", "its.present->waits_to_end || its.present->sees_processes;"),
    Mistake("who waits to end does not wait for the youngest", WORKER,
            "its.present->creates || its.present->waits_to_end || its.present->sees_processes;", "its.present->creates || its.present->sees_processes;"),
    Mistake("who counts processes does not wait for the youngest", WORKER,
            "its.present->creates || its.present->waits_to_end || its.present->sees_processes;", "its.present->creates || its.present->waits_to_end;"),
    Mistake("a set is not closed", WORKER, "open |= more;", ""),
    Mistake("what the claim sees is left out", WORKER, "uint64_t useless = visible;", "uint64_t useless = 0;"),
    Mistake("what looks at no single variables sees nothing", STUBBORN,
            "!visible_ || known.writes.meets(*visible_)", "visible_ && known.writes.meets(*visible_)"),
    Mistake("steps are put off for ever", WORKER, "if ((*closed & *sticky) != 0) continue;", ""),
    # What a process does now.
    Mistake("who sends into a full channel does not wait for a receive", PRESENT,
            """if (length == channel->capacity) {
          add(component, {Access::kReceive, Access::kChange});""",
            """if (length == channel->capacity) {
          add(component, {Access::kChange});"""),
    Mistake("two may send", PRESENT, "{Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange}",
            "{Access::kTestNotFull, Access::kLook, Access::kChange}"),
    Mistake("a send fills a channel unseen by nfull", PRESENT,
            "{Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange}",
            "{Access::kSend, Access::kLook, Access::kChange}"),
    Mistake("a send is not looked at", PRESENT,
            "{Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange}",
            "{Access::kSend, Access::kTestNotFull, Access::kChange}"),
    Mistake("a send is not in the way of a change", PRESENT,
            "{Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange}",
            "{Access::kSend, Access::kTestNotFull, Access::kLook}"),
    Mistake("who receives from an empty channel does not wait for a send", PRESENT,
            """if (length == 0) {
          add(component, {Access::kSend, Access::kChange});""",
            """if (length == 0) {
          add(component, {Access::kChange});"""),
    Mistake("two may receive", PRESENT, "{Access::kReceive, Access::kTestNotEmpty, Access::kLook, Access::kChange}",
            "{Access::kTestNotEmpty, Access::kLook, Access::kChange}"),
    Mistake("a receive empties a channel unseen by nempty", PRESENT,
            "{Access::kReceive, Access::kTestNotEmpty, Access::kLook, Access::kChange}",
            "{Access::kReceive, Access::kLook, Access::kChange}"),
    Mistake("a receive is not looked at", PRESENT,
            "{Access::kReceive, Access::kTestNotEmpty, Access::kLook, Access::kChange}",
            "{Access::kReceive, Access::kTestNotEmpty, Access::kChange}"),
    Mistake("nfull does not mind sends", PRESENT,
            "length == channel->capacity ? Access::kReceive : Access::kSend", "Access::kReceive"),
    Mistake("nfull of a full channel does not mind receives", PRESENT,
            "length == channel->capacity ? Access::kReceive : Access::kSend", "Access::kSend"),
    Mistake("nempty does not mind receives", PRESENT, "length == 0 ? Access::kSend : Access::kReceive",
            "Access::kSend"),
    Mistake("nempty of an empty channel does not mind sends", PRESENT,
            "length == 0 ? Access::kSend : Access::kReceive", "Access::kReceive"),
    Mistake("len does not mind sends", PRESENT,
            "if (uses(Access::kLook)) add(component, {Access::kSend, Access::kReceive, Access::kChange});",
            "if (uses(Access::kLook)) add(component, {Access::kReceive, Access::kChange});"),
    Mistake("len does not mind receives", PRESENT,
            "if (uses(Access::kLook)) add(component, {Access::kSend, Access::kReceive, Access::kChange});",
            "if (uses(Access::kLook)) add(component, {Access::kSend, Access::kChange});"),
    Mistake("a sorted send or random receive is as any other", PRESENT, "known && !uses(Access::kChange) && used",
            "known && used"),
    Mistake("an atomic sequence uses channels at its first step only", PRESENT,
            "bool known = !behind.uses_channels && channel->capacity > 0;", "bool known = channel->capacity > 0;"),
    Mistake("who waits at a rendezvous channel minds nobody", PRESENT, "if (waits) add_all(channel.component);", "",
            covered="who waits there has touched the channel, of which all counts"),
    Mistake("the channels of a process that ends stay", PRESENT, "if (goes) add_all(component);", "",
            covered="the end has touched its channels, of which all counts then"),
    Mistake("what is written was read by nobody", PRESENT, """    against[Access::kRead].add(component);
    against[Access::kWrite].add(component);""", "    against[Access::kWrite].add(component);"),
    Mistake("two may write", PRESENT, """    against[Access::kRead].add(component);
    against[Access::kWrite].add(component);""", "    against[Access::kRead].add(component);",
            covered="what a step changes it has touched, and others must not write that"),
    Mistake("what is read may be written", PRESENT,
            """frames_seen_) {
      against[Access::kWrite].add(component);""", "frames_seen_) {"),
    Mistake("creating behind the first step of an atomic sequence does not count", PRESENT,
            "present.creates = present.creates || now.creates || behind.creates;",
            "present.creates = present.creates || now.creates;",
            covered="a step that creates changes control"),
    Mistake("counting processes behind the first step of an atomic sequence does not count", PRESENT,
            "now.sees_processes || now.sees_all || behind.sees_processes;", "now.sees_processes || now.sees_all;"),
    Mistake("a partner leaves no sticky location", PRESENT,
            "if (step.partner != kNoProcess) note(step.partner, step.partner_location);", ""),
    # What a process may do later.
    Mistake("in an atomic sequence a send is a plain one", READER,
            "inside || statement.flag ? Access::kChange : Access::kSend, tests || inside",
            "statement.flag ? Access::kChange : Access::kSend, tests"),
    Mistake("later sorted sends are plain ones", READER,
            "inside || statement.flag ? Access::kChange : Access::kSend, tests || inside",
            "inside ? Access::kChange : Access::kSend, tests || inside"),
    Mistake("later random receives are plain ones", READER,
            "inside || statement.flag ? Access::kChange : Access::kReceive",
            "inside ? Access::kChange : Access::kReceive",
            covered="a send leaves the message that a random receive takes"),
    Mistake("else and unless test nothing", READER,
            "for (const Edge& edge : location.edges) statement(model_.statements[edge.statement], inside, tests);",
            "for (const Edge& edge : location.edges) statement(model_.statements[edge.statement], inside, tests && false);"),
    Mistake("what a message is matched with is not read", READER,
            "if (argument.kind == ReceiveArgument::Kind::kMatch) expression(argument.match, false);", ""),
    Mistake("an index that is not known names one element", READER,
            "at ? reference.type.bytes : extent(reference)", "reference.type.bytes"),
    Mistake("locals that are assigned are frozen", FUTURES, "mark(write, ahead.assigned);", ""),
    Mistake("globals that are assigned are constants", FUTURES,
            "if (reference.space == Space::kGlobal) mark_written(reference, assigned_);", ""),
    Mistake("a local has the value that it may be set to", FUTURES,
            "if (load_scalar(constant.type, frame.content.data() + (offset - frame.range.offset)) != constant.value) continue;",
            ""),
    Mistake("a local is set to one value, whatever the others are", FUTURES,
            "if (known->second.value == write.constant.value && known->second.type == write.constant.type) return;", "return;"),
    Mistake("a guard that is not known is false", READER,
            "evaluate(statement.expression) == 0;", "evaluate(statement.expression).value_or(0) == 0;"),
    Mistake("a new process does nothing", READER,
            "reader.location(proctype.locations[i], futures_.inside_[run.proctype][i]);", ""),
    Mistake("parameters of a new process stay what they are", READER,
            "unknown[b] = !known[b] || assigned[b];", "unknown[b] = !known[b];"),
    Mistake("nobody ends", READER, "case StatementKind::kEndProcess: out_.ends = true; break;",
            "case StatementKind::kEndProcess: break;"),
    Mistake("the channels of a process that will end stay", FUTURES,
            "future.destroys.add(pieces.frame(pid, pieces.frame_piece[number][channel.offset]));", ""),
    Mistake("no process ends before this one", CONFLICTS, "if (younger) {", "if (!younger) {"),
    Mistake("frames are alike if they are at the same place", FUTURES,
            "if (ahead.assigned[range.offset + i]) matters[i] = std::byte{0};", "if (i >= 3) matters[i] = std::byte{0};"),
    Mistake("a process does not write its frame", FUTURES,
            "future.uses[Access::kWrite].add(pieces.frame(pid, piece));", ""),
    Mistake("provided asks for nothing", READER,
            "if (frame_.proctype.provided != kNoExpression) expression(frame_.proctype.provided, false);", ""),
    Mistake("a d_step does nothing", READER,
            "this->statement(model_.statements[alternative.statement], true, true);", ""),
    Mistake("guards that grow are those under any operator", READER, "grows && passes_on &&", "grows &&"),
    Mistake("operands that may fail do not mind whether they are evaluated", READER, "(i == 1 || !right_fails)", "true"),
    Mistake("a channel that does not exist yet is number 0", READER,
            "if (frame_.fresh != nullptr && (*frame_.fresh)[*at]) return std::nullopt;", ""),
    # Cycles.
    Mistake("a process that creates for ever is none", STICKY, "cut({process, creates->source});",
            "std::erase_if(edges_[process], [](const CycleEdge& edge) { return edge.creates; });"),
    Mistake("who receives goes round although a channel that is not known is sent to", STICKY,
            "edge.receives != kControlComponent && !sends_any &&", "edge.receives != kControlComponent &&"),
    Mistake("who receives never goes round", STICKY, "&& !sends_any && !sent.contains(edge.receives)", ""),
    Mistake("a counter never wraps around", STICKY, "|| bound + added > most", ""),
    Mistake("a counter needs no limit", STICKY, "if (std::ranges::any_of(unlimited, adds)) return false;", ""),
    Mistake("a flag has one value, whatever it is set to", STICKY, "|| value.value_or(use.value) != use.value", ""),
    Mistake("a loop of one location is none", STICKY, "return components.of[edge.source] != components.of[edge.target];",
            "return components.of[edge.source] != components.of[edge.target] || edge.source == edge.target;"),
    # Merged steps.
    Mistake("globals are local", EFFECTS, "e.op == Operator::kVariable && e.reference.space == Space::kLocal",
            "e.op == Operator::kVariable"),
    Mistake("nobody looks at locals of others", PATHS, "case Operator::kRemoteVariable: return true;",
            "case Operator::kRemoteVariable: return false;"),
    Mistake("offers of handshakes are merged", PATHS,
            "!(offers_seen && offers(model, proctype.locations[edge.target]))", "true"),
    Mistake("the beginning of an atomic sequence is local", PATHS, "edge.atomic && !local[edge.target]", "edge.atomic && local.empty()"),
    Mistake("cycles of local steps are left out", PATHS, "may_end_anywhere() const override { return true; }",
            "may_end_anywhere() const override { return false; }"),
    Mistake("a location with one local edge is local", PATHS,
            "std::ranges::all_of(location.edges, [&](const Edge& edge) {\n                        return is_local",
            "std::ranges::any_of(location.edges, [&](const Edge& edge) {\n                        return is_local"),
]


class Tree:
    """A copy of the sources, with a build folder."""

    def __init__(self, sources, folder):
        self.root = folder / "sources"
        self.build = self.root / "build"  # where it is in a usual tree: ccache knows the objects
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(folder), CCACHE_NOHASHDIR="1",
                                CCACHE_SLOPPINESS="pch_defines,time_macros,include_file_mtime,include_file_ctime",
                                CMC_PARTS="all")  # of what the tests compare
        files = subprocess.run(["git", "ls-files"], cwd=sources, capture_output=True, text=True, check=True).stdout
        for name in files.splitlines():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (sources / name).read_bytes():
                shutil.copy(sources / name, target)  # with the time of now: it may have had a mistake
        with (self.root / "CMakeLists.txt").open("a") as file:  # variables that are not used any more are no errors
            file.write(f'set_source_files_properties({" ".join(sorted({each.file for each in MISTAKES}))} '
                       'PROPERTIES COMPILE_OPTIONS "-w" SKIP_UNITY_BUILD_INCLUSION ON)\n')
        tools = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        tools += ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold"] if shutil.which("mold") else []
        # All files in groups, but those that are changed; not for a Release, some modules of which are made with -O3.
        self.run(["cmake", "-S", str(self.root), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutants",
                  "-DCMAKE_CXX_FLAGS_MUTANTS=-O1 -DNDEBUG -fpch-preprocess", "-DCMC_JOINED=ON", "-DBUILD_TESTING=ON",
                  *tools]).check_returncode()

    def run(self, command, seconds=3600):
        try:
            return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, 124, late.stdout or "", late.stderr or "")

    def built(self, *targets):
        return self.run(["ninja", "-C", str(self.build), *targets]).returncode == 0

    def found_by(self, file=""):
        """The first test that fails; None: all succeed. `file`: where the mistake is."""
        if file.startswith("checker/search/"):
            if not self.built("tests_search"):
                return UNUSABLE
            engines = self.run([str(self.build / "tests_search"), "sleeping processes*", "--abort"], 1200)
            return None if engines.returncode == 0 else "tests_search"
        keys = [lambda: self.cases("tests_keys", "".join(f'~"{each}"' for each in LONG_CASES) + "~[.]"),
                lambda: self.cases("tests_keys", ",".join(LONG_CASES))]
        rules = [lambda: self.cases("tests_generator", "*merge*,*path*,*local*"), self.reductions]
        if file.startswith("checker/keys/"):  # the engines are compiled again, too, which takes much longer
            order = [*keys, *rules]
        elif file.startswith("checker/por/"):
            order = [keys[0], *rules]
        else:
            order = [keys[0], *rules, keys[1]]
        return next((found for test in order if (found := test()) is not None), None)

    def cases(self, program, specification):
        """`program`, if one of these cases fails."""
        if not self.built(program):
            return UNUSABLE
        succeeds = self.run([str(self.build / program), specification, "--abort"], 600).returncode == 0
        return None if succeeds else program

    def reductions(self):
        if not self.built("cmc"):
            return UNUSABLE
        script = self.root / "tests/cli/reductions_test.py"
        done = self.run([sys.executable, "-B", str(script), str(self.build / "cmc"), "--failfast"], 1200)
        return None if done.returncode == 0 else script.name


def check_texts(sources):
    """Lines about mistakes whose text is not in its file exactly once."""
    return [f"{mistake.name}: its text is {count} times in {mistake.file}" for mistake in MISTAKES
            if (count := (sources / mistake.file).read_text().count(mistake.old)) != 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[""], help="mistakes whose name has one of these texts")
    parser.add_argument("--texts", action="store_true", help="only look whether all texts are there")
    parser.add_argument("--folder", type=pathlib.Path, help="work there, and leave it (default: a temporary folder)")
    part_of_day.add_to(parser)
    arguments = parser.parse_args()
    sources = arguments.sources.resolve()
    if wrong := check_texts(sources):
        print("\n".join(wrong))
        return 1
    if arguments.texts:
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        tree = Tree(sources, (arguments.folder or pathlib.Path(temporary)).resolve())
        if (found := tree.found_by()) is not None:
            print(f"without a mistake, {found} fails")
            return 1
        missed = 0
        print(f"{'mistake':76} {'found by':22} seconds")
        for mistake in part_of_day.some(MISTAKES, arguments):
            if not any(text in mistake.name for text in arguments.only):
                continue
            path = tree.root / mistake.file
            text = path.read_text()
            path.write_text(text.replace(mistake.old, mistake.new))
            begin = time.monotonic()
            found = tree.found_by(mistake.file)
            path.write_text(text)
            missed += found == UNUSABLE or (found is None and not mistake.covered)
            outcome = found or (f"none: {mistake.covered}" if mistake.covered else "NOT FOUND")
            print(f"{mistake.name:76} {outcome:22} {time.monotonic() - begin:.0f}", flush=True)
        return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
