/// A copy of a disk or a part of it, as a program would read it. Copy-on-write.
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
    /// Copies everything below a path, by default the whole disk. A missing path gives an empty copy. It is
    /// not a step and works while the machine is off. Locks and SQLite's shared memory are not copied.
    public func snapshot(of path: String = "/") -> DiskSnapshot {
        core.locked { core in
            // A missing path has nothing to copy.
            guard let node = try? core.node(path: path) else { return DiskSnapshot(path: path, content: nil) }
            return DiskSnapshot(path: path, content: DiskSnapshot.Content(node))
        }
    }

    /// Replaces the content of a path, by default the original one, with a copy. The content counts as
    /// synced. Missing parent folders are created. It is not a step.
    ///
    /// Close connections to the replaced files first. They would otherwise continue with files that are no
    /// longer visible.
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
