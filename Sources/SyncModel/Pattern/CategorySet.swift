/// A set of Unicode's general categories.
package struct CategorySet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The set of one category.
    init(_ category: Unicode.GeneralCategory) {
        self.init(rawValue: 1 << UInt32(Self.indexes[category] ?? 31))
    }

    /// The categories with a name: `Lu`, `L`, `Uppercase_Letter`, `gc=Lu`; nil for a name that is none.
    init?(named name: String) {
        let value = ["General_Category=", "gc="].lazy.filter(name.hasPrefix).map { name.dropFirst($0.count) }
        let wanted = value.first.map(String.init) ?? name
        var set = CategorySet()
        for (index, entry) in Self.all.enumerated() where entry.names.contains(wanted) {
            set.insert(CategorySet(rawValue: 1 << UInt32(index)))
        }
        guard !set.isEmpty else { return nil }
        self = set
    }

    /// The categories that this set leaves out.
    var inverted: CategorySet { CategorySet(rawValue: ~rawValue & (1 << UInt32(Self.all.count) - 1)) }

    private static let indexes = Dictionary(
        uniqueKeysWithValues: all.enumerated().map { ($0.element.category, $0.offset) }
    )

    /// Each category with all names that stand for it, alone or in a group.
    private static let all: [(category: Unicode.GeneralCategory, names: Set<String>)] = [
        (.uppercaseLetter, ["Lu", "Uppercase_Letter", "LC", "Cased_Letter", "L", "Letter"]),
        (.lowercaseLetter, ["Ll", "Lowercase_Letter", "LC", "Cased_Letter", "L", "Letter"]),
        (.titlecaseLetter, ["Lt", "Titlecase_Letter", "LC", "Cased_Letter", "L", "Letter"]),
        (.modifierLetter, ["Lm", "Modifier_Letter", "L", "Letter"]),
        (.otherLetter, ["Lo", "Other_Letter", "L", "Letter"]),
        (.nonspacingMark, ["Mn", "Nonspacing_Mark", "M", "Mark", "Combining_Mark"]),
        (.spacingMark, ["Mc", "Spacing_Mark", "M", "Mark", "Combining_Mark"]),
        (.enclosingMark, ["Me", "Enclosing_Mark", "M", "Mark", "Combining_Mark"]),
        (.decimalNumber, ["Nd", "Decimal_Number", "digit", "N", "Number"]),
        (.letterNumber, ["Nl", "Letter_Number", "N", "Number"]),
        (.otherNumber, ["No", "Other_Number", "N", "Number"]),
        (.connectorPunctuation, ["Pc", "Connector_Punctuation", "P", "Punctuation", "punct"]),
        (.dashPunctuation, ["Pd", "Dash_Punctuation", "P", "Punctuation", "punct"]),
        (.openPunctuation, ["Ps", "Open_Punctuation", "P", "Punctuation", "punct"]),
        (.closePunctuation, ["Pe", "Close_Punctuation", "P", "Punctuation", "punct"]),
        (.initialPunctuation, ["Pi", "Initial_Punctuation", "P", "Punctuation", "punct"]),
        (.finalPunctuation, ["Pf", "Final_Punctuation", "P", "Punctuation", "punct"]),
        (.otherPunctuation, ["Po", "Other_Punctuation", "P", "Punctuation", "punct"]),
        (.mathSymbol, ["Sm", "Math_Symbol", "S", "Symbol"]),
        (.currencySymbol, ["Sc", "Currency_Symbol", "S", "Symbol"]),
        (.modifierSymbol, ["Sk", "Modifier_Symbol", "S", "Symbol"]),
        (.otherSymbol, ["So", "Other_Symbol", "S", "Symbol"]),
        (.spaceSeparator, ["Zs", "Space_Separator", "Z", "Separator"]),
        (.lineSeparator, ["Zl", "Line_Separator", "Z", "Separator"]),
        (.paragraphSeparator, ["Zp", "Paragraph_Separator", "Z", "Separator"]),
        (.control, ["Cc", "Control", "cntrl", "C", "Other"]),
        (.format, ["Cf", "Format", "C", "Other"]),
        (.surrogate, ["Cs", "Surrogate", "C", "Other"]),
        (.privateUse, ["Co", "Private_Use", "C", "Other"]),
        (.unassigned, ["Cn", "Unassigned", "C", "Other"]),
    ]
}
