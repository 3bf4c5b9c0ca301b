// What the value of a property says of an answer: `Don’t Allow`, `PERMISSION_GRANTED`, `false`. Every word of it must be
// known: a value is short, and one word that nobody knows may be the one that turns it.

import PermissionEvents

struct AnswerReading: Equatable, Sendable {
  enum Said: Equatable, Sendable {
    case outcome(Traits)
    /// It says what happened and no answer: `shown`, `requested`.
    case act(Traits)
    /// It says nothing of an answer: `tap`, an empty word.
    case nothing
    /// What there is stays, and the more that was asked for is refused: "Keep Only While Using".
    case keeps
    /// Words that nobody knows, and none that speaks of an answer: `California`.
    case foreign
    /// Nobody knows, or it says two things.
    case unclear
  }

  var said: Said
  var status: AuthorizationStatus?

  /// Answers that are no words of the lexicon: they mean this as a whole value and nothing in a name.
  private static let values: [String: AnswerReading] = [
    "default": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    "prompt": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    "prompt_with_rationale": AnswerReading(said: .outcome(.skip), status: .notDetermined),
    // React Native's word for what iOS calls restricted: the user has no say.
    "unavailable": AnswerReading(said: .outcome(.no), status: .restricted),
    "not_available": AnswerReading(said: .outcome(.no), status: .restricted),
    "on": AnswerReading(said: .outcome(.yes)),
    "off": AnswerReading(said: .outcome(.no)),
    "none": AnswerReading(said: .unclear),
    "opt_out": AnswerReading(said: .outcome(.no)),
    "opt_in": AnswerReading(said: .outcome(.yes)),
    "authorized": AnswerReading(said: .outcome(.yes), status: .authorized),
    "authorised": AnswerReading(said: .outcome(.yes), status: .authorized),
    "sharing_authorized": AnswerReading(said: .outcome(.yes), status: .authorized),
    "allowed_always": AnswerReading(said: .outcome(.yes), status: .authorized),
  ]

  /// Words around an answer that say nothing.
  private static let around = wordSet(
    """
    permission permissions status state authorization authorisation result results response ph cl kcl k av att cn ek
    hk cb ios android os app tracking manager package user the button btn tapped tap clicked click pressed press
    selected by was is has been access for notification system native dialog prompt alert rn expo
    """)

  /// - Parameter value: the text as exported.
  init(_ value: some Collection<UInt8>) {
    let name = NormalName(value)
    if name.isDoubtful || Self.isList(value) {
      self.init(said: .unclear)
      return
    }
    if let title = ButtonTitles.reading(value, name) {
      self = title
      return
    }
    let text = Self.core(name.text)
    if let known = Self.values[text] {
      self = known
      return
    }
    self.init(lexemes: Lexicon.shared.lexemes(of: NormalName(text)))
  }

  /// Several answers in one value, `Allow/Don’t Allow`, or one that was cut: `Ask App…`.
  private static func isList(_ value: some Collection<UInt8>) -> Bool {
    let bytes = Array(value)
    if FoldedText.folded(bytes).contains(where: { $0 == 0x2C || $0 == 0x2F || $0 == 0x7C || $0 == 0x3B || $0 == 0x3D })
    {
      return true
    }
    guard bytes.suffix(3).elementsEqual("…".utf8) || bytes.suffix(3).elementsEqual("...".utf8) else { return false }
    return !ButtonTitles.hasEllipsis(NormalName(bytes))
  }

  init(said: Said, status: AuthorizationStatus? = nil) {
    self.said = said
    self.status = status
  }

  /// `permission_status_authorized` and `results_unavailable` without the type's name before them.
  private static func core(_ text: String) -> String {
    // `UNAuthorizationStatus` begins as a negation does.
    let text = text.hasPrefix("un_authorization_status_") ? text.dropFirst(3) : text[...]
    var words = text.split(separator: "_")[...]
    while words.count > 1, let first = words.first, around.contains(String(first)), first != "prompt" {
      words = words.dropFirst()
    }
    return words.joined(separator: "_")
  }

  private init(lexemes: [Lexeme]) {
    said = .nothing
    var outcomes: Traits = []
    var acts: Traits = []
    var (answers, booleans, declines) = (0, 0, 0)
    var isUnknown = lexemes.isEmpty
    for lexeme in lexemes {
      if Self.around.contains(lexeme.text) { continue }
      if !lexeme.traits.isDisjoint(with: [.negator, .doubt, .earlier]) || lexeme.text == "from" {
        said = .unclear
        return
      }
      let saysOutcome = !lexeme.traits.isDisjoint(with: .outcomes)
      if saysOutcome {
        // Two words of no may make a yes, and a false beside an answer is of which one?
        if lexeme.traits.contains(.boolean) { booleans += 1 }
        if !lexeme.traits.isDisjoint(with: [.no, .revoked]) { declines += 1 }
        answers += 1
        outcomes.formUnion(lexeme.traits.intersection(.outcomes))
        status = status ?? lexeme.status
      } else if lexeme.traits == .number {
        // 2 is authorized to one framework and denied to another, 0 is granted to Android.
        said = .unclear
        return
      } else if lexeme.isUnknown {
        isUnknown = true
      } else {
        acts.formUnion(
          lexeme.traits.intersection([.shown, .asked, .settingsOpened, .settingsPrompt, .settings, .own, .inSettings]))
      }
    }
    if outcomes.contains(.reEnabled) { outcomes.remove(.yes) }
    if declines > 1 || booleans > 0 && answers > 1 {
      said = .unclear
      return
    }
    if isUnknown {
      said = outcomes.isEmpty ? .foreign : .unclear
    } else if outcomes.isEmpty {
      said = acts.isEmpty ? .nothing : .act(acts)
    } else if let only = Self.single(outcomes) {
      switch acts {
      case []: said = .outcome(only)
      // An answer in the Settings app is a return or a revocation.
      case .inSettings: said = .outcome(only == .yes ? .reEnabled : only == .no ? .revoked : only)
      // A no to the app's own screen is "not now".
      case .own where only == .no || only == .skip: said = .outcome(.skip)
      default: said = .unclear
      }
    } else {
      said = .unclear
    }
  }

  /// The only outcome; nil of none and of several.
  static func single(_ outcomes: Traits) -> Traits? {
    let all: [Traits] = [.yes, .no, .skip, .revoked, .reEnabled]
    let found = all.filter { outcomes.contains($0) }
    return found.count == 1 ? found.first : nil
  }
}

/// What a value says as an authorization status, in the spellings of platforms and vendors.
package enum StatusWords {
  /// The status that a value means, in any spelling; nil if it is none, or not known for sure. Numbers are not: 2 is
  /// authorized for notifications and denied for the camera.
  package static func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    // "OK" is a button's title, and of a status mostly the word of an interface that a call went well.
    if NormalName(value).text == "ok" { return nil }
    let reading = AnswerReading(value)
    guard case .outcome(let said) = reading.said else { return nil }
    if let status = reading.status { return status }
    switch said {
    case .yes: return .authorized
    // Switched off is denied, as far as the system's word goes.
    case .no, .revoked: return .denied
    default: return nil
    }
  }

  /// True if an answer and a status contradict each other.
  package static func contradicts(_ status: AuthorizationStatus, _ kind: EventKind) -> Bool {
    guard EventReading.isAnswer(kind), status != .none else { return false }
    return granting.contains(status) != (kind == .granted || kind == .reEnabled)
  }

  /// Statuses under which a permission is there.
  static let granting: Set<AuthorizationStatus> = [
    .authorized, .limited, .provisional, .ephemeral, .writeOnly, .fullAccess, .whenInUse, .always,
  ]
}
