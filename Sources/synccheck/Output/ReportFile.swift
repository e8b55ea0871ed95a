import EntitySync
import Foundation

/// The file that a report goes to.
struct ReportFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// Throws where the file could never be written, before a long work begins.
    func checkFolder() throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw SyncError.cannotWrite(path: path, error: POSIXError(.ENOENT))
        }
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw SyncError.cannotWrite(path: path, error: POSIXError(.EISDIR))
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw SyncError.cannotWrite(path: path, error: POSIXError(.EACCES))
        }
    }

    /// Writes the file, or replaces it.
    func write(_ text: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw SyncError.cannotWrite(path: path, error: error)
        }
    }
}
