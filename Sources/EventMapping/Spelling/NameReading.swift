// The meaning of the words of an event's name, before any property is read.

import PermissionEvents

struct NameReading: Sendable {
  enum Screen: Sendable { case own, prompt, settingsPrompt, settings }

  private(set) var traits: Traits = []
  private(set) var permission = PermissionWords.Meaning.none
  /// The outcomes in the name; with several it is open.
  private(set) var outcomes: Traits = []
  private(set) var screen: Screen?
  /// The screen is the app's own by a word like page alone, which may also say where something happened.
  private(set) var isPage = false
  /// Whether the page is of a kind that the system may have as well: a sheet, a screen.
  var mayBeSystem: Bool { isPage && lexemes.allSatisfy { !Lexicon.neverSystem.contains($0.text) } }
  private(set) var status: AuthorizationStatus?
  /// The reason why a word prevents reading the name: it may reverse the meaning, or is unknown at a position where it might.
  private(set) var turn: String?
  /// It is about an earlier state: at best a status check.
  private(set) var isEarlier = false
  let lexemes: [Lexeme]

  /// It says permission, or a word for that. Access alone is many things, so no word may be unknown beside it.
  var isMarked: Bool { hasMarker || traits.contains(.marker) && isKnown }
  private var hasMarker: Bool { lexemes.contains { $0.traits.contains(.marker) && $0.text != "access" } }

  init(_ name: NormalName) {
    lexemes = Lexicon.shared.lexemes(of: name)
    for lexeme in lexemes { traits.formUnion(lexeme.traits) }
    readPermission()
    readOutcomes()
    readScreen()
    readTurn()
    if name.isDoubtful { turn = turn ?? "a character in it asks or negates" }
  }

  /// The index of the subject of the name: the first word of a permission or a marker.
  private var subject: Int? {
    lexemes.firstIndex { certain($0) != nil || $0.traits.contains(.marker) && $0.text != "access" }
  }

  private func certain(_ lexeme: Lexeme) -> String? { lexeme.isFragile ? nil : lexeme.permission }

  // MARK: Permission

  private mutating func readPermission() {
    var named: [String] = []
    var others: [String] = []
    for (i, lexeme) in lexemes.enumerated() {
      guard let permission = lexeme.permission else { continue }
      if !lexeme.isFragile || isCertain(at: i) { named.append(permission) } else { others.append(permission) }
    }
    // `speech_microphone`: a second one that is not certain still makes two.
    if let only = named.first, others.contains(where: { $0 != only }) { named += others }
    let isLocation = named.contains("location_when_in_use")
    // `location_permission_granted_always`: the words need not be together.
    if isLocation, lexemes.contains(where: { $0.status == .always }) { named.append("location_always") }
    permission = PermissionWords.join(named)
  }

  /// A word like `tracking` is a permission beside a marker, if nothing before it makes another thing of it.
  private func isCertain(at index: Int) -> Bool {
    if Lexicon.uncertain.contains(lexemes[index].text) { return false }
    let isFree =
      lexemes[..<index].last.map {
        Lexicon.beforeFragile.contains($0.text) || !$0.traits.isDisjoint(with: [.marker, .call, .asked, .shown])
      } ?? true
    guard isFree, index + 1 < lexemes.count else { return false }
    let after = lexemes[index + 1].traits
    if after.contains(.marker) { return true }
    return lexemes[index].permission == "tracking" && !after.isDisjoint(with: [.prompt, .plain])
  }

  // MARK: Outcome

  private mutating func readOutcomes() {
    let subject = subject
    var declines = 0
    func isOutcome(_ lexeme: Lexeme) -> Bool { !lexeme.traits.isDisjoint(with: .outcomes) }
    for (i, lexeme) in lexemes.enumerated() {
      var said = lexeme.traits.intersection(.outcomes)
      if said.isEmpty { continue }
      // `allow_camera_permission` is a call to act; the outcome follows it, or is not given.
      if lexeme.traits.contains(.call), said == .yes, let subject, i < subject { continue }
      if lexeme.traits.contains(.determiner), i < subject ?? 0 || subject == nil && i == 0 {
        turn = turn ?? Self.turns(lexeme.text)
        continue
      }
      if lexeme.traits.contains(.boolean), lexemes.contains(where: { $0.text != lexeme.text && isOutcome($0) }) {
        turn = turn ?? Self.turns(lexeme.text)
      }
      // Two words of no may make a yes: `opted_out_of_decline`.
      if !said.isDisjoint(with: [.no, .revoked]) {
        if declines > 0 { turn = turn ?? Self.turns(lexeme.text) }
        declines += 1
      }
      // `granted_0`, `0_granted`: the meaning of the number is unknown.
      if i > (subject ?? 0), i > 0, lexemes[i - 1].traits.contains(.number) { turn = Self.turns(lexemes[i - 1].text) }
      if i + 1 < lexemes.count, lexemes[i + 1].traits.contains(.number) { turn = Self.turns(lexemes[i + 1].text) }
      if said == .yes, lexeme.text == lexeme.status?.name, isPartOfPermission(lexeme) { said = [] }
      outcomes.formUnion(said)
      if let stated = lexeme.status, !isPartOfPermission(lexeme) { status = status ?? stated }
    }
    // `enabled` is both of two pairs, `turned_on` too.
    if outcomes.contains(.reEnabled) { outcomes.remove(.yes) }
    if traits.contains(.inSettings) {
      if outcomes == .yes { outcomes = .reEnabled } else if outcomes == .no { outcomes = .revoked }
    }
  }

  /// `location_always_granted`: a status in the name of the permission is not the answer's.
  private func isPartOfPermission(_ lexeme: Lexeme) -> Bool {
    guard case .one(let permission) = permission, let status = lexeme.status else { return false }
    switch status {
    case .always: return permission == "location_always"
    case .whenInUse: return permission == "location_when_in_use"
    case .writeOnly: return permission == "calendars_write_only"
    default: return false
    }
  }

  // MARK: Screen

  private mutating func readScreen() {
    if traits.contains(.settingsPrompt) {
      screen = .settingsPrompt
    } else if traits.contains(.settings) && !traits.isDisjoint(with: [.prompt, .weakPrompt, .page])
      && traits.contains(.shown) && !traits.contains(.inSettings)
    {
      screen = .settingsPrompt
    } else if traits.contains(.settingsOpened) {
      screen = .settings
    } else if traits.contains(.own) || asksToOptIn {
      screen = .own
    } else if hasPage {
      screen = .own
      isPage = true
    } else if traits.contains(.prompt) || (isMarked && !traits.isDisjoint(with: [.weakPrompt, .system])) {
      screen = .prompt
    }
  }

  /// `push_optin_ask`: the app asks to opt in; the system asks for a permission.
  private var asksToOptIn: Bool {
    let words = lexemes.map(\.text)
    return words.contains { $0 == "opt_in" || $0 == "optin" } && words.contains { $0 == "ask" || $0 == "asks" }
      && traits.isDisjoint(with: [.system, .prompt])
  }

  /// A page of the app that asks: its word comes after the permission, `push_permission_screen`.
  private var hasPage: Bool {
    if traits.contains(.system) { return false }
    if hasMarker, traits.contains(.overlay) { return true }
    let anchor =
      lexemes.lastIndex { $0.traits.contains(.marker) && $0.text != "access" || $0.traits.contains(.prompt) }
      ?? lexemes.firstIndex { $0.permission != nil }
    guard let anchor else { return false }
    return lexemes[(anchor + 1)...].contains { $0.traits.contains(.page) }
  }

  // MARK: Turns

  /// `prompt_not_allowed`: the permission was not, or the prompt was not let through. Of the system's own screen the first is meant.
  private var letsThrough: Bool {
    if traits.contains(.system) || screen == .own { return false }
    return lexemes.indices.contains { i in
      guard Lexicon.lettingThrough.contains(lexemes[i].text) else { return false }
      func isScreen(_ lexeme: Lexeme) -> Bool { !lexeme.traits.isDisjoint(with: [.prompt, .weakPrompt]) }
      func isBetween(_ lexeme: Lexeme) -> Bool { Lexicon.passives.contains(lexeme.text) }
      let before = lexemes[..<i].last { !isBetween($0) }
      let after = lexemes[(i + 1)...].first { !isBetween($0) && $0.permission == nil && !$0.traits.contains(.marker) }
      return before.map(isScreen) == true || after.map(isScreen) == true
    }
  }

  private static func turns(_ word: String) -> String { "\"\(word)\" may change its meaning" }

  private mutating func readTurn() {
    isEarlier = traits.contains(.earlier)
    if letsThrough { turn = turn ?? "was the permission allowed, or the prompt?" }
    let allowsInApp = screen == .own && !isPage
    let found = lexemes.first {
      !$0.traits.isDisjoint(with: [.negator, .doubt]) && !(allowsInApp && Lexicon.inApp.contains($0.text))
    }
    if let found {
      turn = turn ?? Self.turns(found.text)
      return
    }
    // Unknown words may come first, as the namespace of an app or a feature. Later they might reverse the meaning.
    let content = lexemes.firstIndex {
      $0.permission != nil || !$0.traits.intersection([.marker, .own, .prompt, .outcomes]).isEmpty
    }
    if let content, let unknown = lexemes[content...].first(where: { $0.isUnknown }) {
      turn = turn ?? "the word \"\(unknown.text)\" is not known"
    }
  }

  /// Whether every word is known, and no word is a location: for names without a marker.
  var isBare: Bool {
    lexemes.allSatisfy { lexeme in
      lexeme.permission != nil || !lexeme.traits.isDisjoint(with: [.plain, .switched, .filler, .inSettings])
        || lexeme.status != nil && lexeme.status != .notDetermined
    } && isFirst
  }

  /// Whether only the platform or an outcome is before the permission: `event_notifications` are a kind of messages.
  private var isFirst: Bool {
    guard let first = lexemes.firstIndex(where: { $0.permission != nil }) else { return false }
    return lexemes[..<first].allSatisfy {
      Lexicon.beforeFragile.contains($0.text) || !$0.traits.isDisjoint(with: .outcomes) || $0.text == "has"
    }
  }

  /// Whether the screen asks for the permission and for nothing else: `push_prompt`, `push system prompt`.
  var isPromptOfPermission: Bool {
    guard let prompt = lexemes.firstIndex(where: { $0.traits.contains(.prompt) }) else { return false }
    let before = lexemes[..<prompt].last { !$0.traits.contains(.system) }
    return before?.permission != nil
  }

  /// Whether words after the marker name a detail of the permission: its toggle, its status.
  var hasDetail: Bool {
    guard let marker = lexemes.lastIndex(where: { $0.traits.contains(.marker) && $0.text != "access" }) else {
      return false
    }
    return lexemes[(marker + 1)...].contains {
      $0.traits.contains(.neutral) && $0.traits.isDisjoint(with: [.shown, .asked, .answer])
        || $0.traits.contains(.settings)
    }
  }

  var isKnown: Bool { !lexemes.contains { $0.isUnknown } }

  /// Whether these are the words of a button that may also be on the app's own screen: `notifications_permission_allow`.
  var isButton: Bool {
    traits.isDisjoint(with: [.prompt, .answer, .system])
      && lexemes.allSatisfy { $0.traits.isDisjoint(with: .outcomes) || $0.traits.contains(.button) }
  }

  /// Whether the only word of an answer is a requested status: `request_provisional_push_authorization`.
  var asksForStatus: Bool {
    let answers = lexemes.filter { !$0.traits.isDisjoint(with: .outcomes) }
    return answers.allSatisfy { $0.status != nil && !$0.text.contains("granted") && !$0.text.contains("authorized") }
      && !traits.isDisjoint(with: [.asked, .prompt, .weakPrompt]) && !traits.contains(.answer)
  }

  /// An outcome that may be a state: of a switch that shows a prompt, of a status, or one that a screen leads to.
  var isStateful: Bool {
    let words = Set(lexemes.map(\.text))
    if !words.isDisjoint(with: ["status", "state", "check", "checked", "not_determined", "undetermined"]) {
      return true
    }
    if screen == .prompt, !words.isDisjoint(with: ["enabled", "disabled", "turned_on", "turned_off"]) { return true }
    return traits.contains(.settings) && !traits.contains(.inSettings) && lexemes.last?.text == "settings"
  }

  /// Whether a name is about a permission, understood or not.
  var looksLikePermission: Bool {
    if hasMarker { return true }
    if traits.contains(.own) {
      return lexemes.contains { $0.traits.contains(.own) && $0.text != "pre" && $0.text != "soft" }
    }
    if lexemes.contains(where: { $0.text == "hard_ask" || $0.text == "hardask" }) { return true }
    guard lexemes.contains(where: { $0.permission != nil }) else { return false }
    return !traits.isDisjoint(with: [.prompt, .yes, .no, .revoked, .reEnabled, .own, .settingsPrompt, .settingsOpened])
  }
}
