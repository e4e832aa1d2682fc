#!/usr/bin/env python3
"""The dashboard in a real browser: Chromium, driven over its DevTools protocol.

    apt-get install chromium
    pip install websocket-client
    cargo build --release -p offcut
    python3 e2e/ui.py [--offcut PATH] [--shots DIR] [--readme DIR] [--large MB] [--calls N]

Makes a project of its own, fills it with outputs and with hostile ones, and checks: pages open, a call that is made
meanwhile appears, a gap opens, a page of a large artifact comes in time, the playground's reply is that of
`offcut --json`, search finds, dark mode is dark, payloads stay inert, and nothing is written to the console.
With `--shots` every page is photographed, light, dark and narrow; with `--readme` only those that the README shows, of a
project without hostile outputs. With `--calls` a history of so many calls is made
first, and every page is timed with it.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import websocket

PAYLOAD = "<script>window.pwned=1</script>\"><img src=x onerror=window.pwned=1><svg onload=window.pwned=1>"
WAIT = 30


class Browser:
    """One tab."""

    def __init__(self, directory):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={directory}", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        until = time.time() + 2 * WAIT
        port = None
        while port is None and time.time() < until:
            found = re.search(r"ws://[^:]+:(\d+)/", self.process.stderr.readline())
            port = found and int(found.group(1))
        assert port, "chromium did not start"
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=WAIT))
        tab = next(tab for tab in tabs if tab["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=2 * WAIT)
        self.number, self.events = 0, []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.events.append(message)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, f"{script}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def until(self, script, what):
        end = time.time() + WAIT
        while time.time() < end:
            if self.run(script):
                return
            time.sleep(0.1)
        raise AssertionError(f"{what}: not within {WAIT} s")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until(f"document.readyState === 'complete' && location.href === {json.dumps(url)}", url)

    def shot(self, path, whole=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": self.width, "height": min(size["height"], 1600), "scale": 1}
        extra = {"clip": clip, "captureBeyondViewport": True} if whole else {}
        data = self.call("Page.captureScreenshot", format="png", **extra)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def view(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.width, scheme = width, "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """What the console and the network complained of."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("text"))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                found.append(str(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        return found

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=WAIT)


class Project:
    """A project with an offcut of its own."""

    def __init__(self, directory, binary):
        self.root = directory / "project"
        (self.root / ".git").mkdir(parents=True)
        self.binary = binary
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OFFCUT_")}
        self.environment = {**kept, "HOME": str(directory)}

    def pipe(self, text, *arguments, **environment):
        return subprocess.run([self.binary, *arguments], input=text, text=True, cwd=self.root, capture_output=True,
                              timeout=20 * WAIT, env={**self.environment, **environment}, check=True).stdout

    def serve(self):
        self.server = subprocess.Popen([self.binary, "ui", "--listen", "127.0.0.1:0", "--no-open"], cwd=self.root,
                                       env=self.environment, stderr=subprocess.PIPE, text=True)
        line = self.server.stderr.readline()
        return line.strip().removeprefix("listening at ")

    def stop(self):
        self.server.terminate()
        self.server.wait(timeout=WAIT)


def log(seed, count):
    """A log with a few lines that matter."""
    lines = []
    for number in range(count):
        lines.append(f"2026-11-16T10:{number // 60 % 60:02}:{number % 60:02}Z INFO worker-{(number * seed) % 7} "
                     f"request {number} took {(number * 37 + seed) % 900} ms")
        if number % (count // 2 + 1) == count // 2:
            lines += ["2026-11-16T10:30:00Z ERROR worker-3 connection to db-primary refused (os error 111)",
                      "    at pool::connect (src/pool.rs:88)", "    at worker::run (src/worker.rs:41)"]
    return "\n".join(lines) + "\n"


def fill(project):
    """Outputs of several tools and agents, one with a secret."""
    agents = [{"CLAUDECODE": "1"}, {"GEMINI_CLI": "1"}, {"OPENCODE": "1"}, {}]
    for number in range(24):
        tool = ("execute_command", "read_file", "search_files", "http_request")[number % 4]
        size = (40, 900, 4000, 12000)[number * 7 % 4]
        project.pipe(log(number + 1, size), "--tool", tool, **agents[number % 3 if number % 5 else 3])
    project.pipe("connect with token ghp_" + "a1B2c3D4e5F6" * 3 + "\n" + log(5, 2000))
    project.pipe("", "artifacts", "show", "last", "--lines", "1-40", **agents[0])
    project.pipe("", "artifacts", "grep", "last", "ERROR", **agents[1])


def attack(project):
    """An output that is hostile, and so is its tool's name."""
    project.pipe(log(3, 2000) + PAYLOAD + "\nerror: " + PAYLOAD + "\n" + log(4, 2000), "--tool", PAYLOAD)


def paste(browser, output):
    """Pastes an output into the playground, and waits for its reply."""
    browser.run(f"const area = document.getElementById('input'); area.value = {json.dumps(output)}; "
                "area.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.until("document.getElementById('reply').textContent.length > 100", "the reply")


def readme(directory, binary, browser, shots):
    """Photographs what the README shows."""
    project = Project(directory, binary)
    fill(project)
    url = project.serve()
    try:
        shots.mkdir(parents=True, exist_ok=True)
        browser.view(1100, 700)
        browser.open(url + "/")
        browser.shot(shots / "overview.png", whole=False)
        browser.open(url + "/ui/calls?only=cut")
        call = browser.run("document.querySelector('tbody tr').dataset.href")
        browser.view(1100, 700, dark=True)
        browser.open(url + call)
        browser.shot(shots / "call.png", whole=False)
        browser.view(1100, 700)
        browser.open(url + "/ui/playground")
        paste(browser, log(8, 6000))
        browser.shot(shots / "playground.png", whole=False)
    finally:
        project.stop()


def synthetic(project, count):
    """A log of so many calls over ninety days; returns how long it took to take them in."""
    now, path = int(time.time() * 1000), project.root / ".offcut/artifacts/events.jsonl"
    tools, kinds = ["bash", "read_file", "grep", "http_request", "git_diff"], ["log", "test", "json", "code/rust", "diff"]
    step = 89 * 86_400_000 // count
    who = {"session": "default"}
    # The log is put aside at 32 MiB: what is written at once must be taken in before it goes.
    with open(path, "a") as out:
        for number in range(count):
            size = 500 + number * 7919 % 90_000
            cut = size > 8000
            record = {"at_ms": now - 89 * 86_400_000 + number * step, "agent": ("Claude Code", "Codex", "")[number % 3],
                      "event": "reply", "tool": tools[number % 5], "session": "default", "kind": kinds[number // 3 % 5],
                      "strategy": "smart" if cut else "none", "original_size": size,
                      "truncated_size": min(size, 8000), "was_truncated": cut, "degraded": 0,
                      "duration_us": 300 + number * 31 % 9000, "original_tokens": size // 4,
                      "truncated_tokens": min(size, 8000) // 4}
            records, moment = [record], {"at_ms": record["at_ms"], "agent": record["agent"]}
            if cut:
                identity = {"id": f"art_{record['at_ms']}_{number:x}", **who}
                record["artifact_id"] = identity["id"]
                record["kept"] = [[line * 40 + 1, line * 40 + 9] for line in range(12)]
                records.insert(0, {**moment, "event": "artifact", **identity, "tool": record["tool"], "bytes": size})
                if number % 11 == 0:
                    records.append({**moment, "event": "retrieval", **identity, "range": "lines 1-100", "by": "model",
                                    "outcome": "ok", "bytes": 4000})
            if number % 97 == 0:
                record["degraded"] = 1
            if number % 53 == 0:
                record["redactions"] = {"JWT": 2}
            if number % 20 == 0:
                records.append({**moment, "event": "request", **who, "conversation": f"c{number // 2000}", "model": "m",
                                "format": "anthropic", "request": number // 20 % 100, "tokens_before": 60_000,
                                "tokens_after": 31_000, "cut": 2, "shortened": 5, "cost_before": 0.18, "cost_after": 0.1})
            if number % 50_000 == 0:
                records.append({**moment, "event": "refusal", **who, "id": "../x", "by": "model", "reason": "invalid_id"})
            out.write("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records))
    started = time.time()
    project.pipe("", "stats")
    return time.time() - started


def same(text):
    """A reply without what differs from run to run."""
    return re.sub(r"art_\d+_[0-9a-z]+|\b[a-z]\d{3}[0-9a-z]*\b", "ID", text)


def timed(url):
    times = []
    for _ in range(5):
        started = time.time()
        urllib.request.urlopen(url, timeout=WAIT).read()
        times.append((time.time() - started) * 1000)
    return sorted(times)[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--offcut", default=str(here / "target/release/offcut"))
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path)
    parser.add_argument("--large", type=int, default=100, help="MB of the large artifact (100)")
    parser.add_argument("--calls", type=int, default=0, help="calls of a synthetic history (0)")
    arguments = parser.parse_args()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="offcut-ui-"))
    project = Project(directory, str(pathlib.Path(arguments.offcut).resolve()))
    browser = Browser(directory / "browser")
    passed, failed = 0, 0

    def check(name, test):
        nonlocal passed, failed
        try:
            told = test()
            passed += 1
            print(f"ok   {name}{f': {told}' if isinstance(told, str) else ''}", flush=True)
        except Exception as error:  # A failed check must not hide the others.
            failed += 1
            print(f"FAIL {name}: {error}", flush=True)

    if arguments.readme:
        try:
            return readme(directory / "shop", project.binary, browser, arguments.readme)
        finally:
            browser.close()
            shutil.rmtree(directory, ignore_errors=True)
    try:
        fill(project)
        attack(project)
        url = project.serve()
        pages = ["/", "/ui/calls", "/ui/artifacts", "/ui/search?q=refused", "/ui/retrievals", "/ui/savings",
                 "/ui/conversations", "/ui/problems", "/ui/playground"]
        browser.view(1280, 900)

        def opens():
            for page in pages:
                browser.open(url + page)
                assert browser.run("document.querySelector('main h1')?.textContent"), page

        def live():
            browser.open(url + "/")
            before = browser.run("document.querySelector('tbody[data-live] tr').dataset.id")
            calls = browser.run("document.querySelector('.tile strong').textContent")
            started = time.time()
            project.pipe(log(9, 3000), "--tool", "made_meanwhile")
            browser.until(f"document.querySelector('tbody[data-live] tr').dataset.id !== '{before}'", "the new call")
            took = time.time() - started
            assert browser.run("document.querySelector('tbody[data-live] tr .name').textContent") == "made_meanwhile"
            browser.until(f"document.querySelector('.tile strong').textContent !== '{calls}'", "the figures")
            return f"after {took:.1f} s"

        def gap():
            browser.open(url + "/ui/calls")
            href = browser.run("[...document.querySelectorAll('tbody[data-live] tr')].find(row => row.querySelector('.cut')).dataset.href")
            browser.open(url + href)
            before = browser.run("document.querySelectorAll('.pane tr[data-line]').length")
            first = browser.run("document.querySelector('a[data-open]').dataset.first")
            browser.run("document.querySelector('a[data-open]').click()")
            browser.until(f"document.querySelectorAll('.pane tr[data-line]').length > {before}", "the gap's lines")
            opened = browser.run("[...document.querySelectorAll('tr.opened .line')].map(cell => cell.textContent)")
            assert opened[0] == first and opened == [str(int(first) + at) for at in range(len(opened))], opened[:3]
            return f"{len(opened)} lines"

        def large():
            lines = "".join(f"line {number} of a large output, with some words to fill it up\n" for number in range(16_500))
            text = lines * arguments.large
            report = json.loads(project.pipe(text, "--json"))["report"]
            path = f"/ui/artifacts/default/{report['artifact_id']}"
            total = report["original_lines"]
            times = [timed(f"{url}{path}?first={first}") for first in (1, total // 2, total - 10)]
            assert max(times) < 300, times
            browser.open(f"{url}{path}?first={total - 10}")
            assert browser.run("[...document.querySelectorAll('#whole .line')].at(-1).textContent") == str(total)
            return f"{len(text) // 1_000_000} MB, {', '.join(f'{took:.0f} ms' for took in times)}"

        def playground():
            output = log(8, 6000)
            browser.open(url + "/ui/playground")
            paste(browser, output)
            before = browser.run("document.getElementById('reply').textContent")
            browser.run("const range = document.getElementById('limit'); range.value = 40; "
                        "range.dispatchEvent(new Event('input', {bubbles: true}))")
            browser.until("document.getElementById('command').textContent.includes('3200')", "the command")
            reply = browser.run("document.getElementById('reply').textContent")
            assert reply != before
            command = browser.run("document.getElementById('command').textContent").split()[1:]
            printed = json.loads(project.pipe(output, *command, "--json"))
            assert same(reply) == same(printed["text"]), "the playground's reply is not that of the command line"
            query = urllib.parse.urlencode({"limit": "3200", "profile": "auto", "tool": "execute_command"})
            request = urllib.request.Request(f"{url}/ui/playground/cut?{query}", data=output.encode())
            raw = urllib.request.urlopen(request, timeout=WAIT).read().decode()
            mine = raw[len('{"reply":'):raw.index(',"explained":')]
            theirs = project.pipe(output, "--limit", "3200", "--json").strip()
            strip = lambda text: re.sub(r'"duration_us":\d+|"artifact_path":"[^"]*",', "", same(text))
            assert strip(mine) == strip(theirs), "not the same bytes"
            why = browser.run("document.querySelectorAll('#why .why').length")
            assert why > 3, why
            return f"{len(printed['text'])} characters, byte for byte"

        def search():
            browser.open(url + "/ui/search?q=" + urllib.parse.quote("refused \\(os error"))
            marks = browser.run("document.querySelectorAll('mark').length")
            assert marks > 3, marks
            return f"{marks} matches"

        def dark():
            colour = "getComputedStyle(document.body).backgroundColor"
            browser.open(url + "/")
            light = browser.run(colour)
            browser.view(1280, 900, dark=True)
            darkness = browser.run(colour)
            browser.view(1280, 900)
            bright = [sum(map(int, re.findall(r"\d+", value)[:3])) for value in (light, darkness)]
            assert bright[0] > 600 and bright[1] < 150, (light, darkness)

        def narrow():
            browser.view(390, 800)
            for page in pages:
                browser.open(url + page)
                wide = browser.run("document.documentElement.scrollWidth")
                assert wide <= 390, f"{page} is {wide} wide"
            browser.view(1280, 900)

        def keyboard():
            browser.open(url + "/ui/calls")
            for kind in ("keyDown", "keyUp"):
                browser.call("Input.dispatchKeyEvent", type=kind, key="/", text="/" if kind == "keyDown" else "")
            assert browser.run("document.activeElement.name") == "q"

        def inert():
            ids = browser.run("fetch('/ui/calls?order=largest').then(a => a.text()).then(t => [...t.matchAll(/data-id=\"(\\d+)/g)].map(m => m[1]))")
            visited = pages + [f"/ui/calls/{number}" for number in ids]
            visited += ["/ui/search?q=" + urllib.parse.quote("pwned"), "/ui/search?q=" + urllib.parse.quote(PAYLOAD)]
            shown = 0
            for page in visited:
                browser.open(url + page)
                assert not browser.run("window.pwned"), page
                shown += browser.run("document.body.textContent.includes('window.pwned=1')")
            assert shown >= 3, f"the payload is on {shown} pages"
            return f"{len(visited)} pages, the payload as text on {shown}"

        def quiet():
            assert not browser.complaints(), browser.complaints()

        def calls():
            imported = synthetic(project, arguments.calls)
            timed(url + "/")
            lists = ["/metrics", "/ui/overview/figures", "/ui/calls?only=cut&order=largest",
                     "/ui/calls?only=degraded&order=slowest", "/ui/calls?only=secrets&order=largest",
                     "/ui/calls?tool=bash&only=degraded&order=largest", f"/ui/calls?before={arguments.calls // 2}",
                     "/ui/calls?tool=made_meanwhile&order=slowest", "/ui/conversations/c3", "/ui/savings?days=30&by=agent"]
            times = {page: timed(url + page) for page in [*pages, *lists] if page != "/ui/search?q=refused"}
            started = time.time()
            project.pipe("", "stats", "--by", "tool")
            stats = (time.time() - started) * 1000
            started = time.time()
            project.pipe("", "savings")
            savings = (time.time() - started) * 1000
            told = ", ".join(f"{page} {took:.0f} ms" for page, took in times.items())
            commands = f"stats {stats:.0f} ms, savings {savings:.0f} ms"
            assert max(times.values()) < 200 and max(stats, savings) < 300, f"{told}; {commands}"
            return f"taken in within {imported:.1f} s; {told}; {commands}"

        check("every page opens", opens)
        check("a call that is made meanwhile appears", live)
        check("a gap opens on a click", gap)
        check("the playground makes the reply of the command line", playground)
        check("search finds in every artifact", search)
        check("dark mode is dark", dark)
        check("narrow screens need no sideways scrolling", narrow)
        check("the keyboard reaches the search", keyboard)
        check("payloads stay inert", inert)
        if arguments.large:
            check("pages of a large artifact come within 300 ms", large)
        if arguments.shots:
            arguments.shots.mkdir(parents=True, exist_ok=True)
            browser.open(url + "/ui/calls")
            call = browser.run("[...document.querySelectorAll('tbody[data-live] tr')].find(row => row.querySelector('.cut')).dataset.href")
            for page in [*pages, call]:
                name = re.sub(r"\W+", "-", page.split("?")[0].removeprefix("/ui").strip("/")) or "overview"
                for suffix, view in (("", (1280, 900, False)), ("-dark", (1280, 900, True)), ("-narrow", (390, 800, False))):
                    browser.view(*view)
                    browser.open(url + page)
                    if name == "playground":
                        paste(browser, log(8, 6000))
                    browser.shot(arguments.shots / f"{'call' if name.startswith('calls-') else name}{suffix}.png")
        check("nothing is written to the console", quiet)
        if arguments.calls:
            check(f"a history of {arguments.calls:,} calls", calls)
    finally:
        browser.close()
        if hasattr(project, "server"):
            project.stop()
        shutil.rmtree(directory, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
