public import Foundation

public import class FirnFoundation.NSExpression

/// An attribute: a property that holds one value.
///
/// https://developer.apple.com/documentation/coredata/nsattributedescription
open class NSAttributeDescription: NSPropertyDescription {
    /// The type of the value. Setting it resets `attributeValueClassName`.
    open var attributeType: NSAttributeType = .undefinedAttributeType {
        willSet { requireMutable() }
        didSet { explicitValueClassName = nil }
    }

    /// The name of the class whose instances are the values, as Core Data names it (`NSNumber`, `NSString`, …).
    open var attributeValueClassName: String? {
        get { explicitValueClassName ?? attributeType.valueClassName }
        set { explicitValueClassName = newValue }
    }

    /// The value of a new object.
    open var defaultValue: Any? { willSet { requireMutable() } }

    /// The name of the transformer of a transformable attribute.
    open var valueTransformerName: String? { willSet { requireMutable() } }

    /// Whether large data may be stored in separate files.
    open var allowsExternalBinaryDataStorage: Bool = false { willSet { requireMutable() } }

    /// Whether the history preserves the value when the object is deleted.
    open var preservesValueInHistoryOnDeletion: Bool = false { willSet { requireMutable() } }

    /// Whether CloudKit stores the value encrypted; without effect here.
    open var allowsCloudEncryption: Bool {
        get { sourceAttributes["allowsCloudEncryption"] == "YES" }
        set { sourceAttributes["allowsCloudEncryption"] = newValue ? "YES" : nil }
    }

    package var explicitValueClassName: String? { willSet { requireMutable() } }

    /// The hash of what every property has, and of type.
    open override var versionHash: Data { super.versionHash }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(Int(attributeType.rawValue), forKey: "NSAttributeType")
        coder.encode(text: explicitValueClassName, forKey: "NSAttributeValueClassName")
        coder.encode(literal: defaultValue, forKey: "NSDefaultValue")
        coder.encode(text: valueTransformerName, forKey: "NSValueTransformerName")
        coder.encode(allowsExternalBinaryDataStorage, forKey: "NSAllowsExternalBinaryDataStorage")
        coder.encode(preservesValueInHistoryOnDeletion, forKey: "NSPreservesValueInHistory")
        coder.encode(allowsCloudEncryption, forKey: "NSAllowsCloudEncryption")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        let type = UInt(bitPattern: coder.decodeInteger(forKey: "NSAttributeType"))
        attributeType = NSAttributeType(rawValue: type) ?? .undefinedAttributeType
        explicitValueClassName = coder.text(forKey: "NSAttributeValueClassName")
        defaultValue = coder.literal(forKey: "NSDefaultValue")
        valueTransformerName = coder.text(forKey: "NSValueTransformerName")
        allowsExternalBinaryDataStorage = coder.decodeBool(forKey: "NSAllowsExternalBinaryDataStorage")
        preservesValueInHistoryOnDeletion = coder.decodeBool(forKey: "NSPreservesValueInHistory")
        allowsCloudEncryption = coder.decodeBool(forKey: "NSAllowsCloudEncryption")
    }

    package override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.attributeType = attributeType
        copy.explicitValueClassName = explicitValueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    }
}

/// An attribute whose value is computed from others when its object is saved.
///
/// https://developer.apple.com/documentation/coredata/nsderivedattributedescription
open class NSDerivedAttributeDescription: NSAttributeDescription {
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

/// The limits on a value as a model file writes them: text, so that the file can be written again as it was.
package struct ValidationLimits: Hashable, Sendable {
    /// `minValueString`, or `minDateTimeInterval` for a date. Of a string it limits the length.
    package var minimum: String?
    /// `maxValueString`, or `maxDateTimeInterval` for a date. Of a string it limits the length.
    package var maximum: String?
    /// `regularExpressionString`.
    package var pattern: String?

    package init(minimum: String? = nil, maximum: String? = nil, pattern: String? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.pattern = pattern
    }

    package var isEmpty: Bool { minimum == nil && maximum == nil && pattern == nil }
}
