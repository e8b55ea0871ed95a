import Foundation

/// The state of a simulated disk: files, names, step count and scheduled faults. Shared by all interfaces.
///
/// All functions except `locked` require the lock.
final class DiskCore: @unchecked Sendable {
    // All guarded by `lock`.
    var root = DiskFolder(number: 0)
    var seed: Seed
    /// The number of changes to the disk so far.
    var steps = 0
    /// The number of restarts. Everything opened before the last one is dead.
    var generation = 0
    var isDead = false
    var crashStep: Int?
    var crashedIn: String?
    var failures: [Int: DiskFault] = [:]
    var capacity: Int?
    var isReadOnly = false
    /// Leases by file number. They end with their process.
    var leases: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    private let flaws: Set<DiskFlaw>
    private let lock = NSLock()

    init(seed: UInt64, flaws: Set<DiskFlaw>) {
        self.seed = Seed(seed)
        self.flaws = flaws
    }

    func locked<Result, Failure: Error>(
        body: (DiskCore) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(self)
    }

    /// A number that was never used on this disk.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Throws if the machine is off, or was restarted since `generation`.
    func checkAlive(_ generation: Int? = nil) throws(DiskError) {
        if isDead || generation.map({ $0 != self.generation }) == true { throw DiskError(EIO) }
    }
}

/// Thrown for a refused disk operation, with a real error number.
struct DiskError: Error {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }
}

extension DiskFault {
    fileprivate var number: Int32 {
        switch self {
        case .inputOutput: EIO
        case .noSpace: ENOSPC
        }
    }
}

extension DiskCore {
    /// Makes an empty file.
    func create(_ name: String, in folder: DiskFolder) throws(DiskError) -> DiskFile {
        try step("make \(name)")
        let file = DiskFile(number: nextNumber(), name: name)
        folder.set(name, node: .file(file))
        return file
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: DiskFile, at offset: Int) throws(DiskError) {
        try step("write \(bytes.count) bytes of \(file.name) at \(offset)")
        let growth = offset + bytes.count - file.written.count
        let missing = growth > 0 ? growth - room : 0
        guard missing > 0 else { return file.write(bytes, at: offset) }
        // A full disk stores the part that fits.
        let fitting = bytes.count - missing
        if fitting > 0 { file.write(UnsafeRawBufferPointer(rebasing: bytes[..<fitting]), at: offset) }
        throw DiskError(ENOSPC)
    }

    func truncate(_ file: DiskFile, to length: Int) throws(DiskError) {
        try step("cut \(file.name) to \(length) bytes")
        if length > file.written.count, length - file.written.count > room { throw DiskError(ENOSPC) }
        file.truncate(to: length)
    }

    func sync(_ file: DiskFile) throws(DiskError) {
        try step("sync \(file.name)")
        if !flaws.contains(.ignoresFileSync) { file.sync() }
    }

    func sync(_ folder: DiskFolder) throws(DiskError) {
        try step("sync a folder")
        if !flaws.contains(.ignoresFolderSync) { folder.sync() }
    }

    /// Removes the name of a file. An open file continues to exist without it.
    func remove(_ name: String, in folder: DiskFolder) throws(DiskError) {
        try step("remove \(name)")
        folder.clear(name)
    }

    func rename(_ name: String, to other: String, in folder: DiskFolder) throws(DiskError) {
        try step("rename \(name) to \(other)")
        folder.move(name, to: other)
    }

    /// Creates a hard link.
    func link(_ file: DiskFile, as name: String, in folder: DiskFolder) throws(DiskError) {
        try step("link \(file.name) as \(name)")
        folder.set(name, node: .file(file))
    }

    func makeFolder(_ name: String, in folder: DiskFolder) throws(DiskError) -> DiskFolder {
        try step("make the folder \(name)")
        let made = DiskFolder(number: nextNumber())
        folder.set(name, node: .folder(made))
        return made
    }

    /// Counts a step that changes the disk, or fails if a fault is due.
    private func step(_ description: @autoclosure () -> String) throws(DiskError) {
        try checkAlive()
        if isReadOnly { throw DiskError(EROFS) }
        steps += 1
        if let crashStep, steps >= crashStep {
            isDead = true
            crashedIn = description()
            throw DiskError(EIO)
        }
        if let fault = failures.removeValue(forKey: steps) { throw DiskError(fault.number) }
    }

    /// The number of bytes that can still be written.
    private var room: Int {
        guard let capacity else { return .max }
        return max(0, capacity - Self.bytes(in: .folder(root)))
    }

    /// The size of all files in a node and below.
    static func bytes(in node: DiskNode) -> Int {
        switch node {
        case .file(let file): file.written.count
        case .folder(let folder): folder.names.values.reduce(0) { $0 + bytes(in: $1) }
        }
    }
}

extension DiskCore {
    /// The node at a path; nil if there is none. Throws if a parent is not a folder.
    func node(path: String) throws(DiskError) -> DiskNode? {
        var node = DiskNode.folder(root)
        for name in try Self.split(path: path) {
            guard case .folder(let folder) = node else { throw DiskError(ENOTDIR) }
            guard let next = folder.names[name] else { return nil }
            node = next
        }
        return node
    }

    /// The parent folder and the last component of a path.
    func place(path: String) throws(DiskError) -> (folder: DiskFolder, name: String) {
        var steps = try Self.split(path: path)
        guard let name = steps.popLast() else { throw DiskError(ENOENT) }
        return (try folder(steps: steps), name)
    }

    /// The folder at a path.
    func folder(path: String) throws(DiskError) -> DiskFolder {
        try folder(steps: Self.split(path: path))
    }

    /// Creates the missing folders of a path. Their names are synced at once.
    func makeFolders(_ path: String) throws(DiskError) -> DiskFolder {
        var folder = root
        for name in try Self.split(path: path) {
            switch folder.names[name] {
            case .folder(let next)?: folder = next
            case .file?: throw DiskError(ENOTDIR)
            case nil:
                let made = try makeFolder(name, in: folder)
                try sync(folder)
                folder = made
            }
        }
        return folder
    }

    private func folder(steps: [String]) throws(DiskError) -> DiskFolder {
        var folder = root
        for name in steps {
            switch folder.names[name] {
            case .folder(let next)?: folder = next
            case .file?: throw DiskError(ENOTDIR)
            case nil: throw DiskError(ENOENT)
            }
        }
        return folder
    }

    private static func split(path: String) throws(DiskError) -> [String] {
        let steps = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0 != "." }
        if steps.contains(where: { $0 == ".." || $0.utf8.contains(0) }) { throw DiskError(ENOENT) }
        return steps
    }
}
