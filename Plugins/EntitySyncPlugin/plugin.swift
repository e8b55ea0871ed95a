import PackagePlugin

/// Turns the schemas of a target into Swift.
@main struct EntitySyncPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] { [] }
}
