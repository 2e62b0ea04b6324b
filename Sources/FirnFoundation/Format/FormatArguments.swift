import Foundation

/// The arguments of a format string in order, each converted for its `%` place.
struct FormatArguments {
    struct Mistake: Error {
        let code: PredicateFormatError.Code
        let message: String
    }

    /// Nil while a template is parsed: places are returned instead of arguments.
    private let arguments: [Any]?
    private var next = 0
    /// The places that were returned.
    private(set) var places: [FormatPlace] = []

    /// The arguments as they were passed. A caller with a `[CVarArg]` must convert each element: converting the array
    /// would box every value twice, with the type `CVarArg`.
    init(_ arguments: [Any]) { self.arguments = arguments }

    /// Places instead of arguments, for a template. A key path has none: what it becomes is up to the parser.
    init() { arguments = nil }

    /// The argument for `%` and `letter`: the next, or the one at `index` (from 1).
    mutating func value(for letter: Unicode.Scalar, at index: Int?) throws(Mistake) -> Any? {
        guard Self.isConversion(letter) else {
            throw Mistake(
                code: .syntax,
                message: "%\(letter) is no conversion; use %@, %K, or %d, %u, %f and the like")
        }
        guard let arguments else { return try place(letter, at: index) }
        let place = index.map { $0 - 1 } ?? next
        guard arguments.indices.contains(place) else {
            throw Mistake(
                code: .missingArgument,
                message: "%\(letter) needs argument \(place + 1), but there are \(arguments.count)")
        }
        if index == nil { next += 1 }
        return try Self.convert(arguments[place], for: letter)
    }

    private mutating func place(_ letter: Unicode.Scalar, at index: Int?) throws(Mistake) -> FormatPlace {
        if letter == "K" { throw Mistake(code: .missingArgument, message: "%K needs an argument") }
        let place = FormatPlace(letter, index: index, number: places.count)
        places.append(place)
        return place
    }

    private static func isConversion(_ letter: Unicode.Scalar) -> Bool {
        switch letter {
        case "@", "K", "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C", "f", "F", "e", "E", "g", "G", "a", "A",
            "s", "S", "p":
            true
        default: false
        }
    }

    private static func convert(_ argument: Any, for letter: Unicode.Scalar) throws(Mistake) -> Any? {
        let value = valueWithoutOptionals(argument)
        switch letter {
        case "@": return value
        case "K", "s", "S":
            if let text = value as? String { return text }
            throw unexpected(argument, for: letter, wanted: letter == "K" ? "a key path" : "a string")
        case "p":
            return value
        default:
            if let value, type(of: value) == Int.self { return NSNumber(value: exactly(value) as Int) }
            if let value, type(of: value) == Int64.self { return NSNumber(value: exactly(value) as Int64) }
            if let number = value as? NSNumber { return number }
            if let number = value as? any BinaryInteger { return wholeNumber(number) }
            if let number = value as? any BinaryFloatingPoint { return NSNumber(value: Double(number)) }
            throw unexpected(argument, for: letter, wanted: "a number")
        }
    }

    private static func wholeNumber(_ number: some BinaryInteger) -> NSNumber {
        if let value = Int(exactly: number) { return NSNumber(value: value) }
        return NSNumber(value: UInt64(clamping: number))
    }

    private static func unexpected(
        _ argument: Any, for letter: Unicode.Scalar, wanted: String
    ) -> Mistake {
        Mistake(
            code: .unexpectedArgument,
            message: "%\(letter) needs \(wanted), but its argument is a \(type(of: argument))")
    }
}
