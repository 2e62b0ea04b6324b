/// What the accessors of `@NSManaged` members jump to whose type is passed as one word: objects, collections and
/// enumerations, with and without a value. The row has the name of the type. An application does not call these itself.
extension NSManagedObject {
    @_silgen_name("firn_get_word")
    public final func accessedWord(_ row: UnsafeRawPointer) -> UInt {
        let property = ManagedProperty.at(row)
        if property.pointee.isObject, let slot = property.pointee.slot(in: layout) {
            switch read(slot) {
            case .toOne(let object) where property.pointee.accepts(object):
                return UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
            case .null where property.pointee.isOptional: return 0
            default: break
            }
        } else if property.pointee.isSetOfObjects,
            let list = managedMemberList(property.pointee.key),
            property.pointee.accepts(members: list)
        {
            // A set of objects of the declared class: what it holds is the same for all classes.
            return Self.word(of: Set(roomy: list))
        }
        func general<Value>(_ type: Value.Type) -> UInt { Self.word(of: managedValue(property.pointee.key) as Value) }
        return _openExistential(Self.type(property), do: general)
    }

    @_silgen_name("firn_set_word")
    public final func accessWord(_ word: UInt, _ row: UnsafeRawPointer) {
        let property = ManagedProperty.at(row)
        if property.pointee.isObject {
            return setManagedDestination(Self.value(of: word, as: NSManagedObject?.self), row)
        }
        func general<Value>(_ type: Value.Type) {
            setManagedValue(Self.value(of: word, as: type), property.pointee.key)
        }
        _openExistential(Self.type(property), do: general)
    }

    private static func type(_ property: UnsafePointer<ManagedProperty>) -> Any.Type {
        guard let type = property.pointee.type else {
            fatalError("the accessors of \"\(property.pointee.key)\" are without their type")
        }
        return type
    }

    /// The value as it is returned, with a reference of its own.
    private static func word<Value>(of value: Value) -> UInt {
        guard MemoryLayout<Value>.size <= MemoryLayout<UInt>.size else {
            fatalError("\(Value.self) is more than one word")
        }
        var word: UInt = 0
        withUnsafeMutablePointer(to: &word) {
            _ = UnsafeMutableRawPointer($0).initializeMemory(as: Value.self, to: value)
        }
        return word
    }

    /// The value that was passed, with its reference. What of the register is not the value's is not read.
    private static func value<Value>(of word: UInt, as type: Value.Type) -> Value {
        guard MemoryLayout<Value>.size <= MemoryLayout<UInt>.size else {
            fatalError("\(Value.self) is more than one word")
        }
        var word = word
        return withUnsafeMutablePointer(to: &word) {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self).move()
        }
    }
}

/// What the methods for the members of a relationship jump to. The last part of a symbol says what is passed: `o` for
/// an object, `a` for an array of managed objects, `i` for a number.
extension NSManagedObject {
    @inline(__always)
    private func key(_ row: UnsafeRawPointer) -> String { ManagedProperty.at(row).pointee.key }

    @_silgen_name("firn_add_o")
    public final func accessAdding(_ value: AnyObject, _ row: UnsafeRawPointer) { addManaged(value, to: key(row)) }

    @_silgen_name("firn_remove_o")
    public final func accessRemoving(_ value: AnyObject, _ row: UnsafeRawPointer) {
        removeManaged(value, from: key(row))
    }

    @_silgen_name("firn_removeat_i")
    public final func accessRemoving(at index: Int, _ row: UnsafeRawPointer) {
        removeManaged(at: index, from: key(row))
    }

    @_silgen_name("firn_removeat_o")
    public final func accessRemoving(at indexes: AnyObject, _ row: UnsafeRawPointer) {
        removeManaged(at: indexes, from: key(row))
    }

    @_silgen_name("firn_insert_oi")
    public final func accessInserting(_ value: AnyObject, _ index: Int, _ row: UnsafeRawPointer) {
        insertManaged(value, into: key(row), at: index)
    }

    @_silgen_name("firn_insert_ao")
    public final func accessInserting(_ values: [NSManagedObject], _ indexes: AnyObject, _ row: UnsafeRawPointer) {
        insertManaged(values, into: key(row), at: indexes)
    }

    @_silgen_name("firn_replace_io")
    public final func accessReplacing(_ index: Int, _ value: AnyObject, _ row: UnsafeRawPointer) {
        replaceManaged(at: index, in: key(row), with: value)
    }

    @_silgen_name("firn_replace_oa")
    public final func accessReplacing(_ indexes: AnyObject, _ values: [NSManagedObject], _ row: UnsafeRawPointer) {
        replaceManaged(at: indexes, in: key(row), with: values)
    }
}
