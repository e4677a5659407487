#!/usr/bin/env python3
"""cmc conform, as people and scripts run it. Usage: conform_test.py CMC ROOT"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CMC = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).resolve()
EXAMPLE = ROOT / "examples" / "conformance"

LINK = (EXAMPLE / "link.pml").read_text()
GOOD = [("send", 0), ("got", 0), ("answer", 0), ("acked", 0), ("send", 1), ("got", 1), ("answer", 1), ("acked", 1)]
RING = """//@ event send(pid, v) at node[pid] : q[(pid + 1) % 8] ! v
//@ event recv(pid, v) at node[pid] : q[pid] ? v
chan q[8] = [3] of { byte };
active [8] proctype node() {
  byte s, r;
  do
  :: q[(_pid + 1) % 8] ! s -> s = (s + 1) % 4
  :: q[_pid] ? r
  od
}
"""


def lines(events):
    return "".join(json.dumps({"event": name, "bit": bit}) + "\n" for name, bit in events)


def ring_log(messages, seed=1):
    """Events of the ring with vector clocks, in an order in which they happened."""
    rng, nodes = random.Random(seed), 8
    clocks, queues = [[0] * nodes for _ in range(nodes)], [[] for _ in range(nodes)]
    sent, received, events = [0] * nodes, [0] * nodes, []
    while sum(received) < nodes * messages:
        i = rng.randrange(nodes)
        after = (i + 1) % nodes
        if rng.random() < 0.5 and sent[i] < messages and len(queues[after]) < 3:
            name, value = "send", sent[i] % 4
            clocks[i][i] += 1
            queues[after].append((value, list(clocks[i])))
            sent[i] += 1
        elif queues[i]:
            name, (value, clock) = "recv", queues[i].pop(0)
            clocks[i] = [max(a, b) for a, b in zip(clocks[i], clock)]
            clocks[i][i] += 1
            received[i] += 1
        else:
            continue
        events.append({"event": name, "pid": i, "v": value, "node": f"n{i}", "clock": {f"n{j}": c for j, c in enumerate(clocks[i])}})
    return events


class ConformTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.write(LINK, "link.pml")

    def write(self, text, name="log.jsonl"):
        (self.folder / name).write_text(text)
        return name

    def run_cmc(self, *arguments, code=0, stdin=None):
        run = subprocess.run([CMC, "conform", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, input=stdin,
                             timeout=300)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout if code in (0, 1, 3) else run.stderr

    def answer(self, *arguments, code=0, stdin=None):
        return json.loads(self.run_cmc("--json", *arguments, code=code, stdin=stdin))["logs"][0]

    def test_a_run_stands_beside_the_lines_of_the_log(self):
        text = self.run_cmc("link.pml", self.write(lines(GOOD)))
        self.assertIn("explained: 8 events of log.jsonl are a run of 10 steps", text)
        self.assertRegex(text, r"line!data,now .*\n +<- log.jsonl:1: send\(bit=0\)\n")
        self.assertNotIn("<-", self.run_cmc("-q", "link.pml", "log.jsonl"))

    def test_a_log_that_leaves_the_model_is_explained_as_far_as_it_goes(self):
        bad = GOOD[:4] + [("got", 0)] + GOOD[4:]
        answer = self.answer("link.pml", self.write(lines(bad)), code=1)
        self.assertEqual((answer["verdict"], answer["explained"]), ("not explained", 4))
        self.assertEqual(answer["next"], [{"file": "log.jsonl", "line": 5, "event": "got(bit=0)"}])
        self.assertEqual(answer["alternatives"], ["send(bit=1)"])
        self.assertEqual(answer["change"], "drop log.jsonl:5: got(bit=0)")

    def test_both_sides_of_a_rendezvous_are_one_choice(self):
        model = self.write("chan c = [0] of { byte };\n//@ event put(v) : c ! v\n//@ event got(v) : c ? v\n"
                           "active proctype A() { c ! 1 } active proctype B() { byte x; c ? x }\n", "pair.pml")
        log = self.write('{"event": "put", "v": 1}\n{"event": "put", "v": 1}\n')
        self.assertEqual(self.answer(model, log, code=1)["alternatives"], ["put(v=1) with got(v=1)"])

    def test_the_nearest_change_is_any_of_four(self):
        for bad, change in [(GOOD[:3] + GOOD[4:], "add acked(bit=0) before log.jsonl:4: send(bit=1)"),
                            (GOOD[:4] + [GOOD[5], GOOD[4]] + GOOD[6:], "swap log.jsonl:5: got(bit=1) and the event behind it"),
                            (GOOD[:4] + [("send", 0)] + GOOD[5:], "make it send(bit=1) instead of log.jsonl:5: send(bit=0)"),
                            (GOOD[:2] + GOOD[4:6] + GOOD[4:], None)]:
            self.assertEqual(self.answer("link.pml", self.write(lines(bad)), code=1)["change"], change)

    def test_logs_are_json_csv_or_text(self):
        self.write("event,bit\n" + "".join(f"{name},{bit}\n" for name, bit in GOOD), "log.csv")
        self.run_cmc("link.pml", "log.csv")
        text_map = re.sub(r"//@ ", "", "\n".join(line for line in LINK.split("\n") if line.startswith("//@")))
        self.write(text_map + "\nline ^\\d+ (?<event>\\w+) bit (?<bit>\\d)\n", "map")
        self.write("started\n" + "".join(f"{i} {name} bit {bit}\n" for i, (name, bit) in enumerate(GOOD)), "log.txt")
        self.run_cmc("--map", "map", "link.pml", "log.txt")
        self.run_cmc("link.pml", "-", stdin=lines(GOOD))
        self.write("started\n1 sent bit 0\n", "other.txt")
        self.write(text_map + "\nline ^\\d+ (?<event>\\w+) bits (?<bit>\\d)\n", "map")
        run = subprocess.run([CMC, "conform", "--map", "map", "link.pml", "other.txt"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("warning: no line of other.txt is an event of the map", run.stderr)

    def test_what_is_wrong_with_a_log_is_said_with_its_place(self):
        clock = '{"event": "send", "bit": 0, "node": "a", "clock": %s}\n'
        for log, message in [('{"event": "send", "bit": 0', "log.jsonl:1:27: error: this line is no JSON object, or is cut"),
                             ('\n{"event": "sent", "bit": 0}', "log.jsonl:2:2: error: the map has no event 'sent'; did you mean 'send'?"),
                             ('{"event": "send", "bit": 0.5}', "log.jsonl:1:19: error: 'bit' is 0.5, which is neither"),
                             ('{"event": "send", "bit": [[]]}', "log.jsonl:1:19: error: 'bit' is a list or an object"),
                             ('{"event": "send", "bit": 4294967296}', "does not fit into 32 bits"),
                             ('{"event": "send"}', "log.jsonl:1:1: error: the event 'send' has no 'bit'"),
                             ("[1]", "log.jsonl:1:1: error: an event is a JSON object"),
                             ('{"event": 5}', "the name of an event is a string"),
                             (clock % 1 + clock % 1, "log.jsonl:2:42: error: two events at one clock; the other is log.jsonl:1"),
                             (clock % '{"a": 1}' + clock % '{"a": 1}', "two events of 'a' at one clock; the other is log.jsonl:1"),
                             (clock % '{"b": 1}', "the clock has no 'a', whose event it is"),
                             (clock % 1 + clock % '{"a": 1}', "some clocks are numbers and others are vectors"),
                             (clock % '{"a": 1}' + '{"event": "send", "bit": 0}', "log.jsonl:2:1: error: this event has no clock, others have"),
                             (clock % '"soon"', "a clock is a number, or an object"),
                             (clock % '{"a": 1, "b": 1}' + (clock % '{"a": 1, "b": 1}').replace('"node": "a"', '"node": "b"'),
                              "its clock knows of an event that knows of this one")]:
            self.assertIn(message, self.run_cmc("link.pml", self.write(log), code=2))
        self.assertIn("cannot read '/'", self.run_cmc("link.pml", "/", code=2))
        self.assertIn("cannot read '/'", self.run_cmc("--follow", "link.pml", "/", code=2))
        self.assertIn("none is 'event'", self.run_cmc("link.pml", self.write("a,b\n1,2\n", "x.csv"), code=2))
        self.assertIn("x.csv:2:1: error: 1 values", self.run_cmc("link.pml", self.write("event,bit\nsend\n", "x.csv"), code=2))

    def test_what_is_wrong_with_a_map_is_said_with_its_place(self):
        self.write(lines(GOOD))
        for text, message in [("event send(bit) at Sendr : line ! data, bit", "map:1:1: error: the model has no process type 'Sendr'; did you mean"),
                              ("event send at Sender@stop", "the model has no label 'stop'"),
                              ("event send(bit) : lines ! data, bit", "map:1:1: error: 'lines': "),
                              ("event send(bit) : line !", "map:1:25: error: something is missing"),
                              ("event send(bit)", "nothing says which step it is"),
                              ("event (bit)", "map:1:7: error: the name of an event is missing here"),
                              ("\n evnt send", "map:2:2: error: a line of a map begins with event, ignore, value, log or line"),
                              ("event send(bit) : now = bit", "'now': "), ("event x : 3 = 4", "'3' is no variable"),
                              ("line (((", "this is no regular expression"), ("line (s)\\1", "this is no regular expression"),
                              ("line a", "no group is called event"), ("value a = b", "'b' is no number"),
                              ("", "no map: map has no event")]:
            rules = "" if "event" in text or not text else "\nevent send(bit) : line ! data, bit\n"
            self.assertIn(message, self.run_cmc("--map", self.write(text + rules, "map"), "link.pml", "log.jsonl", code=2))
        self.assertIn("no map: the model has no event", self.run_cmc(self.write("init { skip }", "m.pml"), "log.jsonl", code=2))

    def test_an_expression_of_exponentially_many_ways_ends(self):
        rules = "line (?<event>(s|ss|send)+)!\nevent send : line ! data, 1\nlog text\n"
        log = self.write("s" * 4_000 + "\nsend!\n", "x.txt")
        self.assertIn("1 event", self.run_cmc("--map", self.write(rules, "map"), "link.pml", log))

    def test_clocks_order_the_events_of_several_logs(self):
        numbered = [{"event": name, "bit": bit, "clock": i} for i, (name, bit) in enumerate(GOOD)]
        for part in range(2): self.write("".join(json.dumps(each) + "\n" for each in numbered[part::2]), f"{part}.jsonl")
        self.run_cmc("link.pml", "1.jsonl", "0.jsonl")
        numbered[0]["clock"], numbered[1]["clock"] = 1, 0
        self.write("".join(json.dumps(each) + "\n" for each in numbered))
        self.run_cmc("link.pml", "log.jsonl", code=1)
        # without clocks the order between the logs is free
        for part, names in enumerate([("send", "acked"), ("got", "answer")]):
            self.write(lines([each for each in GOOD if each[0] in names]), f"{part}.jsonl")
        self.run_cmc("link.pml", "1.jsonl", "0.jsonl")

    def test_nodes_with_vector_clocks_are_decided(self):
        self.write(RING, "ring.pml")
        events = ring_log(125)
        self.assertEqual(self.answer("ring.pml", self.write("".join(json.dumps(each) + "\n" for each in events)))["events"], 2000)
        wrong = next(i for i in range(1000, 2000) if events[i]["event"] == "recv")
        events[wrong]["v"] = (events[wrong]["v"] + 1) % 4
        answer = self.answer("ring.pml", self.write("".join(json.dumps(each) + "\n" for each in events)), "--time", "120", code=1)
        self.assertEqual([each["line"] for each in answer["next"]], [wrong + 1])

    def test_a_limit_is_incomplete_with_its_reason(self):
        self.write("//@ event never : x = 77\nint x, y; active [3] proctype P() { do :: x++; x = x % 50 :: y++ :: y-- od }", "large.pml")
        self.write('{"event": "never"}\n')
        for limit, reason in [(["--memory", "64M"], "the memory limit of 64.0 MB was reached"), (["--time", "1"], "the time limit of 1 second"),
                              (["--states", "1000"], "the limit of 1,000 states was reached")]:
            answer = self.answer(*limit, "large.pml", "log.jsonl", code=3)
            self.assertEqual(answer["verdict"], "incomplete")
            self.assertIn(reason, answer["reason"])

    @unittest.skipUnless(os.environ.get("CMC_PARTS") == "all", "takes ten seconds: CMC_PARTS=all")
    def test_a_million_events(self):
        self.write(lines(GOOD) * 125_000)
        self.assertEqual(self.answer("link.pml", "log.jsonl")["steps"], 1_499_998)
        answer = self.answer("--memory", "64M", "link.pml", "log.jsonl", code=3)
        self.assertIn("the memory limit of 64.0 MB was reached", answer["reason"])
        self.assertGreater(answer["explained"], 0)

    def test_the_end_can_be_asked_for(self):
        self.write("//@ event sent(v) : q ! v\nchan q = [2] of { byte }\nactive proctype P() { q ! 1; q ! 2 }\n", "ends.pml")
        self.write('{"event": "sent", "v": 1}\n{"event": "sent", "v": 2}\n')
        self.run_cmc("--end", "ends.pml", "log.jsonl")
        self.write('{"event": "sent", "v": 1}\n')
        self.run_cmc("ends.pml", "log.jsonl")
        answer = self.answer("--end", "ends.pml", "log.jsonl", code=1)
        self.assertTrue(answer["wants_end"])
        self.assertEqual((answer["alternatives"], answer["change"]), (["sent(v=2)"], "add sent(v=2)"))

    def test_a_followed_log_does_not_get_shorter(self):
        path = self.folder / "grows.jsonl"
        path.write_text(lines(GOOD * 10))
        process = subprocess.Popen([CMC, "conform", "--follow", "link.pml", path.name], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            for events in (GOOD[:1], GOOD * 10):  # the one is a beginning of the other
                path.write_text(lines(events))
                time.sleep(0.1)
        self.assertIn("'grows.jsonl' has become shorter", process.communicate()[1])
        self.assertEqual(process.returncode, 2)

    def test_a_growing_log_is_followed(self):
        path = self.folder / "grows.jsonl"
        path.write_text("")
        process = subprocess.Popen([CMC, "conform", "--follow", "link.pml", path.name], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        with path.open("a") as log:
            for text in [lines(GOOD[:3]), lines(GOOD[3:4])[:10], lines(GOOD[3:4])[10:], lines(GOOD[4:] * 200)]:
                log.write(text)
                log.flush()
                time.sleep(0.2)
                if len(text) < 400: self.assertIsNone(process.poll())
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("8 of 804 events of grows.jsonl are a run of the model", output)
        process = subprocess.Popen([CMC, "conform", "--follow", "link.pml", self.write(lines(GOOD * 500))], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("4,000", output)

    def test_uncovered_statements_have_runs_that_are_logs(self):
        text = self.run_cmc("--uncovered", "more", "link.pml", self.write(lines(GOOD[:1])))
        self.assertIn("the logs take 1 of 7 steps of the model", text)
        self.assertIn("no run takes\n  link.pml:20: else", text)
        self.assertIn("  // expect: explained more/", text)
        logs = sorted(str(each) for each in (self.folder / "more").iterdir())
        self.assertTrue(logs)
        self.run_cmc("--each", "link.pml", *logs)

    def test_a_map_is_suggested_that_can_be_read(self):
        self.write('{"event": "line_sent", "bit": 1}\n{"event": "got", "bit": 1}\n')
        text = self.run_cmc("--suggest", "link.pml", "log.jsonl")
        self.assertIn("event line_sent(bit, v2) : line ! bit, v2\n# event got(bit) : which step is it?\n", text)
        self.write(self.run_cmc("--suggest", "link.pml"), "map")
        self.write("")
        self.run_cmc("--map", "map", "link.pml", "log.jsonl")

    def test_a_real_program_follows_its_model_or_leaves_it(self):
        program = [sys.executable, str(EXAMPLE / "link.py")]
        subprocess.run([*program, "good.jsonl", "--messages", "30"], cwd=self.folder, check=True, timeout=120)
        self.assertEqual(self.answer("link.pml", "good.jsonl")["events"], 120)
        subprocess.run([*program, "bad.jsonl", "--messages", "3", "--timer", "0.02", "--slow", "0.2"], cwd=self.folder, check=True, timeout=120)
        answer = self.answer("link.pml", "bad.jsonl", code=1)
        self.assertIn("send(bit=0)", [each["event"] for each in answer["next"]])

    def test_damaged_logs_and_maps_never_crash(self):
        rng = random.Random(os.environ.get("CMC_DAY", "1"))
        whole = lines(GOOD) + "".join(json.dumps(each) + "\n" for each in ring_log(1)[:4])
        rules = "\n".join(line[4:] for line in LINK.split("\n") if line.startswith("//@"))
        for _ in range(60):
            texts = [whole, rules]
            which = rng.randrange(2)
            text = bytearray(texts[which].encode())
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text))
                how = rng.randrange(3)
                if how == 0: text[at] = rng.randrange(256)
                elif how == 1: del text[at:at + rng.randint(1, 30)]
                else: text[at:at] = text[rng.randrange(len(text)):][:10]
                if not text: text = bytearray(b"x")
            (self.folder / "log.jsonl").write_bytes(bytes(text) if which == 0 else whole.encode())
            (self.folder / "map").write_bytes(bytes(text) if which == 1 else rules.encode())
            run = subprocess.run([CMC, "conform", "-q", "--time", "20", "--map", "map", "link.pml", "log.jsonl"], cwd=self.folder,
                                 capture_output=True, timeout=60)
            self.assertIn(run.returncode, (0, 1, 2, 3), (bytes(text), run.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
