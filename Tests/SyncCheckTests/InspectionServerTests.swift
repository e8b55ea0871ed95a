import Foundation
import Testing

@testable import synccheck

@Suite struct InspectionServerTests {
    @Test func withoutTheTokenNothingIsShownAndNothingIsDone() throws {
        let pages = try LivePages()
        for target in [
            "/", "/version", "/?token=", "/?token=0", "/favicon.ico", "//", "/?entity=note&text=a",
        ] {
            let response = pages.server.answer(pages.request("GET", target))
            #expect(response.status == 403, "\(target)")
            #expect(!response.body.contains(pages.key))
        }
        for target in ["/resolve", "/retry", "/restore"] {
            let request = pages.post(target, cookie: "synccheck-inspect-4711=0", fields: [:])
            #expect(pages.server.answer(request).status == 403)
        }
        #expect(pages.access.address != nil, "a refused request does not use the token up")
    }

    @Test func theTokenWorksOnce() throws {
        let pages = try LivePages()
        let target = try #require(pages.access.address).replacing("http://127.0.0.1:4711", with: "")
        #expect(pages.server.answer(pages.request("HEAD", target)).status == 403)
        let cookie = try pages.signIn()
        #expect(pages.server.answer(pages.request("GET", target)).status == 403)
        #expect(pages.server.answer(pages.request("GET", target, headers: ["cookie": cookie])).status == 403)
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": "a=b; \(cookie); c=d"]))
        #expect(page.status == 200 && page.body.contains(pages.key))
    }

    @Test(arguments: [nil, "localhost:4711", "127.0.0.1", "127.0.0.1:4712", "evil.example:4711"])
    func aRequestToAnotherNameIsRefused(host: String?) throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        var request = pages.request("GET", "/", headers: ["cookie": cookie])
        request.headers["host"] = host
        #expect(pages.server.answer(request).status == 403)
        var post = pages.post("/resolve", cookie: cookie, fields: ["entity": "note"])
        post.headers["host"] = host
        #expect(pages.server.answer(post).status == 403)
    }

    @Test(arguments: [
        ["origin": "http://evil.example"], ["origin": "null"], ["origin": ""],
        ["origin": "http://127.0.0.1:80"],
        ["origin": "https://127.0.0.1:4711"], ["sec-fetch-site": "cross-site"],
        ["sec-fetch-site": "same-site"],
        ["content-type": "text/plain"], ["content-type": "application/json"], ["cookie": ""],
    ])
    func aRequestOfAnotherSiteIsRefused(headers: [String: String]) throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        var fields = try pages.fields(of: "resolve", on: page)
        fields["keep"] = "local"
        let request = pages.post("/resolve", cookie: cookie, fields: fields, headers: headers)
        #expect(pages.server.answer(request).status == 403)
        #expect(try objects(text: pages.laptop.must(arguments: "conflicts", "--json")).count == 1)
        if headers["sec-fetch-site"] != nil {
            let get = pages.request("GET", "/", headers: ["cookie": cookie].merging(headers) { $1 })
            #expect(pages.server.answer(get).status == 403)
        }
    }

    @Test func aFormWithoutItsSecretIsRefused() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        for secret in ["", "0", String(repeating: "0", count: 64)] {
            let request = pages.post("/retry", cookie: cookie, fields: ["form": secret])
            #expect(pages.server.answer(request).status == 403)
        }
    }

    @Test(arguments: ["local", "remote"]) func aButtonResolvesAConflict(side: String) throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        var fields = try pages.fields(of: "resolve", on: page)
        #expect(fields["form"] == pages.access.formToken)
        fields["keep"] = side
        let response = pages.server.answer(pages.post("/resolve", cookie: cookie, fields: fields))
        #expect(response.status == 303)
        #expect(response.headers.first { $0.name == "Location" }?.value == "/#conflicts")
        let note = try object(text: pages.laptop.must(arguments: "get", "note", pages.key))
        #expect(note["body"] as? String == (side == "local" ? "laptop" : "phone"))
        let after = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(
            after.contains(
                "<h2 id=\"conflicts-title\">Conflicts</h2>\n<p class=\"notice\" role=\"status\">Resolved with"
            ) && after.contains("There are no conflicts.")
        )
        // It was told once.
        let again = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(!again.contains("Resolved with"))
        // A double click is no error. The other choice of a page that is still open elsewhere is.
        #expect(pages.server.answer(pages.post("/resolve", cookie: cookie, fields: fields)).status == 303)
        let late = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(late.contains("role=\"status\">This is done already. Resolved with"))
        fields["keep"] = side == "local" ? "remote" : "local"
        #expect(pages.server.answer(pages.post("/resolve", cookie: cookie, fields: fields)).status == 303)
        let other = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(other.contains("role=\"alert\">That note record is not in conflict."))
    }

    @Test func aButtonOfAnOldPageDoesNotDecideWhatWasNotShown() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        var fields = try pages.fields(of: "resolve", on: page)
        fields["keep"] = "local"
        let phone = pages.scratch.device(name: "phone")
        try phone.must(arguments: "put", "note", #"{"id":"\#(pages.key)","body":"later"}"#)
        try phone.sync()
        try pages.laptop.sync()
        _ = pages.server.answer(pages.post("/resolve", cookie: cookie, fields: fields))
        let after = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(after.contains("role=\"alert\""))
        #expect(try objects(text: pages.laptop.must(arguments: "conflicts", "--json")).count == 1)
    }

    @Test func aButtonBringsALostValueBack() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        let fields = try pages.fields(of: "restore", on: page)
        for _ in 0..<2 {
            #expect(pages.server.answer(pages.post("/restore", cookie: cookie, fields: fields)).status == 303)
        }
        let after = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(after.contains("role=\"status\">This is done already. The value is back,"))
        let history = try object(text: pages.laptop.must(arguments: "explain", "task", "t", "--json"))[
            "history"
        ]
        let events = (history as? [[String: Any]])?.map { $0["event"] as? String }
        #expect(events?.filter { $0 == "restored" }.count == 1)
        #expect(
            try object(text: pages.laptop.must(arguments: "get", "task", "t"))["state"] as? String == "phone"
        )
    }

    @Test func aFormThatIsNotWholeDoesNothing() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        for (target, fields) in [
            ("/resolve", ["entity": "note", "key": "zz", "keep": "local"]), ("/resolve", [:]),
            ("/restore", [:]),
            ("/resolve", ["entity": "note", "key": "61", "keep": "both"]),
            ("/retry", ["entity": "none", "key": "61"]),
        ] {
            #expect(pages.server.answer(pages.post(target, cookie: cookie, fields: fields)).status == 303)
            let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
            #expect(page.contains("role=\"alert\""), "\(target) \(fields)")
        }
        #expect(pages.server.answer(pages.post("/delete", cookie: cookie, fields: [:])).status == 405)
        #expect(pages.server.answer(pages.request("GET", "/x", headers: ["cookie": cookie])).status == 404)
    }

    @Test func theVersionChangesWithTheStoreAndOnlyThen() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        func version() -> String {
            pages.server.answer(pages.request("GET", "/version", headers: ["cookie": cookie])).body
        }
        let before = version()
        let page = pages.server.answer(pages.request("GET", "/", headers: ["cookie": cookie])).body
        #expect(page.contains("<body data-version=\"\(before)\">"))
        #expect(version() == before)
        try pages.laptop.must(arguments: "put", "task", #"{"id":"t","state":"changed"}"#)
        #expect(version() != before)
    }

    @Test func anyRecordsHistoryIsFoundByItsKey() throws {
        let pages = try LivePages()
        let cookie = try pages.signIn()
        func page(_ query: String) -> String {
            pages.server.answer(pages.request("GET", "/?\(query)", headers: ["cookie": cookie])).body
        }
        let found = page("entity=task&text=t")
        #expect(found.contains("<details open>"))
        let unknown = page("entity=task&text=no%20body")
        #expect(unknown.contains("role=\"alert\">There is no task record with that key."))
        try pages.laptop.must(arguments: "put", "task", #"{"id":"two\nlines","state":"x"}"#)
        let shown = page("entity=task&text=two%5Cu%7Ba%7Dlines")
        #expect(shown.contains("<details open>") && shown.contains(#"two\u{a}lines"#))
        #expect(page("entity=%3Cscript%3E&text=a").contains("There is no entity &#39;&lt;script&gt;&#39;"))
        #expect(page("entity=seat&text=a").contains("role=\"alert\""))
    }
}
