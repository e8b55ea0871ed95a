import SyncCore

/// Makes a folder that exists only with its whole content.
struct NewFolder {
    /// The folder's path.
    let path: String

    /// The path without slashes at its end.
    static func literal(path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Fills a folder of another name, and gives it its name when that is done. Makes missing folders above it. If it
    /// throws, none of this is left.
    ///
    /// - Parameter fill: Writes into the folder with the path that it gets.
    func make<Result>(fill: (_ partial: String) throws -> Result) throws -> Result {
        // NB: '.' and '..' are no names: '..partial' would be filled and could not be moved.
        guard !["", ".", ".."].contains(path.split(separator: "/").last ?? "") else {
            throw SyncError.noNewFolder()
        }
        guard !DurableFiles.exists(path: path) || DurableFiles.names(in: path).isEmpty else {
            throw SyncError.placeIsTaken()
        }
        let partial = path + ".partial"
        try removeLeftover(partial)
        let parents = try DurableFiles.makeParents(of: path)
        do {
            try DurableFiles.makeFolder(path: partial)
            try DurableFiles.write([], to: partial + Self.mark)
            let result = try fill(partial)
            try DurableFiles.remove(path: partial + Self.mark)
            try DurableFiles.flush(path: partial)
            try DurableFiles.move(path: partial, to: path)
            return result
        } catch {
            // What cannot be removed now is removed by the next call.
            try? removeLeftover(partial)
            DurableFiles.removeEmpty(folders: parents)
            throw error
        }
    }

    /// The file that shows that a folder is being filled.
    private static let mark = "/incomplete"

    /// Removes what an interrupted call has left. Any other folder is refused.
    private func removeLeftover(_ partial: String) throws {
        let names = DurableFiles.names(in: partial)
        guard
            names.isEmpty || names.contains("incomplete") || names.contains(ServerBackupManifest.fileName)
                || names.contains(AccountExport.manifestName)
        else { throw SyncError.placeIsTaken() }
        try DurableFiles.remove(path: partial)
    }
}
