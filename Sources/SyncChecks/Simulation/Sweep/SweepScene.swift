package import SyncCore
package import SyncWire

/// An operation of one device and its initial state. A sweep interrupts it at every change of a disk.
package struct SweepScene: Sendable, CustomStringConvertible {
    /// A description.
    package var name: String
    /// The kind of remote: `folders` or `server`.
    package var place: World.Place
    /// The entities of all devices.
    package var entities: [EntityDescriptor]
    /// The limits of the server.
    package var limits = WireLimits()
    /// The page size of the devices' requests.
    package var pageRecords = 1000
    /// The number of own segments at which a device compacts them.
    package var maxOwnFiles = 8
    /// The growth of the folder in bytes after which tombstones are collected.
    package var collectBytes: Int64 = 1 << 20
    /// The disk with the fault.
    package var target: FaultTarget = .device
    /// Whether each part of the operation is one transaction, which is complete or absent.
    package var isAtomic: Bool
    /// Prepares the initial state.
    package var prepare: @Sendable (SweepStage) async throws -> Void
    /// The operation of the first device, in parts that are acknowledged when they return.
    package var act: [@Sendable (SweepDevice) async throws -> Void]

    package var description: String { "\(name) (\(place), disk of the \(target))" }

    /// The disk with the fault.
    package enum FaultTarget: String, Sendable, Hashable {
        /// The disk of the acting device.
        case device
        /// The disk of the server.
        case server
    }

    /// Makes a scene whose parts are single writes.
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

    /// Makes a scene whose operation is one sync.
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

/// The fault of one run.
package enum SweepFault: Sendable, Hashable, CustomStringConvertible {
    /// A crash at a step of the operation, from 1. With `othersFirst`, the other device syncs before the
    /// restart.
    case crash(step: Int, keeping: Survival, othersFirst: Bool)
    /// A step fails, and the process continues.
    case failure(step: Int, DiskFault)
    /// The disk has only the given room during the operation.
    case full(room: Int)
    /// The disk is read-only during the operation.
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

/// A violated promise in one run of a sweep.
package struct SweepViolation: Error, Sendable, CustomStringConvertible {
    /// The scene, the fault, and the disk change during the fault.
    package var place: String
    /// The violation.
    package var found: String

    package var description: String { "\(place): \(found)" }
}

/// The results of a sweep.
package struct SweepReport: Sendable {
    /// Changes of the target disk during the operation without a fault.
    package var steps = 0
    /// The number of runs with a fault.
    package var runs = 0
    /// The number of runs that were continued until all devices were at rest. The others reached a known state.
    package var followed = 0
    /// The violations, in order.
    package var violations: [SweepViolation] = []
}
