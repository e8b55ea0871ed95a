/// A form with its reader and writer: what was read and written again reads the same, and one value has one text.
package struct RoundTrip<Value> {
    let form: String
    let read: ([UInt8]) throws -> Value
    let write: (Value) -> [UInt8]
    let isSame: (Value, Value) -> Bool

    /// Names a form and gives both ways, and when two values are the same.
    package init(
        form: String,
        read: @escaping ([UInt8]) throws -> Value,
        write: @escaping (Value) -> [UInt8],
        isSame: @escaping (Value, Value) -> Bool
    ) {
        self.form = form
        self.read = read
        self.write = write
        self.isSame = isSame
    }

    /// Returns whether the reader accepts the bytes; throws `BrokenPromise`.
    @discardableResult
    package func check(_ bytes: [UInt8]) throws -> Bool {
        let value: Value
        do { value = try read(bytes) } catch let broken as BrokenPromise { throw broken } catch {
            return false
        }
        let text = write(value)
        guard let again = try? read(text) else { throw BrokenPromise(kind: .writtenIsRefused, of: form) }
        try promise(isSame(value, again), kind: .writtenReadsOtherwise, of: form)
        try promise(write(again) == text, kind: .writtenDiffers, of: form)
        return true
    }
}

extension RoundTrip where Value: Equatable {
    /// Names a form whose values are the same when they are equal.
    package init(
        form: String,
        read: @escaping ([UInt8]) throws -> Value,
        write: @escaping (Value) -> [UInt8]
    ) {
        self.init(form: form, read: read, write: write, isSame: ==)
    }
}

/// Thrown for text that a reader which answers with nil does not take.
struct NotTaken: Error {}

extension RoundTrip {
    /// A form that is text, with a reader that answers with nil.
    init(
        text form: String,
        read: @escaping (String) -> Value?,
        write: @escaping (Value) -> String
    ) where Value: Equatable {
        self.init(
            form: form,
            read: { bytes in
                guard let value = read(String(decoding: bytes, as: UTF8.self)) else { throw NotTaken() }
                return value
            },
            write: { Array(write($0).utf8) }
        )
    }
}
