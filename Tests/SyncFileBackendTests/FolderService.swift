import SyncCore

@testable import SyncFileBackend

/// A folder service that brings files from disk to disk one by one, late and in any order, removals included.
/// Each device folder has one writer, so its own disk is the truth.
struct FolderService {
    let home = "/disk/shared/entitysync"
    let disks: [DeviceID: MemoryFileSystem]

    /// Brings each missing change with the given chance; 1 brings all.
    func deliver(chance: Double, random: inout SeededRandom) {
        for (writer, source) in disks.sorted(by: { $0.key < $1.key }) {
            let prefix = "\(home)/\(writer)"
            let truth = source.nodes.filter { $0.key == prefix || $0.key.hasPrefix(prefix + "/") }
            for (reader, target) in disks.sorted(by: { $0.key < $1.key }) where reader != writer {
                var nodes = target.nodes
                for path in Set(truth.keys).union(nodes.keys).sorted()
                where (path == prefix || path.hasPrefix(prefix + "/")) && nodes[path] != truth[path] {
                    guard Double.random(in: 0..<1, using: &random) < chance else { continue }
                    for folder in ["/disk/shared", home, prefix] { nodes[folder] = .folder }
                    nodes[path] = truth[path]
                }
                target.nodes = nodes
            }
        }
    }
}
