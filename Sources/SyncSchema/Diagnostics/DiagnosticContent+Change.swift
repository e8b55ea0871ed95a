/// Diagnostics of the files that a schema comparison reads.
extension DiagnosticContent {
    static var notABaseline: DiagnosticContent {
        DiagnosticContent(
            rule: .notABaseline,
            message: "the file is not a baseline of schemas",
            help: "write one with 'synccheck diff --write-baseline FILE'"
        )
    }

    static var ignoreShape: DiagnosticContent {
        DiagnosticContent(
            rule: .badIgnore,
            message: "the list of accepted changes has another form",
            help:
                "write { \"ignore\": [{ \"rule\": \"...\", \"entity\": \"...\", \"field\": \"...\", \"reason\": \"...\" }] }"
        )
    }

    static func ignoreRule(_ name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .badIgnore,
            message: "no rule about changes is called \(name.quoted)",
            help: suggestion(
                for: name,
                among: ChangeRule.allCases.map(\.rawValue),
                otherwise: "write the rule as it stands in brackets behind the change"
            )
        )
    }

    static var ignoreReason: DiagnosticContent {
        DiagnosticContent(
            rule: .badIgnore,
            message: "the ignore has no reason",
            help: "say in \"reason\" why the change may be released all the same"
        )
    }
}
