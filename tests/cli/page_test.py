#!/usr/bin/env python3
"""The page of a trace in a real browser (Chromium without a window): what it shows, what keys do, how fast it opens.

Usage: page_test.py CMC          exit code 77: there is no browser, nothing was tested
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMC = str(pathlib.Path(sys.argv[1]).resolve())
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)

LONG = "int x; active proctype P() { do :: x < 660 -> x++ :: x == 660 -> assert(false) od }\n" \
       "active proctype Q() { byte i; do :: i < 200 -> i++ od }\n"

# Presses keys one after the other, and leaves what the page showed behind each as text.
PROBE = """<script>addEventListener("load", () => {
  const seen = [];
  const look = (key) => seen.push([key, document.getElementById("position").textContent,
    document.querySelectorAll(".row.chosen").length, document.querySelectorAll(".code.now").length,
    document.querySelectorAll(".value.changed").length, document.getElementById("matches").textContent,
    document.documentElement.dataset.theme].join("|"));
  look("opened");
  for (const key of KEYS) {
    if (key.startsWith("search:")) {
      const input = document.getElementById("search");
      input.value = key.slice(7);
      input.dispatchEvent(new Event("input"));
    } else {
      document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
    look(key);
  }
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = "\\n" + seen.join("\\n") + "\\n";
  document.body.append(result);
});</script></body>"""


def run(*arguments, cwd=ROOT):
    return subprocess.run([CMC, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)


def browse(page, *options):
    return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=4000",
                           "--window-size=1500,900", *options, page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=300)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def page_of(self, model, *options):
        page = self.path / "page.html"
        checked = run("check", "-q", "--threads", "1", "--search", "bfs", *options, "--html", str(page), str(model))
        self.assertEqual(checked.returncode, 1, checked.stderr)
        return page

    def press(self, page, keys, hash=""):
        probe = self.path / "probe.html"
        probe.write_text(page.read_text().replace("</body>", PROBE.replace("KEYS", repr(keys))))
        dom = browse(f"file://{probe}{hash}", "--dump-dom").stdout
        seen = re.search(r'<pre id="seen">\n(.*?)</pre>', dom, re.DOTALL)
        self.assertIsNotNone(seen, dom[-2000:])
        return dom, [line.split("|") for line in seen.group(1).strip().split("\n")]

    def test_keys_lead_through_the_steps(self):
        page = self.page_of(ROOT / "models/classics/philosophers.pml")
        dom, seen = self.press(page, ["Home", "j", "j", "ArrowDown", "k", "End", "ArrowLeft", "t", "search:held", "n"])
        shown = {(key, index): rest for index, (key, *rest) in enumerate(seen)}
        self.assertEqual(seen[0][1], "9 of 9")
        self.assertEqual([line[1] for line in seen[1:6]], ["start of 9", "1 of 9", "2 of 9", "3 of 9", "2 of 9"])
        self.assertEqual(seen[3][4], "1", "step 2 changes one variable")
        self.assertTrue(all(line[2] == "1" for line in seen), seen)
        self.assertTrue(all(line[3] == "1" for line in seen if line[1] != "start of 9"), seen)
        self.assertEqual(seen[7][1], "8 of 9")
        self.assertNotEqual(seen[8][6], seen[7][6])
        self.assertEqual(seen[9][5], "9 found")
        self.assertIn("philosopher[1]", dom)
        self.assertIn("waits at philosophers.pml", dom)
        self.assertTrue(shown)

    def test_the_address_names_a_step(self):
        page = self.page_of(ROOT / "models/classics/alternating_bit.pml", "-DDEAF")
        _, seen = self.press(page, ["m"], "#step=2&theme=dark")
        self.assertEqual((seen[0][1], seen[0][6]), ("2 of 13", "dark"))
        self.assertEqual(seen[1][1], "1 of 13", "m leads from the receive to the send")

    def test_texts_of_the_model_are_never_elements(self):
        model = self.path / "m.pml"
        model.write_text('byte x; active proctype P() { printf("<img id=evil src=x onerror=document.title=1>");\n'
                         "/* <b id=evil> */ x = 1; assert(x < 1) }\n")
        dom, _ = self.press(self.page_of(model), ["j"])
        self.assertNotIn("<img", dom)
        self.assertNotIn("<b id", dom)

    def test_two_thousand_steps_open_at_once(self):
        model = self.path / "long.pml"
        model.write_text(LONG)
        page = self.path / "page.html"
        run("check", "-q", "--threads", "1", "--reductions", "none", "--html", str(page), str(model))
        self.assertLess(page.stat().st_size, 2 << 20)
        dom, seen = self.press(page, ["Home", "End", "PageUp"])
        steps = int(seen[0][1].split(" of ")[1])
        self.assertGreater(steps, 1300)
        ready = int(re.search(r'data-ready="(\d+)"', dom).group(1))
        self.assertLess(ready, 1000, "milliseconds until the page is ready")
        self.assertLess(dom.count('class="row'), 200, "rows are made when they come into view")


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: there is no Chromium; the page of a trace was not looked at")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
