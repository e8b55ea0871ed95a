import Foundation
import SyncSQLite
import SyncWire

extension StorageFailure {
    /// What an SQLite error says about the storage; nil if it says nothing about it.
    init?(_ error: SQLiteError) {
        guard error.isFull || error.isIOError || error.cantOpen || error.isReadOnly else { return nil }
        switch error.systemErrorNumber {
        case _ where error.isFull: self = .full
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS: self = .readOnly
        case EACCES, EPERM: self = .notPermitted
        case ENOENT, ENOTDIR: self = .missing
        case _ where error.isReadOnly: self = .readOnly
        default: self = .failed
        }
    }
}
