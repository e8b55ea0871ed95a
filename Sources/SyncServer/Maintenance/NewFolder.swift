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

    /// Fills a folder of another name, and gives it its name when that is done. An empty folder in its place is
    /// replaced. Makes missing folders above it. If it throws, none of this is left; what the system refuses to remove
    /// then is removed by the next call.
    ///
    /// - Parameter fill: Writes into the folder with the path that it gets.
    func make<Result>(fill: (_ partial: String) throws -> Result) throws -> Result {
        // NB: '.' and '..' are no names: '..partial' would be filled and could not be moved.
        guard !["", ".", ".."].contains(path.split(separator: "/").last ?? "") else {
            throw SyncError.noNewFolder()
        }
        guard try isFree() else { throw SyncError.placeIsTaken() }
        let partial = path + ".partial"
        try removeLeftover(partial)
        let parents = try DurableFiles.makeParents(of: path)
        do {
            try DurableFiles.makeFolder(path: partial)
            try DurableFiles.write([], to: partial + Self.mark)
            let result = try fill(partial)
            try DurableFiles.flush(path: partial)
            try giveName(to: partial)
            // Last, so that at every moment before it the next call knows what an interrupted one has left.
            try DurableFiles.remove(path: path + Self.mark)
            return result
        } catch {
            // With its mark, the next call removes what cannot be removed now.
            try? DurableFiles.write([], to: partial + Self.mark)
            try? remove(partial)
            DurableFiles.removeEmpty(folders: parents)
            throw error
        }
    }

    /// The file that shows that a folder is being filled. It is empty.
    private static let mark = "/incomplete"

    /// Whether there is nothing at the path, or an empty folder. Removes what an interrupted call has left there.
    private func isFree() throws -> Bool {
        switch try DurableFiles.kind(of: path) {
        case .nothing: return true
        case .folder:
            if try isMarked(path) {
                try remove(path)
                return true
            }
            return DurableFiles.contents(of: path)?.isEmpty == true
        case .file, .other: return false
        }
    }

    /// Removes what an interrupted call has left: a folder with the mark, or an empty one. Anything else is refused: it
    /// may be a backup of that name.
    private func removeLeftover(_ partial: String) throws {
        let kind = try DurableFiles.kind(of: partial)
        if kind == .nothing { return }
        guard kind == .folder, let names = DurableFiles.contents(of: partial),
            try names.isEmpty || isMarked(partial)
        else { throw SyncError.partialIsTaken(name: String(partial.split(separator: "/").last ?? "")) }
        try remove(partial)
    }

    private func isMarked(_ folder: String) throws -> Bool {
        let mark = folder + Self.mark
        return try DurableFiles.kind(of: mark) == .file && DurableFiles.size(path: mark) == 0
    }

    /// Removes a folder, its mark last: if that is interrupted, the rest is still known.
    private func remove(_ partial: String) throws {
        guard try DurableFiles.kind(of: partial) == .folder else { return }
        for name in DurableFiles.names(in: partial) where "/" + name != Self.mark {
            try DurableFiles.remove(path: partial + "/" + name)
        }
        try DurableFiles.remove(path: partial)
    }

    /// Gives a filled folder its name. If it throws, the folder has its former one.
    private func giveName(to partial: String) throws {
        do { try DurableFiles.move(path: partial, to: path) } catch {
            // NB: the folder may have its name already, and only the disk may not know it yet.
            if !DurableFiles.exists(path: partial) { try? DurableFiles.move(path: path, to: partial) }
            throw error
        }
    }
}

extension SyncError {
    /// There is something in the place where a new folder is filled before it gets its name.
    fileprivate static func partialIsTaken(name: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is something at the place of '\(name)' already, where the new folder is filled.",
            help:
                "Name another folder; or look into '\(name)', and remove it if an interrupted command has left it."
        )
    }
}
