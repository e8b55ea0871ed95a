import EntitySync
import SyncInspector
import Testing

@testable import synccheck

/// Forms that come more than once: by a double click, or from a page that is still open elsewhere.
@Suite struct RepeatedFormTests {
    @Test func aDoubleClickIsDoneOnceThoughAnotherRecordChangesInBetween() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let fields = try pages.fields(of: "restore", on: pages.page(cookie: cookie))
        _ = pages.server.answer(pages.post("/restore", cookie: cookie, fields: fields))
        #expect(pages.page(cookie: cookie).contains("role=\"status\">The value is back,"))
        try pages.laptop.must(arguments: "put", "task", #"{"id":"other"}"#)
        _ = pages.server.answer(pages.post("/restore", cookie: cookie, fields: fields))
        let page = pages.page(cookie: cookie)
        #expect(page.contains("role=\"status\">This is done already. The value is back,"))
    }

    @Test func aRestoredValueThatWasEditedSinceIsNotSaidToBeBack() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let fields = try pages.fields(of: "restore", on: pages.page(cookie: cookie))
        _ = pages.server.answer(pages.post("/restore", cookie: cookie, fields: fields))
        #expect(pages.page(cookie: cookie).contains("role=\"status\">The value is back,"))
        try pages.laptop.must(arguments: "put", "task", #"{"id":"t","state":"newer"}"#)
        _ = pages.server.answer(pages.post("/restore", cookie: cookie, fields: fields))
        let page = pages.page(cookie: cookie)
        #expect(page.contains("role=\"alert\">That task record has changed since it was shown."))
        #expect(!page.contains("The value is back"))
        let task = try object(text: pages.laptop.must(arguments: "get", "task", "t"))
        #expect(task["state"] as? String == "newer")
    }

    @Test func aRecordThatWasGivenUpSinceIsNotSaidToBeSentAgain() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        try pages.laptop.must(arguments: "put", "task", #"{"id":"r"}"#)
        let record = RecordName(entity: "task", key: RecordKey("r"))
        try pages.reject(record)
        let fields = try pages.fields(of: "retry", on: pages.page(cookie: cookie))
        func retry() -> String {
            _ = pages.server.answer(pages.post("/retry", cookie: cookie, fields: fields))
            return pages.page(cookie: cookie)
        }
        #expect(retry().contains("role=\"status\">The next sync sends it again."))
        #expect(retry().contains("role=\"status\">This is done already. The next sync sends it again."))
        // The remote refuses it again, and another process gives it up.
        try pages.reject(record)
        try pages.laptop.must(arguments: "rejected", "discard", "task", "r")
        let page = retry()
        #expect(page.contains("role=\"alert\">That task record was not rejected."))
        #expect(!page.contains("The next sync sends it again."))
    }

    @Test func aRecordThatIsRefusedAgainIsSentAgainByTheSameForm() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        try pages.laptop.must(arguments: "put", "task", #"{"id":"r"}"#)
        let record = RecordName(entity: "task", key: RecordKey("r"))
        try pages.reject(record)
        let fields = try pages.fields(of: "retry", on: pages.page(cookie: cookie))
        for _ in 0..<2 {
            _ = pages.server.answer(pages.post("/retry", cookie: cookie, fields: fields))
            #expect(pages.page(cookie: cookie).contains("role=\"status\">The next sync sends it again."))
            #expect(try pages.laptop.must(arguments: "rejected", "--json") == "[]\n")
            try pages.reject(record)
        }
    }
}
