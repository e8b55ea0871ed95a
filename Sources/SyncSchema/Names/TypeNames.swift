/// Hands out the names of the types that are nested in one entity's type, each once.
final class TypeNames {
    /// The entity's type and those beside it. A field of such a name would hide one from generated code.
    let own: Set<String>
    private var taken: Set<String>

    /// - Parameter entityType: the entity's own type, which no nested type may hide.
    init(entityType: String) {
        own = Set(([""] + SwiftNames.companionSuffixes).map { entityType + $0 })
        taken = SwiftNames.reservedTypes.union(own)
    }

    /// Keeps names for something else, such as fields: `var Split: Split` would not compile.
    func reserve(names: some Sequence<String>) {
        taken.formUnion(names)
    }

    /// A free name: the wanted one, else with the parent's name before it, else with `Value` and a number behind
    /// it. Called in file order, so that the same file always gives the same names.
    func claim(_ wanted: String, parent: String?) -> String {
        let base = SwiftNames.isIdentifier(wanted) ? wanted : "Value"
        var candidates = [base]
        if let parent { candidates.append(parent + base) }
        candidates.append(base + "Value")
        for candidate in candidates where taken.insert(candidate).inserted { return candidate }
        var number = 2
        while !taken.insert("\(base)Value\(number)").inserted { number += 1 }
        return "\(base)Value\(number)"
    }
}
