// Calls an initializer of a class that is known only when the program runs.
//
// Swift lets a metatype make an instance only through a `required` initializer, and Core Data's is not: a subclass that
// writes `override init(entity:insertInto:)` has to compile. Swift's own convenience initializers, however, reach the
// designated initializer of the dynamic class through its table of methods. One of them has a name that C can call; what
// C adds is the calling convention, in which the class travels in a register of its own.
// https://clang.llvm.org/docs/AttributeReference.html#swiftcall
#pragma once
#include <stdbool.h>

// Takes over one reference to `entity` and to `context`, which may be null; gives one to the new object.
// Weak: a program without managed objects has no such initializer.
__attribute__((swiftcall, weak)) void *firn_make_object(
    void *entity, void *context, __attribute__((swift_context)) const void *metatype);

static inline void *make_object(const void *metatype, void *entity, void *context) {
    return firn_make_object ? firn_make_object(entity, context, metatype) : 0;
}

// Makes a migration policy in this way: its `override init()` need not be `required`.
__attribute__((swiftcall, weak)) void *firn_make_policy(__attribute__((swift_context)) const void *metatype);

static inline void *make_policy(const void *metatype) { return firn_make_policy ? firn_make_policy(metatype) : 0; }

// Makes a value transformer in this way.
__attribute__((swiftcall, weak)) void *firn_make_transformer(__attribute__((swift_context)) const void *metatype);

static inline void *make_transformer(const void *metatype) {
    return firn_make_transformer ? firn_make_transformer(metatype) : 0;
}

// The method that a class of managed objects has for `validateValue(_:forKey:)`: another one where a subclass overrides
// it. Null in a program without managed objects. The two names are those of the descriptors of the class and the method.
// https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst
extern const char firn_managed_object __asm__("$s4Firn15NSManagedObjectCMn") __attribute__((weak));
extern const char firn_validate_value
    __asm__("$s4Firn15NSManagedObjectC13validateValue_6forKeyySpyyXlSgG_SStKFTq") __attribute__((weak));
void *swift_lookUpClassMethod(const void *metatype, const void *method, const void *class_descriptor);

static inline const void *validation_of_values(const void *metatype) {
    const bool is_there = &firn_managed_object && &firn_validate_value;
    return is_there ? swift_lookUpClassMethod(metatype, &firn_validate_value, &firn_managed_object) : 0;
}

// The object with a reference more, or null if it is being destroyed. Its memory must be held by an unowned reference.
// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
void *swift_tryRetain(void *object);

static inline void *retain_if_alive(void *object) { return swift_tryRetain(object); }

// Whether an object is being destroyed, or is gone. Its memory must be held by an unowned reference.
bool swift_isDeallocating(void *object);

static inline bool is_gone(void *object) { return swift_isDeallocating(object); }

// Holds an object's memory, and lets it go, without holding the object.
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);

static inline void hold_memory(void *object) { swift_unownedRetain(object); }
static inline void release_memory(void *object) { swift_unownedRelease(object); }
