import EntitySync
import Foundation

@main struct Command {
    static let usage = """
        cook [--home DIR] [--remote DIR|URL] [--plan NUMBER] [--prefer mine|recent] [--without photos]
            add TITLE LEVEL MINUTES [TAG…] | step TITLE TEXT
            | need TITLE NAME AMOUNT UNIT | photo TITLE FILE | plan TITLE SECONDS ZONE
            | describe TITLE REST SOAK BOOK PAGE [LINK] | show TITLE | list [WORD…] | delete TITLE
            | shop TITLE | buy | bought NAME | clear | scale FACTOR | import CSV REJECTS
            | conflicts | keep mine|theirs | synced TITLE | sync | watch
        """

    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("\(SyncError(shown: error))\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        var words = arguments
        func option(_ name: String) -> String? {
            guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
            defer { words.removeSubrange(place...place + 1) }
            return words[place + 1]
        }
        let kitchen = try Kitchen.open(
            home: option("--home") ?? ".cook",
            remote: option("--remote") ?? ".cook-remote",
            plan: option("--plan").flatMap { Int($0) },
            prefer: option("--prefer"),
            without: option("--without")
        )
        let rest = Array(words.dropFirst())
        switch (words.first, rest.count) {
        case ("add", 3...):
            try await kitchen.add(
                rest[0],
                level: rest[1],
                minutes: Int(rest[2]) ?? 0,
                tags: Array(rest.dropFirst(3))
            )
        case ("step", 2): try await kitchen.addStep(rest[1], to: rest[0])
        case ("need", 4):
            let amount = Decimal(string: rest[2]) ?? 1
            try await kitchen.addIngredient(rest[1], amount: amount, unit: rest[3], to: rest[0])
        case ("photo", 2): try await kitchen.setPhoto(rest[1], of: rest[0])
        case ("plan", 3):
            let date = Date(timeIntervalSince1970: Double(rest[1]) ?? 0)
            try await kitchen.plan(rest[0], on: date, in: TimeZone(identifier: rest[2]) ?? .gmt)
        case ("describe", 5...6):
            let numbers = rest.map { Int($0) }
            try await kitchen.describe(
                rest[0],
                rest: numbers[1],
                soak: numbers[2],
                book: rest[3],
                page: numbers[4],
                link: rest.count > 5 ? URL(string: rest[5]) : nil
            )
        case ("show", 1): for line in try await kitchen.page(rest[0]) { say(line) }
        case ("list", _):
            for recipe in try await kitchen.recipes.query(Kitchen.query(rest)) { say(text(recipe)) }
        case ("delete", 1): try await kitchen.recipes.delete(try await kitchen.recipe(rest[0]))
        case ("shop", 1): say("\(try await kitchen.shop(for: rest[0])) on the list")
        case ("buy", 0): for need in try await kitchen.ingredients.query(Kitchen.toBuy) { say(text(need)) }
        case ("bought", 1): say("\(try await kitchen.bought(rest[0])) bought")
        case ("clear", 0): say("\(try await kitchen.clear()) off the list")
        case ("scale", 1): say("\(try await kitchen.scale(by: Int(rest[0]) ?? 1)) changed")
        case ("import", 2):
            let (imported, rejected) = try await kitchen.take(rest[0], rejects: rest[1])
            say("\(imported) imported, \(rejected) refused")
        case ("conflicts", 0):
            for conflict in try await kitchen.recipes.conflicts() {
                say(
                    "mine: \(conflict.local.map(text) ?? "deleted"); theirs: \(conflict.remote.map(text) ?? "deleted")"
                )
            }
        case ("keep", 1): say("\(try await kitchen.resolve(rest[0] == "mine" ? .local : .remote)) resolved")
        case ("synced", 1):
            let time = try await kitchen.recipes.lastSynced(try await kitchen.recipe(rest[0]).id)
            say(time == nil ? "never" : "yes")
        case ("sync", 0):
            try await kitchen.space.sync()
            let status = try kitchen.space.status()
            let waiting =
                status.conflicted > 0 ? "\(status.conflicted) to settle" : "\(status.pending) waiting"
            say(status.isInSync ? "in sync" : waiting)
        case ("watch", 0): try await kitchen.watch()
        default: throw SyncError(kind: .usage, message: "That is no command of cook.", help: usage)
        }
    }
}

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

@Sendable func text(_ recipe: Recipe) -> String {
    let tags = recipe.tags.map { $0.isEmpty ? "" : " [\($0.sorted().joined(separator: ", "))]" } ?? ""
    let day = recipe.cookOn.map { " on \($0)" } ?? ""
    return
        "\(recipe.title), \(recipe.level.rawValue), \(recipe.cookMinutes) min for \(recipe.portions)\(tags)\(day)"
}

@Sendable func text(_ need: Ingredient) -> String { "\(need.amount) \(need.unit) \(need.name)" }
