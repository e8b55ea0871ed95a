/// The version of EntitySync, which every program of the package prints for `--version`.
public enum EntitySyncVersion {
    /// The present version: `MAJOR.MINOR.PATCH`. The article `Changes` of the documentation begins with it.
    public static let current = "1.0.0"
}
