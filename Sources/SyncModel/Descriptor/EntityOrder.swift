/// Orders entities with parents before children.
public enum EntityOrder {
    /// Sorts by references, then by name as bytes. Entities that refer to each other in a circle count as one.
    public static func sorted(_ entities: [EntityDescriptor]) -> [EntityDescriptor] {
        parentsFirst(entities, name: \.name, parents: { $0.references.map(\.entity) })
    }

    /// The elements by generation: first those without a parent among the others, then those whose parents are all
    /// placed, and so on. Each generation is sorted by name as bytes. Elements of one circle are in one generation.
    package static func parentsFirst<Element>(
        _ elements: [Element],
        name: (Element) -> String,
        parents: (Element) -> [String]
    ) -> [Element] {
        let elements = elements.sorted { name($0).precedesByBytes(other: name($1)) }
        let places = Dictionary(elements.indices.map { (name(elements[$0]), $0) }) { first, _ in first }
        let edges = elements.map { Set(parents($0).compactMap { places[$0] }).sorted() }
        let circle = circles(edges: edges)
        // The generations of circles, of which most have one element.
        var members: [Int: [Int]] = [:]
        var missing: [Int: Set<Int>] = [:]
        var children: [Int: Set<Int>] = [:]
        for index in elements.indices {
            members[circle[index], default: []].append(index)
            let others = edges[index].map { circle[$0] }.filter { $0 != circle[index] }
            missing[circle[index], default: []].formUnion(others)
        }
        for (child, parents) in missing {
            for parent in parents { children[parent, default: []].insert(child) }
        }
        var order: [Int] = []
        var generation = members.keys.filter { missing[$0]?.isEmpty != false }
        while !generation.isEmpty {
            order += generation.flatMap { members[$0] ?? [] }.sorted()
            var next: [Int] = []
            for parent in generation {
                for child in children[parent] ?? [] {
                    missing[child]?.remove(parent)
                    if missing[child]?.isEmpty == true { next.append(child) }
                }
            }
            generation = next
        }
        return order.map { elements[$0] }
    }

    /// The number of each element's circle: elements that reach each other have the same one (Kosaraju). Both walks have
    /// stacks of their own, so that a long chain of entities cannot overflow the call stack.
    private static func circles(edges: [[Int]]) -> [Int] {
        var backwards = edges.map { _ in [Int]() }
        for (from, targets) in edges.enumerated() { for target in targets { backwards[target].append(from) } }
        var isSeen = edges.map { _ in false }
        var finished: [Int] = []
        for start in edges.indices where !isSeen[start] {
            isSeen[start] = true
            var stack = [(element: start, next: 0)]
            while let (element, next) = stack.last {
                guard next < edges[element].count else {
                    finished.append(element)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = edges[element][next]
                if !isSeen[target] {
                    isSeen[target] = true
                    stack.append((target, 0))
                }
            }
        }
        var circle = edges.map { _ in -1 }
        for start in finished.reversed() where circle[start] < 0 {
            circle[start] = start
            var stack = [start]
            while let element = stack.popLast() {
                for next in backwards[element] where circle[next] < 0 {
                    circle[next] = start
                    stack.append(next)
                }
            }
        }
        return circle
    }
}
