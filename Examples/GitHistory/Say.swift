import Foundation

/// Writes a line at once, also into a file that somebody watches.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
