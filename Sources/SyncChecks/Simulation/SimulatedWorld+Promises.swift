import SyncAccounts
import SyncCore
import SyncRuntime
import SyncServer

/// The promises of a world, checked after every step and at rest.
extension SimulatedWorld {
    /// Runs the checks after every step.
    func check() async throws {
        if let violation = violations.first { throw violation }
        for account in accounts { try checkNothingLost(account) }
        for device in devices { try checkAccount(device) }
    }

    /// Checks that every value that nobody knowingly replaced can be found by a person.
    private func checkNothingLost(_ account: String) throws {
        let open = devices.filter { $0.account == account }
        // Closed stores cannot be read now. They are checked when their account is active again.
        guard open.count == devices.filter({ $0.knownAccounts.contains(account) }).count else { return }
        guard doubtful.isEmpty else { return }
        var found: [String: Found] = [:]
        for device in open {
            guard let store = device.store else { return }
            noteSurvivors(on: device)
            do {
                for entity in store.entities {
                    try look(store, entity: entity, found: &found[entity.name, default: Found()])
                }
            } catch {
                return
            }
        }
        let lost = oracle.standing(account: account, survivors: survivors[account] ?? [:]).filter {
            found[$0.place.entity]?.holds(claim: $0.claim, of: $0.place) != true
                && !isRedirected(
                    $0.claim,
                    origin: $0.origin,
                    account: account,
                    found: found[$0.place.entity]?.values ?? []
                )
        }
        // The first of several in a fixed order, so that a seed always gives the same result.
        guard let (_, claim, origin) = lost.min(by: { $0.claim.order < $1.claim.order }) else { return }
        throw StoryViolation(
            rule: "nothing-lost",
            description:
                "What was written when \(origin.words) is nowhere any more: part '\(claim.unit)', edit \(claim.sequence) of \(claim.device)."
        )
    }

    /// The content of all stores for one entity.
    private struct Found {
        var editTimestamps: Set<EditTimestamp> = []
        var values: Set<String> = []

        mutating func add(_ version: SyncRecord, entity: EntityDescriptor, oracle: WriteOracle) {
            var version = version
            version.isDeleted = false
            for claim in oracle.claims(version: version, newer: entity) { values.insert(claim.statement) }
            editTimestamps.formUnion(WriteOracle.siblings(version: version))
        }

        func holds(claim: WriteOracle.Claim, of place: WriteOracle.Place) -> Bool {
            // Edits of a record that was merged into another one have another device id there.
            let moved = claim.device.moved(from: place.key, entity: place.entity)
            return values.contains(claim.statement)
                || editTimestamps.contains {
                    [claim.device, moved].contains($0.device) && $0.sequence == claim.sequence
                }
        }
    }

    /// Adds what a person can find: records, both sides and the base of a conflict, and what lost by the journal. A
    /// tombstone shows nothing, and neither does what a store keeps for itself.
    private func look(_ store: any LocalStore, entity: EntityDescriptor, found: inout Found) throws {
        try store.read { snapshot in
            var keys: [RecordKey] = []
            try snapshot.scan(entity: entity, includeHidden: true) { local in
                if local.visibility == .live || local.state == .rejected {
                    found.add(local.version, entity: entity, oracle: oracle)
                }
                if local.state == .conflict { keys.append(local.version.key) }
            }
            for key in keys {
                for kind in [SideKind.base, .remote] {
                    if let version = try snapshot.side(entity: entity, key: key, kind: kind) {
                        found.add(version, entity: entity, oracle: oracle)
                    }
                }
                for head in try snapshot.heads(entity: entity, key: key) {
                    found.add(head, entity: entity, oracle: oracle)
                }
            }
            for entry in try snapshot.journal() where entry.lost.entity == entity.name {
                found.add(entry.lost, entity: entity, oracle: oracle)
            }
        }
    }

    /// Checks that no account shows data of another one.
    private func checkAccount(_ device: SimulatedDevice) throws {
        guard let account = device.account, let store = device.store else { return }
        let other = account == "x" ? "y-" : "x-"
        for entity in store.entities {
            // An unreadable store shows nothing to anybody.
            try? store.read { snapshot in
                try snapshot.scan(entity: entity, includeHidden: true) { local in
                    for value in local.version.record.values {
                        if case .text(let text)? = value, text.hasPrefix(other),
                            text.contains("-\(device.name)-")
                        {
                            violations.append(
                                StoryViolation(
                                    rule: "accounts-apart",
                                    description:
                                        "\(device.name) shows account \(account) what account \(other.prefix(1)) wrote."
                                )
                            )
                        }
                    }
                }
            }
        }
        if let violation = violations.first { throw violation }
    }

    // MARK: At rest

    /// Ends all faults, syncs every account of every device until nothing changes, and checks the promises at
    /// rest.
    func rest() async throws {
        note(.rest, device: nil, text: "all faults end")
        for name in Self.accountNames { server?.add(Account(id: name, name: name), token: name) }
        for device in devices { await device.session?.remote?.accountResumed() }
        for account in accounts {
            let taking = devices.filter { $0.knownAccounts.contains(account) }
            for device in taking { try await enter(device, account: account) }
            try await converge(taking)
            try await check()
            try checkRest(account, devices: taking)
            try await checkIdle(taking)
            try await decide(taking)
            try await check()
            try checkRest(account, devices: taking)
            for device in taking { try checkSize(device, account: account) }
            if notesOutcome { try await noteOutcome(account: account, devices: taking) }
        }
    }

    /// Resolves all conflicts until none is left.
    private func decide(_ devices: [SimulatedDevice]) async throws {
        var draw = Seed(story.seed ^ 0xdec1)
        // Each of a few records may conflict with each of the others, one after another.
        for _ in 0..<16 {
            var open = 0
            for device in devices {
                let count = try schemas.old.reduce(0) { try $0 + conflicts(device: device, entity: $1) }
                for _ in 0..<count { resolve(device: device, draw: &draw) }
                open += count
            }
            if open == 0 { return }
            try await converge(devices)
        }
        throw StoryViolation(
            rule: "decisions-hold",
            description: "Conflicts come back although people resolve all of them."
        )
    }

    func conflicts(device: SimulatedDevice, entity: EntityDescriptor) throws -> Int {
        guard let store = device.store, let known = device.descriptor(name: entity.name) else { return 0 }
        return try store.read { try $0.counts(entity: known).conflicts }
    }

    private func enter(_ device: SimulatedDevice, account: String) async throws {
        do { try await device.use(account) } catch {
            throw StoryViolation(
                rule: "starts-again",
                description: "\(device.name) cannot open account \(account): \(Self.words(error: error))"
            )
        }
        recordDoubtful(device)
    }

    private func converge(_ devices: [SimulatedDevice]) async throws {
        // NB: syncs do not count messages about agreement, so a quiet round is repeated once.
        var quietRounds = 0
        for _ in 0..<16 {
            var moved = 0
            for device in devices {
                deliverAll()
                pass(seconds: 1)
                guard let report = await sync(device) else {
                    throw StoryViolation(
                        rule: "syncs-again",
                        description: "\(device.name) cannot sync although nothing is wrong any more."
                    )
                }
                let count = report.entities.reduce(0) { $0 + $1.pushed + $1.pulled }
                try checkRequests(device, requests: report.requests, moved: count)
                moved += count
            }
            deliverAll()
            quietRounds = moved == 0 ? quietRounds + 1 : 0
            if quietRounds == 2 { return }
        }
        throw StoryViolation(rule: "comes-to-rest", description: "The devices never come to rest.")
    }

    private func checkIdle(_ devices: [SimulatedDevice]) async throws {
        for device in devices {
            guard let report = await sync(device) else { continue }
            let moved = report.entities.reduce(0) { $0 + $1.pushed + $1.pulled + $1.merged }
            if moved > 0 || report.requests > 1 {
                throw StoryViolation(
                    rule: "idle-is-free",
                    description:
                        "A further sync of \(device.name) moves \(moved) records in \(report.requests) requests."
                )
            }
            // All devices were already found equal.
            if !mayDiffer, let found = report.diagnostics.first(where: { $0.rule == "records-differ" }) {
                throw StoryViolation(
                    rule: "difference-is-true",
                    description: "\(device.name) reports: \(found.message)"
                )
            }
        }
    }
}
