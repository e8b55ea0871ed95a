import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Every row of the strategy table, for two and three devices in every order of syncing and of clocks, whether they see each
/// other's edits in one folder, publish before they do, or meet at a server.
@Suite struct StrategyTableTests {
    /// What one device does to the record that all have.
    enum Act: String, CaseIterable {
        case nothing, edit, delete
    }

    struct Row: CustomStringConvertible {
        var strategy: MergeStrategy
        var acts: [Act]
        /// Positions of the devices in the order in which they sync.
        var order: [Int]
        /// Seconds on the clock of each device when it acts.
        var clocks: [Int64]
        var place: World.Place

        var description: String {
            "\(strategy.rawValue) \(acts.map(\.rawValue)) sync \(order) clocks \(clocks) in \(place)"
        }
    }

    static func rows(strategy: MergeStrategy, devices: Int) -> [Row] {
        var acts: [[Act]] = [[]]
        for _ in 0..<devices { acts = acts.flatMap { before in Act.allCases.map { before + [$0] } } }
        let orders = permutations(values: Array(0..<devices))
        let ranks = permutations(values: Array(1...devices))
        // NB: for three devices every act stands at every place, so it only counts whose clock is ahead in the order of syncing:
        // each order of devices comes with one order of clocks, and each order of clocks once.
        let others = ranks.dropFirst() + ranks.prefix(1)
        let pairs =
            devices == 2 ? orders.flatMap { order in ranks.map { (order, $0) } } : Array(zip(orders, others))
        return acts.flatMap { acts in
            pairs.flatMap { order, ranks in
                var clocks = [Int64](repeating: 0, count: devices)
                for (device, rank) in zip(order, ranks) { clocks[device] = Int64(10 * rank) }
                return World.Place.allCases.map {
                    Row(strategy: strategy, acts: acts, order: order, clocks: clocks, place: $0)
                }
            }
        }
    }

    @Test(arguments: MergeStrategy.allCases)
    func twoDevicesMeetAsTheTableSays(strategy: MergeStrategy) async throws {
        for row in Self.rows(strategy: strategy, devices: 2) { try await check(row) }
    }

    @Test(arguments: MergeStrategy.allCases)
    func threeDevicesMeetAsTheTableSays(strategy: MergeStrategy) async throws {
        for row in Self.rows(strategy: strategy, devices: 3) { try await check(row) }
    }

    private func check(_ row: Row) async throws {
        let note = Entities.note(strategy: row.strategy)
        try await withWorld(count: row.acts.count, entities: note, place: row.place) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            for (index, act) in row.acts.enumerated() {
                let device = world.devices[index]
                device.clock.advance(seconds: row.clocks[index])
                switch act {
                case .nothing: break
                case .edit: try device.put(entity: note, json: #"{"id":"n","title":"by \#(device.name)"}"#)
                case .delete: try device.delete(entity: note, key: "n")
                }
            }
            for index in row.order { try await world.sync(index) }
            try await world.converge(order: row.order)
            try expectNothingLost(world, note: note, row: row)
            try await expectOutcome(world, note: note, row: row)
        }
    }

    /// Every value that a person wrote is in a local record, in a conflict, or in a journal.
    private func expectNothingLost(_ world: World, note: EntityDescriptor, row: Row) throws {
        var found: Set<String> = []
        for device in world.devices {
            let local = try device.local(entity: note, key: "n")
            var versions = [local?.version].compactMap { $0?.isDeleted == false ? $0 : nil }
            versions += try device.journal().map(\.lost)
            if let remote = try device.store.read({
                try $0.side(entity: note, key: RecordKey("n"), kind: .remote)
            }) {
                versions.append(remote)
            }
            found.formUnion(versions.compactMap { $0.record.values[1]?.string })
        }
        for (index, act) in row.acts.enumerated() where act == .edit {
            let value = "by \(world.devices[index].name)"
            #expect(found.contains(value), "\(value) is lost: \(row)")
        }
    }

    private func expectOutcome(_ world: World, note: EntityDescriptor, row: Row) async throws {
        let acting = row.acts.indices.filter { row.acts[$0] != .nothing }
        let inConflict = try world.devices.filter { try !$0.conflicts(entity: note).isEmpty }
        if row.strategy == .preserveLocal {
            let canConflict = acting.count > 1 && acting.contains { row.acts[$0] == .edit }
            #expect(inConflict.isEmpty == !canConflict, "\(row)")
            let rest = world.devices.filter { device in !inConflict.contains { $0 === device } }
            try expectEqual(rest, note: note, row: row)
            // A resolution can agree with what another device wants, and end its conflict too.
            for device in inConflict where try !device.conflicts(entity: note).isEmpty {
                try device.resolve(entity: note, key: "n", resolution: .local)
                try await world.converge(order: row.order)
            }
            let left = try world.devices.filter { try !$0.conflicts(entity: note).isEmpty }
            #expect(left.isEmpty, "a resolution did not reach all: \(row)")
            try expectEqual(world.devices, note: note, row: row)
            return
        }
        #expect(inConflict.isEmpty, "\(row)")
        try expectEqual(world.devices, note: note, row: row)
        guard let expected = winner(row: row, acting: acting) else { return }
        let title = try world.devices[0].value(entity: note, key: "n", field: "title")?.string
        #expect(title == (expected < 0 ? nil : "by \(world.devices[expected].name)"), "\(row)")
    }

    /// The device whose edit all must show; -1 when the record must be gone; nil when nobody did anything.
    private func winner(row: Row, acting: [Int]) -> Int? {
        let edits = acting.filter { row.acts[$0] == .edit }
        let candidates = row.strategy == .setUnion && !edits.isEmpty ? edits : acting
        guard let last = candidates.max(by: { row.clocks[$0] < row.clocks[$1] }) else { return nil }
        return row.acts[last] == .edit ? last : -1
    }

    private func expectEqual(_ devices: [World.Device], note: EntityDescriptor, row: Row) throws {
        let exports = try devices.map { try $0.export(entity: note) }
        for export in exports.dropFirst() { #expect(export == exports[0], "\(row)") }
    }
}
