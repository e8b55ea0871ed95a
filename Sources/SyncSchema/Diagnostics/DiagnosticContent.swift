/// A diagnostic without its position: the sentence, the stable rule and the advice.
///
/// The factories in this folder contain all wording.
struct DiagnosticContent: Sendable {
    var rule: Rule
    var severity: Diagnostic.Severity = .error
    var message: String
    var help: String
}
