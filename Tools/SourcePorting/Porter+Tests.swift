import SwiftTokens

extension Porter {
    /// XCTest on Linux stops at a test of the main actor, and calls all tests on the main thread: a test that says
    /// nothing of actors calls the one of the main actor. An asynchronous one would hold up the main queue instead.
    mutating func portTests() {
        guard imports.contains("XCTest") else { return }
        for type in outline.types where ["class", "extension"].contains(type.keyword) {
            let isMainActor = index.mainActorClasses.contains(type.name) || Self.isMainActor(type, source)
            var place = type.open + 1
            while place < type.close {
                let start = source.declarationStart(place)
                let isApart = ["nonisolated", "private", "override"].contains { isMarked($0, start..<place) }
                if isTest(place), !isApart, isMainActor || isMarked("MainActor", start..<place) {
                    portTest(at: place, start, isMainActor: isMainActor)
                }
                place = (source.isSign("{", at: place) ? source.close(of: place) : place) + 1
            }
        }
    }

    private mutating func portTest(at place: Int, _ start: Int, isMainActor: Bool) {
        let name = source.text(at: place + 1)
        let isThrowing = source.isWord("throws", at: place + 4)
        let (throwing, trying) = isThrowing ? ("throws ", "try ") : ("", "")
        // A class that is not of the main actor cannot be sent to it.
        let (own, test) = isMainActor ? ("", "self") : ("nonisolated(unsafe) let test = self; ", "test")
        let call = "\(own)\(trying)MainActor.assumeIsolated { \(trying)\(test).ported_\(name)() }"
        let caller = "nonisolated func \(name)() \(throwing){ \(call) }"
        insert(caller + "; ", before: source.tokens[start].range, applied: .text(caller + "\n    "))
        insert("ported_", before: source.tokens[place + 1].range, applied: .same)
        report(.mainActorTest, at: place, "func \(name)()")
    }

    /// Whether a method without parameters and result has the name of a test, and is synchronous.
    private func isTest(_ place: Int) -> Bool {
        source.isWord("func", at: place) && source.text(at: place + 1).hasPrefix("test")
            && source.isSign("(", at: place + 2) && source.isSign(")", at: place + 3)
            && (source.isSign("{", at: place + 4) || source.isWord("throws", at: place + 4))
    }

    /// `wait(for: expectations, timeout: 1)`: XCTest on Linux may return before the main queue has run what was queued
    /// before the last expectation was met.
    mutating func portWait(at place: Int) {
        let isMember = source.isSign(".", at: place - 1) && !source.isWord("self", at: place - 2)
        guard imports.contains("XCTest"), source.isSign("(", at: place + 1), !isMember, !index.declaresWait,
            !source.isWord("func", at: place - 1)
        else { return }
        let arguments = (place + 2)..<source.close(of: place + 1)
        guard arguments.contains(where: { source.isWord("timeout", at: $0) && source.isSign(":", at: $0 + 1) }),
            source.isWord("waitForExpectations", at: place) || source.isWord("for", at: place + 2)
        else { return }
        let name = source.isWord("wait", at: place) ? "portedWait" : "portedWaitForExpectations"
        replace(source.tokens[place].range, with: name, applied: .omitted)
        support.insert(.expectation)
        report(.foundationCall, at: place, source.text(at: place) + "(…timeout:)")
    }

    private func isMarked(_ word: String, _ range: Range<Int>) -> Bool {
        range.contains { source.isWord(word, at: $0) }
    }

    static func isMainActor(_ type: Outline.TypeBody, _ source: SourceText) -> Bool {
        (type.start..<type.keywordIndex).contains {
            source.isWord("MainActor", at: $0) && source.isSign("@", at: $0 - 1)
        }
    }
}

extension PortIndex {
    /// The classes of the main actor, and those that inherit from one.
    static func mainActorClasses(_ files: [Declarations]) -> Set<String> {
        let declared = files.flatMap(\.types).filter { $0.keyword == "class" && $0.isOnMainActor }
        return heirs(of: Set(declared.map(\.name)), files)
    }

    /// These classes, and those of the target that inherit from one.
    static func heirs(of classes: Set<String>, _ files: [Declarations]) -> Set<String> {
        let parents = files.flatMap(\.types).filter { $0.keyword == "class" }
        var names = classes
        var count = -1
        while count != names.count {
            count = names.count
            for type in parents where type.parent.map(names.contains) == true { names.insert(type.name) }
        }
        return names
    }
}
