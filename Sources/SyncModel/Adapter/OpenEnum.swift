/// An enum that keeps what it does not know: the cases that the schema names, and `unknown` for the rest.
///
/// Values are told apart by their UTF-8 bytes.
public protocol OpenEnum: WireText, RawRepresentable<String>, CaseIterable, Codable, Hashable
where AllCases == [Self] {
    /// Every text is a value.
    init(rawValue: String)
    /// The case for a text that the schema does not name.
    static func unknown(_ text: String) -> Self
}

extension OpenEnum {
    /// What a message calls the text.
    public static var wireTextName: String { "a string" }

    /// The case that the schema names, or `unknown`.
    public init(rawValue: String) {
        let known = Self.allCases.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
        self = known ?? .unknown(rawValue)
    }

    /// Every text is a value.
    public init?(wireText: String) { self.init(rawValue: wireText) }
    /// The raw value.
    public func wireText() throws -> String { rawValue }

    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}
