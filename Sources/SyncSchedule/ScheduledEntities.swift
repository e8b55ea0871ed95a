public import SyncCore

/// The entities of a scheduler.
public struct ScheduledEntities: Sendable, Hashable {
    /// All names, parents before children.
    public let names: [String]
    /// The names that `launch` covers: the essential ones and those they refer to. If none is essential, all.
    public let essential: Set<String>
    let all: Set<String>
    private let parents: [String: Set<String>]

    /// Orders entities. Unknown names in `essential` are ignored.
    public init(entities: [EntityDescriptor], essential: Set<String> = []) {
        let sorted = EntityOrder.sorted(entities)
        names = sorted.map(\.name)
        all = Set(names)
        var parents: [String: Set<String>] = [:]
        for entity in sorted { parents[entity.name] = Set(entity.references.map(\.entity)) }
        self.parents = parents
        let known = Self.withParents(some: essential.intersection(all), parents: parents).intersection(all)
        self.essential = known.isEmpty ? all : known
    }

    /// The names and all that they refer to, in order. A child cannot be shown without its parent.
    func ordered(some: Set<String>) -> [String] {
        let wanted = Self.withParents(some: some, parents: parents)
        return names.filter(wanted.contains)
    }

    /// The known names; if there are none, all.
    func known(some: Set<String>?) -> Set<String> {
        let known = some.map(all.intersection) ?? all
        return known.isEmpty ? all : known
    }

    /// The names that are not synced if a person excludes some: all of these to which no other one refers.
    package func excluded(by names: Set<String>) -> Set<String> {
        names.isEmpty ? [] : all.subtracting(Self.withParents(some: all.subtracting(names), parents: parents))
    }

    private static func withParents(some: Set<String>, parents: [String: Set<String>]) -> Set<String> {
        var result = some
        var open = Array(some)
        while let name = open.popLast() {
            for parent in parents[name] ?? [] where result.insert(parent).inserted { open.append(parent) }
        }
        return result
    }
}
