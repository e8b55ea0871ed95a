/// One finding without its place: the sentence, its stable rule and what to do next.
///
/// The factories in this folder are the whole catalogue of wording.
struct DiagnosticContent: Sendable {
    var rule: Rule
    var severity: Diagnostic.Severity = .error
    var message: String
    var help: String
}
