#if Server
    import Foundation
    import ProgramRuns

    extension Child {
        /// Starts a program of the package without the developer's own token.
        convenience init(
            program: Program,
            arguments: [String],
            in folder: URL,
            environment: [String: String] = [:]
        ) throws {
            var variables = ProcessInfo.processInfo.environment
            variables["SYNCCHECK_TOKEN"] = nil
            let all = variables.merging(environment) { $1 }
            try self.init(program: program.url, arguments: arguments, in: folder, environment: all)
        }
    }
#endif
