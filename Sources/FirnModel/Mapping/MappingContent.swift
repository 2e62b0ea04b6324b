import Foundation

/// Compares the parts of mappings that their names do not cover.
enum MappingContent {
    /// Whether two user infos have equal entries; none is the same as an empty one.
    static func isSame(_ first: [AnyHashable: Any]?, _ second: [AnyHashable: Any]?) -> Bool {
        NSDictionary(dictionary: first ?? [:]).isEqual(NSDictionary(dictionary: second ?? [:]))
    }
}
