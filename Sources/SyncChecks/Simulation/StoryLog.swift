public import SyncCore

/// The events of a world, in order.
public struct StoryLog: Sendable, Hashable {
    /// The entries, in order.
    public private(set) var entries: [Entry] = []

    /// One event.
    public struct Entry: Sendable, Hashable {
        /// The number of the story's step, from 1; 0 while the world comes to rest.
        public var step: Int
        /// The index of the device; nil for the whole world.
        public var device: Int?
        /// The world's true time, which no device knows.
        public var time: Timestamp
        /// The kind of event.
        public var kind: Kind
        /// The other end of a message: the index of a device, or nil for the server.
        public var peer: Int?
        /// The records moved by a sync; nil for other events.
        public var traffic: Traffic?
        /// A description in plain words.
        public var text: String
    }

    /// The numbers of records moved by a sync, and of those in conflict.
    public struct Traffic: Sendable, Hashable {
        /// Records that were pushed.
        public var sent: Int
        /// Records that were pulled.
        public var received: Int
        /// Records in conflict.
        public var conflicts: Int
    }

    /// The kinds of events that a drawing distinguishes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case edit, delete, resolve, message, lostMessage, fault, crash, conflict, account, change, rest,
            violation
    }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// A digest to compare two runs of a seed.
    public var digest: Digest {
        Digest(
            Array(
                entries.map { "\($0.step) \($0.device ?? -1) \($0.time) \($0.kind) \($0.text)" }
                    .joined(separator: "\n").utf8
            )
        )
    }

    /// The log as text lines.
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

/// A violated promise.
public struct StoryViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable id of the promise, for example `nothing-lost`.
    public var rule: String
    /// The violation in plain words.
    public var description: String

    /// Makes a violation.
    public init(rule: String, description: String) {
        self.rule = rule
        self.description = description
    }
}
