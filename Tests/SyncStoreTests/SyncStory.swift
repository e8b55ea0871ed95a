import SyncChecks
import SyncCore
import SyncRuntime
import SyncSQLite

@testable import SyncStore

/// Two devices that do everything that a sync knows, so that their stores have compiled all that a sync runs.
struct SyncStory {
    let world: World
    private var a: World.Device { world.devices[0] }
    private var b: World.Device { world.devices[1] }

    static let project = entity(strategy: .preserveLocal, name: "project", unique: [["number"]])
    static let task = entity(
        strategy: .lastWriteWins,
        name: "task",
        unique: [["number"]],
        references: [ReferenceDescriptor(field: "parentId", entity: "project", onDelete: .cascade)]
    )
    static let label = entity(strategy: .setUnion, name: "label", unique: [["number"], ["title"]])
    static let entities = [project, task, label]

    private static func entity(
        strategy: MergeStrategy,
        name: String,
        unique: [[String]] = [],
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Some" + name,
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isNullable: true),
                FieldDescriptor(name: "number", type: .integer()),
                FieldDescriptor(name: "parentId", type: .string(), isNullable: true),
                FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: strategy,
            updated: "updatedAt",
            unique: unique,
            references: references,
            tombstoneDays: 365
        )
    }

    /// A few hundred records at both devices, of each entity so many.
    func fill(_ count: Int = 120) async throws {
        try a.writer.write { session in
            for number in 0..<count {
                for entity in Self.entities {
                    let parent = entity == Self.task ? #","parentId":"project-\#(number / 4)""# : ""
                    try put(
                        session,
                        entity: entity,
                        number: number,
                        members: #""title":"\#(entity.name) \#(number)"\#(parent)"#
                    )
                }
            }
        }
        try await world.converge()
    }

    /// What people do on two devices between and during ordinary syncs.
    func live() async throws {
        // Edits of the same record, of other ones, and deletes that meet edits, by each strategy.
        for entity in Self.entities {
            for number in 1...9 {
                try put(
                    a,
                    entity: entity,
                    number: number,
                    members: #""title":"\#(entity.name) \#(number) by A""#
                )
            }
            for number in 5...12 {
                try put(
                    b,
                    entity: entity,
                    number: number,
                    members: #""tags":["b"],"title":"\#(entity.name) \#(number) by B""#
                )
            }
            for number in 13...16 { try a.delete(entity: entity, key: "\(entity.name)-\(number)") }
            for number in 15...18 where entity != Self.project {
                try put(b, entity: entity, number: number, members: #""title":"\#(number) lives""#)
            }
        }
        // A child that the delete of its parent had not seen, and the same unique value twice.
        try b.put(entity: Self.task, json: #"{"id":"late","parentId":"project-13"}"#)
        try a.put(entity: Self.label, json: #"{"id":"same-a","number":7000}"#)
        try b.put(entity: Self.label, json: #"{"id":"same-b","number":7000}"#)
        try a.put(entity: Self.project, json: #"{"id":"same-a","number":7000}"#)
        try b.put(entity: Self.project, json: #"{"id":"same-b","number":7000}"#)
        try await world.converge()
        for device in world.devices {
            for entity in Self.entities {
                for key in try device.conflicts(entity: entity) {
                    try device.resolve(entity: entity, key: key, resolution: .local)
                }
            }
            if let entry = try device.journal().first { _ = try? device.writer.restore(journal: entry.id) }
            try await world.converge()
        }
        // Nothing to do, and little to do.
        try await world.converge()
        try put(a, entity: Self.project, number: 30, members: #""title":"once more""#)
        try await world.converge()
    }

    /// What happens seldom: a look at a remote, a remote that lost its past, and one that is joined anew.
    func recover() async throws {
        for entity in Self.entities { try put(a, entity: entity, number: 90, members: #""title":"dry""#) }
        try readStatus(a)
        _ = try await a.engine(label: "A").sync(SyncOptions(isDryRun: true))
        try await world.sync(0)
        if let server = world.server {
            for number in 100...104 { try a.delete(entity: Self.task, key: "task-\(number)") }
            try await world.sync(0)
            try await server.purgeTombstones(olderThanDays: 0)
            // Its cursor has expired: the server tells everything, and the rest is gone.
            try await world.sync(1)
        }
        _ = try await b.engine(label: "B").sync(SyncOptions(rejoins: true))
        try readStatus(b)
    }

    private func readStatus(_ device: World.Device) throws {
        _ = try device.store.read { try SyncStatus(snapshot: $0, entities: device.store.entities) }
    }

    /// The texts of all statements that both stores have compiled.
    func statements() throws -> Set<String> {
        var texts: Set<String> = []
        for device in world.devices {
            guard let store = device.store as? SQLiteStore else { continue }
            for statements in store.connections(look: \.statements) {
                // NB: else some may have left the cache.
                guard statements.count < 200 else { throw Forgotten() }
                texts.formUnion(statements)
            }
        }
        return texts
    }

    struct Forgotten: Error {}

    private func put(_ device: World.Device, entity: EntityDescriptor, number: Int, members: String)
        throws
    {
        try device.writer.write { try put($0, entity: entity, number: number, members: members) }
    }

    private func put(
        _ session: WriteSession,
        entity: EntityDescriptor,
        number: Int,
        members: String
    ) throws {
        let json = #"{"id":"\#(entity.name)-\#(number)","number":\#(number),\#(members)}"#
        _ = try session.put(entity: entity, json: Array(json.utf8))
    }
}
