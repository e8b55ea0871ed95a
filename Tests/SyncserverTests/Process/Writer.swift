#if Server
    import Foundation
    import SyncCore
    import SyncWire

    /// One of many clients that write as fast as they can. Each change is identified by key and title.
    ///
    /// Each push has three new records and an edit of the writer's own one, so that a partial push would be
    /// detected.
    final class Writer: @unchecked Sendable {
        struct Push: Sendable {
            var body: [UInt8]
            /// The keys and titles that it writes; its own record is last.
            var records: [(key: String, title: String)]
        }

        let number: Int
        let token: String
        private let device: DeviceID
        private let lock = NSLock()
        // Guarded by `lock`.
        private var acknowledged: [Push] = []
        private var unanswered: Push?
        private var unexpected: String?
        // Used by the writer's thread only.
        private var base: Revision?
        private var batch: String?

        init(number: Int, token: String) {
            self.number = number
            self.token = token
            device = DeviceID(bits: UInt64(number) + 1)
        }

        /// The acknowledged pushes.
        var taken: [Push] { lock.withLock { acknowledged } }
        /// The unanswered push.
        var open: Push? { lock.withLock { unanswered } }
        /// An unexpected answer.
        var unexpectedAnswer: String? { lock.withLock { unexpected } }

        /// Writes until the server is gone, or gives an unexpected answer.
        func write(to port: Int) {
            guard let wire = try? Wire(port) else { return }
            for round in 1...100_000 {
                let push = push(round)
                lock.withLock { unanswered = push }
                guard let revision = send(push, over: wire) else { break }
                lock.withLock {
                    unanswered = nil
                    acknowledged.append(push)
                }
                base = revision
                batch = "\(number)-\(round)"
            }
            // NB: any further bytes would be a part of an answer.
            let rest = wire.readToEnd()
            if !rest.isEmpty { noteUnexpected(text: "Half an answer: \(rest)") }
        }

        /// Repeats the unanswered push. Returns whether it is accepted now.
        func repeatLast(to port: Int) -> Bool {
            guard let push = open, let wire = try? Wire(port) else { return open == nil }
            return send(push, over: wire) != nil
        }

        private func push(_ round: Int) -> Push {
            let title = "round \(round)"
            let records =
                ["a", "b", "c"].map { (key: "\(number)-\(round)-\($0)", title: title) }
                + [(key: "\(number)", title: title)]
            let changes = records.enumerated().map { index, record in
                let editTimestamp = "\(round).\(device).\(round * 4 + index)"
                let base = index == 3 ? base.map { #","base":"\#($0.text)""# } ?? "" : ""
                let body = #"{"id":"\#(record.key)","title":"\#(record.title)"}"#
                return
                    #"{"entity":"note","key":"\#(record.key)","mark":"\#(editTimestamp)"\#(base),"body":\#(body)}"#
            }
            var request = ExchangeRequest(device: device, entities: [], previous: batch)
            request.batch = "\(number)-\(round)"
            return Push(
                body: request.encoded(changes: Array("[\(changes.joined(separator: ","))]".utf8)),
                records: records
            )
        }

        /// The revision of the own record; nil if the server is gone, or gave an unexpected answer.
        private func send(_ push: Push, over wire: Wire) -> Revision? {
            guard wire.send(Wire.exchange(token: token, body: push.body)), let answer = try? wire.answer()
            else {
                return nil
            }
            guard answer.status == 200, let body = try? ExchangeAnswer(Array(answer.body.utf8)) else {
                // A stopping server may answer 503.
                if answer.status != 503 { noteUnexpected(text: "\(answer.status) \(answer.body)") }
                return nil
            }
            let revisions = body.results.map { result in
                if case .accepted(let revision, _) = result { revision } else { nil as Revision? }
            }
            guard revisions.count == 4, !revisions.contains(nil) else {
                noteUnexpected(text: answer.body)
                return nil
            }
            return revisions[3]
        }

        private func noteUnexpected(text: String) { lock.withLock { unexpected = unexpected ?? text } }
    }

    extension Wire {
        /// An exchange in its wire form.
        static func exchange(token: String, body: [UInt8]) -> [UInt8] {
            let head = """
                POST /v1/exchange HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\
                Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n
                """
            return Array(head.utf8) + body
        }

        /// The titles by key of all notes of an account on a server, read page by page.
        static func notes(port: Int, token: String) throws -> [String: String] {
            let wire = try Wire(port)
            var request = ExchangeRequest(device: DeviceID(bits: 0xffff), entities: ["note"])
            var notes: [String: String] = [:]
            while true {
                wire.send(exchange(token: token, body: request.encoded()))
                let answer = try ExchangeAnswer(Array(try wire.answer().body.utf8))
                for change in answer.changes {
                    let body = Data(change.body)
                    let record = try JSONSerialization.jsonObject(with: body) as? [String: String]
                    guard notes.updateValue(record?["title"] ?? "", forKey: change.key.text) == nil else {
                        throw ConnectionError.cut
                    }
                }
                guard answer.hasMore else { return notes }
                request.cursor = answer.cursor
            }
        }
    }
#endif
