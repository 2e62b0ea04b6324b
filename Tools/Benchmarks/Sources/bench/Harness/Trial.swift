import Foundation

/// One side of one workload, done once in a process of its own: it gets an empty folder, prepares what it likes, and
/// has one part of its work timed.
final class Trial {
    let folder: URL
    /// How many times smaller than the full workload this is.
    let divisor: Int
    private(set) var seconds = 0.0
    private(set) var peakBytes = 0
    /// A sum over the rows that the side read or left behind; sides whose sums differ did not do the same work.
    var digest = Digest()
    /// Other figures of the trial, by name: bytes, percentiles.
    var figures: [String: Double] = [:]

    init(folder: URL, divisor: Int) {
        self.folder = folder
        self.divisor = divisor
    }

    /// The part of `full` that is done.
    func count(_ full: Int) -> Int { max(full / divisor, 1) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Times `body` and notes the most memory that the process held while it ran.
    func measure<Value>(_ body: () throws -> Value) rethrows -> Value {
        Memory.resetPeak()
        let start = ContinuousClock.now
        let value = try body()
        seconds += (ContinuousClock.now - start) / .seconds(1)
        peakBytes = max(peakBytes, Memory.peak())
        return value
    }

    /// Counts time that another program measured.
    func add(seconds: Double) { self.seconds += seconds }

    var result: TrialResult {
        TrialResult(seconds: seconds, peakBytes: peakBytes, digest: digest.value, figures: figures)
    }
}

/// What a trial's process prints.
struct TrialResult: Codable {
    var seconds: Double
    var peakBytes: Int
    var digest: UInt64
    var figures: [String: Double]
}

/// A sum over rows that does not depend on their order.
struct Digest {
    private(set) var value: UInt64 = 0

    /// Adds one row, given as one number of it.
    mutating func add(_ row: Int64) {
        var mixed = UInt64(bitPattern: row) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        value &+= mixed &* 0xBF58_476D_1CE4_E5B9
    }
}

/// The memory of this process. https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
enum Memory {
    /// Resets the kernel's peak to the memory in use now.
    static func resetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }

    /// The most memory held since `resetPeak`, in bytes; 0 where the system does not tell.
    static func peak() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }
}
