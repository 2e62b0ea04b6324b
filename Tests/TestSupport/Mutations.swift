import Foundation

/// Damage to what the package reads from outside: a test hands each mutation to the code that reads it.
///
/// A mutation is refused with an error, or loads; it never stops the process. `FIRN_MUTATIONS` is the number of
/// mutations of each kind, 40 by default, which are the same in each run. With it, they are others in each run, and
/// each kind says on standard error how many of them loaded.
/// `FIRN_MUTATED_FILES` names a folder that keeps the bytes of the mutation under way, for a run that crashes or hangs.
package struct Mutations: CustomStringConvertible {
    private static let environment = ProcessInfo.processInfo.environment
    private static let givenCount = environment["FIRN_MUTATIONS"].flatMap { Int($0) }
    private static let folder = environment["FIRN_MUTATED_FILES"]
    package static let count = givenCount ?? 40

    /// What is mutated: words, for the report.
    private let kind: String
    private let count: Int
    package private(set) var generator: SeededGenerator
    /// Which mutation of the kind is under way, from 0.
    package private(set) var index = 0

    /// - Parameter usualCount: how many there are without `FIRN_MUTATIONS`.
    package init(_ kind: String, usualCount: Int = 40) {
        self.kind = kind
        count = Self.givenCount ?? usualCount
        generator = Self.givenCount == nil ? SeededGenerator(seed: 22) : SeededGenerator()
    }

    /// Names the kind, the mutation and the seed.
    package var description: String { "\(kind), mutation \(index), \(generator)" }

    /// Calls `body` once for each mutation; it makes the mutation by the generator, and throws what refuses it.
    ///
    /// - Returns: the refusals that say nothing, each with its place.
    package mutating func run(_ body: (inout Mutations) throws -> Void) -> [String] {
        let start = ContinuousClock.now
        var loadedCount = 0
        var silent: [String] = []
        for index in 0..<count {
            self.index = index
            do {
                try body(&self)
                loadedCount += 1
            } catch {
                let words = (error as NSError).localizedDescription
                if "\(error)".isEmpty || words.isEmpty { silent.append(description) }
            }
        }
        report(loadedCount, ContinuousClock.now - start)
        return silent
    }

    /// The same for bytes: `originals` in turn, each mutated.
    package mutating func run(_ originals: [[UInt8]], _ body: ([UInt8]) throws -> Void) -> [String] {
        run { try body($0.mutated(originals[$0.index % originals.count])) }
    }

    private func report(_ loadedCount: Int, _ time: Duration) {
        guard Self.givenCount != nil else { return }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let text = "\(kind): \(count) mutations, \(loadedCount) loaded, \((seconds * 10).rounded() / 10) s\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// The bytes with a few changes.
    package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        let result = Self.mutated(bytes, &generator)
        keep(result)
        return result
    }

    /// Keeps what is tried next, if a folder for it is named.
    package func keep(_ bytes: [UInt8]) {
        guard let folder = Self.folder else { return }
        let file = URL(filePath: folder).appending(path: kind.replacing("/", with: " "))
        try? Data("\(self)\n".utf8).write(to: file.appendingPathExtension("txt"))
        try? Data(bytes).write(to: file)
    }

    package mutating func random(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    package mutating func element<Element>(of list: [Element]) -> Element { list[random(in: 0...list.count - 1)] }

    /// Numbers and texts at the ends of what fits somewhere.
    private static let extremes = [
        "0", "-1", "255", "65536", "2147483648", "-9223372036854775808", "9223372036854775807", "18446744073709551616",
        "1e308", "1e999", "-0.0", "nan", "inf", "", "\u{0}", "99999999999999999999999999999999999999999",
    ]

    /// A few bytes changed, removed, doubled, or put in another place; an end cut off; a number that became another.
    private static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            if bytes.isEmpty { return [0] }
            let place = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...12, using: &generator))
            switch Int.random(in: 0..<30, using: &generator) {
            case 0..<5: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 5..<10: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 10..<14: bytes.removeSubrange(place..<end)
            case 14..<18: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 18..<21:
                let part = Array(bytes[place..<end])
                let target = Int.random(in: bytes.indices, using: &generator)
                bytes.insert(contentsOf: part, at: target)
            case 21..<24: bytes[place] = UInt8.random(in: 0x80...0xFF, using: &generator)
            case 24: bytes.removeSubrange(end...)
            default: replaceNumber(in: &bytes, from: place, &generator)
            }
        }
        return bytes
    }

    /// The next digits at or after `place` become another number.
    private static func replaceNumber(in bytes: inout [UInt8], from place: Int, _ generator: inout SeededGenerator) {
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let start = bytes[place...].prefix(200).firstIndex(where: isDigit) else { return }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        let number = extremes[Int.random(in: extremes.indices, using: &generator)]
        bytes.replaceSubrange(start..<end, with: Array(number.utf8))
    }
}
