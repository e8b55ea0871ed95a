#if Server
    import ChromiumBrowser
    import Foundation
    import ProgramRuns
    import SyncCore
    import SyncStore
    import Testing

    @testable import SyncInspector

    /// `synccheck inspect --serve` in a browser.
    @Suite(.serialized, .enabled(if: ChromiumBrowser.program != nil)) struct LivePageBrowserTests {
        /// A served store with something of everything.
        private final class ServedWorld {
            let world: InspectorWorld
            let child: Child
            let address: String

            init() async throws {
                world = try InspectorWorld()
                try world.fill()
                world.store.close()
                let schemas = world.folder.appendingPathComponent("Schemas")
                try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
                for (name, text) in ["note": Self.note, "task": Self.task] {
                    try Data(text.utf8).write(to: schemas.appendingPathComponent("\(name).schema.json"))
                }
                child = try Child(
                    program: Program.synccheck.url,
                    arguments: ["inspect", "--serve", "--store", "store.sqlite"],
                    in: world.folder
                )
                let deadline = ContinuousClock.now + .seconds(60)
                while !child.output.hasSuffix("\n"), child.isRunning, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(20))
                }
                address = child.output.trimmingCharacters(in: .newlines)
                #expect(address.hasPrefix("http://127.0.0.1:"), "\(child.error)")
            }

            /// The address without the token.
            var place: String { String(address.prefix { $0 != "?" }) }

            /// Runs a command on the store.
            @discardableResult
            func run(_ arguments: String...) throws -> Run {
                try Child(
                    program: Program.synccheck.url,
                    arguments: arguments + ["--store", "store.sqlite"],
                    in: world.folder
                ).wait()
            }

            /// The title of the note that was in conflict.
            func title() throws -> String {
                let output = try run("get", "note", "conflict plain").output
                return output.firstMatch(of: /"title":"([^"]*)"/).map { String($0.output.1) } ?? output
            }

            func open() async throws -> BrowserPage {
                let page = try await ChromiumBrowser.shared().page(address, width: 1000)
                try await page.wait(
                    for: "document.readyState !== 'loading' && document.querySelector('#verdict') !== null"
                )
                return page
            }

            private static func schema(
                _ title: String,
                fields: String,
                required: String,
                strategy: String
            ) -> String {
                """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "\(title)", "type": "object", "properties": {\(fields)},
                "required": [\(required)], "sync": {"key": "id", "strategy": "\(strategy)"}}
                """
            }

            private static let note = schema(
                "Note",
                fields:
                    #""id":{"type":"string"},"title":{"type":"string"},"body":{"type":["string","null"]},"stars":{"type":"integer"}"#,
                required: #""id", "title""#,
                strategy: "preserve-local"
            )
            private static let task = schema(
                "Task2",
                fields: #""id":{"type":"string"},"state":{"type":"string"}"#,
                required: #""id""#,
                strategy: "last-write-wins"
            )
        }

        private let notice = "document.querySelector('.notice')?.textContent ?? ''"

        @Test func everyButtonDoesItsWorkAndSaysSo() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            #expect(try await page.text(of: "location.href") == served.place)
            #expect(try await page.problems().joined(separator: "\n") == "")
            try await page.click("#conflicts button[value=remote]")
            try await page.wait(for: "(\(notice)).startsWith('Resolved with the remote')")
            #expect(
                try await page.text(of: "document.querySelector('#conflicts').textContent").contains(
                    "no conflicts"
                )
            )
            #expect(try served.title() == "theirs plain")
            try await page.click("#rejected .acts button")
            try await page.wait(for: "(\(notice)).startsWith('The next sync sends it again')")
            try await page.click("#journal .acts button")
            try await page.wait(for: "(\(notice)).startsWith('The value is back')")
            #expect(try await page.problems().joined(separator: "\n") == "")
            // The newest entry is what the first button gave up.
            #expect(try served.title() == "mine plain")
            #expect(try served.run("rejected").output.contains("refused plain"))
            #expect(try !served.run("rejected").output.contains("rejected plain"))
        }

        @Test func theKeyboardAloneIsEnough() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            for _ in 0..<60 {
                try await page.press("Tab")
                if try await page.text(of: "document.activeElement.value ?? ''") == "local" { break }
            }
            try await page.press("Enter")
            try await page.wait(for: "(\(notice)).startsWith('Resolved with this device')")
        }

        @Test func aPageWithoutScriptsWorks() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            try await page.allowScripts(false)
            try await page.load(served.place)
            try await page.click("#conflicts button[value=local]")
            try await page.wait(for: "(\(notice)).startsWith('Resolved with this device')")
        }

        @Test func aChangeByAnotherProcessIsTold() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            #expect(try served.run("put", "task", #"{"id":"t","state":"new"}"#).exitCode == 0)
            try await page.wait(for: "(\(notice)).startsWith('The store has changed')")
            try await page.click(".notice a")
            try await page.wait(for: "document.querySelector('.notice') === null")
            served.child.signal(SIGTERM)
            try await page.wait(for: "(\(notice)).includes('has ended')")
        }

        @Test func aSecondBrowserIsRefused() async throws {
            let served = try await ServedWorld()
            _ = try await served.open()
            let other = try await ChromiumBrowser.shared().page(served.address, width: 1000)
            #expect(try await other.text(of: "document.body.textContent").contains("was used already"))
            try await other.load(served.place)
            #expect(try await other.text(of: "document.body.textContent").contains("Open the address"))
        }

        @Test func anotherSiteCannotPressAButton() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            let fields =
                "[...document.querySelectorAll('#conflicts form input')].map((i) => i.outerHTML).join('')"
            let form = try await page.text(of: fields)
            // The other site even knows the secret of the form.
            let attack = """
                <!DOCTYPE html><title>attack</title><form method="post" action="\(served.place)resolve">\(form)
                <input name="keep" value="remote"></form><script>document.forms[0].submit()</script>
                """
            let file = served.world.folder.appendingPathComponent("attack.html")
            try Data(attack.utf8).write(to: file)
            try await page.load(file.absoluteString)
            try await page.wait(for: "(document.body?.textContent ?? '').includes('synccheck inspect')")
            #expect(try await page.text(of: "document.body.textContent").contains("Open the address"))
            #expect(try served.run("conflicts").output.contains("conflict plain"))
            // The page itself goes on.
            try await page.load(served.place)
            try await page.click("#conflicts button[value=local]")
            try await page.wait(for: "(\(notice)).startsWith('Resolved with this device')")
        }

        @Test func anyRecordIsFound() async throws {
            let served = try await ServedWorld()
            let page = try await served.open()
            _ = try await page.text(
                of:
                    "document.querySelector('.find select').value = 'task', document.querySelector('.find input').value = 'task 3 plain', ''"
            )
            try await page.click(".find button")
            try await page.wait(
                for: "document.querySelector('#history-0 .key')?.textContent === 'task 3 plain'"
            )
            #expect(try await page.text(of: "location.hash") == "#histories")
        }
    }
#endif
