/// The graph of references between entities.
struct ReferenceGraph {
    let edges: [String: [String]]
    /// The component of each entity. Entities of one component reach each other.
    private let component: [String: Int]
    /// The number of entities in each component.
    private let size: [Int: Int]

    init(edges: [String: [String]]) {
        self.edges = edges
        component = Self.components(edges: edges)
        size = component.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// The number of entities on the cycle that a reference closes; nil if it closes none.
    func circle(from child: String, to parent: String) -> Int? {
        guard let number = component[child], number == component[parent] else { return nil }
        return size[number]
    }

    /// The shortest path along references, including both ends; nil if there is none. Among equally short
    /// paths, the first in file order.
    func shortestPath(from start: String, to end: String) -> [String]? {
        guard let circle = component[start], circle == component[end] else { return nil }
        var cameFrom: [String: String] = [:]
        var queue = [start]
        var index = 0
        while index < queue.count, queue[index] != end {
            for next in edges[queue[index]] ?? []
            where component[next] == circle && next != start && cameFrom[next] == nil {
                cameFrom[next] = queue[index]
                queue.append(next)
            }
            index += 1
        }
        guard index < queue.count else { return nil }
        var path = [end]
        while let last = path.last, last != start, let before = cameFrom[last] { path.append(before) }
        return path.reversed()
    }

    /// Strongly connected components (Kosaraju): entities in order of completion, then the reversed graph.
    /// Both searches use explicit stacks, so that a long chain of entities cannot overflow the call stack.
    private static func components(edges: [String: [String]]) -> [String: Int] {
        var backwards: [String: [String]] = [:]
        for (from, targets) in edges {
            for target in targets { backwards[target, default: []].append(from) }
        }
        var seen: Set<String> = []
        var order: [String] = []
        for start in edges.keys where seen.insert(start).inserted {
            var stack = [(start, 0)]
            while let (node, next) = stack.last {
                let targets = edges[node] ?? []
                if next < targets.count {
                    stack[stack.count - 1].1 += 1
                    if seen.insert(targets[next]).inserted { stack.append((targets[next], 0)) }
                } else {
                    order.append(node)
                    stack.removeLast()
                }
            }
        }
        var component: [String: Int] = [:]
        for (number, start) in order.reversed().enumerated() where component[start] == nil {
            component[start] = number
            var stack = [start]
            while let node = stack.popLast() {
                for next in backwards[node] ?? [] where component[next] == nil {
                    component[next] = number
                    stack.append(next)
                }
            }
        }
        return component
    }
}
