/// A reader of external bytes, checked against its promises for any input.
package enum FuzzReader: String, Sendable, CaseIterable {
    /// The JSON reader.
    case json
    /// The reader of schema files.
    case schema
    /// Records, entries, requests, answers, errors, edit timestamps, version vectors, cursors and event
    /// streams.
    case wire
    /// The files of a folder: segments with their entries, and a device's state file.
    case segment

    /// Runs the reader on the bytes. Returns whether it, or one of its parts, accepts them. Throws
    /// `PromiseViolation`.
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

/// Thrown when a reader breaks a promise. Does not contain the input.
package struct PromiseViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The format that was read, for example `a version vector`.
    package var form: String
    /// The broken promise.
    package var kind: Kind

    /// Makes an error for a promise and a format.
    package init(kind: Kind, of form: String) {
        self.form = form
        self.kind = kind
    }

    /// All promises.
    package enum Kind: String, Sendable, Hashable {
        case writtenIsRefused = "what was accepted and written again is refused"
        case writtenReadsOtherwise = "what was accepted and written again reads otherwise"
        case writtenDiffers = "two writings of one value differ"
        case acceptanceDiffers = "two ways of reading disagree on whether to accept"
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
func promise(_ isKept: Bool, kind: PromiseViolation.Kind, of form: String) throws {
    guard isKept else { throw PromiseViolation(kind: kind, of: form) }
}
