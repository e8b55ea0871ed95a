import EntitySync
import Foundation
import SyncChecks

/// Recipes with their steps.
struct Kitchen {
    let scratch: Scratch
    let space: SyncSpace

    var recipes: SyncCollection<Recipe> { space.collection() }
    var steps: SyncCollection<Step> { space.collection() }

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: scratch.path + "/kitchen", entities: [Recipe.self, Step.self])
        )
    }

    @discardableResult
    func add(
        _ id: String,
        level: Recipe.Level = .easy,
        care: Recipe.Care? = nil,
        cook: Int = 10,
        rest: Int? = nil,
        soak: Int? = nil,
        tags: [String]? = nil,
        source: Recipe.Source? = nil
    ) throws -> Recipe {
        try recipes.insert(
            Recipe(
                id: id,
                title: id,
                level: level,
                care: care,
                cookMinutes: cook,
                restMinutes: rest,
                soakMinutes: soak,
                tags: tags,
                source: source
            )
        )
    }

    /// What meets a condition, in the order of the keys, found by a walk if there is no index.
    func ids(_ condition: FieldCondition<Recipe>) throws -> [String] {
        try recipes.query(SyncQuery().filter(condition).allowingScan()).map(\.id)
    }
}
