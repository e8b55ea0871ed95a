/// How much a page holds, so that it stays usable for a store of any size.
package struct ReportLimits: Sendable {
    /// The most elements of each list.
    package var items: Int
    /// The most records whose history is drawn.
    package var histories = 30
    /// The most bytes of HTML of each list. A list always shows its first element.
    package var listBytes = 8 << 20
    /// The most characters of a value.
    static let maxValueScalars = 600
    /// The most characters of a key or another name.
    static let maxNameScalars = 120

    /// Makes limits.
    package init(items: Int = 1000) { self.items = items }
}

/// The part of a list that is shown.
package struct ShownPart<Element: Sendable>: Sendable {
    /// The shown elements.
    package var elements: [Element]
    /// How many there are.
    package var total: Int

    /// A part of a list with `total` elements.
    init(elements: [Element], of total: Int) {
        self.elements = elements
        self.total = max(total, elements.count)
    }
}
