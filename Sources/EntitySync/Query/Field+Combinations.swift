public import SyncCore

/// Combinations.
extension FieldCondition {
    /// Whether both hold.
    public static func && (left: Self, right: Self) -> Self {
        Self(.all(left.node.conjuncts + right.node.conjuncts))
    }

    /// Whether at least one of them holds.
    public static func || (left: Self, right: Self) -> Self {
        Self(.any(left.node.alternatives + right.node.alternatives))
    }

    /// Whether it does not hold. What a field lacks meets no test, and so meets its negation.
    public static prefix func ! (condition: Self) -> Self { Self(.not(condition.node)) }
}

extension Field {
    /// Whether the field differs from the value. Null and absent differ from every value but nil.
    public static func != (field: Self, value: Value) -> FieldCondition<Entity> { !(field == value) }
}

/// Text.
extension Field where Value: TextFieldValue {
    /// Whether the text begins with another one, byte for byte. An index of the field serves it.
    public func hasPrefix(_ prefix: String) -> FieldCondition<Entity> {
        FieldCondition(field: schemaName, test: .prefix(prefix))
    }

    /// Whether the text holds another one. No index serves it.
    ///
    /// - Parameters:
    ///   - text: What is looked for.
    ///   - folding: Which differences do not count; by default, all of them do.
    public func contains(_ text: String, ignoring folding: StoreQuery.TextFolding = []) -> FieldCondition<
        Entity
    > {
        FieldCondition(field: schemaName, test: .contains(text, folding))
    }
}

/// Lists and sets, present or not. An index of the field (`"indexes": [["tags"]]`) serves them.
extension Field {
    /// Whether the list has an element.
    public func contains<Element: FieldConvertible>(_ element: Element) -> FieldCondition<Entity>
    where Value == [Element] { has(anyOf: [element]) }

    /// Whether there is a list, and it has an element.
    public func contains<Element: FieldConvertible>(_ element: Element) -> FieldCondition<Entity>
    where Value == [Element]? { has(anyOf: [element]) }

    /// Whether the list has at least one of some elements. An empty list of them matches nothing.
    public func containsAny<Element: FieldConvertible>(of elements: some Sequence<Element>) -> FieldCondition<
        Entity
    >
    where Value == [Element] { has(anyOf: elements.map { $0 }) }

    /// Whether there is a list, and it has at least one of some elements.
    public func containsAny<Element: FieldConvertible>(of elements: some Sequence<Element>) -> FieldCondition<
        Entity
    >
    where Value == [Element]? { has(anyOf: elements.map { $0 }) }

    /// Whether the list has all of some elements. An empty list of them matches every record.
    public func containsAll<Element: FieldConvertible>(of elements: some Sequence<Element>) -> FieldCondition<
        Entity
    >
    where Value == [Element] { FieldCondition(field: schemaName, test: .hasAllElements(elements.map { $0 })) }

    /// Whether there is a list, and it has all of some elements. An empty list of them matches every list.
    public func containsAll<Element: FieldConvertible>(of elements: some Sequence<Element>) -> FieldCondition<
        Entity
    >
    where Value == [Element]? {
        FieldCondition(field: schemaName, test: .hasAllElements(elements.map { $0 })) && hasValue
    }

    private func has(anyOf elements: [any FieldConvertible]) -> FieldCondition<Entity> {
        FieldCondition(field: schemaName, test: .hasAnyElement(elements))
    }
}
