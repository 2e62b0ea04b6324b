/// An element of a model file.
package struct ModelFileElement: Equatable, Sendable {
    package var name: String
    package var attributes: [String: String]
    package var children: [ModelFileElement]
    /// The element's own text. Models have none, mapping models do.
    package var text = ""
    /// Where the element begins, counted from 1; 0 for an element that was not read.
    package var line: Int

    package init(
        _ name: String, _ attributes: [String: String] = [:], children: [ModelFileElement] = [],
        line: Int = 0
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.line = line
    }

    package subscript(_ attribute: String) -> String? {
        get { attributes[attribute] }
        set { attributes[attribute] = newValue }
    }

    /// The children of a name, in the order of the file.
    package func children(_ name: String) -> [ModelFileElement] {
        children.filter { $0.name == name }
    }

    /// Whether a flag is set. Xcode writes `YES` or leaves the attribute out; others write `true`.
    package func flag(_ attribute: String) -> Bool {
        switch attributes[attribute] {
        case "YES", "true", "1": true
        default: false
        }
    }

    /// Equality ignores the line.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name == rhs.name && lhs.attributes == rhs.attributes && lhs.children == rhs.children
    }
}

/// The numbers and names that the format of model files fixes for reader and writer.
enum ModelFileFormat {
    /// The prefix of elements and attributes that Core Data's format does not have.
    static let prefix = "firn:"
    static let namespace = "https://firn.dev/model"
    /// An attribute `firn:base64.x` holds the UTF-8 bytes of the attribute `x`, whose text XML cannot carry.
    static let base64Prefix = "firn:base64."
    /// Attributes that only an editor is interested in; left out of canonical files.
    static let editorAttributes: Set<String> = [
        "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
        "macOSVersion",
        "iOSVersion", "tvOSVersion", "watchOSVersion",
    ]
    /// The elements that only an editor is interested in.
    static let editorElements: Set<String> = ["elements"]
}
