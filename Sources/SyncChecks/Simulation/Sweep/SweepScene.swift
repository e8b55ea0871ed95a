package import SyncCore
package import SyncWire

/// An operation of one device, and the state of the world in which it begins: what a sweep breaks off at every change of a
/// disk.
package struct SweepScene: Sendable, CustomStringConvertible {
    /// What happens, for people.
    package var name: String
    /// Where the devices meet: `folders` or `server`.
    package var place: World.Place
    /// The entities that every device holds.
    package var entities: [EntityDescriptor]
    /// Limits of the server.
    package var limits = WireLimits()
    /// Limits of the devices that ask it.
    package var pageRecords = 1000
    /// Own files of the folder beyond which a device merges them.
    package var maxOwnFiles = 8
    /// Growth of the folder after which tombstones are looked for, in bytes.
    package var collectBytes: Int64 = 1 << 20
    /// The disk on which something goes wrong.
    package var struck: Struck = .device
    /// Whether each part of the act is one transaction of the store: there as a whole or not at all.
    package var isAtomic: Bool
    /// Brings the world to the state in which the act begins.
    package var prepare: @Sendable (SweepStage) async throws -> Void
    /// The act of the first device, in parts of which each is acknowledged when it returns.
    package var act: [@Sendable (SweepDevice) async throws -> Void]

    package var description: String { "\(name) (\(place), disk of the \(struck))" }

    /// A disk of a scene.
    package enum Struck: String, Sendable, Hashable {
        /// That of the device that acts.
        case device
        /// That of the server.
        case server
    }

    /// A scene whose parts are single writes.
    package init(
        name: String,
        place: World.Place,
        entities: [EntityDescriptor],
        writes: [@Sendable (SweepDevice) async throws -> Void],
        prepare: @escaping @Sendable (SweepStage) async throws -> Void
    ) {
        self.name = name
        self.place = place
        self.entities = entities
        isAtomic = true
        act = writes
        self.prepare = prepare
    }

    /// A scene whose act is one sync.
    package init(
        syncing name: String,
        place: World.Place,
        entities: [EntityDescriptor],
        prepare: @escaping @Sendable (SweepStage) async throws -> Void
    ) {
        self.name = name
        self.place = place
        self.entities = entities
        isAtomic = false
        act = [{ _ = try await $0.sync() }]
        self.prepare = prepare
    }
}

/// What goes wrong in one run of a sweep.
package enum SweepFault: Sendable, Hashable, CustomStringConvertible {
    /// The machine goes off at a step of the act, from 1. With `othersFirst`, the other device syncs before it is back.
    case crash(step: Int, keeping: Survival, othersFirst: Bool)
    /// The step fails, and the process goes on.
    case failure(step: Int, DiskFault)
    /// The disk takes so many more bytes during the act.
    case full(room: Int)
    /// The disk cannot be written during the act.
    case readOnly

    package var description: String {
        switch self {
        case .crash(let step, let survival, let othersFirst):
            "crash at step \(step), keeping \(survival)" + (othersFirst ? ", the other device first" : "")
        case .failure(let step, let fault): "step \(step) fails: \(fault)"
        case .full(let room): "disk full after \(room) bytes"
        case .readOnly: "read-only disk"
        }
    }
}

/// A promise that was broken in one run of a sweep.
package struct SweepViolation: Error, Sendable, CustomStringConvertible {
    /// Where: the scene, what went wrong, and what the disk was doing.
    package var place: String
    /// What was found.
    package var found: String

    package var description: String { "\(place): \(found)" }
}

/// What a sweep did and found.
package struct SweepReport: Sendable {
    /// Changes of the struck disk during the act, when nothing goes wrong.
    package var steps = 0
    /// Runs of the act with something going wrong.
    package var runs = 0
    /// Runs that were followed until all devices were at rest; the others had come to a state that had been followed before.
    package var followed = 0
    /// Broken promises, in order.
    package var violations: [SweepViolation] = []
}
