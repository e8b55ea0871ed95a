/// A text that is compared by its UTF-8 bytes.
///
/// Swift's `String` treats composed and decomposed forms as equal; schema names must not.
package struct ByteKey: Hashable, Comparable, Sendable {
    package var text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.text.precedesByBytes(other: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
