#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    /// A device that speaks the protocol by SQL, so that a test sees every member of every answer.
    final class WireDevice {
        let id: String
        let connection: SQLConnection
        private let entities: String
        /// Where the device's last answer ended.
        var cursor: String?
        private var batch: String?
        private var batches = 0
        private var sequence = 0

        /// Makes a device of a user.
        init(
            _ project: SupabaseProject,
            user: User = .ada,
            number: Int,
            entities: [String] = ["bookmark", "project", "read-status", "transaction"]
        ) async throws {
            connection = try await project.session(user)
            let digits = String(number, radix: 16)
            id = String(repeating: "0", count: 13 - digits.count) + "0d1" + digits
            self.entities = entities.map { "\"\($0)\"" }.joined(separator: ",")
        }

        /// The text of a request.
        func request(changes: [String] = []) -> String {
            var members = [#""device":"\#(id)""#, #""entities":[\#(entities)]"#]
            if let cursor { members.append(#""cursor":"\#(cursor)""#) }
            if let batch { members.append(#""previous":"\#(batch)""#) }
            if !changes.isEmpty {
                batches += 1
                members.append(#""batch":"\#(id)-\#(batches)""#)
                members.append(#""changes":[\#(changes.joined(separator: ","))]"#)
            }
            return "{\(members.joined(separator: ","))}"
        }

        /// Sends a request. Takes the answer's cursor and batch, unless it is an error.
        @discardableResult
        func send(_ request: String) async throws -> JSONTree {
            let text = try await connection.value(
                "select public.entitysync_exchange($1::json)::text",
                request
            )
            let answer = try JSONTree(Array(text.unsafelyUnwrapped.utf8))
            if let next = answer["cursor"]?.text {
                (cursor, batch) = (next, answer["batch"]?.text)
            }
            return answer
        }

        /// Fetches everything new.
        func pull() async throws -> [JSONTree] {
            var changes: [JSONTree] = []
            while true {
                let answer = try await send(request())
                if let code = answer["code"]?.text { throw WireDeviceError(code: code) }
                changes += answer["changes"]?.elements ?? []
                if answer["more"] == .boolean(false) { return changes }
            }
        }

        /// Fetches what must be one new record.
        func pullOne() async throws -> JSONTree {
            let changes = try await pull()
            #expect(changes.count == 1)
            return try #require(changes.first)
        }

        /// Pushes changes. Returns their results.
        func push(_ changes: String...) async throws -> [JSONTree] {
            try await send(request(changes: changes))["results"]?.elements ?? []
        }

        /// A change of a record.
        ///
        /// - Parameter base: The version that the change is made on, as it was pulled.
        func change(
            _ entity: String,
            key: String,
            body: String,
            on base: JSONTree? = nil,
            isDeleted: Bool = false
        ) -> String {
            sequence += 1
            var members = [
                #""entity":"\#(entity)""#, #""key":"\#(key)""#,
                #""mark":"\#(Self.microseconds + sequence).\#(id).\#(sequence)""#,
            ]
            if isDeleted { members.append(#""deleted":true"#) }
            if let base {
                members.append(#""base":"\#(base["revision"]?.text ?? "")""#)
                let seen = (base["vector"]?.text ?? "").split(separator: ",").filter { !$0.hasPrefix(id) }
                let vector = (seen + ["\(id):\(sequence)"]).sorted().joined(separator: ",")
                members.append(#""vector":"\#(vector)""#)
            }
            members.append(#""body":\#(body)"#)
            return "{\(members.joined(separator: ","))}"
        }

        /// The time of the devices' edits: shortly before the present of any test.
        private static let microseconds = 1_767_225_600_000_000
    }

    /// The exchange refused a pull.
    struct WireDeviceError: Error, Hashable {
        /// A code of protocol v1, such as `cursor-expired`.
        var code: String
    }

    /// Records as JSON on the wire.
    enum Body {
        /// The key of a bookmark.
        static func key(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        }

        /// A bookmark; `more` are further members, with a comma in front.
        static func bookmark(_ number: Int, verse: String = "1", notes: String = "n", more: String = "")
            -> String
        {
            #"{"id":"\#(key(number))","user_id":"reader","surah_number":2,"verse_number":\#(verse),"#
                + #""notes":"\#(notes)"\#(more),"created_at":"2025-01-01T00:00:00Z","#
                + #""updated_at":"2025-01-01T00:00:00Z"}"#
        }

        /// A project; `more` are further members, with a comma in front.
        static func project(_ key: String, title: String = "t", more: String = "") -> String {
            #"{"id":"\#(key)","company_id":"c","title":"\#(title)","status":"rfq"\#(more),"#
                + #""created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}"#
        }

        /// An insert of a bookmark by plain SQL. The owner is the caller.
        static func insertBookmark(_ number: Int, notes: String = "n", tags: String = #"["x","y"]"#) -> String
        {
            """
            insert into public.bookmarks (id, user_id, surah_number, verse_number, notes, tags, created_at, updated_at)
            values ('\(key(number))', 'reader', 2, \(number), '\(notes)', '\(tags)', '2025-01-01', '2025-01-01')
            """
        }
    }

    extension JSONTree {
        /// Whether the record is a tombstone.
        var isTombstone: Bool { self["deleted"] == .boolean(true) }

        /// The value of the body.
        subscript(body name: String) -> JSONTree? { self["body"]?[name] }

        /// The device of the edit timestamp.
        var author: String? { self["mark"]?.text?.split(separator: ".").dropFirst().first.map(String.init) }
    }
#endif
