import Foundation

extension AppGuest {
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        name = "\(#fileID):\(#line)"
    }

    @objc func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let text = value.pointee as? String, text != "?" else {
            throw CocoaError(.validationStringPatternMatching)
        }
        value.pointee = text.trimmingCharacters(in: .whitespaces) as NSString
    }
}
