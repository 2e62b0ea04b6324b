// Tells the thread sanitizer of the two ways through `Synchronization.Mutex` that it does not see.
//
// The quick ways, where nobody waits, are compiled into the caller and known. Where somebody waits, the standard library
// asks the kernel (a futex with priority inheritance), in code that was not built for the sanitizer: without this, all
// that such a mutex guards is reported as a race. `Tools/sanitize` loads this library before the tests; it stands between
// them and the two functions of the standard library, whose own work it leaves to them.
//
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Synchronization/Mutex/LinuxImpl.swift
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// In the sanitizer's runtime, which is part of the tests; other programs that this is loaded into have none.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *mutex);

// What comes next in the order of loading: the standard library's own. To ask twice is harmless.
static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((swiftcall)) void lockAndTell(
    uint32_t thread, __attribute__((swift_context)) void *mutex) __asm__(LOCK);
__attribute__((swiftcall)) void tellAndUnlock(__attribute__((swift_context)) void *mutex) __asm__(UNLOCK);

__attribute__((swiftcall)) void lockAndTell(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    ((Lock *)next(LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void tellAndUnlock(__attribute__((swift_context)) void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock *)next(UNLOCK))(mutex);
}
