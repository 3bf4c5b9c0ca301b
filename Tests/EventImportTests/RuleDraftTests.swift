// Drafts of rules: what a name says for certain is filled in, and the rest is left to a person.

import EventMapping
import Testing

@testable import EventImport

@Suite struct RuleDraftTests {
  @Test(arguments: [
    ("push_permission_maybe_granted", "granted", "notifications"),
    ("camera_perm_frobnicate_denied", "denied", "camera"),
    ("gallery_permission_xyzzy", nil, nil), ("contacts_permission_hardly_not_yet_granted", nil, "contacts"),
    ("permission_granted_or_denied", nil, nil),
  ]) func namesAreGuessed(_ name: String, _ kind: String?, _ permission: String?) {
    let guess = NameGuess(name.utf8)
    #expect(guess.kind?.name == kind && (permission == nil || guess.permission == permission), "\(guess)")
    let text = RuleDraft.text(for: name)
    #expect(text.contains("  - event: " + DraftYAML.text(name)))
    #expect(text.contains("kind: FILL_IN") == (kind == nil))
  }

  @Test func aFilledDraftIsAMapping() throws {
    let rules = ["push_permission_maybe_granted", "a: \"name\" # with signs"].map { RuleDraft.text(for: $0) }
    var text = "extends: amplitude\nrules:\n" + rules.joined(separator: "\n") + "\n"
    #expect(throws: (any Error).self) { try Mapping(yaml: Array(text.utf8), name: "draft") }
    text = text.replacing("kind: FILL_IN", with: "kind: denied").replacing(
      "permission: FILL_IN", with: "permission: camera")
    _ = try Mapping(yaml: Array(text.utf8), name: "draft")
  }
}
