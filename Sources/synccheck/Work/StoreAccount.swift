import EntitySync
import Foundation

/// Whose data a store holds, as far as its files tell.
enum StoreAccount: String {
    /// The store belongs to no set of accounts; a token alone says who syncs it.
    case none
    /// Nobody is signed in.
    case guest
    /// Somebody is.
    case signedIn
    /// The account was left, or the guest is not the one in use; the store is kept.
    case notInUse
    /// The remote does not let the account in until a person acts.
    case paused
    /// The index of accounts beside the store cannot be read.
    case unreadable

    /// Looks where a store of accounts has its index: `accounts/index.json` for `accounts/FOLDER/store.sqlite`.
    init(storePath: String, entities: [EntityDescriptor]) {
        let folder = URL(fileURLWithPath: storePath).standardizedFileURL.deletingLastPathComponent()
        // NB: folders of accounts are named by a UUID; an `index.json` beside any other folder is somebody else's.
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

    /// The state in the runtime's terms.
    var forRuntime: SyncStatus.Account {
        switch self {
        case .none, .guest, .unreadable: .guest
        case .signedIn, .notInUse: .signedIn
        case .paused: .paused
        }
    }

    /// The state for people.
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
