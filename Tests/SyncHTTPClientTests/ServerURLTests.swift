import SyncCore
import SyncHTTPClient
import Testing

@Suite struct ServerURLTests {
    @Test(
        arguments: [
            ("https://sync.example.org", "https://sync.example.org", "https://sync.example.org:443"),
            ("HTTPS://Sync.Example.ORG/", "https://sync.example.org", "https://sync.example.org:443"),
            ("https://a.b:8443/team//", "https://a.b:8443/team", "https://a.b:8443"),
            ("http://localhost:8080/x/y", "http://localhost:8080/x/y", "http://localhost:8080"),
            ("http://127.3.2.1", "http://127.3.2.1", "http://127.3.2.1:80"),
            ("http://[::1]:9", "http://[::1]:9", "http://[::1]:9"),
            ("https://[2001:db8::1]", "https://[2001:db8::1]", "https://[2001:db8::1]:443"),
        ]
    )
    func goodURLsAreReadToOneSpelling(text: String, spelling: String, origin: String) throws {
        let url = try ServerURL(text)
        #expect(url.description == spelling)
        #expect(url.origin == origin)
    }

    @Test(
        arguments: [
            "", "sync.example.org", "ftp://a.b", "file:///etc/passwd", "https://", "https:///path",
            "https://a b",
            "https://a.b:", "https://a.b:0", "https://a.b:65536", "https://a.b:+1", "https://a.b:8a",
            "https://a.b?x=1", "https://a.b/#x", "https://user:hunter2@c.d", "https://hunter2@c.d",
            "https://a.b/../x",
            "https://a.b\r\nX: y", "https://a\\b", "https://ä.example", "https://a..b", "https://[::1",
            "https://[abc]",
            "https://a%2eb", "https://[::1]x",
        ]
    )
    func wrongURLsAreRefusedWithoutTheirTextInTheMessage(text: String) throws {
        let error = try #require(#expect(throws: SyncError.self) { try ServerURL(text) })
        #expect(error.kind == .usage)
        #expect(!error.message.contains("hunter2") && !error.help.contains("hunter2"))
    }

    @Test(
        arguments: [
            "http://example.org", "http://127.0.0.1.example.org", "http://127.1",
            "http://localhost.example.org",
            "http://128.0.0.1", "http://127.0.0.256", "http://[::2]", "http://0.0.0.0",
            "http://[::ffff:127.0.0.1]",
        ]
    )
    func plainHTTPIsForThisMachineUnlessAllowed(text: String) throws {
        #expect(throws: SyncError.self) { try ServerURL(text) }
        #expect(try ServerURL(text, allowsPlainHTTP: true).scheme == "http")
    }
}
