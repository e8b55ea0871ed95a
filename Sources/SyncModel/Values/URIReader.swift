/// Reads a URI of RFC 3986: a scheme, then a path, with or without an authority, a query and a fragment. A reference that
/// is relative to another URI is none.
///
/// Each byte is looked at a fixed number of times. No locale, list of schemes or library of the system is asked, so that
/// all devices give the same verdict.
struct URIReader {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    /// Whether the bytes are a URI.
    static func isURI(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = URIReader(rest: bytes[...])
        guard reader.takeScheme() else { return false }
        if reader.take("//") {
            guard reader.takeAuthority(), reader.rest.first.map({ "/?#".utf8.contains($0) }) ?? true else {
                return false
            }
        }
        reader.skip(.path)
        if reader.take("?") { reader.skip(.query) }
        if reader.take("#") { reader.skip(.query) }
        return reader.rest.isEmpty
    }

    /// Passes over the scheme and its colon.
    private mutating func takeScheme() -> Bool {
        guard let first = rest.first, Self.isLetter(first) else { return false }
        rest = rest.drop { Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) }
        return take(":")
    }

    /// Passes over user, host and port, each of which may be empty.
    private mutating func takeAuthority() -> Bool {
        if rest.prefix(while: { !"/?#".utf8.contains($0) }).contains(UInt8(ascii: "@")) {
            skip(.user)
            guard take("@") else { return false }
        }
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[rest.index(after: rest.startIndex)..<end]
            guard Self.isIPv6(address) || Self.isFutureAddress(address) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            skip(.host)
        }
        if take(":") { rest = rest.drop(while: Self.isDigit) }
        return true
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Stops before the first byte that may not stand in the part as it is or after a percent sign.
    private mutating func skip(_ part: Part) {
        while let byte = rest.first {
            if part.allows(byte) {
                rest = rest.dropFirst()
            } else if byte == UInt8(ascii: "%") {
                let digits = rest.dropFirst().prefix(2)
                guard digits.count == 2, digits.allSatisfy(Self.isHexDigit) else { return }
                rest = rest.dropFirst(3)
            } else {
                return
            }
        }
    }
}

extension URIReader {
    /// The parts of a URI that differ in what may stand in them. A fragment allows what a query does.
    private enum Part {
        case user, host, path, query

        func allows(_ byte: UInt8) -> Bool {
            switch byte {
            case _ where URIReader.isPlain(byte): true
            case UInt8(ascii: ":"): self != .host
            case UInt8(ascii: "/"), UInt8(ascii: "@"): self == .path || self == .query
            case UInt8(ascii: "?"): self == .query
            default: false
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool { JSONText.hexDigit(byte: byte) != nil }

    /// What the RFC calls unreserved, and delimiters that mean something only to a scheme.
    private static func isPlain(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
    }

    /// Eight groups of up to four digits, the last two of which may be an IPv4 address; `::` stands for one or more groups
    /// of zeros.
    private static func isIPv6(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var rest = text
        var (groups, hasGap) = (0, false)
        if rest.starts(with: "::".utf8) {
            rest = rest.dropFirst(2)
            hasGap = true
        }
        while !rest.isEmpty || groups == 0 && !hasGap {
            let group = rest.prefix(while: isHexDigit)
            if group.endIndex < rest.endIndex, rest[group.endIndex] == UInt8(ascii: ".") {
                guard isIPv4(rest) else { return false }
                groups += 2
                break
            }
            guard 1...4 ~= group.count else { return false }
            groups += 1
            rest = rest.dropFirst(group.count)
            if rest.isEmpty { break }
            guard rest.first == UInt8(ascii: ":") else { return false }
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: ":") {
                guard !hasGap else { return false }
                hasGap = true
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return false
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// Four numbers from 0 to 255 without leading zeros.
    private static func isIPv4(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                guard 1...3 ~= number.count, number.allSatisfy(isDigit) else { return false }
                if number.count > 1, number.first == UInt8(ascii: "0") { return false }
                return number.reduce(0) { $0 * 10 + Int($1 - 0x30) } < 256
            }
    }

    /// An address of a kind that is yet to come: `v`, its number, a full stop, and text.
    private static func isFutureAddress(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "v") else { return false }
        let version = text.dropFirst().prefix(while: isHexDigit)
        let tail = text.dropFirst(1 + version.count)
        guard !version.isEmpty, tail.first == UInt8(ascii: "."), tail.count > 1 else { return false }
        return tail.dropFirst().allSatisfy { isPlain($0) || $0 == UInt8(ascii: ":") }
    }
}
