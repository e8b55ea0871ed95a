#if Server
    import ChromiumBrowser
    import Foundation
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    @Suite(.serialized) struct AdminPageTests {
        /// Names that try to leave their place.
        private static let hostile = [
            "</script><script>alert(1)</script>", "\" onclick=\"alert(1)", "' autofocus onfocus='alert(1)",
            "\u{202E}txt.exe\u{2066}", "a\u{0}b\u{1B}[31m", "]]>&lt;&#60;&amp;",
            "</title></svg><svg onload=alert(1)>",
            "javascript:alert(1)", String(repeating: "Wörter_ohne_Ende", count: 100),
        ]

        /// A report with something of everything.
        private static func report(text: String = "Ada's family", failure: StorageFailure? = nil)
            -> AdminReport
        {
            let now = Timestamp(microseconds: 1_767_225_600_000_000)
            let accounts = (0..<3).map { number in
                AdminReport.Row(
                    entry: AccountEntry(
                        account: Account(id: "id-\(number)", name: "\(text) \(number)"),
                        added: now,
                        removed: number == 2 ? now : nil
                    ),
                    tokens: number,
                    bytes: number == 0 ? nil : Int64(number) * 1_234_567,
                    lastSync: number == 0 ? now : nil
                )
            }
            let clock = SystemClock()
            let activity = ServerActivity(clock: clock)
            var counts = PushCounts()
            counts.refused = 1
            activity.note(
                ExchangeReport(
                    account: "id-0",
                    device: "0123456789abcdef",
                    counts: counts,
                    refused: [.init(entity: text, rule: text), .init(entity: "", rule: "malformed")]
                )
            )
            var snapshot = activity.snapshot
            snapshot.slow = [
                .init(
                    time: now,
                    entry: RequestLog(
                        requestID: "r-1",
                        method: "POST",
                        route: "/v1/exchange",
                        status: 200,
                        durationMicroseconds: 2_345_678,
                        bytesIn: 1,
                        bytesOut: 1,
                        account: "id-1"
                    )
                )
            ]
            return AdminReport(
                time: now,
                started: Timestamp(microseconds: now.microseconds - 86_400_000_000 * 3),
                isDraining: false,
                storageFailure: failure,
                openStreams: 4,
                accounts: accounts,
                activity: snapshot,
                slowMicroseconds: 1_000_000
            )
        }

        @Test(arguments: hostile) func noNameLeavesItsPlace(text: String) throws {
            let plain = AdminPage(report: Self.report(text: "plain")).html
            let html = AdminPage(report: Self.report(text: text)).html
            func tags(_ html: String) -> [String] {
                html.matches(of: /<\/?([a-z0-9]+)/).map { String($0.output.1) }
            }
            #expect(tags(html) == tags(plain), "the page has the same elements")
            #expect(!html.contains("<script") && !html.contains("\u{202E}") && !html.contains("\u{1B}"))
        }

        @Test(.enabled(if: ChromiumBrowser.program != nil)) func everybodyCanUseThePage() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "admin-\(UUID().uuidString)"
            )
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let reports = [
                ("plain", Self.report()), ("failing", Self.report(text: Self.hostile[8], failure: .full)),
            ]
            for (name, report) in reports + [("hostile", Self.report(text: Self.hostile[0]))] {
                let file = folder.appendingPathComponent("\(name).html")
                try Data(AdminPage(report: report).html.utf8).write(to: file)
                for (width, isDark) in [(360, false), (360, true), (1400, false), (1400, true)] {
                    let page = try await ChromiumBrowser.shared().page(
                        file.absoluteString,
                        width: width,
                        isDark: isDark
                    )
                    #expect(try await page.problems().joined(separator: "\n") == "", "\(name) \(width)")
                    if let pictures = ProcessInfo.processInfo.environment["SYNC_PAGE_PICTURES"] {
                        let picture = "admin-\(name)-\(width)-\(isDark ? "dark" : "light").png"
                        try await page.picture().write(
                            to: URL(fileURLWithPath: pictures).appendingPathComponent(picture)
                        )
                    }
                }
            }
        }

        @Test func theJSONOfTheSocketShowsWhatThePageShows() throws {
            let report = Self.report(text: "Ada \"quoted\"", failure: .readOnly)
            let status = try #require(
                try JSONSerialization.jsonObject(with: Data(report.statusJSON.utf8)) as? [String: Any]
            )
            #expect(
                status["status"] as? String == "storing-fails" && status["reason"] as? String == "read-only"
            )
            #expect(status["accounts"] as? Int == 2 && status["streams"] as? Int == 4)
            let accounts = try #require(
                try JSONSerialization.jsonObject(with: Data(report.accountsJSON.utf8))
                    as? [String: [[String: Any]]]
            )
            #expect(
                accounts["accounts"]?.map { $0["name"] as? String } == (0..<3).map { "Ada \"quoted\" \($0)" }
            )
            let devices = accounts["accounts"]?[0]["devices"] as? [[String: Any]]
            #expect(devices?.first?["id"] as? String == "0123456789abcdef")
        }
    }
#endif
