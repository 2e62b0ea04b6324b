"""The views of the pages one by one: activity, versions by property, ranges of time, counts, cards, and sizes."""

import html
import os
import re
import unittest

import browser
import support

PAGE_SIZE = 100_000


def links(text, pattern):
    return [html.unescape(link) for link in re.findall(pattern, text)]


class Views(support.ServedCase):
    """The server's clocks are those of Berlin; the last record is of 25 September 2026, 21:13 there."""

    @classmethod
    def setUpClass(cls):
        before = os.environ.get("TZ")
        os.environ["TZ"] = "Europe/Berlin"
        try:
            super().setUpClass()
        finally:
            if before is None:
                del os.environ["TZ"]
            else:
                os.environ["TZ"] = before

    def records(self, path):
        return [int(number) for number in re.findall(r'href="/records/(\d+)"', self.get(path).text)]

    # Ranges of time

    def test_ranges_of_a_store_of_old_records_are_of_its_last_days(self):
        text = self.get("/", {"author": "ann"}).text
        self.assertNotIn(">Yesterday</a>", text)
        self.assertNotIn(">Today</a>", text)
        for name, path, count in [
                ("Last hour with records", "/?author=ann&from=2026-09-25%2020%3A13", [9, 8]),
                ("Last day with records", "/?author=ann&from=2026-09-25", [9, 8]),
                ("Last week with records", "/?author=ann&from=2026-09-19", [9, 8, 6, 3, 2])]:
            with self.subTest(name=name):
                self.assertEqual(links(text, f'<a href="([^"]*)">{name}</a>'), [path])
                self.assertEqual(self.records(path), count)
                self.assertIn(f'aria-current="true">{name}</a>', self.get(path).text)
        # Somebody who waits for records of today sees where that leads.
        self.assertIn('aria-current="true">Today</a>', self.get("/?from=today").text)

    def test_the_zone_of_times_without_one_is_named(self):
        self.assertIn("<label>From (CET/CEST) <input", self.get("/").text)
        self.assertIn("<label>To (CET/CEST) <input", self.get("/compare").text)
        self.assertIn("time in CET/CEST", self.get("/objects").text)
        self.assertIn("in the service's, CET/CEST.", self.get("/model").text)

    # Versions

    def test_versions_are_narrowed_to_a_property(self):
        text = self.get("/objects/Student/2").text
        narrowings = dict(re.findall(r'<a href="[^"]*"[^>]*>(\w+)</a> <span class="muted">(\d+)</span>', text))
        self.assertEqual(narrowings, {"all": "3", "grade": "3", "name": "2"})
        path, = links(text, r'<a href="([^"#]*)#versions">name</a>')
        text = self.get(path).text
        self.assertEqual(re.findall(r">Record (\d+)</a>", text), ["6", "3"])
        self.assertIn('aria-current="true">name</a>', text)
        versions = text[text.index('<table class="versions">'):]
        self.assertNotIn("<td>grade</td>", versions)
        # It stays at the point that was chosen.
        self.assertIn('href="/objects/Student/2?as-of=5&property=grade#versions"', html.unescape(self.get("/objects/Student/2?as-of=5").text))

    def test_a_property_that_there_is_not_is_an_error(self):
        answer = self.get("/objects/Student/1?property=grad")
        self.assertEqual(answer.status, 404)
        self.assertIn("grade", answer.text)
        self.assertIn("None of them is to be shown.", self.get("/objects/Student/1?property=grade&before=3").text)

    # Activity

    def activity(self, path):
        """The bars of each author and entity: the records that they are of, and where they lead."""
        text = self.get(path).text
        rows = {}
        for row in text.split('<div class="row">')[1:]:
            name = re.search(r"<title[^>]*>([^<]*)</title>", row).group(1)
            rows[name] = [(int(label.split(": ")[-1]), html.unescape(href)) for href, label in
                          re.findall(r'<a href="([^"]*)" tabindex="-1"><title>([^<]*)</title>', row)]
        return text, rows

    def test_activity_counts_the_records_of_authors_and_entities(self):
        text, rows = self.activity("/activity?to=9")
        self.assertIn("9 records; a bar is 1 day.", text)
        sums = {name: sum(count for count, _ in bars) for name, bars in rows.items()}
        self.assertEqual(sums, {"ann": 5, "ben": 2, "importer": 1, "firn": 1, "Student": 5, "Course": 3, "Teacher": 1})

    def test_a_bar_leads_to_its_records(self):
        _, rows = self.activity("/activity?to=9")
        self.assertEqual(len(rows), 7)
        for name, bars in rows.items():
            for count, path in bars:
                with self.subTest(name=name, path=path):
                    self.assertEqual(len(self.records(path)), count)

    def test_activity_is_also_a_table(self):
        text, rows = self.activity("/activity?to=9")
        table = text[text.index('<table class="counts">'):]
        names = re.findall(r'<th scope="col">([^<]*)</th>', table)
        self.assertEqual(names[1:], ["All"] + list(rows))
        columns = [0] * (len(names) - 1)
        for row in table.split("<tr>")[2:]:
            columns = [a + int(b) for a, b in zip(columns, re.findall(r"<td>(\d+)</td>", row))]
        self.assertEqual(columns, [9] + [sum(count for count, _ in bars) for bars in rows.values()])

    def test_activity_is_of_a_range(self):
        _, rows = self.activity("/activity?from=4&to=5")
        self.assertEqual(list(rows), ["ben", "Student"])
        self.assertIn("There are no records then.", self.get("/activity?from=2020-01-01&to=2020-01-02").text)
        self.assertEqual(self.get("/activity?from=soon").status, 400)
        self.assertEqual(self.get("/activity?form=4").status, 400)

    # The model, and names that are looked for in the wrong place

    def test_the_model_has_the_counts_of_objects(self):
        count = len(self.get("/v1/objects/Teacher").json["objects"])
        text = self.get("/model").text
        self.assertRegex(text, rf'>Teacher</a> <span class="muted">{count} objects?</span>')
        self.assertRegex(text, rf'>Teacher</text><text class="count"[^>]*>{count}</text>')

    def test_a_row_of_the_timeline_does_not_repeat_the_text_that_was_searched_for(self):
        text = self.get("/", {"text": "robert"}).text
        self.assertIn('changed Student/1 “Robert”: name', text)
        self.assertNotIn('<span class="muted">robert</span>', text)


class Written(support.ServedCase):
    """Views of what the tests save."""

    def test_rare_versions_are_found_behind_many_others(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        lines = support.Lines(head + 1).save("maker", 102).create("Student", key, name="first", grade=0)
        for number in range(1, 450):
            lines.save("grader", 102).update("Student", key, {"grade": number - 1}, {"grade": number})
        lines.write(self.store)
        path, found = f"/objects/Student/{key}?property=name", []
        for _ in range(40):
            text = self.get(path).text
            found += re.findall(r">Record (\d+)</a>", text)
            more = links(text, r'<a class="button" href="([^"]*)">Earlier versions')
            if not more:
                break
            path = more[0]
        self.assertEqual(found, [str(head + 1)])

    def test_an_object_without_a_name_is_found_without_one(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        support.Lines(head + 1).save("ann", 102).create("Student", key, grade=8_765).write(self.store)
        text = self.get("/search", {"text": "8765"}).text
        self.assertRegex(text, rf">Student/{key}</a></th>")


class Heavy(support.ServedCase):
    """A store of long values, long names, and many versions."""

    @classmethod
    def make(cls, store):
        super().make(store)
        lines = support.Lines(cls.lines.sequence + 1)
        text, old = "<b>&\u202e" * 20_000, "x"
        lines.save("author " * 9_000, 102, note="fact " * 20_000).create("Student", 900, name=old, grade=1)
        for number in range(220):
            new = f"{number} {text}" if number % 2 else f"{number}\n{text[:90_000]}\n" * 2
            lines.save(f"author {number} " + "<" * 300, 103 + number).update("Student", 900, {"name": old}, {"name": new})
            old = new
        lines.save("importer", 500)
        for key in range(1000, 1060):
            lines.create("Student", key, name=f"{key} " + text)
        lines.write(store)
        cls.head = lines.sequence

    def setUp(self):
        # Until the history has all of it.
        self.eventually(lambda: self.get("/objects/Student/900").status == 200, 60)

    def test_every_page_is_below_a_hundred_kilobytes(self):
        head = self.head
        for path in ["/", "/?entity=Student", "/?text=author", "/records?after=5", f"/records/{head}", f"/records/{head - 1}",
                     f"/records/{head - 221}", "/objects", "/objects/Student", "/objects/Student?sort=name:desc", "/objects/Student/900",
                     "/objects/Student/900?property=name", "/objects/Student/1059", f"/compare?from={head - 1}", "/compare?from=1", "/activity",
                     "/search?text=b", "/search?text=1000", "/model"]:
            with self.subTest(path=path):
                answer = self.get(path)
                self.assertEqual(answer.status, 200)
                self.assertLess(len(answer.body), PAGE_SIZE)
                self.assertNotIn("<b>", answer.text)

    def test_a_long_text_is_to_be_had_whole(self):
        text = self.get("/objects/Student/1059").text
        link = links(text, r'<a class="whole" href="([^"]*)">')[0]
        self.assertEqual(self.get(link).text, "1059 " + "<b>&\u202e" * 20_000)

    def test_what_does_not_fit_on_a_page_is_on_the_next_ones(self):
        for path, pattern, more, count in [
                (f"/records/{self.head}", r'<a class="item" href="/objects/Student/(\d+)', "More of this record", 60),
                ("/objects/Student/900", r">Record (\d+)</a>", "Earlier versions", 221)]:
            seen = []
            while path:
                text = self.get(path).text
                seen += re.findall(pattern, text)
                path = (links(text, rf'<a class="button" href="([^"]*)">{more}') or [None])[0]
            with self.subTest(more=more):
                self.assertEqual((len(seen), len(set(seen))), (count, count))


class Refused(support.ServedCase):
    """Parameters as nobody writes them."""

    VIEWS = {"/": ["entity", "property", "author", "text", "from", "to", "before"], "/activity": ["from", "to"], "/compare": ["from", "to", "entity", "offset"],
             "/objects": ["as-of"], "/objects/Student": ["predicate", "as-of", "limit", "offset", "sort"], "/objects/Student/1": ["as-of", "before", "property"],
             "/search": ["text", "entity"], "/records/4": ["offset"]}

    def test_every_parameter_is_answered_clearly_whatever_it_is(self):
        values = ["<script>alert(1)</script>", "'\"--", "%00", "%ff%fe", "%C3", "%ED%A0%80", "%u0041", "-1", "0", "99999999999999999999", "1e9", "%D9%A3",
                  "NaN", "%F0%9F%92%A9", "%0D%0ASet-Cookie:x=1", "a" * 2048, "a" * 2049, "-9999999y", "2026-13-45", "9999-12-31", "0000-00-00", "../..", ""]
        for path, names in self.VIEWS.items():
            for name in names:
                for value in values:
                    with self.subTest(path=path, name=name, value=value[:30]):
                        answer = self.get(f"{path}?{name}={value}")
                        self.assertIn(answer.status, (200, 303, 400, 404))
                        self.assertLess(len(answer.body), PAGE_SIZE)
                        self.assertIsNone(answer.headers["Set-Cookie"])
                        self.assertNotIn("<script>alert", answer.text)
                        self.assertIn("</html>", answer.text or "</html>")
                        if answer.status >= 400:
                            self.assertRegex(answer.text, r'<p role="alert">[^<]{6,}')

    def test_a_filter_that_is_long_is_refused_or_shown_without_drawings(self):
        self.assertEqual(self.get("/", {"author": "a" * 501}).status, 400)
        answer = self.get("/", {"author": "\u0416" * 250, "text": "\u0416" * 250})
        self.assertEqual(answer.status, 200)
        self.assertLess(len(answer.body), PAGE_SIZE)
        self.assertNotIn('class="strip', answer.text)
        self.assertIn('class="strip', self.get("/", {"author": "a" * 90}).text)

    def test_a_parameter_is_given_once(self):
        for path, names in self.VIEWS.items():
            for name in set(names) - {"sort"}:
                with self.subTest(path=path, name=name):
                    answer = self.get(f"{path}?{name}=1&{name}=2")
                    self.assertEqual(answer.status, 400)
                    self.assertIn(f"{name.capitalize()} is given twice", answer.text)

    def test_a_parameter_that_there_is_not_is_refused(self):
        for path in self.VIEWS:
            with self.subTest(path=path):
                self.assertEqual(self.get(f"{path}?colour=red").status, 400)
                self.assertEqual(self.get(f"{path}?" + "&".join(f"x{n}=1" for n in range(70))).status, 400)


@unittest.skipUnless(browser.program(), "there is no Chromium: install Debian's package chromium")
class InABrowser(support.ServedCase):
    @classmethod
    def make(cls, store):
        super().make(store)
        lines = support.Lines(cls.lines.sequence + 1)
        lines.save("ann", 102).create("Student", 900, name="word " * 50, grade=3).write(store)

    def setUp(self):
        self.browser = browser.Browser()
        self.addCleanup(self.browser.close)

    def open(self, path, width, is_dark=False):
        self.browser.show(width, 844, is_dark)
        self.browser.open(self.server.address + path)

    def test_lists_are_cards_where_there_is_little_room(self):
        for path in ["/objects/Student", "/search?text=word", "/objects"]:
            with self.subTest(path=path):
                self.open(path, 400)
                # Nothing is beside the window, also not in a part that scrolls.
                self.assertEqual(self.browser.value("""[...document.querySelectorAll('.list, .list *')]
                    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).length"""), 0)
        self.open("/objects/Student", 400)
        label = "getComputedStyle(document.querySelector('.list td[data-name=grade]'), '::before').content"
        self.assertEqual(self.browser.value(label), '"grade"')
        # They can still be sorted.
        self.assertTrue(self.browser.value("document.querySelector('.list thead a').checkVisibility()"))
        self.open("/objects/Student", 1280)
        self.assertEqual(self.browser.value(label), "none")

    def test_large_counts_of_activity_fit(self):
        self.open("/activity", 400)
        self.assertEqual(self.browser.value("""[...document.querySelectorAll('.activity .count')].filter((e) => {
            e.textContent = '≈ 123456';
            return e.scrollWidth > e.clientWidth || e.getBoundingClientRect().right > innerWidth; }).length"""), 0)

    def test_bars_stand_out_from_what_is_behind_them(self):
        for is_dark in [False, True]:
            with self.subTest(is_dark=is_dark):
                self.open("/activity", 1280, is_dark)
                ratio = self.browser.value("""(() => {
                    const light = (text) => { const f = text.match(/[\\d.]+/g).slice(0, 3)
                        .map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                      return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] + .05; };
                    const bar = light(getComputedStyle(document.querySelector('.activity rect')).fill);
                    const paper = light(getComputedStyle(document.body).backgroundColor);
                    return Math.max(bar, paper) / Math.min(bar, paper); })()""")
                self.assertGreater(ratio, 3)

    def test_a_screen_reader_hears_what_a_drawing_shows(self):
        self.open("/activity", 1280)
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        images = [(node["name"]["value"], node.get("description", {}).get("value", "")) for node in nodes
                  if not node.get("ignored") and node["role"]["value"] in ("image", "img")]
        self.assertEqual(len(images), 7)
        for name, _ in images:
            self.assertRegex(name, r"^\w+ (about )?\d+ records?, most in the \w+ ")

    def test_a_key_leads_to_the_activity(self):
        self.open("/", 1280)
        self.browser.key("a")
        self.browser.wait_for("location.pathname === '/activity'")


if __name__ == "__main__":
    unittest.main()
