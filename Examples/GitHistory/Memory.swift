import Foundation

enum Memory {
    /// The most memory that the process has had at one time, in bytes; 0 where the system does not tell.
    /// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
    static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
            Int($0)
        }
        return (kilobytes ?? 0) * 1024
    }
}
