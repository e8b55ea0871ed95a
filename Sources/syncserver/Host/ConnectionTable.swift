#if Server
    import Foundation
    import NIOCore

    /// The open connections. It decides which ones to close when their number reaches the limit.
    ///
    /// A connection is unauthenticated until a request on it is admitted for an account. Unauthenticated
    /// connections have a short time for that and a limit for each peer. They are closed first when all
    /// places are taken. An account gets half of the places at most.
    final class ConnectionTable: @unchecked Sendable {
        private struct Entry {
            let number: UInt64
            let channel: any Channel
            let peer: String
            let openedAt: NIODeadline
            var account: String?
            /// The start of the time limit for the first request of an account.
            var answeredAt: NIODeadline
        }

        /// Connections in the order in which they were opened. Those that were closed or authenticated are
        /// skipped.
        private struct ArrivalQueue {
            var ids: [(id: ObjectIdentifier, number: UInt64)] = []
            var start = 0

            mutating func append(_ id: ObjectIdentifier, number: UInt64) {
                if start > 64, start * 2 > ids.count {
                    ids.removeFirst(start)
                    start = 0
                }
                ids.append((id, number))
            }
        }

        private struct Peer {
            var unauthenticated = 0
            var line = ArrivalQueue()
        }

        private let most: Int
        private let grace: TimeAmount
        private let first: TimeAmount
        private let lock = NSLock()
        // All are guarded by `lock`.
        private var entries: [ObjectIdentifier: Entry] = [:]
        private var unauthenticated = ArrivalQueue()
        private var peers: [String: Peer] = [:]
        private var accounts: [String: Int] = [:]
        private var lastNumber: UInt64 = 0
        private var isWaitingForGrace = false

        init(_ settings: HostSettings) {
            most = settings.maxConnections
            grace = .seconds(seconds: settings.graceSeconds)
            first = .seconds(seconds: settings.firstSeconds)
        }

        /// The most connections of one account.
        private var accountShare: Int { max(8, most / 2) }
        /// The most unauthenticated connections of one peer. If there are few places, only the time limit
        /// applies.
        private var peerShare: Int { max(64, most / 2) }

        /// Adds a new connection. Closes it, or the peer's oldest one, if the peer is at its limit of
        /// unauthenticated connections.
        func add(_ channel: any Channel) {
            let now = NIODeadline.now()
            let peer = PeerKey.text(address: channel.remoteAddress?.ipAddress ?? "")
            let id = ObjectIdentifier(channel)
            let (victim, isFull): ((any Channel)?, Bool) = lock.withLock {
                lastNumber += 1
                entries[id] = Entry(
                    number: lastNumber,
                    channel: channel,
                    peer: peer,
                    openedAt: now,
                    answeredAt: now
                )
                unauthenticated.append(id, number: lastNumber)
                peers[peer, default: Peer()].line.append(id, number: lastNumber)
                peers[peer, default: Peer()].unauthenticated += 1
                let isFull = entries.count >= most
                guard let count = peers[peer]?.unauthenticated, count > peerShare else {
                    return (nil, isFull)
                }
                guard let oldest = oldest(line: &peers[peer, default: Peer()].line),
                    now - oldest.openedAt >= grace
                else { return (channel, isFull) }
                return (oldest.channel, isFull)
            }
            channel.closeFuture.whenComplete { _ in self.remove(id) }
            victim?.close(promise: nil)
            watch(id, channel: channel, in: first)
            // NB: the gate may have found all places taken before these connections were in the table.
            if isFull { makeRoom() }
        }

        /// Marks a connection as authenticated for an account. Returns false and does nothing if the account
        /// is at its limit.
        func belongs(channel: any Channel, to account: String) -> Bool {
            let id = ObjectIdentifier(channel)
            return lock.withLock {
                guard let entry = entries[id], entry.account != account else { return true }
                let count = accounts[account] ?? 0
                guard count < accountShare else { return false }
                if let other = entry.account { release(account: other) } else { release(peer: entry.peer) }
                entries[id]?.account = account
                accounts[account] = count + 1
                return true
            }
        }

        /// Restarts the time limit of an unauthenticated connection after an answer.
        func answered(channel: any Channel) {
            let id = ObjectIdentifier(channel)
            lock.withLock { entries[id]?.answeredAt = .now() }
        }

        /// Closes the oldest unauthenticated connection to make room. If none has used up its grace time yet,
        /// waits for the first one that does.
        func makeRoom() {
            let now = NIODeadline.now()
            let victim: (any Channel)? = lock.withLock {
                guard let oldest = oldest(line: &unauthenticated) else { return nil }
                let age = now - oldest.openedAt
                if age >= grace {
                    unauthenticated.start += 1
                    return oldest.channel
                }
                guard !isWaitingForGrace else { return nil }
                isWaitingForGrace = true
                oldest.channel.eventLoop.scheduleTask(in: grace - age) { self.makeRoomIfFull() }
                return nil
            }
            victim?.close(promise: nil)
        }

        private func makeRoomIfFull() {
            let isFull = lock.withLock {
                isWaitingForGrace = false
                return entries.count >= most
            }
            if isFull { makeRoom() }
        }

        /// Closes a connection without a request for an account in time.
        private func watch(_ id: ObjectIdentifier, channel: any Channel, in time: TimeAmount) {
            let task = channel.eventLoop.scheduleTask(in: time) {
                let left: TimeAmount? = self.lock.withLock {
                    guard let entry = self.entries[id], entry.account == nil else { return nil }
                    return self.first - (NIODeadline.now() - entry.answeredAt)
                }
                guard let left else { return }
                if left > .zero {
                    self.watch(id, channel: channel, in: left)
                } else {
                    channel.close(promise: nil)
                }
            }
            channel.closeFuture.whenComplete { _ in task.cancel() }
        }

        private func remove(_ id: ObjectIdentifier) {
            lock.withLock {
                guard let entry = entries.removeValue(forKey: id) else { return }
                if let account = entry.account {
                    release(account: account)
                } else {
                    release(peer: entry.peer)
                }
            }
        }

        private func release(account: String) {
            let left = (accounts[account] ?? 1) - 1
            accounts[account] = left > 0 ? left : nil
        }

        private func release(peer: String) {
            guard let left = peers[peer].map({ $0.unauthenticated - 1 }) else { return }
            if left > 0 { peers[peer]?.unauthenticated = left } else { peers[peer] = nil }
        }

        /// The oldest connection in line that is still unauthenticated.
        private func oldest(line: inout ArrivalQueue) -> Entry? {
            while line.start < line.ids.count {
                let place = line.ids[line.start]
                if let entry = entries[place.id], entry.number == place.number, entry.account == nil {
                    return entry
                }
                line.start += 1
            }
            return nil
        }
    }

    /// The key of a peer: an IPv4 address, or an IPv6 network, because one customer has all addresses of a
    /// network.
    enum PeerKey {
        static func text(address: String) -> String {
            guard let parsed = try? SocketAddress(ipAddress: address, port: 0), case .v6(let v6) = parsed
            else {
                return address
            }
            var network = v6.address.sin6_addr
            return withUnsafeBytes(of: &network) { bytes in
                let mapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
                if mapped { return bytes.suffix(4).map { "\($0)" }.joined(separator: ".") }
                return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
            }
        }
    }
#endif
