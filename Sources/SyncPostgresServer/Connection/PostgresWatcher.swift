#if Server
    import Foundation
    import SyncCore

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Looks which spaces have something new, on one connection and one thread. Reconnects for ever.
    ///
    /// Programs that write rows notify nobody: a notification makes all commits of a database wait for each other. So each
    /// server asks, four times a second, and at once after a push of its own; a space costs two searches of an index.
    final class PostgresWatcher: Sendable {
        /// Seconds between two looks.
        private static let pauseSeconds = 0.25
        /// How long a space is watched at least, so that a stream has time to begin.
        private static let leastTime = Duration.seconds(60)
        /// The most spaces that one statement asks for.
        private static let maxSpaces = 1000

        /// What is known of a watched space.
        private struct Watched {
            /// What the space had at the last look.
            var mark: String
            var since: ContinuousClock.Instant
        }

        private let watched = Guarded<[String: Watched]>([:])
        private let stopping = Guarded<Bool>(false)
        /// The writing end of the pipe that wakes the thread.
        private let wake: Int32

        /// Whom to tell.
        struct Events: Sendable {
            /// Whether somebody still wants to hear of a space.
            var isWanted: @Sendable (String) -> Bool
            /// Called with each space that has something new.
            var onChange: @Sendable (String) -> Void
            /// Called when changes may have been missed, because there was no connection.
            var onMissedChanges: @Sendable () -> Void
        }

        /// Begins to look, as soon as a space is watched.
        init(url: PostgresURL, timeouts: PostgresConnection.Timeouts, events: Events) throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                throw PostgresError(kind: .unreachable, reason: "There is no free file.")
            }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            wake = ends[1]
            let woken = ends[0]
            Thread.detachNewThread { [watched, stopping] in
                var connection: PostgresConnection?
                var (pause, wasLost) = (Self.pauseSeconds, false)
                while Self.sleep(seconds: pause, woken: woken), !stopping.use({ $0 }) {
                    guard watched.use({ !$0.isEmpty }) else { continue }
                    do {
                        let present = try connection ?? PostgresConnection(url: url, timeouts: timeouts)
                        connection = present
                        try Self.look(at: watched, on: present, events: wasLost ? nil : events)
                        if wasLost { events.onMissedChanges() }
                        (pause, wasLost) = (Self.pauseSeconds, false)
                    } catch {
                        (connection, wasLost) = (nil, true)
                        pause = min(pause * 2, 10)
                    }
                }
                close(woken)
            }
        }

        deinit { stop() }

        /// Ends the thread and its connection.
        func stop() {
            let wasStopping = stopping.use { stopping in
                defer { stopping = true }
                return stopping
            }
            // The end of the pipe wakes the thread.
            if !wasStopping { close(wake) }
        }

        /// Looks at once.
        func lookNow() {
            let isRunning = stopping.use { !$0 }
            var byte: UInt8 = 0
            // A full pipe wakes the thread, too.
            if isRunning { _ = write(wake, &byte, 1) }
        }

        /// Watches a space from now on.
        ///
        /// - Parameter mark: What `marks` says of it.
        func watch(space: String, mark: String) {
            watched.use { watched in
                let known = watched[space]?.mark ?? mark
                watched[space] = Watched(mark: known, since: .now)
            }
        }

        /// A statement for the marks of spaces: they change with what other programs wrote, and with what is stored.
        static func marks(of spaces: [String]) -> PostgresStatement {
            PostgresStatement(
                """
                select w.space, coalesce(s.number::text, '') || ' ' || coalesce(l.id::text, '')
                from unnest($1::uuid[]) as w (space)
                left join lateral (
                  select s.number from entitysync.state as s
                  where s.space = w.space order by s.xid desc, s.number desc limit 1
                ) as s on true
                left join lateral (
                  select l.id from entitysync.log as l where l.space = w.space order by l.id desc limit 1
                ) as l on true
                """,
                .text("{\(spaces.joined(separator: ","))}")
            )
        }

        /// Looks once. Without `events` it tells nobody.
        private static func look(
            at watched: Guarded<[String: Watched]>,
            on connection: PostgresConnection,
            events: Events?
        ) throws {
            let now = ContinuousClock.now
            var spaces = watched.use { watched in
                watched = watched.filter {
                    now - $0.value.since < leastTime || events?.isWanted($0.key) ?? true
                }
                return watched.keys.sorted()[...]
            }
            while !spaces.isEmpty {
                let result = try connection.run(marks(of: Array(spaces.prefix(maxSpaces))))
                spaces = spaces.dropFirst(maxSpaces)
                for row in 0..<result.rowCount {
                    guard let space = result.text(row: row, column: 0),
                        let mark = result.text(row: row, column: 1)
                    else { continue }
                    let isNew = watched.use { watched in
                        defer { watched[space]?.mark = mark }
                        return watched[space].map { isNews(mark: mark, after: $0.mark) } ?? false
                    }
                    if isNew { events?.onChange(space) }
                }
            }
        }

        /// Whether a mark tells of something new. A log that became empty was folded by an exchange, which says nothing.
        private static func isNews(mark: String, after old: String) -> Bool {
            mark != old && !(mark.hasSuffix(" ") && old.hasPrefix(mark))
        }

        /// Waits for a time, or until somebody wakes the thread. Returns false at the end of the pipe.
        private static func sleep(seconds: Double, woken: Int32) -> Bool {
            var entry = pollfd()
            (entry.fd, entry.events) = (woken, Int16(POLLIN))
            _ = poll(&entry, 1, Int32(seconds * 1000))
            guard entry.revents != 0 else { return true }
            var bytes = [UInt8](repeating: 0, count: 512)
            return read(woken, &bytes, bytes.count) != 0
        }
    }
#endif
