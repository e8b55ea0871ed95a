/// Wording for the files that a comparison of schemas reads.
extension Problem {
    static var notABaseline: Problem {
        Problem(
            rule: .notABaseline,
            message: "the file is not a baseline of schemas",
            help: "write one with 'synccheck diff --write-baseline FILE'"
        )
    }

    static var ignoreShape: Problem {
        Problem(
            rule: .badIgnore,
            message: "the list of accepted changes has another form",
            help:
                "write { \"ignore\": [{ \"rule\": \"...\", \"entity\": \"...\", \"field\": \"...\", \"reason\": \"...\" }] }"
        )
    }

    static func ignoreRule(_ name: String) -> Problem {
        Problem(
            rule: .badIgnore,
            message: "no rule about changes is called \(name.quoted)",
            help: suggestion(
                for: name,
                among: ChangeRule.allCases.map(\.rawValue),
                otherwise: "write the rule as it stands in brackets behind the change"
            )
        )
    }

    static var ignoreReason: Problem {
        Problem(
            rule: .badIgnore,
            message: "the ignore has no reason",
            help: "say in \"reason\" why the change may be released all the same"
        )
    }
}
