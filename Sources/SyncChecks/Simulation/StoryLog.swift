public import SyncCore

/// What happened in a world, in order.
public struct StoryLog: Sendable, Hashable {
    /// The entries, in order.
    public private(set) var entries: [Entry] = []

    /// One thing that happened.
    public struct Entry: Sendable, Hashable {
        /// The number of the story's step, from 1; 0 while the world comes to rest at its end.
        public var step: Int
        /// Where: a device by position; nil for the world as a whole.
        public var device: Int?
        /// The world's own time, which no device sees.
        public var time: Timestamp
        /// What kind of thing.
        public var kind: Kind
        /// The other end of a message: a device by position, or nil for the server.
        public var peer: Int?
        /// What a sync moved; nil for all else.
        public var traffic: Traffic?
        /// In plain words.
        public var text: String
    }

    /// How many records a sync moved, and how many of them are in conflict.
    public struct Traffic: Sendable, Hashable {
        /// Records that the remote took from the device.
        public var sent: Int
        /// Records that the device took from the remote.
        public var received: Int
        /// Records that a person has to decide on.
        public var conflicts: Int
    }

    /// Kinds of entries, as a picture tells them apart.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case edit, delete, resolve, message, lostMessage, fault, crash, conflict, account, change, rest,
            violation
    }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// The same for the same world: what two runs of a seed are compared by.
    public var digest: Digest {
        Digest(
            Array(
                entries.map { "\($0.step) \($0.device ?? -1) \($0.time) \($0.kind) \($0.text)" }
                    .joined(separator: "\n").utf8
            )
        )
    }

    /// The log as lines for people.
    public func lines(devices: [String]) -> [String] {
        entries.map { entry in
            let place = entry.device.map { devices[$0] } ?? "world"
            let step = entry.step == 0 ? "rest" : "\(entry.step)"
            let pad = String(repeating: " ", count: max(0, 4 - step.count))
            return
                "\(pad)\(step)  \(place)\(String(repeating: " ", count: max(1, 7 - place.count)))\(entry.text)"
        }
    }
}

/// A promise that was broken.
public struct StoryViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The promise's stable id, for example `nothing-lost`.
    public var rule: String
    /// What is not as promised, in plain words.
    public var description: String

    /// Describes a broken promise.
    public init(rule: String, description: String) {
        self.rule = rule
        self.description = description
    }
}
