#if SwiftData
import FirnFoundation
import FirnRuntime

/// The names of models for predicates and sort descriptors: names for key paths, stored forms of constants, entities of
/// classes, columns of structures. `PredicateFront.Source` describes each member.
struct ModelPredicateSource: PredicateFront.Source {
    static let shared = ModelPredicateSource()
    private static let registration: Void = PredicateFront.use(shared)

    /// Lets predicates know the models' properties, once for the process.
    static func use() { registration }

    /// The empty name stands for the value itself: `\.self`, or an enumeration's `rawValue`.
    func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
        let types = type(of: keyPath)
        guard isKnown(types.rootType) else {
            return RawValueNaming.isRawValue(keyPath, of: types.rootType) ? "" : nil
        }
        guard let steps = KeyPathStep.all(of: keyPath, includingStored: true) else {
            return (types.rootType as? any PersistentModel.Type).flatMap { ProtocolKeyPaths.name(of: keyPath, in: $0) }
        }
        var names: [String] = []
        for (index, step) in steps.enumerated() {
            if let name = name(of: step) {
                names.append(name)
                continue
            }
            // A step without a name may come last, if it is the value itself: a model's identifier, a text with the
            // order of its comparator, or the raw value of a model's own enumeration. Of a related model's, the sample
            // that is asked would need a related one.
            guard index == steps.count - 1 else { return nil }
            let isIdentifier = step.root is any PersistentModel.Type && Self.isIdentifier(types.valueType)
            let isRawValue = index == 1 && RawValueNaming.isRawValue(keyPath, through: steps[0])
            let isText = LocalizedTexts.selectorName(of: keyPath) != nil
            return isIdentifier || isRawValue || isText ? names.joined(separator: ".") : nil
        }
        return names.joined(separator: ".")
    }

    func predicateConstant(for value: Any) -> Any? { ConstantTranslation.stored(value) }

    /// Swift counts characters; `length` would count UTF-16 units.
    var sizeKeyOfTexts: String { "characterCount" }

    func entities(of type: Any.Type) -> [Any]? {
        var type = type
        while let optional = type as? any AnyOptional.Type { type = optional.wrappedType }
        guard let model = type as? any PersistentModel.Type else { return nil }
        return ConstantTranslation.entities(of: model)
    }

    func parts(of type: Any.Type) -> [String]? {
        if let optional = type as? any AnyOptional.Type { return parts(of: optional.wrappedType) }
        return composite(type)?.flatMap { element in
            parts(of: element.column.valueType)?.map { element.name + "." + $0 } ?? [element.name]
        }
    }

    func parts(of value: Any) -> [String: Any] {
        guard let column = ColumnCache.column(for: Swift.type(of: value)) else { return [:] }
        var parts: [String: Any] = [:]
        func add(_ values: [String: Any], _ prefix: String) {
            for (name, value) in values {
                if let inner = value as? [String: Any] {
                    add(inner, prefix + name + ".")
                } else {
                    parts[prefix + name] = value
                }
            }
        }
        add(column.stored(any: value) as? [String: Any] ?? [:], "")
        return parts
    }

    private func isKnown(_ type: Any.Type) -> Bool {
        if type is any PersistentModel.Type { return true }
        if let optional = type as? any AnyOptional.Type { return isKnown(optional.wrappedType) }
        return composite(type) != nil
    }

    /// `persistentModelID`, and the `id` of models that declare none. By the type: a computed property of that type
    /// counts too.
    static func isIdentifier(_ type: Any.Type) -> Bool {
        type == PersistentIdentifier.self || type == PersistentIdentifier?.self
    }

    /// A model's properties are computed. A structure's are stored, and `identity` is their offset.
    private func name(of step: KeyPathStep) -> String? {
        if let model = step.root as? any PersistentModel.Type {
            return step.isStored ? nil : ModelShape.of(model).property(identity: step.identity)?.name
        }
        guard step.isStored else { return nil }
        return composite(step.root)?.first { $0.offset == Int(step.identity) }?.name
    }

    private func composite(_ type: Any.Type) -> [CompositeElement]? {
        guard type is any Codable.Type, case .composite(let elements)? = ColumnCache.column(for: type)?.form else {
            return nil
        }
        return elements
    }
}

/// Tells `rawValue` from other computed properties of enumerations, whose key paths look alike: it gives the raw value
/// of every case. Where an enumeration does not list its cases, the first one decides.
enum RawValueNaming {
    /// For `\Kind.rawValue`.
    static func isRawValue(_ keyPath: AnyKeyPath, of root: Any.Type) -> Bool {
        func check<Value: RawRepresentable>(_ type: Value.Type) -> Bool {
            let cases = cases(of: type)
            return !cases.isEmpty && cases.allSatisfy { isEqual($0[keyPath: keyPath], $0.rawValue) }
        }
        guard let type = root as? any RawRepresentable.Type else { return false }
        return check(type)
    }

    /// For `\Trip.kind.rawValue`: asked of a model that is in no context.
    static func isRawValue(_ keyPath: AnyKeyPath, through step: KeyPathStep) -> Bool {
        func check<Model: PersistentModel, Value: RawRepresentable>(_ model: Model.Type, _ type: Value.Type) -> Bool {
            guard let name = ModelShape.of(model).property(identity: step.identity)?.name else { return false }
            let sample = Model(backingData: Model.createBackingData())
            let cases = cases(of: type)
            return !cases.isEmpty && cases.allSatisfy { value in
                sample.storage.setSample(value, name)
                return isEqual(sample[keyPath: keyPath], value.rawValue)
            }
        }
        func open<Model: PersistentModel>(_ model: Model.Type) -> Bool {
            guard let property = ModelShape.of(model).property(identity: step.identity),
                let type = property.valueType as? any RawRepresentable.Type
            else { return false }
            return check(model, type)
        }
        guard let model = step.root as? any PersistentModel.Type else { return false }
        return open(model)
    }

    private static func isEqual(_ left: Any?, _ right: Any) -> Bool {
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return false }
        return left == right
    }

    /// The cases; of an enumeration that does not list them, the first.
    private static func cases<Value>(of type: Value.Type) -> [Value] {
        if let all = ColumnCache.allCases(of: type) { return all.compactMap { $0 as? Value } }
        return StructLayout.firstCase(of: type).map { [$0] } ?? []
    }
}

#endif
