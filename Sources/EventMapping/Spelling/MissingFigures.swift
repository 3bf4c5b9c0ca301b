// Which figures lack the lines whose name was not understood, as far as the words of the name tell.

import PermissionEvents

package enum MissingFigures {
  /// What is missing, with its figures: `explanations (explanation step)`; empty if no word tells.
  package static func of(event name: some Collection<UInt8>) -> [String] {
    let reading = NameReading(NormalName(name))
    let traits = reading.traits
    var found: [String] = []
    let isOwn = traits.contains(.own) || reading.screen == .own || !traits.isDisjoint(with: [.page, .overlay])
    let isSettings = !traits.isDisjoint(with: [.settings, .settingsPrompt, .settingsOpened])
    if isSettings { found.append(settings) }
    if isOwn { found.append(explanations) }
    if traits.contains(.skip) || isOwn && traits.contains(.no) { found.append(skips) }
    if !isOwn, !isSettings, !traits.isDisjoint(with: [.prompt, .weakPrompt, .system]) { found.append(prompts) }
    if !isOwn, !traits.isDisjoint(with: [.yes, .no]) { found.append(answers) }
    if !traits.isDisjoint(with: [.reEnabled, .inSettings]) { found.append(returns) }
    if traits.contains(.revoked) { found.append(revocations) }
    if found.isEmpty, let near = Suggestion.nearestKind(name) { found = of(near) }
    if found.isEmpty { found = ofWords(Set(NormalName(name).words)) }
    return found
  }

  private static let explanations = "explanations (explanation step)"
  private static let skips = "skips (skip rate)"
  private static let prompts = "prompts (prompt step)"
  private static let answers = "answers (grant rate)"
  private static let returns = "later grants (enabled later)"
  private static let revocations = "revocations (after the grant)"
  private static let settings = "ways to Settings (Settings prompts)"
  private static let activity = "activity (retention, engagement)"
  private static let features = "uses of features (engagement)"
  private static let installs = "installs (timing)"
  private static let checks = "status checks (enabled later, after the grant)"

  private static func of(_ kind: EventKind) -> [String] {
    switch kind {
    case .explanationShown: [explanations]
    case .promptShown: [prompts]
    case .granted, .denied: [answers]
    case .skipped: [skips]
    case .settingsPromptShown, .settingsOpened: [settings]
    case .reEnabled: [returns]
    case .revoked: [revocations]
    case .statusChecked: [checks]
    case .featureUsed: [features]
    case .appActive: [activity]
    case .appInstalled: [installs]
    }
  }

  private static func ofWords(_ words: Set<String>) -> [String] {
    func has(_ texts: String) -> Bool { !words.isDisjoint(with: wordSet(texts)) }
    if has("install installed installation") { return [installs] }
    if has("feature features") { return [features] }
    if has("status state") { return [checks] }
    if has("app active session foreground launch launched opened") { return [activity] }
    return []
  }
}
