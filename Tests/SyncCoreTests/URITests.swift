import SyncCore
import Testing

/// The format `uri`: what RFC 3986 calls a URI, on every device alike.
@Suite struct URITests {
    private static let entity = page(.uri(maxLength: 60))

    private static func page(_ type: FieldType) -> EntityDescriptor {
        EntityDescriptor(
            name: "page",
            typeName: "Page",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "link", type: type),
                FieldDescriptor(name: "links", type: .array(element: type)),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
    }

    private func error(link: String, in entity: EntityDescriptor = entity) throws -> FieldError? {
        var writer = JSONWriter()
        writer.string(link)
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        do {
            _ = try decoder.record(Array(#"{"id":"x","link":\#(writer.text)}"#.utf8))
            return nil
        } catch let error as FieldError { return error }
    }

    /// Those of RFC 3986, section 1.1.2, then the edges of each part.
    static let valid = [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "x:", "X-1.2+3:y", "file:///etc/hosts", "a:/", "a:/b//c", "a:b//c", "a://", "a:///", "a://h",
        "a://h?", "a://h#", "a://h/?#", "a:?q", "a:#f", "a:?/?:@", "a:#/?:@", "a:@:/b",
        "http://@h", "http://u@h", "http://u:p:q@h", "http://a%40b:@h/", "http://h:", "http://h:/",
        "http://h:0080",
        "http://h:99999999999999999999/", "http://h%20h/", "http://!$&'()*+,;=-._~/!$&'()*+,;=-._~:@",
        "http://256.1.1.1/",
        "http://xn--nw2a.xn--j6w193g/", "a:%00%fF",
        "a://[::]", "a://[::1]:8", "a://[1::]", "a://[1:2:3:4:5:6:7:8]", "a://[1:2:3:4:5:6:7::]",
        "a://[::2:3:4:5:6:7:8]", "a://[1::3:4:5:6:7:8]", "a://[::ffff:192.0.2.1]",
        "a://[1:2:3:4:5:6:0.0.0.255]",
        "a://[1:2:3:4:5::9.9.9.9]", "a://u@[::ABCD:00ef]/", "a://[v1.x]", "a://[VaF.:-!]",
    ]

    static let invalid = [
        "", ":", "a", "a/b:c", "//h/p", "/p", "?q", "#f", "relative/path", "example.org", "example.org/page",
        "1a:b", "-a:b", "a_b:c", "a b:c", " a:b", "a:b ", "a:b c", "a:\t", "a:\n", "a:\u{0}", "a:\u{7f}",
        "ä:b", "a:ä", "a://ä/", "http://例え.jp/", "a:\u{a0}",
        "a:%", "a:%2", "a:%2g", "a:%%20", "http://h%zz/", "http://u%@h/", "a:?%x0", "a:#%",
        "a:b#c#d", "a:<b>", "a:\"b\"", "a:{b}", "a:|", "a:\\b", "a:^", "a:`b`", "a:[b]", "a:b?[", "a:b#]",
        "http://h:80x/", "http://h:8 0/", "http://h:-1", "http://h:1:2/", "http://u@v@h/", "http://u@h@/",
        "http://[h]/",
        "a://[", "a://]", "a://[]", "a://[:]", "a://[:::]", "a://[1]", "a://[1:2:3:4:5:6:7]",
        "a://[1:2:3:4:5:6:7:8:9]",
        "a://[1:2:3:4:5:6:7:8::]", "a://[::1:2:3:4:5:6:7:8]", "a://[1:2:3:4::5:6:7:8]", "a://[1::2::3]",
        "a://[12345::]",
        "a://[g::]", "a://[1:]", "a://[:1]", "a://[1:2:3:4:5:6:7:]", "a://[::1.2.3]", "a://[::1.2.3.4.5]",
        "a://[::256.1.1.1]", "a://[::01.1.1.1]", "a://[::1.2.3.4:5]", "a://[1:2:3:4:5:6:7:1.2.3.4]",
        "a://[1.2.3.4]",
        "a://[fe80::1%25en0]", "a://[::1]x", "a://[::1]x:80", "a://x[::1]", "a://[v.x]", "a://[v1.]",
        "a://[v1x]",
        "a://[vg.x]", "a://[v1.x/]", "a://[::1",
    ]

    @Test(arguments: valid) func aURIIsTaken(link: String) throws {
        #expect(try error(link: link, in: Self.page(.uri())) == nil)
    }

    @Test(arguments: invalid) func anythingElseIsRefusedWithAReason(link: String) throws {
        #expect(try error(link: link)?.rule == "uri")
        #expect(try error(link: link)?.field == "link")
    }

    /// Apps from before this check go on.
    @Test func whatTravelsIsHeldToTheFormerRule() throws {
        var decoder = RecordDecoder(descriptor: Self.entity, form: .wire)
        _ = try decoder.record(Array(#"{"id":"x","link":"example.org","links":["a%"]}"#.utf8))
        #expect(throws: FieldError.self) {
            try decoder.record(Array(#"{"id":"x","link":"a b","links":[]}"#.utf8))
        }
    }

    @Test func aLengthIsHeldToAsWell() throws {
        #expect(try error(link: "urn:" + String(repeating: "x", count: 56)) == nil)
        #expect(try error(link: "urn:" + String(repeating: "x", count: 57))?.rule == "max-length")
    }

    /// The time grows as the text does, whatever is in it: each of these would take minutes otherwise.
    @Test(.timeLimit(.minutes(30)), arguments: ["%20", "1:", "::", "@", ":", "[", "1.", "a"])
    func aLongTextTakesTimeInProportion(part: String) throws {
        let long = String(repeating: part, count: 100_000)
        for head in ["a:", "a://", "a://[", "a://[v1.", ""] {
            _ = try error(link: head + long, in: Self.page(.uri()))
        }
    }

    /// A link that was taken before this check existed, or while the field was any text, is shown.
    @Test func whatIsThereAlreadyStaysReadable() throws {
        var decoder = RecordDecoder(descriptor: Self.page(.string()), form: .plain)
        let record = try decoder.record(Array(#"{"id":"x","link":"example.org","links":["a b"]}"#.utf8))
        #expect(RecordFit(Self.entity).fits(record))
        let bytes = RecordEncoder(descriptor: Self.entity, form: .wire).bytes(record)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"id":"x","link":"example.org","links":["a b"]}"#)
    }
}
