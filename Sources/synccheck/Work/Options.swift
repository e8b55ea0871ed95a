import ArgumentParser

/// Where the schemas are.
struct SchemaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder with the '*.schema.json' files.", valueName: "dir"))
    var schemas = "Schemas"
}

/// Where schemas and store are, and how results are printed: what every command on records takes.
struct StoreOptions: ParsableArguments {
    @OptionGroup var schemas: SchemaOptions

    @Option(help: ArgumentHelp("The store's database file.", valueName: "file"))
    var store = ".synccheck/store.sqlite"

    @Flag(help: "Print JSON.")
    var json = false

    /// Schemas and store of this run.
    func workspace() throws -> Workspace {
        try Workspace(schemaPaths: [schemas.schemas], storePath: store)
    }
}
