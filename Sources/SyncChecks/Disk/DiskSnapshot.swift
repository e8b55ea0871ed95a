/// A copy of a disk or of a part of it, as a program would have read it. It shares memory with the disk until one of both
/// changes.
public struct DiskSnapshot: Sendable, Hashable {
    let path: String
    let content: Content?

    indirect enum Content: Sendable, Hashable {
        case file([UInt8])
        case folder([String: Content])
    }

    /// The files with their paths on the disk.
    public var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        func visit(_ content: Content, path: String) {
            switch content {
            case .file(let bytes): files[path] = bytes
            case .folder(let names):
                for (name, next) in names { visit(next, path: path == "/" ? "/\(name)" : "\(path)/\(name)") }
            }
        }
        if let content { visit(content, path: path) }
        return files
    }
}

extension SimulatedDisk {
    /// Copies what stands at a path, by default everything; nothing is a copy, too. No step; works on a machine that is
    /// off. Locks and SQLite's shared memory are not part of it.
    public func snapshot(of path: String = "/") -> DiskSnapshot {
        core.locked { core in
            // Where no path leads, there is nothing to copy.
            guard let node = try? core.node(path: path) else { return DiskSnapshot(path: path, content: nil) }
            return DiskSnapshot(path: path, content: DiskSnapshot.Content(node))
        }
    }

    /// Puts a copy in the place of what stands at its path, or at another one, as if it had been on the medium for long.
    /// The folder above is made where it is missing. No step.
    ///
    /// Connections to files that it replaces must be closed before: they would go on with files that nobody else sees.
    public func restore(_ snapshot: DiskSnapshot, to path: String? = nil) {
        core.locked { core in
            let node = snapshot.content.map { core.node(content: $0, name: "") }
            var names = (path ?? snapshot.path).split(separator: "/").map(String.init)
            guard let last = names.popLast() else {
                if case .folder(let folder)? = node {
                    core.root = folder
                } else {
                    core.root = core.emptyFolder()
                }
                return
            }
            var folder = core.root
            for name in names {
                if case .folder(let next)? = folder.names[name] {
                    folder = next
                } else {
                    let made = core.emptyFolder()
                    folder.place(name, node: .folder(made))
                    folder = made
                }
            }
            folder.place(last, node: node)
        }
    }
}

extension DiskSnapshot.Content {
    fileprivate init(_ node: DiskNode) {
        switch node {
        case .file(let file): self = .file(file.written)
        case .folder(let folder): self = .folder(folder.names.mapValues { Self($0) })
        }
    }
}

extension DiskCore {
    fileprivate func emptyFolder() -> DiskFolder { DiskFolder(number: nextNumber()) }

    fileprivate func node(content: DiskSnapshot.Content, name: String) -> DiskNode {
        switch content {
        case .file(let bytes): return .file(DiskFile(number: nextNumber(), name: name, bytes: bytes))
        case .folder(let names):
            var nodes: [String: DiskNode] = [:]
            // Sorted, so that equal copies get equal numbers.
            for (name, content) in names.sorted(by: { $0.key < $1.key }) {
                nodes[name] = node(content: content, name: name)
            }
            return .folder(DiskFolder(number: nextNumber(), names: nodes))
        }
    }
}
