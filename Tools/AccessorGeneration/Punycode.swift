/// A name with characters beyond ASCII, in letters, digits and underscores of ASCII. The digits of the encoding are a
/// to z and A to J, as in the compiler's symbols. https://datatracker.ietf.org/doc/html/rfc3492
enum Punycode {
    private static let (base, lowest, highest) = (36, 1, 26)

    /// Nil for a name in ASCII.
    static func encoded(_ name: String) -> [UInt8]? {
        let points = name.unicodeScalars.map { Int($0.value) }
        var result = points.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = result.count
        if basicCount == points.count { return nil }
        if basicCount > 0 { result.append(UInt8(ascii: "_")) }
        var (count, delta, bias, current) = (basicCount, 0, 72, 0x80)
        while let next = points.filter({ $0 >= current }).min() {
            delta += (next - current) * (count + 1)
            for point in points {
                if point < next { delta += 1 }
                guard point == next else { continue }
                append(delta, bias, to: &result)
                bias = adapted(count == basicCount ? delta / 700 : delta / 2, count + 1)
                (delta, count) = (0, count + 1)
            }
            (delta, current) = (delta + 1, next + 1)
        }
        return result
    }

    private static func append(_ delta: Int, _ bias: Int, to result: inout [UInt8]) {
        var (rest, position) = (delta, base)
        while true {
            let threshold = min(max(position - bias, lowest), highest)
            if rest < threshold { break }
            result.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        result.append(digit(rest))
    }

    private static func adapted(_ delta: Int, _ count: Int) -> Int {
        var (delta, steps) = (delta + delta / count, 0)
        while delta > (base - lowest) * highest / 2 {
            delta /= base - lowest
            steps += base
        }
        return steps + (base - lowest + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "A") + UInt8(value - 26)
    }
}
