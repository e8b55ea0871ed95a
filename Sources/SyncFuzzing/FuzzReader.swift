/// A reader of bytes that come from outside, held to what it promises for any bytes at all.
package enum FuzzReader: String, Sendable, CaseIterable {
    /// The JSON reader.
    case json
    /// The reader of schema files.
    case schema
    /// Records, entries, requests, answers, problems, marks, vectors, cursors and events on the way.
    case wire
    /// The files of a folder: segments with their entries, and what a device says of itself.
    case segment

    /// Gives the bytes to the reader. Returns whether it, or one of its parts, accepts them as they are; throws
    /// `BrokenPromise`.
    @discardableResult
    package func check(_ bytes: [UInt8]) throws -> Bool {
        switch self {
        case .json: try JSONPromises.check(bytes)
        case .schema: try SchemaPromises.check(bytes)
        case .wire: try WirePromises.check(bytes)
        case .segment: try SegmentPromises.check(bytes)
        }
    }
}

/// What a reader promised and did not keep. The bytes themselves are not in it.
package struct BrokenPromise: Error, Sendable, Hashable, CustomStringConvertible {
    /// The form that was read, for example `a version vector`.
    package var form: String
    /// What does not hold.
    package var kind: Kind

    /// Names a promise.
    package init(kind: Kind, of form: String) {
        self.form = form
        self.kind = kind
    }

    /// The closed list of promises.
    package enum Kind: String, Sendable, Hashable {
        case writtenIsRefused = "what was accepted and written again is refused"
        case writtenReadsOtherwise = "what was accepted and written again reads otherwise"
        case writtenDiffers = "two writings of one value differ"
        case verdictsDiffer = "two ways of reading disagree on whether to accept"
        case valuesDiffer = "two ways of reading disagree on what was read"
        case placeOutside = "a problem is placed outside of the text"
        case cutIsAccepted = "a cut-off text is accepted"
        case changedIsAccepted = "a changed text is accepted"
        case nameRepeated = "a name stands twice in one object that was written"
        case reportMalformed = "a report does not have its own form"
        case notJSON = "a text that stands for JSON is none"
        case defaultRefused = "a default that the schema accepts is no value of its field"
    }

    package var description: String { "\(form): \(kind.rawValue)" }
}

/// Throws unless a promise is kept.
func promise(_ isKept: Bool, kind: BrokenPromise.Kind, of form: String) throws {
    guard isKept else { throw BrokenPromise(kind: kind, of: form) }
}
