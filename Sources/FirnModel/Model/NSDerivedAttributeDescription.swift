package import Foundation
public import class FirnFoundation.NSExpression

/// An attribute whose value is computed from others when its object is saved.
///
/// https://developer.apple.com/documentation/coredata/nsderivedattributedescription
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// A key path, possibly with a closing operator such as `items.@count`, or a function such as `now()`.
    open var derivationExpression: NSExpression? {
        willSet { requireMutable() }
        didSet { derivationText = nil }
    }

    /// The expression as the model file has it.
    package var derivationText: String? { willSet { requireMutable() } }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(derivationExpression, forKey: "NSDerivationExpression")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        derivationExpression = coder.decodeObject(of: NSExpression.self, forKey: "NSDerivationExpression")
    }

    package override func makeEmptyCopy() -> NSPropertyDescription {
        NSDerivedAttributeDescription()
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSDerivedAttributeDescription else { return }
        copy.derivationExpression = derivationExpression
        copy.derivationText = derivationText
    }
}
