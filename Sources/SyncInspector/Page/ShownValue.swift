import SyncCore
import SyncPages

/// A value as a page shows it: short, and with what differs between two sides marked.
struct ShownValue {
    /// The characters that stay next to a difference.
    private static let contextScalars = 40

    private let text: String
    /// Whether the text is a text of the record; otherwise it is JSON.
    private let isText: Bool

    /// Reads a value's JSON.
    init(json: String) {
        let decoded = Self.string(json: json)
        text = decoded ?? json
        isText = decoded != nil
    }

    /// The value alone.
    var markup: Markup { element(content: Self.cut(scalars: Array(text.unicodeScalars)[...])) }

    /// The value with a mark on what `other` has not. Values that are no texts are not marked.
    func markup(against other: ShownValue?) -> Markup {
        guard let other, isText, other.isText, !text.isEmpty, !other.text.isEmpty else { return markup }
        let (own, its) = (Array(text.unicodeScalars), Array(other.text.unicodeScalars))
        guard own != its else { return markup }
        let prefix = Self.commonPrefix(left: own[...], right: its[...])
        let (ownRest, itsRest) = (own[prefix...], its[prefix...])
        let suffix = Self.commonPrefix(
            left: ArraySlice(ownRest.reversed()),
            right: ArraySlice(itsRest.reversed())
        )
        let middle = own[prefix..<(own.count - suffix)]
        let marked: Markup = middle.isEmpty ? "" : "<mark>\(Self.cut(scalars: middle))</mark>"
        let (before, after) = (own[..<prefix], own[(own.count - suffix)...])
        guard own.count > ReportLimits.maxValueScalars else {
            return element(content: "\(Self.text(of: before))\(marked)\(Self.text(of: after))")
        }
        return element(
            content:
                "\(Self.cutStart(scalars: before))\(marked)\(Self.cut(scalars: after, to: Self.contextScalars))"
        )
    }

    /// How many characters two texts begin with alike. It ends between words, unless a word is very long.
    private static func commonPrefix(left: ArraySlice<Unicode.Scalar>, right: ArraySlice<Unicode.Scalar>)
        -> Int
    {
        let count = zip(left, right).prefix { $0 == $1 }.count
        func isInWord(text: ArraySlice<Unicode.Scalar>, at place: Int) -> Bool {
            place < text.count && text[text.startIndex + place].isWordPart
        }
        for place in stride(from: count, through: max(0, count - contextScalars), by: -1) {
            let isBetween = isInWord(text: left, at: place) || isInWord(text: right, at: place)
            if place == 0 || !isBetween || !isInWord(text: left, at: place - 1) { return place }
        }
        return count
    }

    private func element(content: Markup) -> Markup {
        guard isText else { return "<code>\(content)</code>" }
        return text.isEmpty
            ? #"<span class="quiet">(empty text)</span>"# : #"<bdi class="text">\#(content)</bdi>"#
    }

    /// The beginning of a text, and how much follows.
    private static func cut(
        scalars: ArraySlice<Unicode.Scalar>,
        to limit: Int = ReportLimits.maxValueScalars
    ) -> Markup {
        guard scalars.count > limit else { return "\(text(of: scalars))" }
        let left = PageWords.number(scalars.count - limit)
        return "\(text(of: scalars.prefix(limit)))<span class=\"quiet\"> … \(left) more characters</span>"
    }

    /// The end of a text, and how much comes before it.
    private static func cutStart(scalars: ArraySlice<Unicode.Scalar>) -> Markup {
        guard scalars.count > contextScalars * 2 else { return "\(text(of: scalars))" }
        let left = PageWords.number(scalars.count - contextScalars)
        return
            "<span class=\"quiet\">\(left) characters before … </span>\(text(of: scalars.suffix(contextScalars)))"
    }

    private static func text(of scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// The text of a JSON string; nil for any other JSON.
    private static func string(json: String) -> String? {
        guard json.utf8.first == UInt8(ascii: "\"") else { return nil }
        var copy = json
        return copy.withUTF8 { bytes in
            guard var reader = try? JSONReader(bytes) else { return nil }
            return try? reader.string().decode()
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is part of a word, such as a letter, a digit or an accent.
    fileprivate var isWordPart: Bool {
        properties.isAlphabetic || properties.numericType != nil || properties.isGraphemeExtend
    }
}
