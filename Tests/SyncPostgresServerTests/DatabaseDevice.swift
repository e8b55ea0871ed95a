#if Server
    import Foundation
    import SyncCore
    import SyncServer
    import SyncWire

    /// A page says that there is more, and its cursor does not move: a client would give up.
    struct StandsStill: Error {}

    /// A device that speaks the protocol to a handler.
    final class DatabaseDevice {
        let account: Account
        let device: UInt64
        private let handler: any AccountHandler
        private var cursor: String?
        private var batch: String?
        private var batches = 0
        private let entities: [String]
        private var sequence = 0

        init(
            _ handler: any AccountHandler,
            device: UInt64,
            account: Account = .ada,
            entities: [String] = ["scratch-note", "scratch-shelf"]
        ) {
            (self.handler, self.device, self.account, self.entities) = (handler, device, account, entities)
        }

        /// Goes on where another device stands, as the same store does at another address.
        func takeOver(_ other: DatabaseDevice) {
            (cursor, batch, batches, sequence) = (other.cursor, other.batch, other.batches, other.sequence)
        }

        /// A new note as JSON.
        func note(key: String, title: String = "title") -> String {
            sequence += 1
            let mark = "1790000000000000.\(DeviceID(bits: device)).\(sequence)"
            return
                #"{"entity":"scratch-note","key":"\#(key)","mark":"\#(mark)","body":{"id":"\#(key)","title":"\#(title)","#
                + #""createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}}"#
        }

        /// A change as JSON: of a new record, or on top of a version.
        func change(
            entity: String,
            key: String,
            body: String,
            on base: SyncCore.Change? = nil,
            isDeleted: Bool = false
        ) -> String {
            sequence += 1
            let own = "\(DeviceID(bits: device)):\(sequence)"
            let others = (base?.metadata?.vector.entries ?? []).filter { $0.device.bits != device }
            let vector = (others.map { "\($0.device):\($0.sequence)" } + [own]).joined(separator: ",")
            let mark = "1790000000000000.\(DeviceID(bits: device)).\(sequence)"
            let revision = base?.revision.map { #","base":"\#($0.text)""# } ?? ""
            let deleted = isDeleted ? #","deleted":true"# : ""
            return
                #"{"entity":"\#(entity)","key":"\#(key)","mark":"\#(mark)","vector":"\#(vector)"\#(revision)"#
                + #"\#(deleted),"body":\#(body)}"#
        }

        /// The bytes of a request; one with changes begins a new batch.
        func request(changes: [String]) -> [UInt8] {
            var request = ExchangeRequest(
                device: DeviceID(bits: device),
                entities: entities,
                cursor: cursor,
                previous: batch
            )
            guard !changes.isEmpty else { return request.encoded() }
            batches += 1
            request.batch = "\(device)-\(batches)"
            return request.encoded(changes: Array("[\(changes.joined(separator: ","))]".utf8))
        }

        /// Sends a request. Throws `WireError`.
        @discardableResult
        func send(_ request: [UInt8]) async throws -> ExchangeAnswer {
            let message = ServerRequest(method: "POST", path: "/v1/exchange", body: request)
            guard case .response(let response) = try await handler.answer(message, for: account) else {
                throw WireError(code: .internalError, detail: "no answer")
            }
            let answer = try ExchangeAnswer(response.body)
            (cursor, batch) = (answer.cursor, answer.batch)
            return answer
        }

        /// Pushes new notes.
        @discardableResult
        func push(keys: String...) async throws -> ExchangeAnswer {
            try await send(request(changes: keys.map { note(key: $0) }))
        }

        /// Sends the same bytes until they are answered, as a client does that is told to come back.
        func insist(_ request: [UInt8]) async throws -> ExchangeAnswer {
            for _ in 0..<900 {
                do { return try await send(request) } catch let error as WireError
                    where error.code == .unavailable
                {
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            return try await send(request)
        }

        /// The keys of all new records, in the order of the feed; with `-` before a deleted one.
        @discardableResult
        func pull() async throws -> [String] {
            try await changes().map { "\($0.isDeleted ? "-" : "")\($0.key)" }
        }

        /// All new versions, in the order of the feed.
        func changes() async throws -> [SyncCore.Change] {
            var changes: [SyncCore.Change] = []
            while true {
                let before = cursor
                let answer = try await insist(request(changes: []))
                changes += answer.changes
                if !answer.hasMore { return changes }
                guard answer.cursor != before else { throw StandsStill() }
            }
        }
    }

    extension Account {
        static let ada = Account(id: "ada", name: "Ada")
        static let eve = Account(id: "eve", name: "Eve")
    }

    extension ExchangeAnswer {
        /// The results in one word each; the rule of a refused change.
        var outcomes: [String] {
            results.map { result in
                switch result {
                case .accepted: "accepted"
                case .conflict: "conflict"
                case .refused(let rule, _, _): rule
                }
            }
        }
    }

    /// Texts that were reported from any thread.
    final class Reports: Sendable {
        private let texts = Guarded<[String]>([])

        func add(_ text: String) { texts.use { $0.append(text) } }

        var all: [String] { texts.use { $0 } }

        /// Waits until a condition holds; false after a long time.
        func become(_ condition: ([String]) -> Bool) async throws -> Bool {
            for _ in 0..<600 {
                if condition(all) { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
    }
#endif
