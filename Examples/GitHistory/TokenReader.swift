import Foundation

/// Reads what a pipe brings, cut at each NUL (or another byte), in constant memory.
struct TokenReader {
    private let descriptor: Int32
    private let separator: UInt8
    private var buffer: [UInt8] = []
    /// Where the next token begins in `buffer`.
    private var start = 0
    private var isAtEnd = false

    private static let readSize = 64 * 1024

    /// The descriptor stays the caller's, to be kept open while there is reading to do.
    init(_ descriptor: Int32, separator: UInt8 = 0) {
        self.descriptor = descriptor
        self.separator = separator
    }

    /// The next token without its separator; nil at the end. What follows the last separator is a token if it is not
    /// empty.
    mutating func next() throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: separator) {
                defer { start = end + 1 }
                return buffer[start..<end]
            }
            searched = buffer.count
            if isAtEnd {
                defer { start = buffer.count }
                return start < buffer.count ? buffer[start...] : nil
            }
            searched -= try fill()
        }
    }

    /// Reads more behind what is not consumed. Gives by how much that moved forward in the buffer.
    private mutating func fill() throws -> Int {
        let moved = start
        buffer.removeFirst(moved)
        start = 0
        let used = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.readSize))
        var count = -1
        repeat {
            count = buffer.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + used }, Self.readSize)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw DemoError("reading a pipe: \(String(cString: strerror(errno)))")
        }
        buffer.removeLast(Self.readSize - count)
        isAtEnd = count == 0
        return moved
    }
}
