import SyncCore
import SyncFiles
import Synchronization

@testable import SyncFileBackend

/// Files in memory, with counters and faults. Links lead nowhere: a path through one is refused like a real one.
final class MemoryFileSystem: FileSystem {
    enum Node: Equatable {
        case folder
        case file([UInt8])
        case link
        case other
    }

    struct State {
        var nodes: [String: Node] = ["/": .folder, "/disk": .folder]
        var reads: [String] = []
        var writes: [String] = []
        var removals: [String] = []
        var largestRead = 0
        var largestPiece = 0
        var fault: Fault?
        var hasFailed = false
    }

    /// What goes wrong, and at which of the next writes and removals (counted from 0).
    struct Fault {
        var step: Int
        var kind: Kind

        enum Kind: CaseIterable {
            /// The process dies before anything of the write is on disk.
            case crashBefore
            /// The process dies after the temporary file, before the rename.
            case crashBeforeRename
            /// The process dies after the write.
            case crashAfter
            /// The medium lies: half of the file stands under its final name.
            case torn
            case noSpace
            case notPermitted
        }
    }

    /// The process died here.
    struct Crash: Error {}

    private let state = Mutex(State())

    init() {}

    init(copying other: MemoryFileSystem) {
        let nodes = other.nodes
        state.withLock { $0.nodes = nodes }
    }

    var nodes: [String: Node] {
        get { state.withLock { $0.nodes } }
        set { state.withLock { $0.nodes = newValue } }
    }
    var reads: [String] { state.withLock { $0.reads } }
    var writes: [String] { state.withLock { $0.writes } }
    /// The most bytes that were read at once.
    var largestRead: Int { state.withLock { $0.largestRead } }
    /// The most bytes that were written at once.
    var largestPiece: Int { state.withLock { $0.largestPiece } }
    func forgetCounts() {
        state.withLock {
            $0.reads = []
            $0.writes = []
            $0.removals = []
            $0.largestRead = 0
            $0.largestPiece = 0
        }
    }
    func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }
    /// Whether a fault ever came due.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func put(_ path: String, text: String) { nodes[path] = .file(Array(text.utf8)) }

    func kind(path: String) throws -> ObjectKind? {
        try state.withLock { state in
            var path = path
            if path.hasSuffix("/.") { path.removeLast(2) }
            if path.isEmpty { path = "/" }
            guard try stands(path: path, state: state) else { return nil }
            return switch state.nodes[path] {
            case nil: nil
            case .folder: .folder
            case .link: .link
            case .other: .other
            case .file(let bytes): .object(bytes: bytes.count)
            }
        }
    }

    func list(path: String) throws -> [String] {
        try state.withLock { state in
            guard try stands(path: path, state: state), let node = state.nodes[path] else {
                throw StorageError(place: path, kind: .notFound)
            }
            guard node == .folder else { throw StorageError(place: path, kind: .notAnObject) }
            let prefix = path == "/" ? "/" : path + "/"
            let count = prefix.utf8.count
            return state.nodes.keys.filter { $0.utf8.count > count && $0.utf8.starts(with: prefix.utf8) }
                .map { $0.utf8.dropFirst(count) }
                .filter { !$0.contains(UInt8(ascii: "/")) }
                .map { String(decoding: $0, as: UTF8.self) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    func read(path: String, maxBytes: Int) throws -> [UInt8] {
        try state.withLock { state in
            guard try stands(path: path, state: state), let node = state.nodes[path] else {
                throw StorageError(place: path, kind: .notFound)
            }
            guard case .file(let bytes) = node else { throw StorageError(place: path, kind: .notAnObject) }
            guard bytes.count <= maxBytes else { throw StorageError(place: path, kind: .tooLarge) }
            state.reads.append(path)
            state.largestRead = max(state.largestRead, bytes.count)
            return bytes
        }
    }

    func makeFolder(_ path: String) throws {
        try state.withLock { state in
            guard try stands(path: path, state: state) else {
                throw StorageError(place: path, kind: .notFound)
            }
            guard let node = state.nodes[path] else {
                state.nodes[path] = .folder
                return
            }
            if node != .folder { throw StorageError(place: path, kind: .exists) }
        }
    }

    func read(path: String, from offset: Int, count: Int) throws -> [UInt8] {
        try state.withLock { state in
            guard try stands(path: path, state: state), let node = state.nodes[path] else {
                throw StorageError(place: path, kind: .notFound)
            }
            guard case .file(let bytes) = node else { throw StorageError(place: path, kind: .notAnObject) }
            let part = Array(bytes.dropFirst(offset).prefix(count))
            state.reads.append(path)
            state.largestRead = max(state.largestRead, part.count)
            return part
        }
    }

    func draft(path: String) throws -> any FileDraft { Draft(disk: self, path: path) }

    /// Holds the pieces until the file gets its name.
    private final class Draft: FileDraft {
        let disk: MemoryFileSystem
        let path: String
        let pieces = Mutex<[[UInt8]]>([])

        init(disk: MemoryFileSystem, path: String) {
            self.disk = disk
            self.path = path
        }

        func write(_ bytes: [UInt8]) throws { pieces.withLock { $0.append(bytes) } }

        func commit(replaces: Bool) throws {
            try disk.finish(pieces.withLock { $0 }, path: path, replaces: replaces)
        }

        func discard() {}
    }

    private func finish(_ pieces: [[UInt8]], path: String, replaces: Bool) throws {
        let bytes = pieces.flatMap { $0 }
        let largest = pieces.map(\.count).max() ?? 0
        try state.withLock { state in
            state.largestPiece = max(state.largestPiece, largest)
            guard try stands(path: path, state: state) else {
                throw StorageError(place: path, kind: .notFound)
            }
            guard replaces || state.nodes[path] == nil else { throw StorageError(place: path, kind: .exists) }
            switch try due(state: &state) {
            case nil: state.nodes[path] = .file(bytes)
            case .crashBefore: throw Crash()
            case .crashBeforeRename:
                let slash = path.lastIndex(of: "/") ?? path.startIndex
                let temporary = "\(path[..<slash])/.tmp-\(path[path.index(after: slash)...])"
                state.nodes[temporary] = .file(Array(bytes.prefix(bytes.count / 2)))
                throw Crash()
            case .crashAfter:
                state.nodes[path] = .file(bytes)
                throw Crash()
            case .torn:
                state.nodes[path] = .file(Array(bytes.prefix(bytes.count / 2)))
                throw Crash()
            case .noSpace: throw StorageError(place: path, kind: .noSpace, number: 28)
            case .notPermitted: throw StorageError(place: path, kind: .notPermitted, number: 13)
            }
            state.writes.append(path)
        }
    }

    func remove(_ path: String) throws {
        try state.withLock { state in
            guard try stands(path: path, state: state) else { return }
            switch try due(state: &state) {
            case nil, .crashAfter: state.nodes[path] = nil
            case .noSpace, .notPermitted: throw StorageError(place: path, kind: .notPermitted, number: 13)
            case .crashBefore, .crashBeforeRename, .torn: throw Crash()
            }
            state.removals.append(path)
        }
    }

    /// The fault that is due at this step. A process that died stays dead until the test heals it.
    private func due(state: inout State) throws -> Fault.Kind? {
        guard let fault = state.fault else { return nil }
        if fault.step < 0 { throw Crash() }
        state.fault?.step -= 1
        guard fault.step == 0 else { return nil }
        state.hasFailed = true
        switch fault.kind {
        case .noSpace, .notPermitted: state.fault = nil
        default: break
        }
        return fault.kind
    }

    /// Whether every folder above the path is a folder.
    private func stands(path: String, state: State) throws -> Bool {
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            state.nodes[String(path[..<slash])] == .folder
        {
            return true
        }
        var prefix = ""
        for step in path.split(separator: "/").dropLast() {
            prefix += "/\(step)"
            switch state.nodes[prefix] {
            case .folder: continue
            case nil: return false
            default: throw StorageError(place: path, kind: .notAnObject)
            }
        }
        return true
    }
}
