import FirnModel
import Foundation

/// Models as their files say them, in as few words as a test needs:
///
///     Person: name String, age Integer32 = 7, !email String, pets ->> Pet.owner ordered
///     Dog < Person: barks Boolean, tag String was label
///
/// `!` is mandatory, `= x` a default, `was x` a renaming identifier, `->` to-one, `->>` to-many, with the inverse
/// after the dot; `abstract` before the name of an entity; `derived x` an expression without blanks and commas;
/// `transient` and `external` as they are called; `searchable` an entry of the user info. In place of a property,
/// `unique a b` is a constraint and `index a` a fetch index.
enum ModelText {
    static func model(_ text: String) throws -> NSManagedObjectModel {
        var xml = "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">"
        for line in text.split(separator: "\n") where !line.allSatisfy(\.isWhitespace) { xml += entity(String(line)) }
        return try NSManagedObjectModel.load(document: Array((xml + "</model>").utf8), name: "a test").model
    }

    private static func entity(_ line: String) -> String {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var words = parts[0].split(separator: " ").map(String.init)
        var attributes = ""
        if words.first == "abstract" {
            attributes += " isAbstract=\"YES\""
            words.removeFirst()
        }
        if let index = words.firstIndex(of: "<") { attributes += " parentEntity=\"\(words[index + 1])\"" }
        if let index = words.firstIndex(of: "was") { attributes += " elementID=\"\(words[index + 1])\"" }
        var body = ""
        for property in parts.count > 1 ? parts[1].split(separator: ",") : [] {
            let words = property.split(separator: " ").map(String.init)
            switch words[0] {
            case "unique": body += unique(words)
            case "index": body += index(words[1])
            default: body += self.property(words)
            }
        }
        return "<entity name=\"\(words[0])\"\(attributes)>\(body)</entity>"
    }

    private static func unique(_ words: [String]) -> String {
        let values = words.dropFirst().map { "<constraint value=\"\($0)\"/>" }.joined()
        return "<uniquenessConstraints><uniquenessConstraint>\(values)</uniquenessConstraint></uniquenessConstraints>"
    }

    private static func index(_ property: String) -> String {
        "<fetchIndex name=\"by_\(property)\"><fetchIndexElement property=\"\(property)\" type=\"Binary\" "
            + "order=\"ascending\"/></fetchIndex>"
    }

    private static func property(_ words: [String]) -> String {
        var name = words[0]
        var attributes = ""
        if name.hasPrefix("!") { name.removeFirst() } else { attributes += " optional=\"YES\"" }
        attributes += " name=\"\(name)\""
        if let index = words.firstIndex(of: "was") { attributes += " elementID=\"\(words[index + 1])\"" }
        if let arrow = words.firstIndex(where: { $0.hasPrefix("->") }) {
            let target = words[arrow + 1].split(separator: ".").map(String.init)
            attributes += words[arrow] == "->>" ? " toMany=\"YES\"" : " maxCount=\"1\""
            attributes += " deletionRule=\"Nullify\" destinationEntity=\"\(target[0])\""
            if target.count > 1 { attributes += " inverseName=\"\(target[1])\" inverseEntity=\"\(target[0])\"" }
            if words.contains("ordered") { attributes += " ordered=\"YES\"" }
            return "<relationship\(attributes)/>"
        }
        let type = words[1].replacing(/(Integer)(\d+)/) { "\($0.1) \($0.2)" }
        attributes += " attributeType=\"\(type)\""
        if words.contains("transient") { attributes += " transient=\"YES\"" }
        if words.contains("external") { attributes += " allowsExternalBinaryDataStorage=\"YES\"" }
        if let index = words.firstIndex(of: "derived") {
            attributes += " derived=\"YES\" derivationExpression=\"\(words[index + 1])\""
        }
        if let index = words.firstIndex(of: "=") { attributes += " defaultValueString=\"\(words[index + 1])\"" }
        let info = words.contains("searchable") ? "<userInfo><entry key=\"searchable\" value=\"YES\"/></userInfo>" : ""
        return "<attribute\(attributes)>\(info)</attribute>"
    }
}
