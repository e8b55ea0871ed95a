/// One incarnation of a store: 64 random bits made with the store, written as 16 hexadecimal digits.
public struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The random bits.
    public var bits: UInt64

    /// Wraps random bits.
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// Reads 16 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.allSatisfy(Self.isHexDigit) else { return nil }
        guard let bits = UInt64(text, radix: 16) else { return nil }
        self.bits = bits
    }

    /// Reads 16 lower-case hexadecimal digits; nil for anything else.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var bits: UInt64 = 0
        for byte in bytes {
            guard Self.isHexDigit(byte) else { return nil }
            bits = bits << 4 | UInt64(byte < 0x3a ? byte - 0x30 : byte - 0x57)
        }
        self.bits = bits
    }

    /// 16 lower-case hexadecimal digits.
    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bits < right.bits }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// Names one edit, and orders all edits: by time, then device, then sequence. The order never prefers "self".
///
/// The time is at least one tick after that of the edit it replaces, so who saw an edit can always overwrite it.
public struct EditMark: Sendable, Hashable, Comparable {
    /// When the edit was made, by the writer's clock or the writer's own `updated` field.
    public var time: Timestamp
    /// Where the edit was made.
    public var device: DeviceID
    /// The device's own count of edits, from 1.
    public var sequence: Int64

    /// Makes a mark from its parts.
    public init(time: Timestamp, device: DeviceID, sequence: Int64) {
        self.time = time
        self.device = device
        self.sequence = sequence
    }

    public static func < (left: EditMark, right: EditMark) -> Bool {
        if left.time != right.time { return left.time < right.time }
        guard Guard.isOn(.tieBreak) else { return false }
        if left.device != right.device { return left.device < right.device }
        return left.sequence < right.sequence
    }
}

extension EditMark: CustomStringConvertible {
    /// `microseconds.device.sequence`, for example `1763700000000000.00f1e2d3c4b5a697.42`.
    public var description: String { "\(time.microseconds).\(device).\(sequence)" }

    /// Reads what `description` writes; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var copy = String(text)
        guard let mark = copy.withUTF8({ EditMark($0) }) else { return nil }
        self = mark
    }

    /// Reads the bytes of what `description` writes. A pull reads one per record, so nothing is allocated.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.firstIndex(of: UInt8(ascii: ".")), bytes.count > first + 18,
            bytes[first + 17] == UInt8(ascii: "."),
            let time = Self.integer(bytes[..<first]),
            let device = DeviceID(UnsafeBufferPointer(rebasing: bytes[(first + 1)..<(first + 17)])),
            let sequence = Self.integer(bytes[(first + 18)...]), sequence > 0
        else { return nil }
        self.init(time: Timestamp(microseconds: time), device: device, sequence: sequence)
    }

    /// A decimal integer; nil for anything else and for one that does not fit 64 bits.
    private static func integer(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0  // kept negative, as the negative range is one wider
        for byte in digits {
            guard byte &- 0x30 < 10 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int64(byte - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }
}
