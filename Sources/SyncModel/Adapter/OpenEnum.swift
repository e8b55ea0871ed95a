/// An open enum: the cases of the schema, and `unknown` for any other text.
///
/// Values are compared by their UTF-8 bytes.
public protocol OpenEnum: WireText, RawRepresentable<String>, CaseIterable, Codable, Hashable
where AllCases == [Self] {
    /// Every text is a value.
    init(rawValue: String)
    /// The case for a text that the schema does not name.
    static func unknown(_ text: String) -> Self
}

extension OpenEnum {
    /// The name of the text in messages.
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
