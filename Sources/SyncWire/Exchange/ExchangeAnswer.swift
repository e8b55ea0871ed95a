public import SyncCore

/// The answer of an exchange: the result for each change, and what changed at the server.
///
/// `{"account":"…","epoch":"…","time":"…","limits":{…},"batch":"…","refused":[…],"differing":["bookmark"],"results":[…],"snapshot":true,"changes":[…],"cursor":"…","acknowledged":"…","more":false}`.
/// A reader accepts it only if it is complete: `account`, `epoch`, `cursor` and `more` are present, and `results` has
/// one element per change.
public struct ExchangeAnswer: Sendable {
    /// The account, opaque.
    public var account: String
    /// The history of revisions and cursors, opaque. A log that starts anew has another one.
    public var epoch: String
    /// The server's clock.
    public var time: Timestamp
    /// The server's limits.
    public var limits: WireLimits
    /// The last batch of this device that the server has; nil if none.
    public var batch: String?
    /// Entities that the account may not exchange or that the server does not know.
    public var refused: [RefusedEntity]
    /// Entities for which another device that has seen the same has reported different fingerprints.
    public var differing: [String]
    /// The result for each change, in order.
    public var results: [ExchangeResult]
    /// Whether this page is part of a full state: the request had no cursor, or that of an earlier such page.
    public var isSnapshot: Bool
    /// What changed, oldest first.
    public var changes: [Change]
    /// How many changes are left out because their headers hold text that is no Unicode.
    public var unreadable = 0
    /// The cursor at the end of this page.
    public var cursor: String
    /// The request's cursor, advanced past its changes. It is saved with the acknowledgement until the page is taken
    /// in. Nil if there were no changes, or no cursor.
    public var acknowledged: String?
    /// Whether there is more after this page.
    public var hasMore: Bool
}

/// An entity that is left out of an exchange.
public struct RefusedEntity: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// `forbidden`, `unknown`.
    public var rule: String

    /// Makes one.
    public init(entity: String, rule: String) {
        self.entity = entity
        self.rule = rule
    }
}

/// The result for one change.
public enum ExchangeResult: Sendable, Hashable {
    /// Stored now or earlier, with the new revision. `stored` is present if it was not stored as sent.
    case accepted(Revision, stored: Change?)
    /// The server has a version that is not the base of the change; nil if it has none at all.
    case conflict(current: Change?)
    /// The server rejects it: the rule, one sentence, and the key of the record that it clashes with, if that is known.
    case refused(rule: String, reason: String, other: String? = nil)
}

extension ExchangeAnswer {
    /// Reads an answer. Unknown members are ignored. Throws `JSONError`, also for an object that is not an answer.
    public init(_ bytes: [UInt8]) throws {
        var draft = Draft(bytes: bytes)
        try bytes.withUnsafeBufferPointer { buffer in
            draft.isText = UTF8Check.firstInvalidOffset(in: buffer) == nil
            var reader = JSONReader(validated: buffer)
            if try reader.beginObject() {
                repeat {
                    let start = reader.position
                    let name = try reader.name().decode()
                    try draft.member(name: name, reader: &reader)
                    // Only a record may hold text that is no Unicode: it is set aside alone.
                    guard !draft.isText, name != "changes", name != "results" else { continue }
                    _ = try JSONReader(UnsafeBufferPointer(rebasing: buffer[start..<reader.position]))
                } while try reader.nextMember()
            }
            try reader.end()
        }
        guard let account = draft.account, let epoch = draft.epoch, let cursor = draft.cursor,
            let hasMore = draft.hasMore
        else { throw JSONError(offset: 0, kind: .unexpectedByte) }
        self.init(
            account: account,
            epoch: epoch,
            time: draft.time,
            limits: draft.limits,
            batch: draft.batch,
            refused: draft.refused,
            differing: draft.differing,
            results: draft.results,
            isSnapshot: draft.isSnapshot,
            changes: draft.changes,
            cursor: cursor,
            acknowledged: draft.acknowledged,
            hasMore: hasMore
        )
        unreadable = draft.unreadable
    }

    private struct Draft {
        /// The whole answer; bodies are slices of it.
        let bytes: [UInt8]
        /// Whether all of it is UTF-8.
        var isText = true
        var unreadable = 0
        var account: String?
        var epoch: String?
        var cursor: String?
        var acknowledged: String?
        var hasMore: Bool?
        var time = Timestamp(microseconds: 0)
        var limits = WireLimits()
        var batch: String?
        var refused: [RefusedEntity] = []
        var differing: [String] = []
        var results: [ExchangeResult] = []
        var isSnapshot = false
        var changes: [Change] = []

        mutating func member(name: String, reader: inout JSONReader) throws {
            switch name {
            case "account": account = try reader.string().decode()
            case "epoch": epoch = try reader.string().decode()
            case "cursor": cursor = try reader.string().decode()
            case "acknowledged": acknowledged = try reader.string().decode()
            case "more": hasMore = try reader.boolean()
            case "time":
                guard let time = Timestamp(try reader.string().decode()) else {
                    throw reader.error(kind: .unexpectedByte)
                }
                self.time = time
            case "limits": limits = try WireLimits(&reader)
            case "batch": batch = try reader.string().decode()
            case "differing": differing = try reader.strings()
            case "snapshot": isSnapshot = try reader.boolean()
            case "changes": try readChanges(reader: &reader)
            case "refused":
                try elements(reader: &reader) { reader in
                    let members = try SmallObject(at: &reader)
                    refused.append(
                        RefusedEntity(
                            entity: members.text(name: "entity") ?? "",
                            rule: members.text(name: "rule") ?? ""
                        )
                    )
                }
            case "results":
                try elements(reader: &reader) {
                    results.append(try ExchangeResult(&$0, bytes: bytes, isText: isText))
                }
            default: try reader.skipValue()
            }
        }

        /// Reads changes. One whose header holds text that is no Unicode is left out alone.
        private mutating func readChanges(reader: inout JSONReader) throws {
            (changes, unreadable) = ([], 0)
            guard try reader.beginArray() else { return }
            repeat {
                let start = reader
                do {
                    changes.append(
                        try EntryCodec.changeOfAnyText(
                            reader: &reader,
                            bytes: bytes,
                            isText: isText,
                            knowsEvicts: true
                        )
                    )
                } catch let error as JSONError where [.loneSurrogate, .invalidUTF8].contains(error.kind) {
                    reader = start
                    _ = try reader.skipDocument(checksText: false)
                    unreadable += 1
                }
            } while try reader.nextElement()
        }

        private func elements(reader: inout JSONReader, body: (inout JSONReader) throws -> Void) throws {
            guard try reader.beginArray() else { return }
            repeat { try body(&reader) } while try reader.nextElement()
        }
    }
}

extension ExchangeResult {
    init(_ reader: inout JSONReader, bytes: [UInt8], isText: Bool) throws {
        var status = ""
        var revision: String?
        var (rule, reason) = ("", "")
        var other: String?
        var stored: Change?
        var current: Change?
        if try reader.beginObject() {
            repeat {
                switch try reader.name().decode() {
                case "status": status = try reader.string().decode()
                case "revision": revision = try reader.string().decode()
                case "rule": rule = try reader.string().decode()
                case "reason": reason = try reader.string().decode()
                case "other": other = try reader.string().decode()
                case "stored":
                    stored = try EntryCodec.changeOfAnyText(reader: &reader, bytes: bytes, isText: isText)
                case "current":
                    current = try EntryCodec.changeOfAnyText(reader: &reader, bytes: bytes, isText: isText)
                default: try reader.skipValue()
                }
            } while try reader.nextMember()
        }
        switch (status, revision) {
        case ("accepted", let revision?): self = .accepted(Revision(revision), stored: stored)
        case ("conflict", _): self = .conflict(current: current)
        case ("refused", _): self = .refused(rule: rule, reason: reason, other: other)
        default: throw reader.error(kind: .unexpectedByte)
        }
    }
}
