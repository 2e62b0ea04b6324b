package import Foundation

/// An attribute made of named attributes; its value is a dictionary, and `composite.element` is a key path.
///
/// https://developer.apple.com/documentation/coredata/nscompositeattributedescription
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes inside. An element may itself be composite.
    open var elements: [NSAttributeDescription] = [] {
        willSet { requireMutable() }
        didSet { for element in elements { element.composite = self } }
    }

    /// The name under which a model file declares the composite, if it differs from the attribute's name.
    package var compositeName: String? { willSet { requireMutable() } }

    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    package override func freeze() {
        super.freeze()
        for element in elements { element.freeze() }
    }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(elements as NSArray, forKey: "NSElements")
        coder.encode(text: compositeName, forKey: "NSCompositeName")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        let members = coder.decodeObject(of: [NSArray.self, NSAttributeDescription.self], forKey: "NSElements")
        elements = members as? [NSAttributeDescription] ?? []
        compositeName = coder.text(forKey: "NSCompositeName")
    }

    package override func makeEmptyCopy() -> NSPropertyDescription {
        NSCompositeAttributeDescription()
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSCompositeAttributeDescription else { return }
        copy.compositeName = compositeName
        copy.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
    }
}
