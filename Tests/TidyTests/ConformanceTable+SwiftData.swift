/// What SwiftData's page has to answer.
extension ConformanceTable {
    /// Lines of the list of SwiftData's behaviour that no row has: those of the section "Behaviour", each of which
    /// begins with a dash, and the rows of the table of complaints.
    static func unanswered(_ text: String, swiftDataList list: String) -> [String] {
        let answered = Set(rows(text).map(\.line))
        var isBehaviour = false
        var count = 0
        return list.split(separator: "\n").compactMap { line in
            if line.hasPrefix("## ") { isBehaviour = line == "## Behaviour" }
            var number: String?
            if isBehaviour, line.hasPrefix("- ") {
                count += 1
                number = "s.\(count)"
            } else if let complaint = line.firstMatch(of: /^\| (\d+) \|/) {
                number = "complaint \(complaint.output.1)"
            }
            guard let number, !answered.contains(Substring(number)) else { return nil }
            return "\(Page.swiftData.path): no row of \(number), \(line.dropFirst(2).prefix(60))"
        }
    }
}
