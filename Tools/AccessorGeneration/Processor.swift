/// What differs between processors: the instructions of an accessor, and the linker's ways to complete them.
enum Processor: String, CaseIterable {
    case x86 = "x86_64"
    case arm = "aarch64"

    static let host: Processor = {
        #if arch(arm64)
            .arm
        #else
            .x86
        #endif
    }()

    /// The bytes that an accessor takes.
    static let accessorSize = 16

    /// Its number in object files.
    var machine: UInt16 { self == .x86 ? 62 : 183 }
    /// An address; the distance from here, of 4 bytes.
    var address: UInt32 { self == .x86 ? 1 : 257 }
    var distance: UInt32 { self == .x86 ? 2 : 261 }

    /// Appends a jump to a function which gets, in the register for its n-th argument, the address of a row.
    ///
    ///     x86-64   leaq row(%rip), %rdi; jmp function        arm64   adrp x0, row; add x0, x0, :lo12:row; b function
    ///
    /// All other registers stay: the object, the value, where the result goes.
    func appendJump(to function: String, row: Int?, register: Int, _ file: inout ObjectFile) {
        let start = file.count(.code)
        switch self {
        case .x86:
            if let row {
                file.append([0x48, 0x8D, [0x3D, 0x35, 0x15, 0x0D][register], 0, 0, 0, 0], to: .code)
                file.relocate(.code, at: start + 3, 2, .section(.rows, row), addend: -4)
            }
            file.append([0xE9, 0, 0, 0, 0], to: .code)
            file.relocate(.code, at: file.count(.code) - 4, 4, .symbol(function), addend: -4)
            let rest = Self.accessorSize - (file.count(.code) - start)
            file.append([UInt8](repeating: 0xCC, count: rest), to: .code)
        case .arm:
            let register = UInt32(register)
            var words: [UInt32] = []
            if let row {
                words = [0x9000_0000 | register, 0x9100_0000 | register << 5 | register]
                file.relocate(.code, at: start, 275, .section(.rows, row))
                file.relocate(.code, at: start + 4, 277, .section(.rows, row))
            }
            file.relocate(.code, at: start + 4 * words.count, 282, .symbol(function))
            words.append(0x1400_0000)
            while 4 * words.count < Self.accessorSize { words.append(0xD420_0020) }
            var bytes: [UInt8] = []
            for word in words { bytes.put(word) }
            file.append(bytes, to: .code)
        }
    }
}
