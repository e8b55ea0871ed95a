/// Checks and writes UTF-8.
package enum UTF8Check {
    /// The offset of the first byte that does not begin or continue a scalar; nil if there is none. Table 3-7 of the
    /// Unicode Standard: no overlong forms, no surrogates, nothing past U+10FFFF.
    package static func firstInvalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        let count = bytes.count
        while index < count {
            if let ascii = asciiCount(bytes: bytes, from: index) {
                index += ascii
                continue
            }
            let byte = bytes[index]
            if byte < 0x80 {
                index += 1
                continue
            }
            guard let length = scalarLength(bytes: bytes, at: index) else { return index }
            index += length
        }
        return nil
    }

    /// How many bytes from `index` on are ASCII for certain, 32 or 8; nil if the next 8 are not, or are not there.
    @inline(__always)
    private static func asciiCount(bytes: UnsafeBufferPointer<UInt8>, from index: Int) -> Int? {
        let left = bytes.count - index
        guard left >= 8, let base = bytes.baseAddress else { return nil }
        let start = UnsafeRawPointer(base + index)
        let first = start.loadUnaligned(as: UInt64.self)
        guard first & 0x8080_8080_8080_8080 == 0 else { return nil }
        guard left >= 32 else { return 8 }
        let rest =
            start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            | start.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            | start.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        return rest & 0x8080_8080_8080_8080 == 0 ? 32 : 8
    }

    @inline(__always)
    private static func scalarLength(bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        let byte = bytes[index]
        let left = bytes.count - index
        func isNext(_ offset: Int) -> Bool { bytes[index + offset] & 0xC0 == 0x80 }
        switch byte {
        case 0xC2...0xDF: return left >= 2 && isNext(1) ? 2 : nil
        case 0xE0...0xEF:
            guard left >= 3, isNext(1), isNext(2) else { return nil }
            if byte == 0xE0, bytes[index + 1] < 0xA0 { return nil }
            if byte == 0xED, bytes[index + 1] > 0x9F { return nil }
            return 3
        case 0xF0...0xF4:
            guard left >= 4, isNext(1), isNext(2), isNext(3) else { return nil }
            if byte == 0xF0, bytes[index + 1] < 0x90 { return nil }
            if byte == 0xF4, bytes[index + 1] > 0x8F { return nil }
            return 4
        default: return nil
        }
    }

    /// Appends a scalar's bytes.
    package static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case 0..<0x80: bytes.append(UInt8(scalar))
        case 0x80..<0x800:
            bytes.append(UInt8(0xC0 | scalar >> 6))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            bytes.append(UInt8(0xE0 | scalar >> 12))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        default:
            bytes.append(UInt8(0xF0 | scalar >> 18))
            bytes.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        }
    }

    /// The number of Unicode scalars in valid UTF-8.
    package static func scalarCount(bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }
}
