import ArgumentParser

/// Options that name a file or folder.
enum PathOption {
    /// Refuses an empty path, which is what a script passes whose variable has no value.
    static func check(_ path: String?, name: String) throws {
        if path == "" { throw ValidationError("The path after '\(name)' is empty.") }
    }
}
