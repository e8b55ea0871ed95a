/// Orders entities with parents before children.
public enum EntityOrder {
    /// Sorts by references, then by name as bytes. Checked schemas have no cycle; entities on a cycle would come
    /// last, by name.
    public static func sorted(_ entities: [EntityDescriptor]) -> [EntityDescriptor] {
        parentsFirst(entities, name: \.name, parents: { $0.references.map(\.entity) })
    }

    /// The elements by generation: first those without a parent among the others, then those whose parents are all
    /// placed, and so on. Each generation is sorted by name as bytes. Elements on a cycle, or behind one, come last.
    package static func parentsFirst<Element>(
        _ elements: [Element],
        name: (Element) -> String,
        parents: (Element) -> [String]
    ) -> [Element] {
        let elements = elements.sorted { name($0).precedesByBytes(other: name($1)) }
        let places = Dictionary(elements.indices.map { (name(elements[$0]), $0) }) { first, _ in first }
        var children = elements.map { _ in [Int]() }
        var missing = elements.map { _ in 0 }
        for index in elements.indices {
            let others = Set(parents(elements[index]).compactMap { places[$0] }).subtracting([index])
            missing[index] = others.count
            for parent in others { children[parent].append(index) }
        }
        var order: [Int] = []
        var generation = elements.indices.filter { missing[$0] == 0 }
        while !generation.isEmpty {
            order += generation
            var next: [Int] = []
            for child in generation.flatMap({ children[$0] }) {
                missing[child] -= 1
                if missing[child] == 0 { next.append(child) }
            }
            generation = next.sorted()
        }
        order += elements.indices.filter { missing[$0] > 0 }
        return order.map { elements[$0] }
    }
}
