/// The version of EntitySync. Every program of the package prints it for `--version`.
public enum EntitySyncVersion {
    /// The present version as `MAJOR.MINOR.PATCH`. The article `Changes` begins with it.
    public static let current = "1.0.0"
}
