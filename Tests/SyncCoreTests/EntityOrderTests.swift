import SyncCore
import Testing

@Suite struct EntityOrderTests {
    private func entity(_ name: String, parents: [String] = []) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: name,
            fields: [FieldDescriptor(name: "id", type: .uuid, isRequired: true)]
                + parents.map { FieldDescriptor(name: $0, type: .uuid) },
            key: ["id"],
            strategy: .preserveLocal,
            references: parents.map { ReferenceDescriptor(field: $0, entity: $0, onDelete: .cascade) }
        )
    }

    private func order(_ entities: [EntityDescriptor]) -> [String] {
        EntityOrder.sorted(entities).map(\.name)
    }

    @Test func parentsStandBeforeTheirChildrenAndAGenerationGoesByName() {
        let entities = [
            entity("task", parents: ["person", "project"]), entity("note"), entity("project"),
            entity("comment", parents: ["task"]), entity("person"),
        ]
        let expected = ["note", "person", "project", "task", "comment"]
        #expect(order(entities) == expected)
        #expect(order(entities.reversed()) == expected)
    }

    @Test func anEntityThatIsNotThereAndOneThatNamesItselfHoldNothingUp() {
        #expect(order([entity("b", parents: ["b"]), entity("a", parents: ["elsewhere"])]) == ["a", "b"])
    }

    @Test func entitiesOfACircleStandTogetherBeforeWhatRefersToThem() {
        let entities = [
            entity("a", parents: ["c"]), entity("b", parents: ["a"]), entity("c", parents: ["b"]),
            entity("d", parents: ["a"]), entity("e"),
        ]
        #expect(order(entities) == ["a", "b", "c", "e", "d"])
    }

    @Test func aChainOfManyEntitiesIsOrderedAtOnce() {
        let count = 20_000
        let names = (0..<count).map { String($0) }
        let ordered = EntityOrder.parentsFirst(
            names,
            name: { $0 },
            parents: { name in Int(name).map { $0 + 1 < count ? [names[$0 + 1]] : [] } ?? [] }
        )
        #expect(ordered == names.reversed())
    }
}
