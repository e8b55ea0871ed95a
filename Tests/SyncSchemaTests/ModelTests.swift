import SyncSchema
import Testing

/// The content of checked schemas.
@Suite struct ModelTests {
    private func schema(text: String) throws -> Schema {
        let report = SchemaLoader.load([SchemaSource(path: "some/item.schema.json", bytes: Array(text.utf8))])
        #expect(report.diagnostics == [])
        return try #require(report.schemas.first)
    }

    private func property(field: String, root: String = "") throws -> Property {
        try #require(try schema(text: Sample.entity(fields: field, root: root)).properties.last)
    }

    @Test func saysEverythingThatTheFileSays() throws {
        let schema = try schema(
            text: """
                {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"item","title":"Thing","description":"A thing.",
                "type":"object","additionalProperties":false,
                "properties":{"owner":{"type":"string"},"number":{"type":"integer"},"madeAt":{"type":"string","format":"date-time"},
                "editedAt":{"type":"string","format":"date-time"},"gone":{"type":"boolean"},"parent":{"type":["string","null"]}},
                "required":["owner","number"],
                "sync":{"version":3,"key":["owner","number"],"strategy":"set-union","granularity":"field","created":"madeAt",
                "updated":"editedAt","deleted":"gone","remote":"things","naming":"camelCase","unique":[["number"]],
                "indexes":[["madeAt","gone"]],"limit":9,"tombstoneDays":30}}
                """
        )
        #expect(schema.name == "item" && schema.typeName == "Thing" && schema.summary == "A thing.")
        #expect(schema.version == 3 && schema.key == ["owner", "number"] && schema.strategy == .setUnion)
        #expect(schema.granularity == .field && schema.created == "madeAt" && schema.updated == "editedAt")
        #expect(schema.deleted == "gone" && schema.remote == "things" && schema.naming == .camelCase)
        #expect(schema.unique == [["number"]] && schema.indexes == [["madeAt", "gone"]])
        #expect(schema.limit == 9 && schema.tombstoneDays == 30 && schema.forbidsUnknownFields)
        #expect(schema.properties.map(\.name) == ["owner", "number", "madeAt", "editedAt", "gone", "parent"])
        #expect(schema.properties.map(\.isRequired) == [true, true, false, false, false, false])
        #expect(schema.properties.map(\.isNullable) == [false, false, false, false, false, true])
    }

    @Test func fillsInWhatTheFileLeavesOut() throws {
        let schema = try schema(text: Sample.entity(fields: #""a":{"type":"string"}"#))
        #expect(schema.version == 1 && schema.granularity == .record && schema.naming == .verbatim)
        #expect(schema.remote == nil && schema.limit == nil && schema.tombstoneDays == nil)
        #expect(!schema.forbidsUnknownFields && schema.unique == [] && schema.references == [])
    }

    @Test(arguments: [
        (
            #"{"type":"string","minLength":1,"maxLength":9,"pattern":"^a"}"#,
            SchemaType.string(minLength: 1, maxLength: 9, pattern: "^a")
        ),
        (
            #"{"type":"string","maxBytes":90,"maxLength":9}"#,
            .string(minLength: nil, maxLength: 9, pattern: nil, maxBytes: 90)
        ),
        (#"{"type":"string","format":"email"}"#, .string(minLength: nil, maxLength: nil, pattern: nil)),
        (#"{"type":"string","format":"uuid"}"#, .uuid),
        (#"{"type":"string","format":"date-time"}"#, .dateTime),
        (#"{"type":"string","format":"date"}"#, .date), (#"{"type":"string","format":"decimal"}"#, .decimal),
        (#"{"type":"string","format":"uri","maxLength":4000}"#, .uri(maxLength: 4000)),
        (#"{"type":"string","contentEncoding":"base64","contentMediaType":"image/png"}"#, .data),
        (#"{"type":"boolean"}"#, .boolean),
        (#"{"type":"integer"}"#, .integer(minimum: nil, maximum: nil)),
        (#"{"type":"integer","minimum":1.5,"maximum":1e2}"#, .integer(minimum: 2, maximum: 100)),
        (#"{"type":"integer","minimum":-1.5,"exclusiveMaximum":1.5}"#, .integer(minimum: -1, maximum: 1)),
        (#"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":10}"#, .integer(minimum: 2, maximum: 9)),
        (#"{"type":"integer","exclusiveMinimum":1,"minimum":9}"#, .integer(minimum: 9, maximum: nil)),
        (
            #"{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}"#,
            .integer(minimum: .min, maximum: .max)
        ),
        (#"{"type":"number","minimum":-90,"maximum":90}"#, .number(minimum: -90, maximum: 90)),
        (
            #"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#,
            .number(minimum: 0.0.nextUp, maximum: 1.0.nextDown)
        ),
    ])
    func readsTypesAndConstraints(_ text: String, type: SchemaType) throws {
        let report = SchemaLoader.load([
            SchemaSource(path: "item.schema.json", bytes: Array(Sample.entity(fields: "\"a\":\(text)").utf8))
        ])
        #expect(report.isValid)
        #expect(report.schemas.first?.properties.last?.type == type)
    }

    @Test func readsSetsListsAndObjects() throws {
        let set = try property(
            field:
                #""tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3,"sync":{"ordered":false}}"#
        )
        guard case .array(let item, true, nil, 3) = set.type else { throw Unexpected() }
        #expect(item.type == .string(minLength: nil, maxLength: nil, pattern: nil) && !item.isNullable)

        let ordered = try property(
            field: #"""
                "stops":{"type":"array","items":{"type":"string"},"uniqueItems":true,"default":["z","a"],
                "sync":{"ordered":true}}
                """#
        )
        guard case .array(_, false, nil, nil) = ordered.type else { throw Unexpected() }
        #expect(ordered.hasUniqueItems && !set.hasUniqueItems && ordered.defaultJSON == #"["z","a"]"#)
        #expect(FieldDescriptor(property: ordered).hasUniqueItems)

        let list = try property(
            field: #"""
                "splits":{"type":"array","items":{"description":"A part.","type":"object","additionalProperties":false,
                "properties":{"whoIsIt":{"type":"string"},"note":{"type":["string","null"]}},"required":["whoIsIt"]}}
                """#
        )
        guard case .array(let element, false, nil, nil) = list.type, case .object(let object) = element.type
        else {
            throw Unexpected()
        }
        #expect(object.typeName == "Split" && object.summary == "A part." && object.forbidsUnknownFields)
        #expect(object.properties.map(\.name) == ["whoIsIt", "note"])
        #expect(object.properties.map(\.isRequired) == [true, false])
    }

    @Test func followsDefinitionsAndGivesThemOneType() throws {
        let definitions =
            #""$defs":{"share":{"type":["object","null"],"description":"D.","properties":{"x":{"type":"number"}}}},"#
        let schema = try schema(
            text: Sample.entity(
                fields:
                    ##""a":{"$ref":"#/$defs/share"},"b":{"description":"B.","$ref":"#/$defs/share"},"share":{"type":"object","properties":{"y":{"type":"string"}}}"##,
                root: definitions
            )
        )
        let (first, second, third) = (schema.properties[1], schema.properties[2], schema.properties[3])
        #expect(first.type == second.type && first.isNullable && second.isNullable)
        #expect(first.summary == "D." && second.summary == "B.")
        guard case .object(let shared) = first.type, case .object(let own) = third.type else {
            throw Unexpected()
        }
        #expect(shared.typeName == "Share" && own.typeName == "ShareValue")
    }

    @Test func putsWireNamesInTheEntitysStyle() throws {
        let schema = try schema(
            text: Sample.entity(
                fields: #"""
                    "surahNumber":{"type":"integer"},"userID":{"type":"string"},"part":{"type":"object","properties":{"oneTwo":{"type":"string"}}},
                    "other":{"type":"string","sync":{"name":"Other"}},"lat":{"type":"number","sync":{"name":"/address/l~1at"}}
                    """#,
                sync: #""naming":"snake_case""#
            )
        )
        #expect(
            schema.properties.map(\.wirePath) == [
                ["id"], ["surah_number"], ["user_id"], ["part"], ["Other"], ["address", "l/at"],
            ]
        )
        guard case .object(let part) = schema.properties[3].type else { throw Unexpected() }
        #expect(part.properties[0].wirePath == ["one_two"])
    }

    @Test func keepsDefaultsInOneSpelling() throws {
        #expect(try property(field: #""a":{"type":"integer","default":1e2}"#).defaultJSON == "100")
        #expect(try property(field: #""a":{"type":"number","default":1.50}"#).defaultJSON == "1.5")
        #expect(try property(field: #""a":{"type":["string","null"],"default":null}"#).defaultJSON == "null")
        #expect(
            try property(field: #""a":{"type":"string","default":"\u00e9\n\"\u0001"}"#).defaultJSON
                == #""é\n\"\u0001""#
        )
        #expect(
            try property(
                field:
                    #""a":{"type":"string","format":"uuid","default":"379066E4-6DD5-5050-8470-004E08DA28BD"}"#
            )
            .defaultJSON == #""379066e4-6dd5-5050-8470-004e08da28bd""#
        )
        let object =
            #"{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"array","items":{"type":"integer"}}}"#
        #expect(
            try property(field: "\"p\":\(object),\"default\":{\"b\" : \"x\", \"a\": [ 1.0 ]}}").defaultJSON
                == #"{"b":"x","a":[1]}"#
        )
    }

    @Test func readsSyncOfFields() throws {
        let property = try property(
            field: #""a":{"type":"integer","sync":{"merge":"max","renamedFrom":"b"}}"#
        )
        #expect(property.merge == .max && property.renamedFrom == "b" && !property.isLocalOnly)
        #expect(try self.property(field: #""a":{"type":"integer","sync":{"localOnly":true}}"#).isLocalOnly)
        let moved = try self.property(field: #""a":{"type":"string","sync":{"name":"z","renamedFrom":"a"}}"#)
        #expect(moved.wirePath == ["z"] && moved.renamedFrom == "a")
        let link = try self.property(
            field: #""a":{"type":"string","title":"A link","format":"uri","sync":{"swiftType":"URL"}}"#
        )
        #expect(link.swiftType == .url && link.title == "A link")
    }

    @Test func listsReferencesInFieldOrder() throws {
        let fields = #""b":{"type":"string"},"a":{"type":"string"}"#
        let references =
            #""references":{"a":{"entity":"owner","onDelete":"cascade"},"b":{"entity":"owner","onDelete":"restrict"}}"#
        let report = SchemaLoader.load([
            SchemaSource(
                path: "item.schema.json",
                bytes: Array(Sample.entity(fields: fields, sync: references).utf8)
            ),
            SchemaSource(
                path: "owner.schema.json",
                bytes: Array(Sample.entity(title: "Owner", fields: fields).utf8)
            ),
        ])
        #expect(
            report.schemas.first?.references == [
                ReferenceDescriptor(field: "b", entity: "owner", onDelete: .restrict),
                ReferenceDescriptor(field: "a", entity: "owner", onDelete: .cascade),
            ]
        )
    }

    @Test func aReferenceToTheOwnEntityIsATreeUnlessItMayBeCyclic() throws {
        let fields = #""b":{"type":"string"},"a":{"type":"string"}"#
        let references =
            #""references":{"a":{"entity":"item","onDelete":"cascade"},"b":{"entity":"item","onDelete":"keep","cyclic":true}}"#
        let report = SchemaLoader.load([
            SchemaSource(
                path: "item.schema.json",
                bytes: Array(Sample.entity(fields: fields, sync: references).utf8)
            )
        ])
        #expect(report.schemas.first?.references.map(\.isCyclic) == [true, false])
    }

    @Test func carriesDescriptionsAsTheyAre() throws {
        let property = try property(
            field: #""a":{"type":"string","description":"*/ \"\"\" \\(x) \n `e\u0301`"}"#
        )
        #expect(property.summary.utf8.elementsEqual("*/ \"\"\" \\(x) \n `e\u{301}`".utf8))
    }
}

/// Thrown for another type than expected.
struct Unexpected: Error {}
