import Foundation

@objc public enum Taste: Int16 {
    case dry = 1
    case sweet = 2
}
