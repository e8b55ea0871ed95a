/// A set of Unicode scalars: ranges, general categories, or what both leave out.
package struct ScalarSet: Sendable, Hashable {
    /// Ranges of scalar values; they may overlap. Surrogates in them match nothing.
    package private(set) var ranges: [ClosedRange<UInt32>]
    /// Whole general categories.
    package private(set) var categories: CategorySet
    /// Whether the set has what ranges and categories leave out.
    package private(set) var isNegated = false
    /// The set's ASCII scalars, as bits.
    private var ascii: (low: UInt64, high: UInt64) = (0, 0)

    /// Makes a set of ranges and general categories.
    package init(_ ranges: [ClosedRange<UInt32>] = [], categories: CategorySet = CategorySet()) {
        self.ranges = ranges
        self.categories = categories
        findASCII()
    }

    /// The set of all other scalars.
    package var inverted: ScalarSet {
        var set = self
        set.isNegated.toggle()
        set.findASCII()
        return set
    }

    /// The scalars of either set. Both are positive.
    func union(_ other: ScalarSet) -> ScalarSet {
        ScalarSet(ranges + other.ranges, categories: categories.union(other.categories))
    }

    /// Whether the set has a scalar.
    package func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 64 { return ascii.low & (1 << UInt64(value)) != 0 }
        if value < 128 { return ascii.high & (1 << UInt64(value - 64)) != 0 }
        return find(scalar)
    }

    private func find(_ scalar: Unicode.Scalar) -> Bool {
        let isListed =
            ranges.contains { $0.contains(scalar.value) }
            || !categories.isEmpty && categories.contains(CategorySet(scalar.properties.generalCategory))
        return isListed != isNegated
    }

    private mutating func findASCII() {
        ascii = (0, 0)
        for value in UInt8(0)..<64 where find(Unicode.Scalar(value)) { ascii.low |= 1 << UInt64(value) }
        for value in UInt8(64)..<128 where find(Unicode.Scalar(value)) {
            ascii.high |= 1 << UInt64(value - 64)
        }
    }

    /// Equal sets are written with the same ranges and categories.
    package static func == (lhs: ScalarSet, rhs: ScalarSet) -> Bool {
        lhs.ranges == rhs.ranges && lhs.categories == rhs.categories && lhs.isNegated == rhs.isNegated
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ranges)
        hasher.combine(categories)
        hasher.combine(isNegated)
    }
}

/// The sets that ECMA-262 has a short form for.
extension ScalarSet {
    /// `\d`: the ten ASCII digits.
    package static let digits = ScalarSet([0x30...0x39])
    /// `\w`: ASCII letters, ASCII digits and `_`.
    package static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: white space and line ends.
    package static let space = ScalarSet(
        [
            0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
            0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
        ]
    )
    /// `.`: all but the line ends.
    static let anyOfLine = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).inverted
}
