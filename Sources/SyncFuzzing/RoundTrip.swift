/// Checks a format by its reader and writer: each value survives a round trip and has only one written form.
package struct RoundTrip<Value> {
    let form: String
    let read: ([UInt8]) throws -> Value
    let write: (Value) -> [UInt8]
    let isSame: (Value, Value) -> Bool

    /// Makes a check from a format's name, reader, writer and equality.
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

    /// Returns whether the reader accepts the bytes; throws `PromiseViolation`.
    @discardableResult
    package func check(_ bytes: [UInt8]) throws -> Bool {
        let value: Value
        do { value = try read(bytes) } catch let broken as PromiseViolation { throw broken } catch {
            return false
        }
        let text = write(value)
        guard let again = try? read(text) else { throw PromiseViolation(kind: .writtenIsRefused, of: form) }
        try promise(isSame(value, again), kind: .writtenReadsOtherwise, of: form)
        try promise(write(again) == text, kind: .writtenDiffers, of: form)
        return true
    }
}

extension RoundTrip where Value: Equatable {
    /// Makes a check for equatable values.
    package init(
        form: String,
        read: @escaping ([UInt8]) throws -> Value,
        write: @escaping (Value) -> [UInt8]
    ) {
        self.init(form: form, read: read, write: write, isSame: ==)
    }
}

/// Thrown for text that the reader rejects by returning nil.
struct NotAcceptedError: Error {}

extension RoundTrip {
    /// Makes a check for a text format whose reader returns nil for invalid text.
    init(
        text form: String,
        read: @escaping (String) -> Value?,
        write: @escaping (Value) -> String
    ) where Value: Equatable {
        self.init(
            form: form,
            read: { bytes in
                guard let value = read(String(decoding: bytes, as: UTF8.self)) else {
                    throw NotAcceptedError()
                }
                return value
            },
            write: { Array(write($0).utf8) }
        )
    }
}
