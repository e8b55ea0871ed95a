import Foundation
import SyncCore

/// A temporary folder that is removed when its owner releases it.
final class TemporaryFolder: Sendable {
    let path: String

    /// Makes a new folder. Throws `SyncError` when none can be made below `parent`.
    init(in parent: String, random: any RandomSource) throws {
        path = try Self.make(in: parent, random: random)
    }

    deinit { remove() }

    /// Removes the folder with its content. Idempotent. The system removes later what cannot be removed now.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    private static func make(in parent: String, random: any RandomSource) throws -> String {
        // Two spaces with the same seed ask for the same name; the later one takes the next name.
        for _ in 0..<1000 {
            let path = parent + "/entitysync-" + String(random.next(), radix: 36)
            do {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
                return path
            } catch {
                guard FileManager.default.fileExists(atPath: path) else { throw SyncError.noFolder() }
            }
        }
        throw SyncError.noFolder()
    }
}
