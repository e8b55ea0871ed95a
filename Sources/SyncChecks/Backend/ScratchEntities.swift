import Foundation
public import SyncCore
import SyncFileBackend

/// Entities for remotes that accept any: with free and composite keys, sets and nested values.
public enum ScratchEntities {
    /// All entities.
    public static let all: [EntityDescriptor] = [
        EntityDescriptor(
            name: "scratch-note",
            typeName: "ScratchNote",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true),
                FieldDescriptor(name: "stars", type: .integer(minimum: 0, maximum: 9)),
                FieldDescriptor(name: "createdAt", type: .dateTime, isRequired: true),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["id"],
            strategy: .preserveLocal,
            created: "createdAt",
            updated: "updatedAt"
        ),
        EntityDescriptor(
            name: "scratch-shelf",
            typeName: "ScratchShelf",
            fields: [
                FieldDescriptor(name: "place", type: .uuid, isRequired: true),
                FieldDescriptor(name: "number", type: .integer(minimum: 0), isRequired: true),
                FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true), merge: .union),
                FieldDescriptor(name: "price", type: .decimal),
                FieldDescriptor(name: "updatedAt", type: .dateTime, isRequired: true),
            ],
            key: ["place", "number"],
            strategy: .setUnion,
            updated: "updatedAt"
        ),
    ]
}

/// A subject of in-memory remotes.
public final class MemorySubject: BackendSubject, @unchecked Sendable {
    /// The entities that the remotes accept.
    public let entities: [EntityDescriptor]
    private let limits: MemoryLimits
    private let flaws: Set<MemoryFlaw>
    // Guarded by `lock`.
    private var count = 0
    private let lock = NSLock()

    /// Makes a subject with the given entities.
    public convenience init(
        entities: [EntityDescriptor] = ScratchEntities.all,
        limits: MemoryLimits = MemoryLimits()
    ) {
        self.init(entities: entities, limits: limits, flaws: [])
    }

    package init(
        entities: [EntityDescriptor] = ScratchEntities.all,
        limits: MemoryLimits = MemoryLimits(),
        flaws: Set<MemoryFlaw>
    ) {
        (self.entities, self.limits, self.flaws) = (entities, limits, flaws)
    }

    /// Makes a remote with a unique name.
    public func makeRemote() async throws -> any ScratchRemote {
        let number = lock.withLock {
            count += 1
            return count
        }
        return MemoryRemote(name: "memory-\(number)", entities: entities, limits: limits, flaws: flaws)
    }
}

/// A subject of scratch folders within a folder.
public final class FolderSubject: BackendSubject, @unchecked Sendable {
    /// Makes a backend for a folder.
    public typealias MakeBackend = @Sendable (_ root: String) -> any RemoteBackend

    /// The entities that the remotes accept.
    public let entities: [EntityDescriptor]
    private let path: String
    private let pageRecords: Int
    private let makeBackend: MakeBackend
    // Guarded by `lock`.
    private var count = 0
    private let lock = NSLock()

    /// Makes a subject that creates folders named `conformance-1` and so on in the existing folder at `path`,
    /// and removes them. By default it uses the system's files; `pageRecords` is their page size.
    public init(
        path: String,
        entities: [EntityDescriptor] = ScratchEntities.all,
        pageRecords: Int = .max,
        makeBackend: MakeBackend? = nil
    ) {
        (self.path, self.entities, self.pageRecords) = (path, entities, pageRecords)
        self.makeBackend = makeBackend ?? { FolderBackend(root: $0) }
    }

    /// Creates a folder. Throws the system's error.
    public func makeRemote() async throws -> any ScratchRemote {
        let number = lock.withLock {
            count += 1
            return count
        }
        let root = "\(path)/conformance-\(number)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        return ScratchFolder(
            root: root,
            profile: .folder(pageRecords: pageRecords),
            makeBackend: makeBackend
        )
    }
}

/// A folder used only by the suite.
private struct ScratchFolder: ScratchRemote {
    let root: String
    let profile: SuiteProfile
    let makeBackend: FolderSubject.MakeBackend

    func backend(for device: DeviceID) async throws -> any RemoteBackend { makeBackend(root) }

    /// Simulates that another, empty drive is mounted in place of the folder.
    func restart() async throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: root) {
            try FileManager.default.removeItem(atPath: "\(root)/\(name)")
        }
    }

    func dispose() async throws { try FileManager.default.removeItem(atPath: root) }
}
