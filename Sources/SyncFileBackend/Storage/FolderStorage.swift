package import SyncCore
package import SyncFiles

/// A folder of a file system as object storage: a key is the path of a file below the folder.
package struct FolderStorage: ObjectStorage {
    package let maxConcurrentCalls: Int
    /// The folder, without a slash at its end.
    private let path: String
    private let files: any FileSystem
    /// Where blocking calls run; nil if calls do not block. Each folder has its own queue, so that a hanging drive
    /// blocks no other folder.
    private let queue: BlockingQueue?
    /// What coordinates calls with the service that fills the folder, if any.
    private let downloads: FolderDownloads?

    /// The folder at `path`, which may be a link and need not exist yet. Without a queue, calls run on the caller's
    /// thread.
    package init(
        path: String,
        files: any FileSystem,
        maxConcurrentCalls: Int,
        queue: BlockingQueue? = nil,
        downloads: FolderDownloads? = nil
    ) {
        self.path = POSIXFileSystem.trimmed(path: path)
        self.downloads = downloads
        self.files = files
        self.maxConcurrentCalls = maxConcurrentCalls
        self.queue = queue
    }

    /// The system's folder at `path`. Nothing outside of it is accessed.
    package init(path: String, downloads: FolderDownloads? = nil) {
        self.init(
            path: path,
            files: POSIXFileSystem(confinedTo: path),
            maxConcurrentCalls: Self.maxDiskCalls,
            queue: BlockingQueue(maxThreads: Self.maxDiskCalls),
            downloads: downloads
        )
    }

    /// A network drive serves several calls at once; a local disk gains nothing from more.
    private static let maxDiskCalls = 8

    package var refusesFlush: Bool { files.refusesFlush }

    package func root() async throws -> StorageRoot {
        try await run { [self] in
            switch try files.kind(path: path) {
            case nil: try files.kind(path: parent + "/.") == .folder ? .absent : .withoutParent
            case .folder: .present
            // The user chose the link: its target is the root.
            case .link:
                switch try files.kind(path: path + "/.") {
                case .folder: .present
                case nil: .away
                default: .notAFolder
                }
            case .object, .other, .unreadable: .notAFolder
            }
        }
    }

    package func prepare(prefix: String) async throws {
        try await run { [self] in
            let folder = location(prefix: prefix)
            switch try files.kind(path: folder) {
            case nil, .folder: try files.makeFolder(folder)
            case .link: if !prefix.isEmpty { throw StorageError(place: folder, kind: .isLink) }
            case .object, .other, .unreadable: throw StorageError(place: folder, kind: .notAFolder)
            }
        }
    }

    package func list(prefix: String) async throws -> [ObjectEntry]? {
        try await run { [self] in
            let folder = location(prefix: prefix)
            switch try files.kind(path: folder) {
            case nil: return nil
            case .link where !prefix.isEmpty: throw StorageError(place: folder, kind: .isLink)
            case .object, .other, .unreadable: throw StorageError(place: folder, kind: .notAFolder)
            // A path with a trailing slash is resolved through a link, and only the root may be one.
            case .link: return try files.entries(path: folder + "/.")
            case .folder: break
            }
            do {
                return try files.entries(path: folder)
            } catch let error as StorageError where error.kind == .notFound {
                return nil
            }
        }
    }

    package func get(_ key: String, maxBytes: Int) async throws -> [UInt8] {
        try await run(key, access: .reading) { [self] in
            try files.read(path: location(key: key), maxBytes: maxBytes)
        }
    }

    package func get(_ key: String, range: Range<Int>) async throws -> [UInt8] {
        try await run(key, access: .reading) { [self] in
            try files.read(path: location(key: key), from: range.lowerBound, count: range.count)
        }
    }

    package func put(
        _ key: String,
        ifAbsent: Bool,
        body: (ObjectWriter) async throws -> Void
    ) async throws {
        let draft = try await run { [self] in try files.draft(path: location(key: key)) }
        do {
            try await body(ObjectWriter { bytes in try await run { try draft.write(bytes) } })
        } catch {
            try await run { draft.discard() }
            throw error
        }
        try await run(key, access: .replacing) { try draft.commit(replaces: !ifAbsent) }
    }

    package func delete(_ key: String) async throws {
        try await run(key, access: .deleting) { [self] in try files.remove(location(key: key)) }
    }

    /// The folder that holds the root.
    var parent: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    /// The file of a key.
    private func location(key: String) -> String { path == "/" ? "/\(key)" : "\(path)/\(key)" }

    /// The folder of a prefix.
    func location(prefix: String) -> String {
        prefix.isEmpty ? path : location(key: String(prefix.dropLast()))
    }

    /// Runs work on the file of a key, coordinated with the service that fills the folder.
    private func run<Value: Sendable>(
        _ key: String,
        access: DownloadService.Access,
        work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let downloads else { return try await run(work: work) }
        return try await run { [self] in
            try downloads.coordinate(path: location(key: key), access: access, body: work)
        }
    }

    private func run<Value: Sendable>(work: @escaping @Sendable () throws -> Value) async throws -> Value {
        guard let queue else { return try work() }
        return try await queue.run(work)
    }
}
