// A first rule for a name that was not understood.

import EventMapping
import PermissionEvents

package enum RuleDraft {
  /// The rule as YAML, to be put under `rules:`; what is not known is left to fill in.
  package static func text(for event: String) -> String {
    let guess = NameGuess(event.utf8)
    let kinds = "granted, denied, skipped, prompt_shown, explanation_shown, …, ignore"
    let kind =
      guess.kind.map { "\($0.name)   # guess; or ignore" } ?? "FILL_IN   # one of \(kinds)"
    let permission = guess.permission.map { "\($0)   # guess" } ?? "FILL_IN   # like notifications"
    let doubt = guess.doubt.map { ["  # \(UnknownForm.legible($0))"] } ?? []
    return (doubt + ["  - event: \(DraftYAML.text(event))", "    kind: \(kind)", "    permission: \(permission)"])
      .joined(separator: "\n")
  }
}
