public import FirnRuntime

/// Functions that accessors of `@NSManaged` members jump to whose type is passed as one word: objects, collections and
/// enumerations, with and without a value. The row has the name of the type. An application does not call these itself.
extension NSManagedObject {
    @_silgen_name("firn_get_word")
    public final func accessedWord(_ row: AccessorRow) -> UInt {
        let property = ManagedProperty.at(row)
        if property.pointee.isObject, let slot = property.pointee.slot(in: layout) {
            switch read(slot) {
            case .toOne(let object) where property.pointee.accepts(object):
                return AccessorWord.word(retaining: object)
            case .null where property.pointee.isOptional: return 0
            default: break
            }
        } else if property.pointee.isSetOfObjects, let slot = property.pointee.slot(in: layout),
            case .toMany(let members) = read(slot)
        {
            let set = members.set { self.storedMembers(slot) }
            // A set of objects of the declared class: what it holds is the same for all classes.
            if property.pointee.accepts(members: set) { return AccessorWord.word(of: set) }
        }
        func general<Value>(_ type: Value.Type) -> UInt {
            AccessorWord.word(of: managedValue(property.pointee.key) as Value)
        }
        return _openExistential(Self.type(property), do: general)
    }

    @_silgen_name("firn_set_word")
    public final func accessWord(_ word: UInt, _ row: AccessorRow) {
        let property = ManagedProperty.at(row)
        if property.pointee.isObject {
            return setManagedDestination(AccessorWord.value(of: word, as: NSManagedObject?.self), row)
        }
        if property.pointee.isSetOfObjects, let slot = property.pointee.slot(in: layout),
            layout.slots[slot].toMany?.isOrdered == false
        {
            return setMembers(AccessorWord.value(of: word, as: Set<NSManagedObject>?.self) ?? [], slot)
        }
        func general<Value>(_ type: Value.Type) {
            setManagedValue(AccessorWord.value(of: word, as: type), property.pointee.key)
        }
        _openExistential(Self.type(property), do: general)
    }

    private static func type(_ property: UnsafePointer<ManagedProperty>) -> Any.Type {
        guard let type = property.pointee.type else {
            fatalError("the accessors of \"\(property.pointee.key)\" are without their type")
        }
        return type
    }
}

/// Functions that the methods for the members of a relationship jump to. The last part of a symbol says what is passed:
/// `o` for an object, `a` for an array of managed objects, `i` for a number.
extension NSManagedObject {
    @inline(__always)
    private func key(_ row: AccessorRow) -> String { ManagedProperty.at(row).pointee.key }

    @_silgen_name("firn_add_o")
    public final func accessAdding(_ value: AnyObject, _ row: AccessorRow) { addManaged(value, to: key(row)) }

    @_silgen_name("firn_remove_o")
    public final func accessRemoving(_ value: AnyObject, _ row: AccessorRow) {
        removeManaged(value, from: key(row))
    }

    @_silgen_name("firn_removeat_i")
    public final func accessRemoving(at index: Int, _ row: AccessorRow) {
        removeManaged(at: index, from: key(row))
    }

    @_silgen_name("firn_removeat_o")
    public final func accessRemoving(at indexes: AnyObject, _ row: AccessorRow) {
        removeManaged(at: indexes, from: key(row))
    }

    @_silgen_name("firn_insert_oi")
    public final func accessInserting(_ value: AnyObject, _ index: Int, _ row: AccessorRow) {
        insertManaged(value, into: key(row), at: index)
    }

    @_silgen_name("firn_insert_ao")
    public final func accessInserting(_ values: [NSManagedObject], _ indexes: AnyObject, _ row: AccessorRow) {
        insertManaged(values, into: key(row), at: indexes)
    }

    @_silgen_name("firn_replace_io")
    public final func accessReplacing(_ index: Int, _ value: AnyObject, _ row: AccessorRow) {
        replaceManaged(at: index, in: key(row), with: value)
    }

    @_silgen_name("firn_replace_oa")
    public final func accessReplacing(_ indexes: AnyObject, _ values: [NSManagedObject], _ row: AccessorRow) {
        replaceManaged(at: indexes, in: key(row), with: values)
    }
}
