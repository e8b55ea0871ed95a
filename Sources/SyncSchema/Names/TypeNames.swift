/// Allocates unique names for the types nested in one entity's type.
final class TypeNames {
    /// The entity's type and its companions. A field with such a name would hide the type from generated code.
    let own: Set<String>
    private var taken: Set<String>

    /// - Parameter entityType: The entity's own type, which no nested type may hide.
    init(entityType: String) {
        own = Set(([""] + SwiftNames.companionSuffixes).map { entityType + $0 })
        taken = SwiftNames.reservedTypes.union(own)
    }

    /// Reserves names for something else, such as fields: `var Split: Split` would not compile.
    func reserve(names: some Sequence<String>) {
        taken.formUnion(names)
    }

    /// Allocates a free name: the wanted one, or with the parent's name as prefix, or with `Value` and a
    /// number as suffix. Called in file order, so that the same file always gives the same names.
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
