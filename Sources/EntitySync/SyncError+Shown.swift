import SyncAccounts
public import SyncCore
import SyncRuntime

extension SyncError {
    /// Converts any error to one that can be shown, with a sentence and advice.
    ///
    /// ```swift
    /// do { try await accounts.signOut(.requireSynced) } catch { alert = SyncError(shown: error) }
    /// ```
    ///
    /// A `SyncError` stays as it is. For any other error, such as one that a closure of the app threw, only its type
    /// is named: its text may be private.
    public init(shown error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as ImportError: self = error.summary
        case let refusal as UnsentRecords: self = .unsent(refusal: refusal)
        default:
            self.init(
                kind: .inputOutput,
                message: "The operation failed with an error of type \(type(of: error)).",
                help: "Try again; if it stays, report it with what was done before.",
                retry: .later
            )
        }
    }
}
