import Foundation

/// Limits the bytes of request bodies held at once, over all connections.
///
/// An account gets a quarter of them at most. An eighth of the total is reserved for bodies that are still
/// small, and an account gets a quarter of that as well. So large uploads do not block small ones.
final class BodyBudget: @unchecked Sendable {
    /// The bytes taken for one body, by pool.
    struct Share {
        fileprivate var account: String
        fileprivate var common = 0
        fileprivate var reserved = 0

        /// Makes an empty share for a body of an account.
        init(account: String) { self.account = account }

        /// All bytes of the body.
        var bytes: Int { common + reserved }
    }

    /// Why no bytes are available.
    enum BodyBudgetError: Error {
        /// The account has used its share.
        case account
        /// The server's budget is used up.
        case server
    }

    private struct Pool {
        var left: Int
        let perAccount: Int
        var taken: [String: Int] = [:]

        init(bytes: Int) {
            left = bytes
            perAccount = bytes / 4
        }

        mutating func take(_ bytes: Int, account: String) -> BodyBudgetError? {
            let held = taken[account] ?? 0
            if held + bytes > perAccount { return .account }
            if bytes > left { return .server }
            taken[account] = held + bytes
            left -= bytes
            return nil
        }

        mutating func give(_ bytes: Int, account: String) {
            guard bytes > 0 else { return }
            left += bytes
            let held = (taken[account] ?? 0) - bytes
            taken[account] = held > 0 ? held : nil
        }
    }

    private let smallBytes: Int
    private let lock = NSLock()
    // Both are guarded by `lock`.
    private var common: Pool
    private var reserve: Pool

    init(bytes: Int, smallBytes: Int = 64 * 1024) {
        self.smallBytes = smallBytes
        reserve = Pool(bytes: bytes / 8)
        common = Pool(bytes: bytes - bytes / 8)
    }

    /// Takes more bytes for a body. If there are not enough, throws and takes nothing.
    func take(_ bytes: Int, for share: inout Share) throws(BodyBudgetError) {
        let (lack, isReserved): (BodyBudgetError?, Bool) = lock.withLock {
            guard let lack = common.take(bytes, account: share.account) else { return (nil, false) }
            guard share.bytes + bytes <= smallBytes else { return (lack, false) }
            return (reserve.take(bytes, account: share.account), true)
        }
        if let lack { throw lack }
        if isReserved { share.reserved += bytes } else { share.common += bytes }
    }

    /// Returns all bytes of a body.
    func give(_ share: Share) {
        lock.withLock {
            common.give(share.common, account: share.account)
            reserve.give(share.reserved, account: share.account)
        }
    }
}
