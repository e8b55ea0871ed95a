import Foundation

/// The disk itself: files, names, the count of steps, and what is to go wrong. Shared by all ways of reaching it.
///
/// Everything but `locked` is called with the lock held.
final class DiskCore: @unchecked Sendable {
    // All guarded by `lock`.
    var root = DiskFolder(number: 0)
    var seed: Seed
    /// Counts what ever changed the disk.
    var steps = 0
    /// Counts restarts; what was opened before the last one is dead.
    var generation = 0
    var isDead = false
    var crashStep: Int?
    var crashedIn: String?
    var failures: [Int: DiskFault] = [:]
    var capacity: Int?
    var isReadOnly = false
    /// Leases by the number of their file, gone with their process.
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

    /// A number that nothing on this disk had before.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Throws where the machine is off, or where it was restarted since `generation`.
    func checkAlive(_ generation: Int? = nil) throws(DiskError) {
        if isDead || generation.map({ $0 != self.generation }) == true { throw DiskError(EIO) }
    }
}

/// An operation that the disk refused, with the error number of a real one.
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
        // A full disk takes what fits.
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

    /// Takes away the name of a file. A file that is open lives on without it.
    func remove(_ name: String, in folder: DiskFolder) throws(DiskError) {
        try step("remove \(name)")
        folder.clear(name)
    }

    func rename(_ name: String, to other: String, in folder: DiskFolder) throws(DiskError) {
        try step("rename \(name) to \(other)")
        folder.move(name, to: other)
    }

    /// Gives a file a second name.
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

    /// Counts a step that changes the disk, unless it is the one at which something goes wrong.
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

    /// Bytes that may still be written.
    private var room: Int {
        guard let capacity else { return .max }
        return max(0, capacity - Self.bytes(in: .folder(root)))
    }

    /// The length of all files in a node and below.
    static func bytes(in node: DiskNode) -> Int {
        switch node {
        case .file(let file): file.written.count
        case .folder(let folder): folder.names.values.reduce(0) { $0 + bytes(in: $1) }
        }
    }
}

extension DiskCore {
    /// What stands at a path; nil when nothing does. Throws where a step on the way is no folder.
    func node(path: String) throws(DiskError) -> DiskNode? {
        var node = DiskNode.folder(root)
        for name in try Self.split(path: path) {
            guard case .folder(let folder) = node else { throw DiskError(ENOTDIR) }
            guard let next = folder.names[name] else { return nil }
            node = next
        }
        return node
    }

    /// The folder that holds a path's last step, and that step.
    func place(path: String) throws(DiskError) -> (folder: DiskFolder, name: String) {
        var steps = try Self.split(path: path)
        guard let name = steps.popLast() else { throw DiskError(ENOENT) }
        return (try folder(steps: steps), name)
    }

    /// The folder at a path.
    func folder(path: String) throws(DiskError) -> DiskFolder {
        try folder(steps: Self.split(path: path))
    }

    /// Makes the folders of a path as far as they are missing; each name is on the medium then.
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
