import Foundation

/// The Swift code of pages as one program: a file for each page, which runs the page from top to bottom.
///
/// A section (`##`) is a scope. What comes before the first section is seen by all of them.
package struct GuideProgram {
    package let pages: [Page]

    package init(_ pages: [Page]) { self.pages = pages.filter { !Self.code($0).isEmpty } }

    /// Swift code that is compiled; a file's content is compiled as part of its own package.
    private static func code(_ page: Page) -> [Page.Block] {
        page.blocks.filter { $0.language == "swift" && isCompiled($0) }
    }

    private static func isCompiled(_ block: Page.Block) -> Bool {
        guard let directive = block.directive else { return true }
        return directive == "declarations"
    }

    static func name(of page: Page) -> String {
        let file = page.path.split(separator: "/").last.map(String.init) ?? page.path
        return "page" + file.dropLast(3).filter { $0.isLetter || $0.isNumber }
    }

    /// The text of a page's file.
    package func source(of page: Page) -> String {
        var declarations: [String] = []
        var body: [String] = []
        var isInSection = false
        for element in page.elements {
            switch element {
            case .heading(_, 2):
                if isInSection { body.append("}") }
                body.append("do {")
                isInSection = true
            case .code(let block):
                append(block, of: page, to: &body, &declarations)
            default: continue
            }
        }
        if isInSection { body.append("}") }
        return """
            import CoreData
            import CoreDataExtras
            import FirnImport
            import FirnPostgres

            \(declarations.joined(separator: "\n"))

            func \(Self.name(of: page))(
                _ container: NSPersistentContainer, _ coordinator: NSPersistentStoreCoordinator,
                _ context: NSManagedObjectContext
            ) async throws {
            \(body.joined(separator: "\n"))
            try checkAllPrinted("\(page.path)")
            }

            """
    }

    private func append(_ block: Page.Block, of page: Page, to body: inout [String], _ declarations: inout [String]) {
        let place = "#sourceLocation(file: \"\(page.path)\", line: \(block.line))"
        if block.language == "swift", block.directive == "declarations" {
            declarations += block.setup + [place] + block.lines + ["#sourceLocation()"]
        } else if block.language == "swift", block.directive == nil {
            body += block.setup + [place] + block.lines + ["#sourceLocation()"]
        } else if block.directive == "prints" {
            body.append("try checkPrinted(\"\(page.path)\", \(block.line), \(Self.literal(block.lines)))")
        }
    }

    private static func literal(_ lines: [String]) -> String {
        "[" + lines.map { "#\"\($0)\"#" }.joined(separator: ", ") + "]"
    }

    /// The program that runs one page after the other, each on a store of its own.
    package var main: String {
        let calls = pages.map { "    (\"\($0.path)\", \(Self.name(of: $0)))," }
        return """
            import CoreData

            try await runPages([
            \(calls.joined(separator: "\n"))
            ])

            """
    }
}
