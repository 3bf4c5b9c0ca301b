// The presets: a mapping for each vendor, as a text to look at and to change. They are read by the same code as
// a user's own files.

import Threads
import PermissionEvents

package enum Presets {
  private static let texts: [(name: String, text: String)] = [
    ("amplitude", amplitude), ("mixpanel", mixpanel), ("segment", segment), ("ga4", ga4), ("posthog", posthog),
    ("snowplow", snowplow),
  ]

  package static var names: [String] { texts.map(\.name) }

  /// The YAML of a preset; nil if there is none of that name.
  package static func text(_ name: String) -> String? { texts.first { $0.name == name }?.text }

  /// The same with what is said with an import in other words.
  package static func text(_ name: String, saying words: RemedyWords) -> String? {
    let remedy = Remedy.nameProjectZone
    return text(name)?.replacing("its zone\(remedy.advice).", with: "its zone\(words(remedy)).")
  }

  /// Presets that were read, by name.
  private static let read = Mutex<[String: Mapping]>([:])

  package static func mapping(_ name: String) throws(MappingError) -> Mapping? {
    if let known = read.withLock({ $0[name] }) { return known }
    guard let text = text(name) else { return nil }
    let mapping = try Mapping(yaml: Array(text.utf8), name: name)
    read.withLock { $0[name] = mapping }
    return mapping
  }
}

extension Presets {
  /// Lines of a preset, moved to the right.
  static func indented(_ text: String, by count: Int = 2) -> String {
    let margin = String(repeating: " ", count: count)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
  }

  /// The names under which a field is always looked for.
  static func usual(_ field: Mapping.TellingField) -> String {
    (Mapping.usualTelling[field] ?? []).joined(separator: ", ")
  }

  /// Where the properties are that all vendors leave to the app. Names match in any usual spelling: `message_variant` is
  /// also `messageVariant` and `Message Variant`.
  static let commonFields = """
    permission: [permission, permission_type, permission_name, permissions]
    permission_hint: [type, kind, resource, capability, channel]
    # status, result and flag (properties that are true or false) may be added; these are always looked at:
    #   status: \(usual(.status))
    #   result: \(usual(.result))
    #   flag: \(usual(.flag))
    source: [source, from]
    button: [button, button_name, button_text, button_label, cta, element]
    variant: [variant, message_variant, experiment_variant, prompt_variant, message_variation_name, copy]
    experiment: [experiment, experiment_name, experiment_id, test_name]
    surface: [surface, source, screen, screen_name, from, trigger, placement]
    feature: [feature, feature_name]
    """

  /// How every preset ends.
  static func ending(_ eventPlace: String) -> String {
    """

    # Rules that come first. None are needed for names in the usual spellings; this is how one looks:
    #
    # rules:
    #   - event: Onboarding Step Completed
    #     where: {step: push, answer: [yes, allow]}
    #     kind: granted
    #     permission: notifications

    # Names like "Push Permission Denied", push_permission_denied or pushPermissionDenied are understood without a rule.
    usual_spellings: true

    # To count the use of features, add a rule for all other events at the end of the list below:
    #
    #   - pattern: "*"
    #     kind: feature_used
    #     feature: {from: \(eventPlace)}

    """
  }

  /// The list of rules for the rest: what is an install, what is activity, and what nobody did with the app, so that a pattern for
  /// all other events does not make use of features of it.
  static func active(_ events: [String], installed: [String], ignored: [String] = []) -> String {
    var text = "otherwise:\n  - event:\n" + lines(installed) + "    kind: app_installed\n"
    text += "  - event:\n" + lines(events) + "    kind: app_active\n"
    guard !ignored.isEmpty else { return text }
    text += "  # These say who somebody is or that the app rests; a pattern after them does not get them.\n"
    return text + "  - event:\n" + lines(ignored) + "    kind: ignore\n"
  }

  private static func lines(_ events: [String]) -> String { events.map { "      - \"\($0)\"\n" }.joined() }
}
