import EntitySync
import Foundation
import SyncCore

/// The account of a store, according to its files.
enum StoreAccount: String {
    /// The store is not managed by an account set; only the token identifies the account.
    case none
    /// No account is signed in.
    case guest
    /// An account is signed in.
    case signedIn
    /// A former account, or a guest that is not in use; its store was kept.
    case notInUse
    /// The remote denies the account access until a person acts.
    case paused
    /// The account index next to the store is unreadable.
    case unreadable

    /// Reads the account index of a managed store: `accounts/index.json` for `accounts/FOLDER/store.sqlite`.
    init(storePath: String, entities: [EntityDescriptor]) {
        let folder = URL(fileURLWithPath: storePath).standardizedFileURL.deletingLastPathComponent()
        // NB: account folders are named by a UUID; next to any other folder, `index.json` is a foreign file.
        guard UUID(uuidString: folder.lastPathComponent) != nil else {
            self = .none
            return
        }
        let root = folder.deletingLastPathComponent().path(percentEncoded: false)
        do {
            let place = try AccountFiles(root: root, entities: entities).account(in: folder.lastPathComponent)
            self = place.map { $0.isInUse ? ($0.account.isGuest ? .guest : .signedIn) : .notInUse } ?? .none
        } catch {
            self = .unreadable
        }
    }

    /// The state as in the runtime.
    var forRuntime: SyncStatus.Account {
        switch self {
        case .none, .guest, .unreadable: .guest
        case .signedIn, .notInUse: .signedIn
        case .paused: .paused
        }
    }

    /// The state as text.
    var text: String {
        switch self {
        case .none: "not used"
        case .guest: "guest"
        case .signedIn: "signed in"
        case .notInUse: "kept, another one is in use"
        case .paused: "paused, the server does not let it in"
        case .unreadable: "not known, the index of accounts cannot be read"
        }
    }
}
