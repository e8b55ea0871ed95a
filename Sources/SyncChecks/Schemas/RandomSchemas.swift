public import SyncCore

/// A schema as text.
public struct SchemaText: Sendable, Hashable {
    /// The entity's name.
    public var name: String
    /// The JSON.
    public var text: String

    /// Makes a schema from its text.
    public init(name: String, text: String) {
        (self.name, self.text) = (name, text)
    }

    /// The name of a file that holds it.
    public var fileName: String { "\(name).schema.json" }
}

/// A set of one to four schemas that is drawn from a seed, over all keywords and their combinations. The same seed
/// gives the same set.
public struct RandomSchemas: Sendable {
    /// The seed.
    public var seed: UInt64
    /// The schemas as text, which a person may save to files.
    public var texts: [SchemaText]
    /// The same schemas, read.
    public var entities: [EntityDescriptor]
    /// How many sets were drawn before this one that the checker refused, or to which no record can be made.
    public var refusals: Int

    /// Makes a set of schemas that were read.
    public init(seed: UInt64, texts: [SchemaText], entities: [EntityDescriptor], refusals: Int = 0) {
        (self.seed, self.texts, self.entities, self.refusals) = (seed, texts, entities, refusals)
    }

    /// How many sets may be refused for one seed.
    static let maxRefusals = 100

    /// The first set of a seed that can be read and to which records can be made; nil if none of the first 100 is.
    /// `read` gives the entities of schemas, or nil if they have errors.
    public static func drawn(
        seed: UInt64,
        read: ([SchemaText]) -> [EntityDescriptor]?
    ) -> RandomSchemas? {
        for refusals in 0..<maxRefusals {
            let texts = texts(seed: seed, attempt: refusals)
            guard let entities = read(texts),
                entities.allSatisfy({ RecordGenerator($0).fieldsWithoutValues.isEmpty })
            else { continue }
            return RandomSchemas(seed: seed, texts: texts, entities: entities, refusals: refusals)
        }
        return nil
    }

    /// The texts of a seed, whether or not they can be read. Each attempt gives others.
    public static func texts(seed: UInt64, attempt: Int = 0) -> [SchemaText] {
        var draw = Seed(seed &+ UInt64(attempt) &* 0x9e37_79b9_7f4a_7c15)
        // The first numbers of neighbouring seeds are mixed before they choose anything.
        for _ in 0..<4 { _ = draw.next() }
        var drawing = SchemaSetDrawing(draw: draw)
        return drawing.texts()
    }

    /// All schemas with their file names, as lines.
    public var lines: [String] {
        texts.flatMap { schema in
            ["\(schema.fileName):"] + schema.text.split(separator: "\n").map { "  \($0)" }
        }
    }
}
