/// The bytes of a page while records are taken from it. A body comes out of it only as UTF-8, which is looked at once.
public struct PageBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isText: Bool

    /// Wraps bytes that nobody has looked at. They must stay in place while this is used.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init(bytes: bytes, isText: false)
    }

    /// Wraps bytes of which all bodies are known to be UTF-8 where `isText` says so.
    package init(bytes: UnsafeBufferPointer<UInt8>, isText: Bool) {
        self.bytes = bytes
        self.isText = isText
    }

    /// The wire object of an item. Throws `JSONProblem` where it is not UTF-8.
    public func body(of item: RemoteItem) throws -> UnsafeBufferPointer<UInt8> {
        let body = UnsafeBufferPointer(rebasing: bytes[item.body])
        if !isText, let offset = UTF8Check.firstInvalidOffset(in: body) {
            throw JSONError(offset: offset, kind: .invalidUTF8)
        }
        return body
    }
}
