#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncRuntime
    import Testing

    extension SupabaseTests {
        /// Random worlds: devices of two accounts, programs that write to the same tables, and policies of the team.
        ///
        /// `POLICY_WORLDS=1..300` plays these worlds, and `POLICY_STEPS=2,5,9` only some steps of them: each step draws
        /// from a seed of its own, so that a story can be shortened.
        @Suite struct PolicyWorlds {
            private static func numbers(_ name: String) -> [Int]? {
                ProcessInfo.processInfo.environment[name]?.split { !$0.isNumber }.compactMap { Int($0) }
            }

            private static let seeds =
                numbers("POLICY_WORLDS").map { Array($0[0]...$0[1]) } ?? Array(1...4) + [
                    1231, 1340, 1656, 1674,
                ]

            @Test(arguments: seeds)
            func noWordIsLostUnseenAndEachDeviceShowsWhatItsAccountMaySelect(seed: Int) async throws {
                try await SupabaseProject.run { project in
                    let world = try await PolicyWorld(project, seed: seed)
                    for number in Self.numbers("POLICY_STEPS") ?? Array(0..<48) where world.broken.isEmpty {
                        try await world.step(number)
                    }
                    if world.broken.isEmpty { try await world.rest() }
                    if world.broken.isEmpty { try await world.decide() }
                    let story = (world.story + world.broken).joined(separator: "\n")
                    #expect(world.broken.isEmpty, "world \(seed)\n\(story)")
                }
            }
        }
    }

    /// One world, and the oracle that knows who wrote which word and who gave which one up.
    final class PolicyWorld {

        /// Records by their entity and key, with the values of columns.
        private typealias Records = [String: [String: String]]

        struct Person {
            let name: String
            let user: User
            let device: SupabaseDevice
            let session: SQLConnection
        }

        struct Place {
            let table: WorldTable
            let key: String
            let owner: User
        }

        var story: [String] = []
        /// The promises that were broken.
        private(set) var broken: [String] = []
        let project: SupabaseProject
        private let seed: UInt64
        var random: Seed
        private var people: [Person] = []
        /// The web app's connection that holds rows.
        let holder: SQLConnection
        let tables: [WorldTable]
        let policy: String
        /// Each word with who wrote it.
        var written: [String: String] = [:]
        /// The words that somebody who saw them replaced or deleted, and those of rows that programs did so to.
        var givenUp: Set<String> = []

        init(_ project: SupabaseProject, seed: Int) async throws {
            (self.project, self.seed) = (project, UInt64(seed))
            var random = Seed(self.seed)
            let count = Int.random(in: 0..<3, using: &random) > 0 ? 1 : 2
            tables = Array(WorldTable.all.shuffled(using: &random).prefix(count))
            let policies = ["none", "hidden", "secret", "team besides", "team alone"]
            policy = policies.randomElement(using: &random) ?? ""
            self.random = random
            holder = try await project.session(.ada)
            let names = ["Ada's phone", "Ada's tablet", "Eve's phone", "Eve's tablet"]
            for (index, user) in [User.ada, .ada, .eve, .eve].enumerated() {
                let device = try SupabaseDevice(project, user: user, seed: UInt64(index + 1))
                let session = try await project.session(user)
                people.append(Person(name: names[index], user: user, device: device, session: session))
            }
            try await project.admin.script(settings())
        }

        func isDrawn(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }

        func draw<Value>(_ values: Value...) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        func step(_ number: Int) async throws {
            random = Seed(seed &* 1_000_003 &+ UInt64(number))
            let person = people[Int.random(in: 0..<4, using: &random)]
            let table = tables[Int.random(in: 0..<tables.count, using: &random)]
            let owner = policy.hasPrefix("team") ? draw(person.user, .ada, .eve) : person.user
            let key = "00000000-0000-4000-8000-0000000000\(draw(1, 1, 2))\(owner.id.suffix(1))"
            let place = Place(table: table, key: key, owner: owner)
            let web = isDrawn(0.7) ? person.session : project.admin
            let (word, first) = ("w\(number).", story.count)
            switch Int.random(in: 0..<22, using: &random) {
            case 0..<6: try write(person, place: place, word: word)
            case 6: try delete(person, place: place)
            case 7: try decide(person, chance: 0.5)
            case 8..<14: _ = try await sync(person)
            case 14..<17: try await write(on: web, user: person.user, place: place, word: word)
            case 17: try await delete(on: web, place: place)
            case 18, 19: try await rule(place: place)
            default: try await hold(person, place: place, word: word)
            }
            for index in first..<story.count { story[index] = "\(number): \(story[index])" }
        }

        // MARK: - What is written

        private func newText(_ word: String) -> String {
            draw(
                "\(word) plain",
                "\(word) plain",
                "refuse \(word)",
                "secret \(word)",
                "long long long long \(word)"
            )
        }

        /// A column to write, with its value as JSON. A set is replaced, or has one element more.
        func edit(of table: WorldTable, word: String, showing shown: [String: String]) -> (
            column: String, value: String
        ) {
            switch (Int.random(in: 0..<10, using: &random), table.choice, table.set) {
            case (0, _, _): return (table.team, Self.json(draw("red", "blue")))
            case (1, let choice?, _): return (choice, Self.json(draw("c1", "c2", "c3", "c4")))
            case (2...3, _, let set?):
                let former = isDrawn(0.6) ? shown[set]?.split(separator: ",").map(String.init) ?? [] : []
                return (set, "[" + (former + [word]).map(Self.json).joined(separator: ",") + "]")
            default:
                return (
                    table.texts.count > 1 ? draw(table.texts[0], table.texts[1]) : table.texts[0],
                    Self.json(newText(word))
                )
            }
        }

        /// The columns of a new record, as JSON.
        func new(_ place: Place, word: String) -> [String: String] {
            var values = place.table.more
            if values["verse_number"] != nil {
                values["verse_number"] = "\(place.key.utf8.map(Int.init).reduce(0, +))"
            }
            values[place.table.key] = Self.json(place.key)
            values[place.table.team] = Self.json(draw("red", "blue"))
            values[place.table.texts[0]] = Self.json(newText(word))
            if let choice = place.table.choice {
                values[choice] = Self.json("c\(Int.random(in: 1...9, using: &random))")
            }
            return values
        }

        static func json(_ value: String) -> String { "\"\(value)\"" }

        /// Somebody gives up all words of a text, but not those that are in what replaces it.
        func giveUp(_ text: String, for other: String = "") {
            givenUp.formUnion(written.keys.filter { text.contains($0) && !other.contains($0) })
        }

        // MARK: - What people do

        private func shown(_ person: Person, _ place: Place) throws -> [String: String]? {
            guard let local = try person.device.local(place.table.entity, key: place.key),
                local.visibility == .live
            else { return nil }
            return try Self.values(of: local.version, table: place.table)
        }

        private func write(_ person: Person, place: Place, word: String) throws {
            let (table, shown) = (place.table, try shown(person, place))
            var values = new(place, word: word)
            if let shown {
                let (column, value) = edit(of: table, word: word, showing: shown)
                values = [table.key: Self.json(place.key), column: value]
                giveUp(shown[column] ?? "", for: value)
            } else if try person.device.local(table.entity, key: place.key) == nil {
                guard place.owner.id == person.user.id else {
                    return
                }
            }
            let members = values.sorted { $0.key < $1.key }.map {
                "\"\(WorldTable.field($0.key))\":\($0.value)"
            }
            let json = "{\(members.joined(separator: ","))}"
            story.append("\(person.name) writes \(table.entity) \(json) over \(shown ?? [:])")
            try person.device.put(table.entity, json: json)
            if json.contains(word) { written[word] = person.name }
        }

        private func delete(_ person: Person, place: Place) throws {
            guard let shown = try shown(person, place) else { return }
            story.append("\(person.name) deletes \(place.table.entity) \(place.key), which shows \(shown)")
            try person.device.delete(place.table.entity, key: place.key)
            giveUp(shown.values.joined(separator: " "))
        }

        /// Somebody decides about all conflicts, and about some of the refused edits. Returns whether there were any.
        @discardableResult
        private func decide(_ person: Person, chance: Double) throws -> Bool {
            var isAnything = false
            for table in tables {
                for key in try person.device.keys(table.entity, in: .conflict) {
                    let isLocal = isDrawn(0.5)
                    story.append(
                        "\(person.name) keeps the \(isLocal ? "local" : "remote") side of \(table.entity) \(key)"
                    )
                    try person.device.resolve(table.entity, key: key, with: isLocal ? .local : .remote)
                    isAnything = true
                }
            }
            for rejection in try person.device.rejections() where isDrawn(chance) {
                try discard(rejection, of: person)
                isAnything = true
            }
            return isAnything
        }

        /// Somebody gives up an edit that was refused, and with it the words that only this device has.
        private func discard(_ rejection: Rejection, of person: Person) throws {
            let (entity, key) = (rejection.entity, rejection.key.text)
            guard let table = tables.first(where: { $0.entity == entity }),
                let local = try person.device.local(entity, key: key)
            else { return }
            let shown = try Self.values(of: local.version, table: table)
            story.append("\(person.name) gives up the refused \(entity) \(key), which shows \(shown)")
            let base = try person.device.store.read { snapshot in
                try snapshot.side(
                    entity: try ShippedSchemas.entity(entity),
                    key: rejection.key,
                    kind: .base
                )
            }
            let agreed = try base.map { try Self.values(of: $0, table: table) } ?? [:]
            let (text, others) = (shown.values.joined(separator: " "), agreed.values.joined(separator: " "))
            let own = written.filter { $0.value == person.name }.keys
            givenUp.formUnion(own.filter { text.contains($0) && !others.contains($0) })
            try person.device.discard(entity, key: key)
        }

        /// Returns whether anything moved. While somebody holds rows, a device may be told to come later.
        func sync(_ person: Person, isHeld: Bool = false) async throws -> Bool {
            story.append("\(person.name) syncs")
            do {
                let parts = try await person.device.sync().entities.filter { part in
                    part.pushed + part.pulled + part.conflicts + part.rejected > 0
                }
                story[story.count - 1] += parts.map {
                    ", \($0.entity): \($0.pushed) pushed, \($0.pulled) pulled, \($0.conflicts) in conflict, "
                        + "\($0.rejected) rejected"
                }.joined()
                try await compare(person, isHeld: isHeld)
                return parts.contains { $0.pushed + $0.pulled > 0 }
            } catch let error as SyncError {
                story[story.count - 1] += " -> \(error)"
                if !isHeld || error.retry != .later {
                    broken.append("A sync of \(person.name) failed: \(error)")
                }
                return true
            }
        }

        // MARK: - Promises

        private static func values(of version: SyncRecord, table: WorldTable) throws -> [String: String] {
            let layout = try ShippedSchemas.entity(table.entity).layout
            var result: [String: String] = [:]
            for column in table.columns {
                switch layout.position(of: WorldTable.field(column)).flatMap({ version.record.values[$0] }) {
                case .text(let text)?: result[column] = text
                case .json(let text)?: result[column] = elements(text)
                default: break
                }
            }
            return result.filter { !$0.value.isEmpty }
        }

        /// The elements of a set in order.
        private static func elements(_ json: String) -> String {
            let elements = (try? JSONDecoder().decode([String].self, from: Data(json.utf8))) ?? []
            return elements.sorted().joined(separator: ",")
        }

        /// What is clean on a device is what its account's `select` gives.
        private func compare(_ person: Person, isHeld: Bool = false) async throws {
            var (selected, shown) = (Records(), Records())
            for table in tables where !isHeld {
                let columns = table.columns.map { "\($0)::text" }.joined(separator: ", ")
                let rows = try await person.session.run(
                    """
                    select distinct on (\(table.key)) \(table.key)::text, \(columns) from public.\(table.name)
                    \(table.entity == "project" ? "where deleted_at is null" : "")
                    order by \(table.key), \(table.owner) <> auth.uid(), \(table.owner)
                    """
                )
                for row in rows {
                    var values: [String: String] = [:]
                    for (column, value) in zip(table.columns, row.dropFirst()) {
                        values[column] = column == table.set ? Self.elements(value ?? "[]") : value
                    }
                    selected["\(table.entity) \(row[0] ?? "")"] = values.filter { !$0.value.isEmpty }
                }
            }
            try scan(person) { table, local, _ in
                let name = "\(table.entity) \(local.version.key.text)"
                if local.state != .synced { selected[name] = nil }
                guard local.state == .synced, local.visibility != .deleted else { return }
                shown[name] = try Self.values(of: local.version, table: table)
            }
            for name in Set(shown.keys).union(selected.keys) where !isHeld && shown[name] != selected[name] {
                let both = [shown[name], selected[name]].map { $0?.description ?? "nothing" }
                broken.append("\(person.name) shows as \(name) \(both[0]), and its select gives \(both[1]).")
            }
        }

        private func scan(
            _ person: Person,
            visit: (WorldTable, LocalRecord, any StoreSnapshot) throws -> Void
        ) throws {
            for table in tables {
                try person.device.store.read { snapshot in
                    let entity = try ShippedSchemas.entity(table.entity)
                    try snapshot.scan(entity: entity, includeHidden: true) { try visit(table, $0, snapshot) }
                }
            }
        }

        /// Everybody syncs until nothing moves; then all promises are checked.
        func rest() async throws {
            var isMoving = true
            for _ in 0..<10 where isMoving && broken.isEmpty {
                isMoving = false
                for person in people where try await sync(person) { isMoving = true }
            }
            if isMoving { broken.append("The devices do not come to rest.") }
            var texts: [String] = []
            for table in tables {
                let rows = try await project.admin.run("select t::text from public.\(table.name) as t")
                texts += rows.compactMap { $0[0] }
            }
            for person in people {
                try await compare(person)
                texts += try self.texts(on: person)
            }
            let lost = written.filter { word, _ in
                !givenUp.contains(word) && !texts.contains { $0.contains(word) }
            }
            broken += lost.map { "\($0.key) of \($0.value) is nowhere." }
        }

        /// Everybody decides about all conflicts and gives up all refused edits, until there are none. Then a device
        /// shows what its account's `select` gives, and nothing else.
        func decide() async throws {
            random = Seed(seed &* 1_000_003 &+ 1_000)
            for _ in 0..<8 where broken.isEmpty {
                var isDecided = true
                for person in people where try decide(person, chance: 1) { isDecided = false }
                if isDecided { return }
                try await rest()
            }
            if broken.isEmpty { broken.append("There is always something left to decide about.") }
        }

        /// What a person finds on a device: live records, both sides of conflicts, what is unsent or rejected, and the
        /// journal.
        private func texts(on person: Person) throws -> [String] {
            let (device, journal) = (person.device, try person.device.journal())
            if try device.altered() != journal.count(where: { $0.rule == "altered" }) {
                broken.append("\(person.name) counts \(try device.altered()) altered edits.")
            }
            if let rejection = try device.rejections().first(where: { $0.raw != nil }) {
                broken.append("\(person.name) does not take in \(rejection).")
            }
            var versions = journal.map(\.lost)
            try scan(person) { _, local, snapshot in
                let (entity, key) = (try ShippedSchemas.entity(local.version.entity), local.version.key)
                if local.state == .pending { broken.append("\(person.name) does not send \(key.text).") }
                if local.state != .synced || local.visibility == .live { versions.append(local.version) }
                guard local.state != .synced else { return }
                versions += try snapshot.heads(entity: entity, key: key)
                for side in SideKind.allCases where side != .base || local.state == .conflict {
                    versions += try [snapshot.side(entity: entity, key: key, kind: side)].compactMap { $0 }
                }
            }
            return try versions.flatMap { version in
                try tables.filter { $0.entity == version.entity }.flatMap { table in
                    try Self.values(of: version, table: table).values
                }
            }
        }
    }
#endif
