"""The pages, as the server renders them and in a headless browser."""

import csv
import html.parser
import io
import os
import pathlib
import random
import re
import subprocess
import threading
import time
import unittest

import browser
import support

PATHS = ["/", "/?entity=Student&author=ann", "/?property=title", "/records/1", "/records/4", "/records/7", "/records/9", "/objects",
         "/objects?as-of=5", "/objects/Student", "/objects/Student?sort=name&as-of=7", "/objects/Student/1",
         "/objects/Student/2", "/objects/Course/1?as-of=8", "/compare", "/compare?from=3&to=6", "/compare?from=3&to=7&entity=Student", "/compare?from=6&to=3",
         "/search", "/search?text=robert", "/search?text=line", "/model", "/activity", "/activity?from=4&to=7",
         "/objects/Student/1?property=name", "/records/99999", "/objects/Nobody"]


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


class Outside(html.parser.HTMLParser):
    """The text of a page outside of its tags."""

    def __init__(self, text):
        super().__init__()
        self.texts = []
        self.feed(text)

    def handle_data(self, data):
        self.texts.append(data)


class Rendered(support.ServedCase):
    def test_every_link_of_every_page_leads_to_a_page(self):
        seen, pending = set(), list(PATHS[:-2])
        while pending and len(seen) < 400:
            path = pending.pop(0)
            path = path.split("#")[0]
            if path in seen or not path:
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

    def test_the_timeline_counts_what_it_can_be_narrowed_to(self):
        def facet(text, label):
            part = text[text.index(f"<h2>{label}</h2>"):]
            return dict(re.findall(r'<a href="[^"]*"[^>]*>([^<]*)</a> <span class="count">(\d+)</span>', part[:part.index("</section>")]))

        text = self.get("/", {"to": "2026-09-27"}).text
        self.assertEqual(facet(text, "Authors"), {"ann": "5", "ben": "2", "importer": "1", "firn": "1"})
        self.assertEqual(facet(text, "Entities"), {"Student": "5", "Course": "3", "Teacher": "1"})
        self.assertEqual(facet(text, "Properties"), {"title": "2", "name": "1", "grade": "1"})
        self.assertIn("Counts of records.", text)
        text = self.get("/", {"author": "ben", "to": "2026-09-27"}).text
        self.assertEqual(facet(text, "Authors"), {"ben": "2"})
        self.assertEqual(facet(text, "Properties"), {"name": "1", "grade": "1"})
        # The chosen one leads back to the whole.
        self.assertIn('<a href="/?to=2026-09-27" aria-current="true">ben</a>', text)
        self.assertIn('<a href="/?author=ben&amp;property=name&amp;to=2026-09-27">name</a>', text)
        # Of another entity there is another property.
        text = self.get("/", {"property": "title"}).text
        self.assertIn('<a href="/?entity=Course">Course</a>', text)

    def test_a_property_narrows_the_timeline(self):
        text = self.get("/", {"property": "title", "before": 10}).text
        self.assertEqual(re.findall(r'/records/(\d+)"', text), ["9", "8", "2"])
        answer = self.get("/", {"property": "titel"})
        self.assertEqual(answer.status, 404)
        self.assertIn("title", answer.text)

    def test_the_strip_shows_where_hits_are(self):
        text = self.get("/", {"author": "importer"}).text
        self.assertIn('class="strip filtered"', text)
        self.assertIn('class="bar match"', text)
        self.assertNotIn('class="bar match"', self.get("/").text)
        (bar,) = re.findall(r'<a href="(/\?[^"]*)"[^>]*><title>[^<]*</title><rect class="hit"[^>]*/><rect class="bar match"', text)
        self.assertEqual(re.findall(r'/records/(\d+)"', self.get(bar.replace("&amp;", "&")).text), ["7"])

    def test_ranges_are_a_click_away(self):
        hours = (time.time() * 1000 - support.START) / 3_600_000
        head = self.get("/v1/store").json["head"]
        support.Lines(head + 1).save("now", hours).create("Student", support.new_key(), name="Now").write(self.store)
        text = self.get("/", {"author": "now", "from": "today"}).text
        self.assertIn('<a href="/?author=now&amp;from=yesterday&amp;to=today">Yesterday</a>', text)
        self.assertIn('aria-current="true">Today</a>', text)
        self.assertIn('<a href="/?author=now">All</a>', text)
        self.assertNotIn("with records", text)

    def test_the_timeline_is_to_be_had_as_a_file(self):
        answer = self.get("/records.csv", {"author": "ben", "before": 10})
        self.assertIn("text/csv", answer.headers["Content-Type"])
        rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
        self.assertEqual([row["record"] for row in rows], ["5", "4"])
        self.assertEqual(rows[1]["what"], 'changed Student/1 “Robert”: name "Bob" → "Robert"')
        answer = self.get("/records.json", {"before": 10, "limit": 3})
        self.assertEqual([row["record"] for row in answer.json["records"]], [9, 8, 7])
        self.assertEqual(answer.json["next"], "/records.json?before=7&limit=3")
        self.assertEqual([row["record"] for row in self.get(answer.json["next"]).json["records"]], [6, 5, 4])
        self.assertEqual(self.get("/records.csv?limit=10001").status, 400)
        answer = self.get("/records.csv?colour=red")
        self.assertIn("colour", answer.json["error"]["reason"])

    def test_a_spreadsheet_computes_nothing_of_a_file(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        author = '=HYPERLINK("http://x", "y")\r\n'
        support.Lines(head + 1).save(author, 320).create("Student", key, name="Eve").write(self.store)
        (row,) = csv.DictReader(io.StringIO(self.get("/records.csv", {"limit": 1}).text, newline=""))
        self.assertEqual(row["author"], "'" + author)

    def test_an_object_is_shown_by_its_name_and_as_of_any_point(self):
        text = self.get("/objects/Student/1").text
        self.assertIn("<h1>Student/1 “Robert”</h1>", text)
        self.assertIn('name="as-of"', text)
        self.assertIn("← Version of record", text)
        self.assertNotIn("→</a>", text)
        text = self.get("/objects/Student/1", {"as-of": 3}).text
        self.assertIn("“Bob”</h1>", text)
        self.assertIn('href="/objects/Student/1?as-of=4">Version of record 4 →</a>', text)
        self.assertIn('href="/compare?from=3"', text)
        self.assertIn("Values as of record 3", text)

    def test_search_finds_objects_by_a_text_and_says_where_else_to_look(self):
        text = self.get("/search", {"text": "ROBERT"}).text
        self.assertIn('href="/objects/Student/', text)
        self.assertIn('<td data-name="Property">name</td>', text)
        self.assertIn('href="/?text=ROBERT"', text)
        self.assertIn('href="/?author=ROBERT"', text)
        self.assertIn("No object has it, or had it.", self.get("/search", {"text": "nobody at all"}).text)
        self.assertNotIn("No object", self.get("/search").text)
        text = self.get("/search", {"text": "bob"}).text
        self.assertIn('href="/objects/Student/1?as-of=3"', text)
        self.assertIn('<td data-name="When">records ', text)
        self.assertLess(self.get("/search", {"text": "bob"}).text.find("<h2>Earlier"), text.find("Student/1?as-of=3"))

    def test_search_finds_the_next_to_each_other_first_and_goes_on_with_one_entity(self):
        text = self.get("/search", {"text": "student 7"}).text
        self.assertEqual(re.findall(r"“(Student \d+)”", text)[0], "Student 7")
        text = self.get("/search", {"text": "student"}).text
        self.assertIn('href="/search?text=student&amp;entity=Student"', text.replace("&entity", "&amp;entity"))
        more = self.get("/search", {"text": "student", "entity": "Student"}).text
        self.assertEqual(len(re.findall(r'<td data-name="When">now</td>', more)), 60)

    def test_search_finds_records_and_objects_by_their_names(self):
        self.assertIn('href="/records/4"', self.get("/search", {"text": " 4 "}).text)
        self.assertNotIn('href="/records/99999"', self.get("/search", {"text": "99999"}).text)
        answer = self.get("/search", {"text": "Student/1"})
        self.assertEqual((answer.status, answer.headers["Location"]), (303, "/objects/Student/1"))
        self.assertEqual(self.get("/search", {"text": "student/1"}).headers["Location"], "/objects/Student/1")
        self.assertIn('<p><a class="item" href="/objects/Student/1">', self.get("/search", {"text": "student 1"}).text)
        self.assertIn('<p><a class="item" href="/records/4">', self.get("/search", {"text": "record 4"}).text)
        self.assertEqual(self.get("/search", {"text": "Studnt/1"}).status, 200)

    def test_a_text_and_a_property_are_of_one_value(self):
        self.assertIn('/records/8"', self.get("/", {"text": "wrote", "property": "title"}).text)
        self.assertNotIn('/records/8"', self.get("/", {"text": "wrote", "property": "name"}).text)
        self.assertIn('/records/2"', self.get("/", {"text": "r-1"}).text)

    def test_a_range_that_ends_with_a_day_has_the_day(self):
        day = re.search(r'datetime="(\d{4}-\d\d-\d\d)', self.get("/records/9").text).group(1)
        self.assertIn('/records/9"', self.get("/", {"to": day}).text)

    def test_search_takes_a_text_as_it_is(self):
        text = self.get("/search", {"text": "<b>%@' OR 1==1"}).text
        self.assertIn("&lt;b&gt;%@&#39; OR 1==1", text.replace("&apos;", "&#39;"))
        self.assertIn("No object has it, or had it.", text)
        self.assertEqual(self.get("/search", {"text": "x" * 201}).status, 400)
        self.assertEqual(self.get("/search?text=a&text=b").status, 400)

    def test_dates_and_records_bound_the_timeline(self):
        self.assertNotIn('/records/9"', self.get("/", {"to": "2026-09-24T00:00:00Z"}).text)
        self.assertNotIn('/records/2"', self.get("/", {"from": "2026-09-24T00:00:00Z"}).text)
        self.assertNotIn('/records/9"', self.get("/", {"before": 5}).text)

    def test_a_comparison_says_who_saved_and_how_much_differs(self):
        text = self.get("/compare", {"from": 2, "to": 6}).text
        self.assertIn("From record 2 to record 6: 1 object differs.", text)
        self.assertIn("Between them: records 3 to 6 by ann (2), ben (2): created 1 Student.", text)
        self.assertRegex(text, r'last in record <a href="/records/4">4</a> by <span class="who">ben</span>')
        text = self.get("/compare", {"from": 6, "to": 9, "entity": "Course"}).text
        self.assertIn("1 object differs", text)
        self.assertIn("<option selected>Course</option>", text)
        self.assertNotIn(">Student/3<", text)
        self.assertEqual(self.get("/compare", {"from": 6, "entity": "Curse"}).status, 404)

    def test_a_record_has_old_and_new(self):
        text = self.get("/records/4").text
        self.assertIn('<td class="old"><span class="text">Bob</span></td>', text)
        self.assertIn('<td class="new"><span class="text">Robert</span></td>', text)

    def test_the_words_by_which_two_texts_differ_are_marked(self):
        head = self.server.get("/v1/store").json["head"]
        key = 990_000 + head
        lines = support.Lines(head + 1).save("ann", 700).create("Student", key, name="the red house <1>", grade=1)
        lines.save("ann", 701).update("Student", key, {"name": "the red house <1>"}, {"name": "the blue house <1>"})
        lines.save("ann", 702).update("Student", key, {"name": "the blue house <1>"}, {"name": "the blue house <1> again"})
        lines.save("ann", 703).update("Student", key, {"name": "the blue house <1> again"}, {"name": "other"}).write(self.store)
        for page in (f"/objects/Student/{key}", f"/records/{head + 2}"):
            text = self.server.get(page).text
            self.assertIn('<span class="text">the <mark>red</mark> house &lt;1&gt;</span>', text)
            self.assertIn('<span class="text">the <mark>blue</mark> house &lt;1&gt;</span>', text)
        text = self.server.get(f"/objects/Student/{key}").text
        self.assertIn('<span class="text">the blue house &lt;1&gt; <mark>again</mark></span>', text)
        self.assertIn('<td class="new"><span class="text">other</span></td>', text)

    def test_long_texts_are_a_difference_of_lines(self):
        text = self.get("/records/9").text
        self.assertIn("Line 7 of", text)
        self.assertIn("Line seven of", text)
        self.assertNotIn("Line 15 of", text)

    def test_an_object_says_who_set_each_value(self):
        text = self.get("/objects/Student/1").text
        name = text[text.index('<th scope="row">name</th>'):]
        row = name[:name.index("</tr>")]
        self.assertIn("/records/4", row)
        # With the value before.
        self.assertEqual(re.findall(r'<td(?: class="before")?><span class="text">([^<]*)</span></td>', row), ["Robert", "Bob"])
        grade = text[text.index('<th scope="row">grade</th>'):]
        self.assertIn("<td></td>", grade[:grade.index("</tr>")])

    def test_a_time_is_said_back_in_the_zone_of_the_service(self):
        for path in ["/?to=last%20year", "/objects?as-of=2026-09-23", "/objects/Student?as-of=2026-09-23", "/objects/Student/1?as-of=2026-09-23",
                     "/compare?from=2026-09-23&to=now"]:
            with self.subTest(path=path):
                self.assertRegex(self.get(path).text, r"(last year|2026-09-23) is \d{4}-\d\d-\d\d 00:00:00 &?[#+\-0-9a-z;]+\d\d:\d\d")

    def test_a_deleted_object_has_its_versions(self):
        text = self.get("/objects/Student/2").text
        self.assertIn("Not there any more", text)
        self.assertIn("/records/6", text)

    def test_an_error_of_a_page_is_a_page(self):
        answer = self.get("/records/99999")
        self.assertEqual(answer.status, 404)
        self.assertIn("<h1>Not Found</h1>", answer.text)


class Written(support.ServedCase):
    """Pages of what the tests save."""

    def test_an_object_with_many_versions_says_who_set_each_value(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        lines = support.Lines(head + 1)
        lines.save("maker", 200).create("Student", key, name="first", grade=0)
        for number in range(1, 260):
            lines.save("grader", 200 + number).update("Student", key, {"grade": number - 1}, {"grade": number})
        lines.write(self.store)
        made, last = head + 1, head + 260
        path = f"/objects/Student/{key}"

        def setter(text, name):
            row = text[text.index(f'<th scope="row">{name}</th>'):]
            return row[:row.index("</tr>")]

        text = self.get(path).text
        self.assertIn(f"/records/{last}\"", setter(text, "grade"))
        self.assertIn(f"/records/{made}\"", setter(text, "name"))
        self.assertIn(f"/records/{last - 100}\"", setter(self.get(path, {"as-of": last - 100}).text, "grade"))
        # The versions begin with the newest, and lead to the oldest.
        self.assertLess(text.index(f"Record {last}<"), text.index(f"Record {last - 1}<"))
        seen, pages = [], [path]
        for page in pages:
            text = self.get(page).text
            seen += [int(number) for number in re.findall(r">Record (\d+)<", text)]
            pages += re.findall(r'<a class="button" href="([^"]*)">Earlier', text)
        self.assertEqual(seen, list(range(last, made - 1, -1)))
        self.assertLess(len(pages), 6)

    def test_a_value_that_was_never_set_has_no_setter(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        support.Lines(head + 1).save("maker", 200).create("Student", key, name="x").write(self.store)
        text = self.get(f"/objects/Student/{key}").text
        row = text[text.index('<th scope="row">grade</th>'):]
        self.assertNotIn("/records/", row[:row.index("</tr>")])

    def test_members_that_came_and_went_are_named(self):
        head = self.get("/v1/store").json["head"]
        one, two, course = support.new_key(), support.new_key(), support.new_key()
        lines = support.Lines(head + 1)
        lines.save("ann", 300).create("Teacher", one, name="One").create("Teacher", two, name="Two")
        lines.save("ann", 301).create("Course", course, title="Physics", teacher=f"Teacher/{one}")
        lines.save("ann", 302).update("Course", course, {"teacher": f"Teacher/{one}"}, {"teacher": f"Teacher/{two}"})
        lines.update("Teacher", one, {}, {}, ["courses"]).update("Teacher", two, {}, {}, ["courses"])
        lines.save("ann", 303).create("Student", course, name="Pat")
        lines.save("ann", 304).update("Student", course, {}, {}, ["courses"]).update("Course", course, {}, {}, ["students"])
        lines.link("Course.students", f"Course/{course}", f"Student/{course}")
        lines.write(self.store)
        # By what people know it by.
        name = f">Course/{course} “Physics”</a>"

        def touched(path, object):
            text = self.get(path).text
            card = text[re.search(rf">{object} “[^<]*</a></h2>", text).start():]
            card = card[:card.index("</article>")]
            return [part[:part.index("</p>")] for part in card.split('<p class="touched">')[1:]]

        for path in [f"/records/{head + 3}", f"/compare?from={head + 2}&to={head + 3}"]:
            with self.subTest(path=path):
                text = self.get(path).text
                self.assertIn(name, text)
        (gone,) = touched(f"/records/{head + 3}", f"Teacher/{one}")
        self.assertIn("courses", gone)
        self.assertIn('class="unlink"', gone)
        self.assertIn(name, gone)
        (came,) = touched(f"/records/{head + 3}", f"Teacher/{two}")
        self.assertIn('class="link"', came)
        self.assertIn(name, came)
        # The page of the object says the same.
        text = self.get(f"/objects/Teacher/{two}").text
        self.assertIn(name, text[text.index('class="touched"'):])
        # Of many to many, each side names the other.
        for object, member in [("Course", "Student"), ("Student", "Course")]:
            text = "".join(touched(f"/records/{head + 5}", f"{object}/{course}"))
            called = {"Course": "Physics", "Student": "Pat"}[member]
            self.assertIn(f">{member}/{course} “{called}”</a>", text)

    def test_characters_that_are_not_seen_are_shown_by_their_numbers(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        name = "a\u202eb\u2066c\u0007d\u001b[31me\u200bf\u0085g\rh\u2028i\ufeffj\u061ck\u00adl"
        author = "ad\u202enim"
        lines = support.Lines(head + 1)
        lines.save(author, 310, note="x\u202ey").create("Student", key, name=name).write(self.store)
        hidden = [c for c in name + author if not c.isalnum() and c not in "[m"]
        for path in ["/", f"/records/{head + 1}", f"/objects/Student/{key}", f"/objects/Student?predicate=name%20BEGINSWITH%20%27a%E2%80%AE%27",
                     f"/compare?from={head}", "/records?after=" + str(head), "/?author=ad%E2%80%AEnim", "/activity", "/search?text=31me",
                     f"/objects/Student/{key}?property=name"]:
            with self.subTest(path=path):
                text = self.get(path).text
                self.assertIn('<span class="mark">U+202E</span>', text)
                outside = "".join(Outside(text).texts)
                self.assertEqual([c for c in hidden if c in outside], [])
        # Programs get them as they are.
        self.assertIn(author, self.get("/records.csv", {"limit": 1}).text)
        self.assertEqual(self.get("/records.json", {"limit": 1}).json["records"][0]["author"], author)
        self.assertEqual(self.get(f"/v1/objects/Student/{key}").json["values"]["name"], name)
        # A field of a form keeps the value that it filters by.
        self.assertIn('value="ad\u202enim"', self.get("/?author=ad%E2%80%AEnim").text)

    def test_joiners_of_words_and_emoji_are_left_as_they_are(self):
        head, key = self.get("/v1/store").json["head"], support.new_key()
        name = "\U0001F469\u200D\U0001F52C \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645"
        support.Lines(head + 1).save("ann", 311).create("Student", key, name=name).write(self.store)
        self.assertIn(name, self.get(f"/objects/Student/{key}").text)


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
        self.assertIn("zoe", self.browser.value("document.querySelector('#records .record').textContent"))
        self.assertEqual(self.browser.value("document.getElementById('status').textContent"), "1 new record")

    def test_a_filtered_timeline_leaves_other_saves_out(self):
        self.open("/?author=yan")
        self.browser.wait_for("document.getElementById('status').textContent.includes('appear here')")
        head = self.get("/v1/store").json["head"]
        lines = support.Lines(head + 1).save("zoe", 301).create("Student", support.new_key(), name="Not this")
        lines.save("yan", 302).create("Student", support.new_key(), name="This").write(self.store)
        self.browser.wait_for("document.querySelectorAll('#records .record').length === 1")
        self.assertEqual(self.browser.value("document.querySelector('#records a').pathname"), f"/records/{head + 2}")

    def test_records_stand_below_their_days_in_the_zone_of_the_reader(self):
        self.browser.call("Emulation.setTimezoneOverride", timezoneId="Pacific/Auckland")
        try:
            self.open("/?before=10")
            times = self.browser.value("""[...document.querySelectorAll('#records > li')].map((e) =>
                e.className === 'day' ? e.textContent : Number(e.querySelector('.number').textContent))""")
            # Record 4 was saved in the evening of 22 September, which is the next day in New Zealand.
            self.assertEqual([time for time in times if isinstance(time, int)], list(range(9, 0, -1)))
            day = times[max(i for i in range(times.index(4)) if isinstance(times[i], str))]
            self.assertIn("23", day)
            title = self.browser.value("document.querySelector('#records a[href$=\"/4\"] time').title")
            self.assertEqual(title, "2026-09-22 20:13:20 UTC")
            self.assertIn("Auckland", self.browser.value("document.querySelector('[data-zone]').textContent"))
        finally:
            self.browser.call("Emulation.setTimezoneOverride", timezoneId="")

    def test_older_records_come_as_one_scrolls(self):
        head = self.get("/v1/store").json["head"]
        lines = support.Lines(head + 1)
        for number in range(130):
            lines.save("scroller", 330).create("Student", support.new_key(), name=f"S{number}")
        lines.write(self.store)
        self.open("/?author=scroller")
        self.assertEqual(self.browser.value("document.querySelectorAll('#records .record').length >= 50"), True)
        for count in (100, 130):
            self.browser.value("scrollTo(0, document.body.scrollHeight)")
            self.browser.wait_for(f"document.querySelectorAll('#records .record').length >= {count}")
        numbers = self.browser.value("[...document.querySelectorAll('#records .number')].map((e) => Number(e.textContent))")
        self.assertEqual(numbers, list(range(head + 130, head, -1)))
        self.assertEqual(self.browser.value("document.getElementById('more') === null"), True)

    def test_a_drag_over_the_strip_chooses_a_time(self):
        self.open("/?entity=Student")
        bars = "[...document.querySelectorAll('.strip a')]"
        places = self.browser.value(f"""{bars}.map((e) => {{ const r = e.querySelector('.hit').getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; }})""")
        (x, y), (last, _) = places[0], places[1]
        for kind, place in [("mousePressed", x), ("mouseMoved", last), ("mouseReleased", last)]:
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=place, y=y, button="left", clickCount=1, buttons=1)
        self.browser.wait_for("new URLSearchParams(location.search).has('to')")
        query = self.browser.value("Object.fromEntries(new URLSearchParams(location.search))")
        self.assertEqual(sorted(query), ["entity", "from", "to"])
        self.assertEqual(query["entity"], "Student")
        self.assertLess(query["from"], query["to"])

    def test_the_search_box_shows_what_it_finds_as_one_types(self):
        self.open("/model")
        write = "(() => {{ const box = document.querySelector('[data-find]'); box.focus(); box.value = '{}'; box.dispatchEvent(new Event('input')); }})()"
        links = "[...document.querySelectorAll('.found a')].map((e) => [e.getAttribute('href'), e.textContent])"
        self.browser.value(write.format("robert"))
        self.browser.wait_for("document.querySelector('.found a') !== null")
        self.assertEqual(self.browser.value(links)[0], ["/objects/Student/1", "Student/1 “Robert”"])
        self.browser.value(write.format("Student/1"))
        self.browser.wait_for(f"{links}.length === 1")
        self.assertEqual(self.browser.value(links), [["/objects/Student/1", "Student/1 “Robert”"]])
        self.browser.value("""document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}))""")
        self.assertEqual(self.browser.value("document.activeElement.getAttribute('href')"), "/objects/Student/1")
        self.browser.value("""document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))""")
        self.assertEqual(self.browser.value(f"{links}.length"), 0)

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
        self.assertTrue(self.browser.value("'find' in document.activeElement.dataset"))
        self.browser.value("document.activeElement.blur()")
        self.browser.key("f")
        self.assertTrue(self.browser.value("'filter' in document.activeElement.dataset"))
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
                feed.onmessage = (event) => { window.seen.push(parseInt(event.lastEventId)); }; })()""")
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
