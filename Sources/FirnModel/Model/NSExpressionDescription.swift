package import Foundation
public import class FirnFoundation.NSExpression

/// A column of a dictionary fetch that is computed. Never part of an entity.
///
/// https://developer.apple.com/documentation/coredata/nsexpressiondescription
open class NSExpressionDescription: NSPropertyDescription {
    /// The expression that is computed.
    open var expression: NSExpression? { willSet { requireMutable() } }

    /// The type of the computed value.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType {
        willSet { requireMutable() }
    }

    /// `expressionResultType` as an `AttributeType`.
    public final var resultType: NSAttributeDescription.AttributeType {
        get { .init(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(expression, forKey: "NSExpression")
        coder.encode(Int(expressionResultType.rawValue), forKey: "NSExpressionResultType")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        expression = coder.decodeObject(of: NSExpression.self, forKey: "NSExpression")
        let type = UInt(bitPattern: coder.decodeInteger(forKey: "NSExpressionResultType"))
        expressionResultType = NSAttributeType(rawValue: type) ?? .undefinedAttributeType
    }

    package override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expression = expression
        copy.expressionResultType = expressionResultType
    }
}
