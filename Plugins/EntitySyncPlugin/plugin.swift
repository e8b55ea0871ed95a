import Foundation
import PackagePlugin

/// Generates Swift from the `*.schema.json` files in a target's folder at each build.
///
/// One command handles the whole target, because schemas refer to each other and are checked as a set. It
/// reads only the schemas and writes one file for each, named after it, and the registry. If the target has a file
/// `schemas.baseline.json`, what would break the stores of that release breaks the build.
@main struct EntitySyncPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        return try Generation(
            files: target.sourceFiles.map(\.url),
            target: target.name,
            output: context.pluginWorkDirectoryURL,
            tool: context.tool(named: "synccodegen").url
        ).commands()
    }
}

/// The code generation of one target.
struct Generation {
    let files: [URL]
    let target: String
    let output: URL
    let tool: URL

    func commands() throws -> [Command] {
        let schemas = files.filter { $0.lastPathComponent.hasSuffix(".schema.json") }
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        guard !schemas.isEmpty else {
            Diagnostics.warning(
                "\(target) has no '*.schema.json' file, so EntitySyncPlugin generates nothing for it"
            )
            return []
        }
        let baselines = files.filter { $0.lastPathComponent == "schemas.baseline.json" }
        guard baselines.count < 2 else {
            Diagnostics.error("\(target) has two files schemas.baseline.json; one holds all of its schemas")
            return []
        }
        var outputs: [URL] = []
        for schema in schemas {
            // NB: the name depends only on the schema's file name. `CodeGenerator.fileName` must agree.
            let name = schema.deletingPathExtension().lastPathComponent + ".swift"
            let file = output.appendingPathComponent(name)
            if outputs.contains(file) {
                Diagnostics.error(
                    "\(schema.path): error: the target has two files \(schema.lastPathComponent)"
                )
                return []
            }
            outputs.append(file)
        }
        outputs.append(output.appendingPathComponent("SyncRegistry.swift"))
        return [
            .buildCommand(
                displayName: "Generating entities of \(target)",
                executable: tool,
                arguments: ["--output", output.path] + baselines.flatMap { ["--baseline", $0.path] }
                    + schemas.map(\.path),
                inputFiles: baselines + schemas,
                outputFiles: outputs
            )
        ]
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension EntitySyncPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            try Generation(
                files: target.inputFiles.map(\.url),
                target: target.displayName,
                output: context.pluginWorkDirectoryURL,
                tool: context.tool(named: "synccodegen").url
            ).commands()
        }
    }
#endif
