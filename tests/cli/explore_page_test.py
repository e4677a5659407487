#!/usr/bin/env python3
"""The page of `cmc explore` in Chromium, driven by keys alone (chromedriver speaks WebDriver over HTTP).

Usage: explore_page_test.py CMC MODELS [--pictures FOLDER] [TEST...]     exit code 77: there is no chromedriver
With --pictures it leaves screenshots to look at.
"""
import base64
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
PICTURES = None
if "--pictures" in sys.argv:
    at = sys.argv.index("--pictures")
    PICTURES = pathlib.Path(sys.argv[at + 1])
    del sys.argv[at:at + 2]
SECONDS = 120
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
        "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011"}


class Browser:
    """Chromium without a window."""

    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(re.search(r"on port (\d+)", line).group(1) for line in self.process.stdout if "successfully" in line)
            self.base = f"http://127.0.0.1:{port}"
            options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]}
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
            self.base += f"/session/{made['sessionId']}"
        except BaseException:
            self.process.kill()
            raise

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode() if body is not None else None,
                                         {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.loads(answer.read())["value"]

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def resize(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def picture(self, name):
        if PICTURES is not None:
            PICTURES.mkdir(parents=True, exist_ok=True)
            (PICTURES / f"{name}.png").write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def quit(self):
        try:
            self.call("DELETE", "")
        except OSError:
            pass
        self.process.terminate()
        self.process.wait(SECONDS)
        self.process.stdout.close()


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.browser = Browser()
        self.addCleanup(self.browser.quit)

    def explore(self, *arguments, width=1500, height=950):
        self.process = subprocess.Popen([CMC, "explore", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        address = next(line.strip() for line in self.process.stdout if "http://" in line)
        process = self.process

        def end():
            process.terminate()
            process.wait(SECONDS)
            process.stdout.close()

        self.addCleanup(end)
        self.browser.resize(width, height)
        self.browser.open(address)
        self.wait(lambda: self.browser.run("return document.documentElement.dataset.position") is not None)

    def wait(self, condition):
        for _ in range(SECONDS * 20):
            if condition():
                return
            time.sleep(0.05)
        self.fail("it did not become so")

    def position(self):
        return int(self.browser.run("return document.documentElement.dataset.position"))

    def text(self, element):
        return self.browser.run(f"return document.getElementById('{element}').innerText")

    def reach(self, position):
        self.wait(lambda: self.position() == position)

    def type(self, key, rest):
        self.browser.press(key, *rest, "Enter")

    def overflow(self):
        return self.browser.run("return document.documentElement.scrollWidth - window.innerWidth")

    def test_fifty_actions_by_keyboard(self):
        self.explore(MODELS / "classics/philosophers.pml")
        press, browser = self.browser.press, self.browser
        press("1")
        self.reach(1)
        press("Right", "Enter")
        self.reach(2)
        press("k", "Up", "j", "Down")
        self.reach(2)
        press("r", "r", "r")
        self.reach(5)
        browser.picture("walked-1500")
        press("Home")
        self.reach(0)
        press("PageDown")
        self.reach(5)
        press("PageUp", "End")
        self.reach(5)
        self.type("g", "3")
        self.reach(3)
        press("c")
        self.wait(lambda: "compared with position 3" in self.text("about"))
        self.type("s", "held[0] + held[1]")
        self.wait(lambda: "held[0] + held[1]" in self.text("state"))
        self.type("b", "28")
        self.wait(lambda: "break at philosophers.pml:28" in self.text("state"))
        press("R")
        self.wait(lambda: "breakpoint 1" in self.text("said"))
        press("B")
        self.type("w", "held[2]")
        self.wait(lambda: "watch held[2]" in self.text("state"))
        self.type(":", "delete 1")
        self.wait(lambda: "break at" not in self.text("state"))
        press("C")
        self.wait(lambda: "compared" not in self.text("about"))
        press("Home")
        self.type("f", "held[0] == 1 && held[1] == 1 && held[2] == 1")
        self.wait(lambda: "found after" in self.text("said"))
        press("n")
        self.wait(lambda: "several steps lead here" in self.text("next"))
        browser.picture("graph-1500")
        press("N", "n")
        press("v")
        self.wait(lambda: "statement" in self.text("heads"))
        browser.picture("table-1500")
        press("v", "t")
        self.wait(lambda: browser.run("return document.documentElement.dataset.theme") == "dark")
        browser.picture("dark-1500")
        press("t", "?")
        self.wait(lambda: browser.run("return document.getElementById('keys').open"))
        browser.picture("keys-1500")
        press("Escape", "x")
        self.wait(lambda: browser.run("return document.getElementById('exports').open"))
        press("Escape", "p")
        self.wait(lambda: browser.run("return document.getElementById('properties').open"))
        press("Enter")
        self.wait(lambda: "lies ahead" in self.text("said"))
        press("End")
        self.wait(lambda: "invalid end state" in self.text("about"))
        self.assertIn("waits for", self.text("next"))
        browser.picture("deadlock-1500")
        press("/", *"held[0] == 9", "Enter")
        self.wait(lambda: "holds in none" in self.text("said"))
        self.type(":", "nonsense")
        self.wait(lambda: "no command" in self.text("said"))
        errors = browser.run("return window.errors || 0")
        self.assertEqual(errors, 0)
        press("q")
        self.wait(lambda: "has ended" in self.text("said"))
        self.assertEqual(self.process.wait(SECONDS), 0)

    def test_a_model_of_a_thousand_variables_and_a_million_steps(self):
        model = self.path / "large.pml"
        model.write_text("byte v[1000]; active proctype P() { int i; do :: v[i % 1000]++; i = (i + 7) % 1000 od }\n"
                         "active proctype Q() { int k; do :: k++ od }\n")
        self.explore(model)
        self.type(":", "run")
        self.wait(lambda: "no breakpoint so far" in self.text("said"))
        self.reach(1_000_000)
        self.browser.press("k", "k", "k", "k", "k")
        self.reach(999_995)
        self.type("g", "50000")
        self.reach(50_000)
        started = time.monotonic()
        self.browser.press("j")
        self.reach(50_001)
        print(f"a step, of a million, with 1,000 variables: {time.monotonic() - started:.2f} s", file=sys.stderr)
        self.assertLess(self.browser.run("return document.querySelectorAll('.row').length"), 200)
        self.browser.run("document.getElementById('lanes').scrollTop = 26 * 20000")
        self.wait(lambda: "20010" in self.text("rows"))
        self.wait(lambda: self.browser.run("return [...document.querySelectorAll('.row')].every(row => row.children.length > 1)"))
        self.browser.picture("large-1500")
        self.type("f", "v[0] == 200 && v[1] == 200")
        self.wait(lambda: "on its way" in self.text("said"))
        self.browser.press("j", "Escape")
        self.wait(lambda: "cancelled after" in self.text("said"))
        self.assertEqual(self.position(), 50_001)

    def test_three_widths_light_and_dark(self):
        for width, height in ((1500, 950), (900, 800), (400, 800)):
            self.explore("--property", "safety", MODELS / "classics/philosophers.pml", width=width, height=height)
            self.browser.press("End", "k", "k", "n")
            self.wait(lambda: "lead here" in self.text("next"))
            self.browser.picture(f"light-{width}")
            self.assertLessEqual(self.overflow(), 0)
            self.browser.press("n", "t")
            self.browser.picture(f"dark-{width}")
            self.browser.press("t")

    def test_hostile_texts_stay_texts(self):
        model = self.path / "hostile.pml"
        model.write_text('byte x; /* </script><script>window.errors = 1</script> {{script}} */\n'
                         'active proctype P() { printf("<img src=x onerror=window.errors=1>\\n"); x = 1 }\n')
        self.explore(model)
        self.browser.press("j", "j", "k")
        self.reach(1)
        self.assertIsNone(self.browser.run("return window.errors"))
        self.assertIn("<img", self.text("rows"))

    def test_random_keys_never_break_it(self):
        self.explore(MODELS / "leader/leader.pml")
        self.browser.run("window.errors = 0; window.onerror = () => { ++window.errors }; "
                         "window.onunhandledrejection = () => { ++window.errors }")
        chosen = random.Random(7)
        keys = ["j", "k", "1", "2", "3", "r", "r", "r", "Left", "Right", "Enter", "Home", "End", "PageUp", "PageDown", "c", "C", "n", "N", "v", "t"]
        for _ in range(20):
            self.browser.press(*chosen.choices(keys, k=50))
        self.wait(lambda: self.browser.run("return window.errors") == 0)
        self.browser.press("Home")
        self.reach(0)

    def test_a_killed_browser_leaves_no_process(self):
        self.explore(MODELS / "classics/philosophers.pml")
        pid = self.browser.process.pid
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        self.assertTrue(children)
        for child in children:
            os.kill(int(child), 9)
        self.assertEqual(self.process.wait(SECONDS), 0)


if __name__ == "__main__":
    if shutil.which("chromedriver") is None:
        print("there is no chromedriver")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
