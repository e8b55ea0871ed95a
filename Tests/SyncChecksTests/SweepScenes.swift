import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire

/// Operations with their initial states.
enum SweepScenes {
    static func note(strategy: MergeStrategy) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt"
        )
    }

    static let places: [World.Place] = [.folders, .server]

    static func json(key: String, title: String) -> String { #"{"id":"\#(key)","title":"\#(title)"}"# }

    /// Writes a record, edits another one and deletes a third, in separate transactions.
    static func put(_ place: World.Place) -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        return SweepScene(
            name: "put",
            place: place,
            entities: [note],
            writes: [
                { try $0.put(entity: note, json: json(key: "new", title: "by A")) },
                { try $0.put(entity: note, json: json(key: "k1", title: "edited by A")) },
                { device in try device.write { try $0.delete(entity: note, key: RecordKey("k2")) } },
            ]
        ) { stage in
            for key in ["k1", "k2", "k3"] {
                try stage.second.put(entity: note, json: json(key: key, title: "by B"))
            }
            try await stage.converge()
            stage.pass()
        }
    }

    /// Imports many records in three transactions.
    static func importing(place: World.Place) -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        let parts = (0..<3).map { part -> @Sendable (SweepDevice) async throws -> Void in
            { device in
                try device.write { session in
                    for number in 0..<12 {
                        let title = String(repeating: "import ", count: 40) + "\(number)"
                        _ = try session.put(
                            entity: note,
                            json: Array(json(key: "k\(part * 10 + number)", title: title).utf8)
                        )
                    }
                }
            }
        }
        return SweepScene(name: "import", place: place, entities: [note], writes: parts) { stage in
            for key in ["k1", "k15", "other"] {
                try stage.first.put(entity: note, json: json(key: key, title: "by A"))
            }
            try await stage.converge()
            stage.pass()
        }
    }

    /// Resolves conflicts in all ways.
    static func resolve(_ place: World.Place) -> SweepScene {
        let note = note(strategy: .preserveLocal)
        return SweepScene(
            name: "resolve",
            place: place,
            entities: [note],
            writes: [
                { device in
                    try device.write { try $0.resolve(entity: note, key: RecordKey("k1"), with: .local) }
                },
                { device in
                    try device.write { try $0.resolve(entity: note, key: RecordKey("k2"), with: .remote) }
                },
            ]
        ) { stage in
            let keys = ["k1", "k2", "k3"]
            for key in keys { try stage.second.put(entity: note, json: json(key: key, title: "first")) }
            try await stage.converge()
            stage.pass()
            for key in keys { try stage.second.put(entity: note, json: json(key: key, title: "by B")) }
            _ = try await stage.second.sync()
            stage.deliver()
            for key in keys.dropLast() {
                try stage.first.put(entity: note, json: json(key: key, title: "by A"))
            }
            _ = try await stage.first.sync()
            stage.deliver()
        }
    }

    /// Pushes new, edited and deleted records, in several batches for a server.
    static func push(_ place: World.Place, target: SweepScene.FaultTarget = .device) -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        var scene = SweepScene(syncing: "push", place: place, entities: [note]) { stage in
            for key in ["k1", "k2", "k3"] {
                try stage.second.put(entity: note, json: json(key: key, title: "by B"))
            }
            try await stage.converge()
            stage.pass()
            for key in ["k4", "k5"] { try stage.first.put(entity: note, json: json(key: key, title: "by A")) }
            try stage.first.put(entity: note, json: json(key: "k1", title: "edited by A"))
            try stage.first.write { try $0.delete(entity: note, key: RecordKey("k2")) }
        }
        scene.limits = WireLimits(changes: 2)
        scene.target = target
        return scene
    }

    /// The first sync of a device that already has records.
    static func firstPush(place: World.Place, target: SweepScene.FaultTarget = .device) -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        var scene = SweepScene(syncing: "first push", place: place, entities: [note]) { stage in
            for key in ["k1", "k2", "k3"] {
                try stage.first.put(entity: note, json: json(key: key, title: "by A"))
            }
        }
        scene.limits = WireLimits(changes: 2)
        scene.target = target
        return scene
    }

    /// Pulls another device's new, edited and deleted records, in several pages from a server, with
    /// concurrent local edits.
    static func pull(
        _ place: World.Place,
        strategy: MergeStrategy,
        target: SweepScene.FaultTarget = .device
    ) -> SweepScene {
        let note = note(strategy: strategy)
        var scene = SweepScene(syncing: "pull, \(strategy.rawValue)", place: place, entities: [note]) {
            stage in
            for key in ["k1", "k2", "k3"] {
                try stage.first.put(entity: note, json: json(key: key, title: "by A"))
            }
            try await stage.converge()
            stage.pass()
            for key in ["k1", "k4", "k5"] {
                try stage.second.put(entity: note, json: json(key: key, title: "by B"))
            }
            try stage.second.write { try $0.delete(entity: note, key: RecordKey("k2")) }
            _ = try await stage.second.sync()
            stage.deliver()
            stage.pass()
            try stage.first.put(entity: note, json: json(key: "k1", title: "edited by A"))
        }
        scene.limits = WireLimits(pageRecords: 2)
        scene.pageRecords = 2
        scene.target = target
        return scene
    }

    /// A push followed by a compaction of the device's own segments.
    static func compaction() -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        var scene = SweepScene(syncing: "compaction", place: .folders, entities: [note]) { stage in
            try await publish(3, note: note, stage: stage)
            try await stage.converge()
            try stage.first.put(entity: note, json: json(key: "k2", title: "edited by A"))
        }
        scene.maxOwnFiles = 3
        return scene
    }

    /// A push followed by a compaction that collects a tombstone.
    static func collection() -> SweepScene {
        let note = note(strategy: .lastWriteWins)
        var scene = SweepScene(
            syncing: "compaction that drops a tombstone",
            place: .folders,
            entities: [note]
        ) { stage in
            // The fourth push compacts, so that the tombstone is all that is left of its record.
            try await publish(4, note: note, stage: stage)
            try await stage.converge()
            try await publish(2, note: note, stage: stage)
            try await stage.converge()
            try stage.first.put(entity: note, json: json(key: "k2", title: "edited by A"))
        }
        scene.maxOwnFiles = 3
        scene.collectBytes = -1_000_000
        return scene
    }

    /// Publishes the given number of segments; the second one deletes a record.
    private static func publish(_ count: Int, note: EntityDescriptor, stage: SweepStage) async throws {
        for number in 1...count {
            try stage.first.put(entity: note, json: json(key: "k\(number)", title: "by A, \(count)"))
            if number == 2, count > 2 {
                try stage.first.write { try $0.delete(entity: note, key: RecordKey("gone")) }
            }
            if number == 1, count > 2 {
                try stage.first.put(entity: note, json: json(key: "gone", title: "by A"))
            }
            _ = try await stage.first.sync()
            stage.deliver()
            stage.pass()
        }
    }
}
