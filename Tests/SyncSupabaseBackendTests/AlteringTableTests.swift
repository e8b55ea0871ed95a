#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncRuntime
    import SyncSupabaseBackend
    import Testing

    extension SupabaseTests {
        /// A table that alters what devices write: they take what it says, and nothing that a person wrote is lost unseen.
        @Suite struct AlteringTables {
            private static let key = "00000000-0000-4000-8000-0000000000c1"
            private static let payment =
                #"{"id":"\#(key)","ownerId":"o","amount":"12.345","currency":"EUR","date":"2026-02-03"}"#

            /// A trigger that cuts texts, one that keeps times, and money of two digits.
            private static let sql = """
                create function public.cut() returns trigger language plpgsql as $$
                begin
                  new.notes := left(new.notes, 5);
                  return new;
                end
                $$;
                create trigger cut before insert or update on public.bookmarks for each row execute function public.cut();
                create function public.stamp() returns trigger language plpgsql as $$
                begin
                  new.updated_at := now();
                  return new;
                end
                $$;
                create trigger stamp before insert or update on public.bookmarks
                  for each row execute function public.stamp();
                alter table public.transactions alter column amount type numeric(10, 2);
                """

            private func run(_ body: (SupabaseProject) async throws -> Void) async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(Self.sql)
                    try await body(project)
                }
            }

            private func lost(_ device: SupabaseDevice, _ field: String) throws -> [FieldValue?] {
                try device.journal().filter { $0.rule == "altered" }.map { entry in
                    let layout = try ShippedSchemas.entity(entry.lost.entity).layout
                    return layout.position(of: field).flatMap { entry.lost.record.values[$0] }
                }
            }

            @Test func aCutTextIsInTheJournalOfItsWriterOnceAndCounted() async throws {
                try await run { project in
                    let (phone, tablet) = (
                        try SupabaseDevice(project, seed: 1), try SupabaseDevice(project, seed: 2)
                    )
                    try phone.putBookmark(key: Self.key, notes: "a long note")
                    for _ in 0..<2 {
                        try await phone.syncToRest()
                        try await tablet.syncToRest()
                        #expect(try phone.notes(key: Self.key) == "a lon")
                        #expect(try phone.keys("bookmark", in: .synced) == [Self.key])
                        #expect(try tablet.notes(key: Self.key) == "a lon")
                        #expect(try lost(phone, "notes") == [.text("a long note")])
                        #expect(try tablet.journal().isEmpty && tablet.altered() == 0)
                    }
                    #expect(try phone.altered() == 1)
                    try phone.markDecisionsSeen()
                    #expect(try phone.altered() == 0)
                    // An edit is one more; one that fits is none, although the table sets its time.
                    try phone.putBookmark(key: Self.key, notes: "another note")
                    try await phone.syncToRest()
                    try phone.putBookmark(key: Self.key, notes: "short")
                    try await phone.syncToRest()
                    #expect(try Set(lost(phone, "notes")) == [.text("a long note"), .text("another note")])
                    #expect(try phone.altered() == 1)
                }
            }

            /// The version that is sent is a merge, of which the web app's edit is the latest.
            @Test func aCutTextIsInTheJournalAlsoIfItWasMergedBeforeItWasSent() async throws {
                try await run { project in
                    let cut =
                        "create function public.cut_title() returns trigger language plpgsql as $$\n"
                        + "begin new.title := left(new.title, 5); return new; end $$;\n"
                        + "create trigger cut before insert or update on public.read_statuses\n"
                        + "for each row execute function public.cut_title();"
                    try await project.admin.script(cut)
                    let (phone, tablet) = (
                        try SupabaseDevice(project, seed: 1), try SupabaseDevice(project, seed: 2)
                    )
                    try tablet.put(
                        "read-status",
                        json: #"{"link":"k","isRead":false,"title":"long of the tablet"}"#
                    )
                    try phone.put(
                        "read-status",
                        json: #"{"link":"k","isRead":false,"title":"long of the phone"}"#
                    )
                    try await tablet.syncToRest()
                    let web = try await project.session(.ada)
                    try await web.run("update public.read_statuses set title = 'long of the web'")
                    try await phone.syncToRest()
                    #expect(try lost(phone, "title") == [.text("long of the phone")])
                    #expect(try phone.altered() == 1)
                }
            }

            @Test(arguments: [1, 2])
            func whatATriggerMakesOfARowAfterItWasWrittenIsInTheJournal(count: Int) async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(
                        """
                        create function public.late() returns trigger language plpgsql as $$
                        begin
                          if length(new.notes) > 5 then
                            update public.bookmarks set notes = left(notes, 5) where id = new.id;
                          end if;
                          return null;
                        end $$;
                        create trigger late after insert or update on public.bookmarks
                          for each row execute function public.late();
                        """
                    )
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.putBookmark(key: Self.key, notes: "a long note")
                    if count > 1 { try phone.putBookmark(key: Body.key(7), verse: 2, notes: "short") }
                    try await phone.syncToRest()
                    #expect(try phone.notes(key: Self.key) == "a lon")
                    #expect(try lost(phone, "notes") == [.text("a long note")])
                    #expect(try phone.altered() == 1)
                }
            }

            @Test func roundedMoneyIsInTheJournal() async throws {
                try await run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.put("transaction", json: Self.payment)
                    try await phone.syncToRest()
                    #expect(try phone.text("transaction", key: Self.key, field: "amount") == "12.35")
                    #expect(try lost(phone, "amount") == [.text("12.345")])
                    #expect(try phone.journal().count == 1)
                }
            }

            @Test func aTimeThatTheTableSetsIsNoLoss() async throws {
                try await run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.putBookmark(key: Self.key, notes: "short", tags: ["a", "b"])
                    try await phone.syncToRest()
                    let author = try await project.admin.value(
                        "select split_part(edit, '.', 2) = entitysync.server_device(space) from entitysync.state"
                    )
                    #expect(author == "t", "the table has altered it")
                    #expect(try phone.journal().isEmpty && phone.altered() == 0)
                }
            }

            /// With one lost answer the client repeats its push; without a connection afterwards, a page of the next sync
            /// brings what was stored.
            @Test(arguments: [false, true], [1, 3])
            func aLostAnswerLosesNoWords(isOffline: Bool, edits: Int) async throws {
                try await run { project in
                    let line = LosingLine(to: project.rest, isOfflineAfterwards: isOffline)
                    let session = SessionSource(User.ada.token())
                    let backend = SupabaseBackend(
                        url: try ServerURL(PostgRESTServer.url),
                        publishableKey: PostgRESTServer.publishableKey,
                        session: session,
                        environment: HTTPEnvironment(
                            clock: PresentTime(),
                            random: SeededRandom(1),
                            sleeper: NoSleep(),
                            transport: line,
                            breakers: SharedCircuitBreaker()
                        )
                    )
                    let phone = try SupabaseDevice(backend: backend, session: session, seed: 1)
                    let tablet = try SupabaseDevice(project, seed: 2)
                    for number in 1...edits {
                        try phone.putBookmark(key: Self.key, notes: "a long note \(number)")
                        try phone.put("transaction", json: Self.payment)
                        line.loseAnswer()
                        _ = try? await phone.sync()
                        #expect(line.lost == number)
                        if isOffline { #expect(try phone.keys("bookmark", in: .pending) == [Self.key]) }
                        line.goOnline()
                        try await phone.syncToRest()
                    }
                    try await tablet.syncToRest()
                    #expect(try phone.notes(key: Self.key) == "a lon")
                    #expect(try phone.keys("bookmark", in: .synced) == [Self.key])
                    let notes = (1...edits).map { FieldValue.text("a long note \($0)") }
                    #expect(try lost(phone, "notes").count == 2 * edits)
                    #expect(try Set(lost(phone, "notes")).isSuperset(of: notes))
                    #expect(try lost(phone, "amount").contains(.text("12.345")))
                    #expect(try tablet.journal().isEmpty)
                }
            }
        }
    }

    /// A connection on which the answer to a push can be lost.
    private final class LosingLine: HTTPTransport {
        private let rest: PostgRESTServer
        private let isOfflineAfterwards: Bool
        private let state = Guarded((isLosing: false, isOffline: false, lost: 0))

        init(to rest: PostgRESTServer, isOfflineAfterwards: Bool) {
            (self.rest, self.isOfflineAfterwards) = (rest, isOfflineAfterwards)
        }

        /// How many answers were lost.
        var lost: Int { state.use { $0.lost } }

        /// Loses the answer to the next push.
        func loseAnswer() { state.use { $0.isLosing = true } }

        func goOnline() { state.use { $0.isOffline = false } }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if state.use({ $0.isOffline }) { throw TransportError.unreachable }
            let response = try await rest.send(request)
            let isPush = String(decoding: request.body, as: UTF8.self).contains(#""mark":"#)
            let isLost = state.use { state in
                guard state.isLosing, isPush else { return false }
                state = (false, isOfflineAfterwards, state.lost + 1)
                return true
            }
            if isLost { throw TransportError.interrupted }
            return response
        }

        func stream(_ request: HTTPRequest) async throws -> HTTPStream { try await rest.stream(request) }
    }
#endif
