"""Binary values, as files and on pages, and the columns of a table."""

import base64
import itertools
import json
import re
import unittest

import support

MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    <entity name="Book" representedClassName="NSManagedObject">
        <attribute name="about" optional="YES" attributeType="String"/>
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <attribute name="extra" optional="YES" attributeType="Binary"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32"/>
        <attribute name="scan" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="title" optional="YES" attributeType="String"/>
    </entity>
    <entity name="Sale" representedClassName="NSManagedObject">
        <attribute name="day" optional="YES" attributeType="Date"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
    </entity>
</model>
"""

LINKED_MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    <entity name="Book" representedClassName="NSManagedObject">
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag"
            inverseName="books" inverseEntity="Tag"/>
    </entity>
    <entity name="Tag" representedClassName="NSManagedObject">
        <attribute name="label" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"
            inverseName="tags" inverseEntity="Book"/>
    </entity>
</model>
"""

# An image of one pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 1000
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def text(data):
    return base64.b64encode(data).decode()


class ValueTests(support.ServedCase):
    @classmethod
    def make(cls, store):
        model = cls.folder / "Books.xcdatamodel"
        model.mkdir()
        (model / "contents").write_text(MODEL)
        lines = support.Lines()
        lines.save("ann").create(
            "Book", 1, title="Walden", about="word " * 40, pages=300, cover=text(PNG), scan=text(JPEG), extra=text(SVG))
        lines.save("ann").create("Book", 2, title="Emma", pages=20, extra=text(b'{"shelf": 7}'))
        lines.save("ben").update("Book", 1, {"cover": text(PNG)}, {"cover": text(JPEG[:2000])})
        day, next = "2026-06-27T03:15:26.000000Z", "2026-06-28T03:15:26.500000Z"
        lines.save("ben").create("Sale", 1, day=day, price="21.13")
        lines.save("ben").update("Sale", 1, {"day": day, "price": "21.13"}, {"day": next, "price": "14.94"})
        support.tool("import-changes", str(store), "--model", str(model), input="\n".join(lines.lines) + "\n")

    def value(self, name, **query):
        return self.get(f"/v1/objects/Book/{name}", query)

    def test_an_image_is_given_as_it_is(self):
        answer = self.value("1/values/cover", **{"as-of": 2})
        self.assertEqual((answer.status, answer.body, answer.headers["Content-Type"]), (200, PNG, "image/png"))
        self.assertIsNone(answer.headers["Content-Disposition"])
        now = self.value("1/values/cover")
        self.assertEqual((now.body, now.headers["Content-Type"]), (JPEG[:2000], "image/jpeg"))

    def test_a_value_in_a_file_of_its_own_is_read_from_there(self):
        answer = self.value("1/values/scan")
        self.assertEqual((answer.status, answer.body, answer.headers["Content-Type"]), (200, JPEG, "image/jpeg"))

    def test_what_could_run_in_a_browser_is_kept_and_not_shown(self):
        answer = self.value("1/values/extra")
        self.assertEqual((answer.body, answer.headers["Content-Type"]), (SVG, "application/octet-stream"))
        self.assertEqual(answer.headers["Content-Disposition"], "attachment")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_other_values_are_text(self):
        answer = self.value("1/values/pages")
        self.assertEqual((answer.text, answer.headers["Content-Type"]), ("300", "text/plain; charset=utf-8"))

    def test_what_is_not_there_is_refused(self):
        for name in ["2/values/cover", "1/values/nothing", "9/values/title"]:
            with self.subTest(name):
                self.refused(self.value(name), 404)
        self.refused(self.value("1/values/cover", **{"as-of": 1}), 404)

    def test_pages_show_images_and_lead_to_files(self):
        page = self.get("/objects/Book/1").text
        self.assertIn('src="/v1/objects/Book/1/values/cover"', page)
        self.assertIn('src="/v1/objects/Book/1/values/scan"', page)
        self.assertIn('href="/v1/objects/Book/1/values/extra" download', page)
        # The version of the third record has the image before.
        self.assertIn('src="/v1/objects/Book/1/values/cover?as-of=3"', page)
        for link in re.findall(r'src="(/v1/[^"]+)"', page):
            with self.subTest(link):
                self.assertTrue(self.get(link).headers["Content-Type"].startswith("image/"))
        self.assertIn("{&quot;shelf&quot;: 7}", self.get("/objects/Book/2").text)

    def test_sentences_have_numbers_and_dates_without_what_says_nothing(self):
        self.assertIn("day 2026-06-27T03:15:26Z → 2026-06-28T03:15:26.500000Z, price 21.13 → 14.94", self.get("/").text)

    def test_a_date_is_shown_in_the_zone_of_the_reader_and_exactly(self):
        text = self.get("/objects/Sale/1").text
        self.assertIn('<time class="text" datetime="2026-06-27T03:15:26.000000Z">2026-06-27 03:15:26</time>', text)
        self.assertIn('<time class="text" datetime="2026-06-28T03:15:26.500000Z">2026-06-28 03:15:26.500000</time>', text)

    def columns(self, page):
        return re.findall(r'<th scope="col"[^>]*><a[^>]*>([^<]+)</a>', page)

    def test_long_texts_and_files_are_the_last_columns(self):
        page = self.get("/objects/Book").text
        self.assertEqual(self.columns(page), ["pages", "title", "about", "cover", "extra", "scan"])
        self.assertIn('<td class="number" data-name="pages">', page)

    def test_columns_are_chosen_and_stay_chosen(self):
        page = self.get("/objects/Book?columns=title&columns=pages&sort=title&predicate=pages%20%3E%201").text
        self.assertEqual(self.columns(page), ["pages", "title ↑"])
        self.assertIn('<input type="checkbox" name="columns" value="title" checked>', page)
        self.assertIn('<input type="checkbox" name="columns" value="cover">', page)
        self.assertIn('<input type="hidden" name="sort" value="title">', page)
        self.assertIn("columns=title", re.search(r'<th scope="col"[^>]*><a href="([^"]+)">pages', page).group(1))
        self.assertEqual(self.columns(self.get("/objects/Book?columns=nothing").text), [])


class MemberTests(support.ServedCase):
    @classmethod
    def make(cls, store):
        model = cls.folder / "Links.xcdatamodel"
        model.mkdir()
        (model / "contents").write_text(LINKED_MODEL)

        def line(after, **fields):
            time = 1_700_000_000_000_000
            source = {"store": "x", "sequence": 2, "author": "ann", **fields}
            return json.dumps({"op": "c", "before": None, "after": after, "source": source, "ts_ms": time // 1000})

        keys = (1, 2, 3)
        lines = [line({"title": f"B{key}"}, entity="Book", key=key) for key in keys]
        lines += [line({"label": f"T{key}"}, entity="Tag", key=key) for key in keys]
        for book, tag in itertools.product(keys, keys):
            lines.append(line({"source": f"Book/{book}", "destination": f"Tag/{tag}"}, relationship="Book.tags"))
        support.tool("import-changes", str(store), "--model", str(model), input="\n".join(lines) + "\n")

    def test_a_record_with_more_members_than_objects_comes_whole(self):
        links, query = [], {"limit": 3}
        while True:
            page = self.get("/v1/records/2", query).json
            links += page["links"]
            if "nextOffset" not in page:
                break
            query["offset"] = page["nextOffset"]
        self.assertEqual(len(links), 9)


if __name__ == "__main__":
    unittest.main()
