import EntitySync
import EntitySyncFolder
import EntitySyncServer
import Foundation

/// The recipes of one household, and what it has to buy.
struct Kitchen: Sendable {
    let space: SyncSpace
    var recipes: SyncCollection<Recipe> { space.collection() }
    var steps: SyncCollection<Step> { space.collection() }
    var ingredients: SyncCollection<Ingredient> { space.collection() }
    var photos: SyncCollection<Photo> { space.collection() }

    /// `remote` is a folder, or the URL of a server; `plan` is how many recipes the household has paid for; `prefer` says
    /// whether the person keeps what is `mine` or takes what is `recent`, and `without` what this device does not sync.
    static func open(home: String, remote: String, plan: Int?, prefer: String?, without: String?) throws
        -> Kitchen
    {
        let token = ProcessInfo.processInfo.environment["COOK_TOKEN"] ?? ""
        let backend: any RemoteBackend =
            remote.contains("://") ? try HTTPBackend(url: remote) { token } : FolderBackend(root: remote)
        var configuration = SpaceConfiguration(folder: home, entities: SyncRegistry.types, remote: backend)
        configuration.limit = { type in type == Recipe.self ? plan : nil }
        configuration.prefersRecent = { _ in prefer.map { $0 == "recent" } }
        configuration.excludes = { type in type == Photo.self && without == "photos" }
        return Kitchen(space: try SyncSpace.open(configuration))
    }

    /// The steps of a recipe, whose keys are of a type of their own: no other entity's fit here.
    static func steps(of recipe: Recipe.ID) -> SyncQuery<Step> {
        SyncQuery().filter(Step.Fields.recipeId == recipe)
    }

    func recipe(_ title: String) async throws -> Recipe {
        guard let recipe = try await recipes.first(SyncQuery().filter(Recipe.Fields.title == title)) else {
            throw SyncError(kind: .notFound, message: "There is no such recipe.", help: "See 'list'.")
        }
        return recipe
    }

    func add(_ title: String, level: String, minutes: Int, tags: [String]) async throws {
        try await recipes.insert(
            Recipe(title: title, level: Recipe.Level(rawValue: level), cookMinutes: minutes, tags: tags)
        )
    }

    func addStep(_ text: String, to title: String) async throws {
        let recipe = try await recipe(title)
        let position = try await steps.count(Self.steps(of: recipe.id)) + 1
        try await steps.insert(Step(recipeId: recipe.id, position: position, text: text))
    }

    func addIngredient(_ name: String, amount: Decimal, unit: String, to title: String) async throws {
        let recipe = try await recipe(title)
        try await ingredients.insert(Ingredient(recipeId: recipe.id, name: name, amount: amount, unit: unit))
    }

    func setPhoto(_ file: String, of title: String) async throws {
        let jpeg = try Data(contentsOf: URL(fileURLWithPath: file))
        try await photos.replace(Photo(recipeId: try await recipe(title).id, jpeg: jpeg))
    }

    /// Plans a recipe for the day of an instant, where the household is.
    func plan(_ title: String, on date: Date, in zone: TimeZone) async throws {
        try await recipes.update(try await recipe(title)) { $0.cookOn = CalendarDate(date, in: zone) }
    }

    /// Changes what a recipe says about its times and its source.
    func describe(
        _ title: String,
        rest: Int?,
        soak: Int?,
        book: String?,
        page: Int?,
        link: URL?
    ) async throws {
        try await recipes.update(try await recipe(title)) { recipe in
            (recipe.restMinutes, recipe.soakMinutes) = (rest, soak)
            recipe.source = book.map { Recipe.Source(book: $0, page: page, link: link) }
        }
    }

    /// Puts what a recipe needs on the list of what is to be bought, all or nothing.
    func shop(for title: String) async throws -> Int {
        let recipe = try await recipe(title)
        return try await space.write { batch in
            let needed = try batch.query(
                SyncQuery<Ingredient>().filter(Ingredient.Fields.recipeId == recipe.id)
            )
            for need in needed {
                try batch.insert(Ingredient(name: need.name, amount: need.amount, unit: need.unit))
            }
            return needed.count
        }
    }

    static let toBuy = SyncQuery<Ingredient>()
        .filter(Ingredient.Fields.recipeId == nil, Ingredient.Fields.bought == false)
        .sort(by: Ingredient.Fields.name)

    func bought(_ name: String) async throws -> Int {
        try await ingredients.update(Self.toBuy.filter(Ingredient.Fields.name == name)) { $0.bought = true }
    }

    /// Takes what is bought off the list.
    func clear() async throws -> Int {
        try await ingredients.delete(
            SyncQuery().filter(Ingredient.Fields.recipeId == nil, Ingredient.Fields.bought == true)
        )
    }

    /// Multiplies the portions of all recipes. If one does not fit then, none is changed.
    func scale(by factor: Int) async throws -> Int {
        try await recipes.update(SyncQuery()) { $0.portions *= factor }
    }

    /// The recipes that words of a person ask for: `quick`, `rested`, `simple`, `tag:sweet`, `book:Ottolenghi`, `planned`.
    static func query(_ words: [String]) -> SyncQuery<Recipe> {
        typealias Fields = Recipe.Fields
        var query = SyncQuery<Recipe>().sort(by: Fields.level).sort(by: Fields.title).allowingScan()
        for word in words {
            let value = String(word.drop { $0 != ":" }.dropFirst())
            switch word.prefix(while: { $0 != ":" }) {
            case "quick": query = query.filter(Fields.cookMinutes.isIn(..<30))
            case "slow": query = query.filter(Fields.cookMinutes.isIn(60...))
            case "rested": query = query.filter(Fields.restMinutes.isIn(30...))
            case "soaksLonger": query = query.filter(Fields.soakMinutes > Fields.restMinutes)
            case "restsLonger": query = query.filter(Fields.restMinutes > Fields.cookMinutes)
            case "from": query = query.filter(Fields.source.link.hasPrefix(value))
            case "simple": query = query.filter(Fields.level < .hard)
            case "tag": query = query.filter(Fields.tags.contains(value))
            case "book": query = query.filter(Fields.source.book.hasPrefix(value))
            case "planned": query = query.filter(Fields.cookOn.hasValue)
            default: query = query.filter(Fields.title.contains(word, ignoring: [.letterCase, .diacritics]))
            }
        }
        return query
    }

    /// A recipe with its steps in order, and what it needs.
    func page(_ title: String) async throws -> [String] {
        let one = SyncQuery<Recipe>().filter(Recipe.Fields.title == title)
        return try await space.read {
            try recipes.query(one, with: Step.Fields.recipeId, SyncQuery().sort(by: Step.Fields.position))
                .flatMap { recipe in
                    let needs = SyncQuery<Ingredient>().filter(Ingredient.Fields.recipeId == recipe.record.id)
                    let photo = try photos.find(recipe.record.id).map { ["photo of \($0.jpeg.count) bytes"] }
                    return [text(recipe.record)] + (photo ?? [])
                        + (try ingredients.query(needs).map(text))
                        + recipe.children.map { "\($0.position). \($0.text)" }
                }
        }
    }

    /// Takes in a table of recipes; what does not fit is in the file of rejects.
    func take(_ table: String, rejects: String) async throws -> (imported: Int, rejected: Int) {
        try await recipes.importRecords(
            from: URL(fileURLWithPath: table),
            as: .csv,
            rejects: URL(fileURLWithPath: rejects)
        )
    }

    /// Resolves all conflicts the same way.
    func resolve(_ resolution: ConflictResolution<Recipe>) async throws -> Int {
        try await recipes.resolveConflicts { _ in resolution }
    }

    /// Shows the recipes with their steps when either changes.
    func watch() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for try await all in recipes.observe(SyncQuery(), with: Step.Fields.recipeId) {
                    say(all.map { "\($0.record.title): \($0.children.count) steps" }.joined(separator: "; "))
                }
            }
            group.addTask { await space.run() }
        }
    }
}
