import Pages
import Testing

@Suite("The pages hold what they promise")
struct PageTests {
    private static let catalogue = "Sources/CoreData/CoreData.docc/"
    private let files = SourceTree.files.filter(\.isMarkdown)
    private var pages: [Page] { files.map { Page(path: $0.path, text: $0.text) } }

    private func text(_ path: String) -> String? { SourceTree.files.first { $0.path == path }?.text }

    private func expectNone(_ findings: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test("no page has more than 20 words a sentence")
    func ease() { expectNone(pages.flatMap(PageRules.ease)) }

    @Test("every mark of a code block is known")
    func directives() { expectNone(pages.flatMap(PageRules.directives)) }

    @Test("what a page quotes is in its file")
    func quotations() { expectNone(pages.flatMap { PageRules.quotations($0, file: text) }) }

    @Test("the tutorial's code is that of its package")
    func tutorial() throws {
        let page = try #require(pages.first { $0.path == Self.catalogue + "Tutorial.md" })
        let folder = "Examples/Tutorial"
        expectNone(PageRules.files(of: page, in: folder, file: text))
        let sources = SourceTree.files.filter { $0.path.hasPrefix(folder + "/") && !$0.path.hasSuffix(".resolved") }
        #expect(Set(sources.map { String($0.path.dropFirst(folder.count + 1)) }) == Set(PageFiles(page).texts.keys))
    }

    @Test("the files of the page on tests are those of its example")
    func testsOnLinux() throws {
        let page = try #require(pages.first { $0.path == Self.catalogue + "TestsOnLinux.md" })
        let folder = "Examples/LinuxTests"
        expectNone(PageRules.files(of: page, in: folder, file: text))
        let packages = try #require(text(page.path)?.firstMatch(of: /apt-get install -y (lib.*)/)?.output.1)
        for name in ["Linux/Containerfile", ".github/workflows/linux.yml"] {
            #expect(text(folder + "/" + name)?.contains(packages) == true, "\(name) installs other packages")
        }
    }

    @Test("the programs print the version that the changelog begins with")
    func version() throws {
        let changelog = try #require(text("CHANGELOG.md"))
        let version = try #require(changelog.firstMatch(of: /## \[(\d[^\]]*)\]/)).output.1
        for path in ["Tools/firn/FirnCommand.swift", "Tools/firn-serve/FirnServe.swift"] {
            let isThere = text(path)?.contains("version: \"\(version)\"") == true
            #expect(isThere, "\(path) has another version than \(version)")
        }
    }

    @Test("every article that is named is there")
    func articles() {
        let names = files.filter { $0.path.hasPrefix(Self.catalogue) }
            .map { String($0.path.dropFirst(Self.catalogue.count).dropLast(3)) }
        expectNone(files.flatMap { PageRules.articles($0, names: Set(names)) })
    }
}

@Suite("Each rule of pages finds what it is for")
struct PageRuleTests {
    private func page(_ text: String) -> Page { Page(path: "A.md", text: text) }

    @Test("sentences that are too long, with code as one word, and none in headings, code and tables")
    func ease() {
        let words = Array(repeating: "word", count: 21).joined(separator: " ")
        #expect(PageRules.ease(page("# A\n\n\(words).\n")).count == 1)
        #expect(PageRules.ease(page("# \(words)\n\n```text\n\(words)\n```\n| \(words) |\n")).isEmpty)
        #expect(ReadingEase(page("One `a b c` two. Three is 1.5 or [a link](b.md) here!\n")).prose == [3, 7])
    }

    @Test("a mark that nobody knows")
    func directive() {
        #expect(PageRules.directives(page("<!-- print -->\n```text\n```\n")).count == 1)
        #expect(PageRules.directives(page("<!-- prints -->\n```text\n```\n")).isEmpty)
    }

    @Test("quoted lines that are not there, or in another order")
    func quotation() {
        let file = { (path: String) in path == "a.swift" ? "    one\n    two,\n    three\n" : nil }
        let page = { (lines: String) in self.page("<!-- part of: a.swift -->\n```swift\n\(lines)\n```\n") }
        #expect(PageRules.quotations(page("one\nthree"), file: file).isEmpty)
        #expect(PageRules.quotations(page("two\none"), file: file).count == 1)
        #expect(PageRules.quotations(page("one"), file: { _ in nil }).count == 1)
    }

    @Test("a file of a tutorial that is another in its package, with what is inserted later")
    func files() {
        let text = "<!-- file: m -->\n```swift\nif\ndefault:\n```\n<!-- insert: m -->\n```swift\ncase\n```\n"
        #expect(PageRules.files(of: page(text), in: "E") { $0 == "E/m" ? "if\ncase\ndefault:\n" : nil }.isEmpty)
        #expect(PageRules.files(of: page(text), in: "E") { $0 == "E/m" ? "if\ndefault:\n" : nil }.count == 1)
    }

    @Test("an article that is not there")
    func article() {
        let file = SourceTree.File(path: "A.md", text: "see <doc:B> and <doc:C>")
        #expect(PageRules.articles(file, names: ["B"]) == ["A.md: no article C"])
    }

    @Test(
        "output is compared with what a page shows, where … is any text",
        arguments: [
            (["a 1 b"], ["a … b"], true), (["a 1"], ["a … b"], false), (["x", "y", "z"], ["…", "z"], true),
            ([], ["a"], false), (["a"], [], false), (["a", "b"], ["a"], false),
        ])
    func transcript(_ output: [String], _ page: [String], _ isEqual: Bool) {
        #expect(Transcript.matches(output, page) == isEqual)
    }

    @Test("numbers and dates may be others where a page says so")
    func figures() {
        let steps = page("<!-- figures differ -->\n```console\n$ a\n3 MB, at  2026-11-23 10:00 b\n```\n").blocks
            .flatMap { Transcript($0).steps }
        #expect(steps[0].matches(["41.5 MB, at 2027-01-01 09:00 b"]))
        #expect(!steps[0].matches(["41.5 MB, at 2027-01-01 09:00 c"]))
    }

    @Test("hidden code comes before its block, and declarations outside of the page's function")
    func program() {
        let text =
            "<!-- setup\nlet b = 1\n-->\n```swift\nuse(b)\n```\n"
            + "<!-- declarations -->\n```swift\nstruct S {}\n```\n"
        let page = page(text)
        let source = GuideProgram([page]).source(of: page)
        let places = ["struct S {}", "func pageA", "let b = 1", "use(b)"].compactMap {
            source.firstRange(of: $0)?.lowerBound
        }
        #expect(places.count == 4 && places == places.sorted())
    }
}
