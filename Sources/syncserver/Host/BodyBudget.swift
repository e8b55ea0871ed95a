import Foundation

/// The bytes of bodies that may be held at once, over all connections.
///
/// An account has a quarter of them at most. An eighth is kept for bodies that are small so far, and of that an account has a
/// quarter as well: whoever sends much does not keep those out who send little.
final class BodyBudget: @unchecked Sendable {
    /// Where bytes were taken from.
    struct Share {
        fileprivate var account: String
        fileprivate var common = 0
        fileprivate var reserved = 0

        /// Nothing yet, for a body of an account.
        init(account: String) { self.account = account }

        /// All bytes of the body.
        var bytes: Int { common + reserved }
    }

    /// Why there are no bytes.
    enum Lack: Error {
        /// The account has its share.
        case account
        /// There are no more for anybody.
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

        mutating func take(_ bytes: Int, account: String) -> Lack? {
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
    // Both guarded by `lock`.
    private var common: Pool
    private var reserve: Pool

    init(bytes: Int, smallBytes: Int = 64 * 1024) {
        self.smallBytes = smallBytes
        reserve = Pool(bytes: bytes / 8)
        common = Pool(bytes: bytes - bytes / 8)
    }

    /// Takes some bytes more for a body. Throws `Lack`, and nothing is taken, where there are not as many left for it.
    func take(_ bytes: Int, for share: inout Share) throws(Lack) {
        let (lack, isReserved): (Lack?, Bool) = lock.withLock {
            guard let lack = common.take(bytes, account: share.account) else { return (nil, false) }
            guard share.bytes + bytes <= smallBytes else { return (lack, false) }
            return (reserve.take(bytes, account: share.account), true)
        }
        if let lack { throw lack }
        if isReserved { share.reserved += bytes } else { share.common += bytes }
    }

    /// Gives all bytes of a body back.
    func give(_ share: Share) {
        lock.withLock {
            common.give(share.common, account: share.account)
            reserve.give(share.reserved, account: share.account)
        }
    }
}
