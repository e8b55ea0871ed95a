import Foundation

/// A request of a browser.
struct PageRequest: Sendable {
    /// For example `GET`.
    var method: String
    /// The path with its query, as it came.
    var target: String
    /// Headers with names in lower case. A header that came twice counts as none.
    var headers: [String: String]
    /// The body.
    var body: [UInt8] = []

    /// The largest body that any form of the page sends, in bytes.
    static let maxBodyBytes = 64 * 1024

    /// The path alone.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The values of the query.
    var query: [String: String] { Self.fields(String(target.drop { $0 != "?" }.dropFirst())) }

    /// The values of a form; nil if the body is none.
    var form: [String: String]? {
        guard headers["content-type"]?.lowercased() == "application/x-www-form-urlencoded" else { return nil }
        return String(validating: body, as: UTF8.self).map(Self.fields)
    }

    /// A cookie's value.
    func cookie(name: String) -> String? {
        headers["cookie"]?.split(separator: ";").lazy.map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// Decodes `name=value&…`. A name that is there twice keeps its first value; what is no UTF-8 is left out.
    private static func fields(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding
            }
            guard let name = pair[0], fields[name] == nil else { continue }
            if pair.count == 1 { fields[name] = "" } else if let value = pair[1] { fields[name] = value }
        }
        return fields
    }
}

/// An answer to a browser.
struct PageResponse: Sendable {
    /// The status code.
    var status: Int
    /// Headers beside those that every answer has.
    var headers: [(name: String, value: String)] = []
    /// The content type of the body.
    var type = "text/html; charset=utf-8"
    /// The body.
    var body = ""

    /// A short page that only says something.
    static func note(_ status: Int, _ sentence: String) -> PageResponse {
        PageResponse(
            status: status,
            body: """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" \
                content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">\
                <title>synccheck inspect</title></head>
                <body><main><h1>synccheck inspect</h1><p>\(sentence)</p></main></body></html>

                """
        )
    }

    /// Leads to another address with `GET`.
    static func redirect(to address: String) -> PageResponse {
        PageResponse(status: 303, headers: [("Location", address)])
    }
}
