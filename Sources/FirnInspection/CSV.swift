/// Comma-separated values. https://www.rfc-editor.org/rfc/rfc4180
package enum CSV {
    /// A row, without its line break.
    package static func row(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
