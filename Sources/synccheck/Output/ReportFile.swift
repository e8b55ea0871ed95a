import EntitySync
import Foundation

/// The output file of a report.
struct ReportFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// Checks early that the file can be written, before a long simulation. Throws `SyncError`.
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

    /// Writes or replaces the file.
    func write(_ text: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw SyncError.cannotWrite(path: path, error: error)
        }
    }
}
