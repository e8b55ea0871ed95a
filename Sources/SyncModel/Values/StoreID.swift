/// Tells stores apart: 64 random bits that were drawn when a store was made. A backup has those of its store.
public struct StoreID: Sendable, Hashable {
    /// The random bits; 0 for no store.
    package var bits: UInt64

    /// The store whose record of origin has this UUID; nil for any other text.
    package init?(uuid text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(16)
        self.init(hex: String(decoding: digits, as: UTF8.self))
    }

    /// Reads what `hex` writes; nil for anything else.
    package init?(hex text: String) {
        guard let device = DeviceID(text) else { return nil }
        bits = device.bits
    }

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// No store: a record that was made and not read.
    public static let none = StoreID(bits: 0)

    /// 16 hexadecimal digits.
    package var hex: String { DeviceID(bits: bits).description }
}
