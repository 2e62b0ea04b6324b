"""The pages, as the server renders them and in a headless browser."""

import html.parser
import os
import pathlib
import random
import subprocess
import threading
import unittest

import browser
import support

PATHS = ["/", "/?entity=Student&author=ann", "/records/1", "/records/4", "/records/7", "/records/9", "/objects",
         "/objects?as-of=5", "/objects/Student", "/objects/Student?sort=name&as-of=7", "/objects/Student/1",
         "/objects/Student/2", "/objects/Course/1?as-of=8", "/compare", "/compare?from=3&to=6", "/compare?from=6&to=3",
         "/model", "/records/99999", "/objects/Nobody"]


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.foreign = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "action"):
                (self.links if value.startswith("/") else self.foreign).append(value)
            if name == "style" or name.startswith("on"):
                self.foreign.append(f"{name} on {tag}")


class Rendered(support.ServedCase):
    def test_every_link_of_every_page_leads_to_a_page(self):
        seen, pending = set(), list(PATHS[:-2])
        while pending and len(seen) < 400:
            path = pending.pop(0)
            if path in seen or path == "#main":
                continue
            seen.add(path)
            answer = self.get(path)
            with self.subTest(path=path):
                self.assertEqual(answer.status, 200, answer.text[:500])
            if "text/html" not in answer.headers["Content-Type"]:
                continue
            found = Links(answer.text)
            self.assertEqual([link for link in found.foreign if not link.startswith("#")], [], path)
            pending += found.links
        self.assertGreater(len(seen), 100)

    def test_the_timeline_says_what_each_record_did(self):
        text = self.get("/").text
        self.assertIn("60 Student", text)
        self.assertLess(text.index('/records/9"'), text.index('/records/8"'))

    def test_filters_stand_in_the_address(self):
        text = self.get("/", {"author": "ben", "entity": "Student"}).text
        self.assertIn('/records/4"', text)
        self.assertNotIn('/records/3"', text)
        self.assertIn('value="ben"', text)
        self.assertIn("<option selected>Student</option>", text)
        text = self.get("/", {"text": "ROBERT"}).text
        self.assertIn('/records/4"', text)
        self.assertNotIn('/records/5"', text)

    def test_dates_and_records_bound_the_timeline(self):
        self.assertNotIn('/records/9"', self.get("/", {"to": "2026-09-24T00:00:00Z"}).text)
        self.assertNotIn('/records/2"', self.get("/", {"from": "2026-09-24T00:00:00Z"}).text)
        self.assertNotIn('/records/9"', self.get("/", {"before": 5}).text)

    def test_a_record_has_old_and_new(self):
        text = self.get("/records/4").text
        self.assertIn('<td class="old"><span class="text">Bob</span></td>', text)
        self.assertIn('<td class="new"><span class="text">Robert</span></td>', text)

    def test_long_texts_are_a_difference_of_lines(self):
        text = self.get("/records/9").text
        self.assertIn("Line 7 of", text)
        self.assertIn("Line seven of", text)
        self.assertNotIn("Line 15 of", text)

    def test_an_object_says_who_set_each_value(self):
        text = self.get("/objects/Student/1").text
        name = text[text.index('<th scope="row">name</th>'):]
        self.assertLess(name.index("/records/4"), name.index("</tr>"))

    def test_a_deleted_object_has_its_versions(self):
        text = self.get("/objects/Student/2").text
        self.assertIn("Not there any more", text)
        self.assertIn("/records/6", text)

    def test_an_error_of_a_page_is_a_page(self):
        answer = self.get("/records/99999")
        self.assertEqual(answer.status, 404)
        self.assertIn("<h1>Not Found</h1>", answer.text)


CONTRAST = """(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const f = c.slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
  const paper = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    if (!e.checkVisibility() || e.closest('.hidden, dialog, .skip')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(paper(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) low.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)} ${e.textContent.trim().slice(0, 20)}`);
  }
  return low;
})()"""

CUT_OFF = """[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.closest('.hidden, .skip, .scroll, svg')
  && (e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1
  && getComputedStyle(e).overflowX !== 'visible' && !/^(INPUT|SELECT)$/.test(e.tagName)))
  .map((e) => `${e.tagName}.${e.className}`)"""


@unittest.skipUnless(browser.program(), "there is no Chromium: install Debian's package chromium")
class InABrowser(support.ServedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        super().tearDownClass()

    def open(self, path, width=1280, height=900, is_dark=False):
        self.browser.show(width, height, is_dark)
        self.browser.open(self.server.address + path)

    def test_every_page_fits_and_can_be_read(self):
        folder = os.environ.get("FIRN_SCREENSHOTS")
        for path in PATHS:
            for width, height in [(1280, 900), (390, 844)]:
                for is_dark in [False, True]:
                    with self.subTest(path=path, width=width, is_dark=is_dark):
                        self.open(path, width, height, is_dark)
                        self.assertEqual(self.browser.value(CONTRAST), [])
                        self.assertEqual(self.browser.value(CUT_OFF), [])
                        if folder:
                            name = path.strip("/").replace("/", "-").replace("?", "-").replace("&", "-") or "timeline"
                            self.browser.screenshot(f"{folder}/{name}-{width}{'-dark' if is_dark else ''}.png")
        foreign = [url for url in self.browser.requests if not url.startswith(self.server.address) and url != "about:blank"]
        self.assertEqual(foreign, [], "no request to another host")
        self.assertEqual(self.browser.problems, [], "nothing was blocked, nothing was thrown")

    def test_a_screen_reader_hears_names_and_roles(self):
        for path in PATHS:
            self.open(path)
            nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
            roles = {}
            for node in nodes:
                if node.get("ignored"):
                    continue
                role = node["role"]["value"]
                name = node.get("name", {}).get("value", "")
                roles.setdefault(role, []).append(name)
                if role in ("link", "button", "textbox", "combobox", "slider", "navigation", "region", "search", "form"):
                    with self.subTest(path=path, role=role):
                        self.assertTrue(name.strip(), f"a {role} without a name")
            with self.subTest(path=path):
                for role in ["banner", "main", "navigation", "contentinfo", "heading"]:
                    self.assertIn(role, roles)

    def test_a_save_arrives_in_the_timeline(self):
        self.open("/")
        self.browser.wait_for("document.getElementById('status').textContent.includes('appear here')")
        head = self.get("/v1/store").json["head"]
        support.Lines(head + 1).save("zoe", 300).create("Student", support.new_key(), name="Zed").write(self.store)
        self.browser.wait_for(f"document.querySelector('#records a').pathname === '/records/{head + 1}'")
        self.assertIn("zoe", self.browser.value("document.querySelector('#records li').textContent"))
        self.assertEqual(self.browser.value("document.getElementById('status').textContent"), "1 new record")

    def test_a_filtered_timeline_leaves_other_saves_out(self):
        self.open("/?author=yan")
        self.browser.wait_for("document.getElementById('status').textContent.includes('appear here')")
        head = self.get("/v1/store").json["head"]
        lines = support.Lines(head + 1).save("zoe", 301).create("Student", support.new_key(), name="Not this")
        lines.save("yan", 302).create("Student", support.new_key(), name="This").write(self.store)
        self.browser.wait_for("document.querySelectorAll('#records li').length === 1")
        self.assertEqual(self.browser.value("document.querySelector('#records a').pathname"), f"/records/{head + 2}")

    def test_keys_move_and_open(self):
        self.open("/")
        self.browser.key("j")
        self.browser.key("j")
        self.browser.key("k")
        self.assertEqual(self.browser.value("document.activeElement === document.querySelectorAll('.item')[0]"), True)
        self.browser.key("?")
        self.assertTrue(self.browser.value("document.getElementById('keys').open"))
        self.browser.value("document.getElementById('keys').close()")
        self.browser.key("/")
        self.assertEqual(self.browser.value("document.activeElement.name"), "text")
        self.browser.value("document.activeElement.blur()")
        self.browser.key("m")
        self.browser.wait_for("location.pathname === '/model'")

    def test_the_slider_goes_to_a_record(self):
        self.open("/objects")
        self.browser.value("""(() => { const slider = document.getElementById('slider'); slider.value = 3;
            slider.dispatchEvent(new Event('input')); slider.dispatchEvent(new Event('change')); })()""")
        self.browser.wait_for("location.search === '?as-of=3'")
        self.browser.wait_for("document.querySelector('caption')?.textContent === 'Entities as of record 3'")


@unittest.skipUnless(browser.program(), "there is no Chromium: install Debian's package chromium")
class EventSource(unittest.TestCase):
    """A browser's own EventSource resumes after kills: nothing is missed, nothing comes twice."""

    def test_it_resumes_by_the_last_event(self):
        import test_events

        case = test_events.Kills()
        case.setUp()
        window = browser.Browser()
        try:
            for worker in range(4):
                case.save(worker)
            server = support.Server(case.store)
            window.open(server.address + "/model")
            window.value("""(() => { window.seen = []; const feed = new EventSource('/v1/changes?after=0');
                feed.onmessage = (event) => { window.seen.push(Number(event.lastEventId)); }; })()""")
            kills = int(os.environ.get("FIRN_KILLS", "6"))
            for number in range(kills):
                count = window.value("window.seen.length")
                window.wait_for(f"window.seen.length > {count + random.randint(20, 200)}")
                server.restart()
            for saver in case.savers:
                saver.kill()
                saver.wait()
            head = server.get("/v1/store").json["head"]
            window.wait_for(f"window.seen.at(-1) === {head}", 60)
            seen = window.value("window.seen")
            lines = server.get("/v1/changes", {"limit": 100000}).lines
            self.assertEqual(seen, sorted({line["source"]["sequence"] for line in lines}))
            print(f"EventSource: {kills} kills, {len(seen)} records, none missed, none twice")
            server.close()
        finally:
            window.close()
            case.tearDown()


if __name__ == "__main__":
    unittest.main()
