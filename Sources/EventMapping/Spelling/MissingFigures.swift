// The figures that lack lines with a name that was not understood, as far as the words of the name show.

import PermissionEvents

package enum MissingFigures {
  /// The missing events, with their figures: `explanations (explanation step)`; empty if no word shows it.
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
  private static let assignments = "variants given (comparisons)"
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
    case .assigned: [assignments]
    case .lost, .pickerUsed: []
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

// MARK: "Did you mean": the value of a closed list that another word probably means

package enum Suggestion {
  /// The kind, and the permission if the name says one: `denied with permission notifications`.
  package static func kind(_ value: some Collection<UInt8>) -> String? {
    let usual = EventReading(name: NormalName(value), properties: TellingProperties())
    if case .event(let kind) = usual.meaning {
      let permission = usual.permission.map { " with permission " + String(bounded: $0) } ?? ""
      return kind.name + permission
    }
    if case .outcome(let said) = AnswerReading(value).said, let kind = EventReading.kind(of: said) { return kind.name }
    return nearest(value, EventKind.names)
  }

  /// The kind that a name is a letter or two away from.
  static func nearestKind(_ value: some Collection<UInt8>) -> EventKind? {
    nearest(value, EventKind.names).flatMap { EventReading.kind(named: NormalName($0)) }
  }

  package static func permission(_ value: some Collection<UInt8>) -> String? {
    PermissionWords.permission(value: value) ?? nearest(value, PermissionCode.taxonomy)
  }

  package static func status(_ value: some Collection<UInt8>) -> String? {
    StatusWords.status(value)?.name ?? nearest(value, Array(AuthorizationStatus.names.dropFirst()))
  }

  /// The one name that is the same but for capitals, apostrophes and signs between words; else the nearest.
  package static func spelling(_ value: some Collection<UInt8>, _ names: [String]) -> String? {
    let text = NormalName(value).text
    let same = names.filter { NormalName($0.utf8).text == text }
    return same.isEmpty ? nearest(value, names) : same.count == 1 ? same[0] : nil
  }

  /// The name that differs by at most two letters, and in a short word by at most a third of its letters; nil if no
  /// name or several names are as near.
  package static func nearest(_ value: some Collection<UInt8>, _ names: [String]) -> String? {
    let text = Array(NormalName(value).text.utf8)
    guard (4...40).contains(text.count) else { return nil }
    let ranked = names.map { (name: $0, distance: distance(text, Array(NormalName($0.utf8).text.utf8))) }
      .sorted { $0.distance < $1.distance }
    guard let best = ranked.first, best.distance <= min(2, text.count / 3) else { return nil }
    // `ungranted` is two letters from `granted`, and its contrary.
    let ending = Array(best.name.utf8)
    if text.count > ending.count, text.suffix(ending.count).elementsEqual(ending) { return nil }
    return ranked.dropFirst().first?.distance == best.distance ? nil : best.name
  }

  /// Letters to insert, delete or replace (Levenshtein 1966).
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
