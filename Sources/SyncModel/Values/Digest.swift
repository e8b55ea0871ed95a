/// A 128-bit fingerprint of bytes: MurmurHash3 x64 128, seed 0 (Austin Appleby, public domain).
///
/// It detects torn, partially copied and changed content. It does not resist an attacker, who could write a correct
/// fingerprint to a shared folder anyway.
public struct Digest: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first 64 bits.
    public var high: UInt64
    /// The last 64 bits.
    public var low: UInt64

    /// Fingerprints bytes.
    public init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Digest($0) }
    }

    /// Fingerprints memory.
    public init(_ bytes: UnsafeRawBufferPointer) {
        var state = DigestState()
        let tail = bytes.count & ~15
        state.mix(UnsafeRawBufferPointer(rebasing: bytes[..<tail]))
        self = state.finish(tail: UnsafeRawBufferPointer(rebasing: bytes[tail...]), count: bytes.count)
    }

    /// Takes the two halves.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads what `description` writes; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32, let high = DeviceID(String(decoding: digits[..<16], as: UTF8.self)),
            let low = DeviceID(String(decoding: digits[16...], as: UTF8.self))
        else { return nil }
        self.init(high: high.bits, low: low.bits)
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String {
        DeviceID(bits: high).description + DeviceID(bits: low).description
    }

    public static func < (left: Digest, right: Digest) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// A fingerprint of bytes that come in pieces. It equals that of all bytes at once.
package struct RunningDigest: Sendable {
    private var state = DigestState()
    private var count = 0
    /// The last bytes, fewer than 16, which are not mixed in yet.
    private var tail: [UInt8] = []

    /// Starts without bytes.
    package init() {}

    /// Adds the next bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        var rest = bytes
        if !tail.isEmpty {
            let missing = min(16 - tail.count, rest.count)
            tail.append(contentsOf: rest[..<missing])
            rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
            guard tail.count == 16 else { return }
            tail.withUnsafeBytes { state.mix($0) }
            tail.removeAll(keepingCapacity: true)
        }
        let whole = rest.count & ~15
        state.mix(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        tail.append(contentsOf: rest[whole...])
    }

    /// The fingerprint of all bytes so far.
    package var digest: Digest { tail.withUnsafeBytes { state.finish(tail: $0, count: count) } }
}

/// The state of MurmurHash3 between two blocks of 16 bytes.
private struct DigestState {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    /// Mixes in whole blocks.
    @inline(__always)
    mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        for block in 0..<bytes.count / 16 {
            var one = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: block * 16, as: UInt64.self))
            var two = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: block * 16 + 8, as: UInt64.self)
            )
            one = Self.rotate(one &* Self.factor1, bits: 31) &* Self.factor2
            first ^= one
            first = (Self.rotate(first, bits: 27) &+ second) &* 5 &+ 0x52dc_e729
            two = Self.rotate(two &* Self.factor2, bits: 33) &* Self.factor1
            second ^= two
            second = (Self.rotate(second, bits: 31) &+ first) &* 5 &+ 0x3849_5ab5
        }
    }

    /// The fingerprint of `count` bytes; `tail` is the last incomplete block.
    @inline(__always)
    func finish(tail: UnsafeRawBufferPointer, count: Int) -> Digest {
        var (first, second) = (first, second)
        var one: UInt64 = 0
        var two: UInt64 = 0
        for offset in stride(from: tail.count - 1, through: 0, by: -1) {
            if offset >= 8 {
                two ^= UInt64(tail[offset]) << UInt64((offset - 8) * 8)
            } else {
                one ^= UInt64(tail[offset]) << UInt64(offset * 8)
            }
        }
        second ^= Self.rotate(two &* Self.factor2, bits: 33) &* Self.factor1
        first ^= Self.rotate(one &* Self.factor1, bits: 31) &* Self.factor2
        first ^= UInt64(count)
        second ^= UInt64(count)
        first &+= second
        second &+= first
        first = Self.finish(first)
        second = Self.finish(second)
        first &+= second
        second &+= first
        return Digest(high: first, low: second)
    }

    private static let factor1: UInt64 = 0x87c3_7b91_1142_53d5
    private static let factor2: UInt64 = 0x4cf5_ad43_2745_937f

    private static func rotate(_ value: UInt64, bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }

    private static func finish(_ value: UInt64) -> UInt64 {
        var value = value
        value ^= value >> 33
        value = value &* 0xff51_afd7_ed55_8ccd
        value ^= value >> 33
        value = value &* 0xc4ce_b9fe_1a85_ec53
        value ^= value >> 33
        return value
    }
}
