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
        var copy = String(text)
        guard let device = copy.withUTF8({ DeviceID($0) }) else { return nil }
        self = device
    }

    /// Reads 16 lower-case hexadecimal digits; nil for anything else.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let parts = (HexWord(bytes: bytes, at: 0), HexWord(bytes: bytes, at: 8))
        guard parts.0.isHex, parts.0.isLower, parts.1.isHex, parts.1.isLower else { return nil }
        bits = parts.0.value << 32 | parts.1.value
    }

    /// 16 lower-case hexadecimal digits.
    public var description: String {
        String(unsafeUninitializedCapacity: 16) { text in
            for place in 0..<16 { text[place] = digit(place: place) }
            return 16
        }
    }

    /// Appends the 16 digits.
    package func append(to text: inout [UInt8]) {
        for place in 0..<16 { text.append(digit(place: place)) }
    }

    private func digit(place: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * place)) & 15
        return value < 10 ? 0x30 + value : 0x57 + value
    }

    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bits < right.bits }
}

/// Names one edit and orders all edits, by time, then device, then sequence. The order never prefers this device.
///
/// The time is at least one tick after that of the replaced edit, so whoever sees an edit can overwrite it.
public struct EditTimestamp: Sendable, Hashable, Comparable {
    /// When the edit was made, by the writer's clock or the writer's own `updated` field.
    public var time: Timestamp
    /// The device that made the edit.
    public var device: DeviceID
    /// The device's own count of edits, from 1.
    public var sequence: Int64

    /// Makes an edit timestamp.
    public init(time: Timestamp, device: DeviceID, sequence: Int64) {
        self.time = time
        self.device = device
        self.sequence = sequence
    }

    public static func < (left: EditTimestamp, right: EditTimestamp) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.device != right.device { return left.device < right.device }
        return left.sequence < right.sequence
    }
}

extension EditTimestamp: CustomStringConvertible {
    /// `microseconds.device.sequence`, for example `1763700000000000.00f1e2d3c4b5a697.42`.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(58)
        text.append(decimal: time.microseconds)
        text.append(UInt8(ascii: "."))
        device.append(to: &text)
        text.append(UInt8(ascii: "."))
        text.append(decimal: sequence)
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what `description` writes; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var copy = String(text)
        guard let editTimestamp = copy.withUTF8({ EditTimestamp($0) }) else { return nil }
        self = editTimestamp
    }

    /// Reads the bytes of a `description`. A pull reads one per record, so this allocates nothing.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.firstIndex(of: UInt8(ascii: ".")), bytes.count > first + 18,
            bytes[first + 17] == UInt8(ascii: "."),
            let time = Int64(decimal: bytes[..<first]),
            let device = DeviceID(UnsafeBufferPointer(rebasing: bytes[(first + 1)..<(first + 17)])),
            let sequence = Int64(decimal: bytes[(first + 18)...]), sequence > 0
        else { return nil }
        self.init(time: Timestamp(microseconds: time), device: device, sequence: sequence)
    }
}
