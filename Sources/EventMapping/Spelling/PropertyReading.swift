// The combined meaning of all relevant properties of an event. They must agree: if two do not, we cannot tell which is right.

import PermissionEvents

struct PropertyReading: Sendable {
  /// The outcome that results and flags agree on; nil if none says one.
  private(set) var outcome: Traits?
  /// The action in a result that is not an answer: `prompt_shown`.
  private(set) var act: Traits?
  private(set) var status: AuthorizationStatus?
  /// The answer refuses the more of two permissions: a no to the one, and nothing new of the other.
  private(set) var keepsLess = false
  /// The reason why there is no reading.
  private(set) var problem: String?
  /// A flag excludes something: `denied: false` is not a grant, but contradicts a denial.
  private(set) var excluded: Traits = []
  /// The meanings of keys that may be about something else. They give no answer, and an event that they contradict is not read.
  private(set) var hints: Traits = []

  /// - Parameters:
  ///   - answer: a value of `permission` that is an answer.
  ///   - isOwnScreen: the event is about the app's own screen.
  init(_ properties: TellingProperties, answer: [UInt8]?, permission: [UInt8]?, isOwnScreen: Bool = false) {
    for value in properties.results + [properties.button].compactMap({ $0 }) {
      if let permission, !Self.fits(value, permission) { problem = "its answer belongs to another permission's prompt" }
    }
    for result in properties.results + [answer].compactMap({ $0 }) { take(AnswerReading(result), result) }
    for flag in properties.flags { take(flag) }
    for text in properties.statuses { takeStatus(text) }
    // A button counts if it is an answer; most buttons only name the tapped element.
    if let button = properties.button.map({ AnswerReading($0) }), case .outcome = button.said { take(button, []) }
    for other in properties.others where other.key.concerns(permission) && (isOwnScreen || !other.key.isOwn) {
      take(other)
    }
  }

  /// False for an answer that names another permission, or is on the prompt of another alone.
  private static func fits(_ value: [UInt8], _ permission: [UInt8]) -> Bool {
    guard ButtonTitles.fits(value, permission) else { return false }
    let named = Lexicon.shared.lexemes(of: NormalName(value)).filter { !$0.isFragile }.compactMap(\.permission)
    return named.allSatisfy { SubjectReading.agree($0, permission) }
  }

  private mutating func fail(_ value: [UInt8]) {
    let text = String(bounded: value.prefix(40))
    problem = problem ?? "\"\(text)\" is not understood"
  }

  private mutating func take(_ reading: AnswerReading, _ value: [UInt8]) {
    switch reading.said {
    case .unclear, .foreign: fail(value)
    case .nothing: break
    case .keeps:
      keepsLess = true
      take(AnswerReading(said: .outcome(.no)), value)
    case .act(let act): self.act = (self.act ?? []).union(act)
    case .outcome(let said):
      if let outcome, outcome != said {
        problem = problem ?? "its properties contradict each other"
      } else {
        outcome = said
      }
      if let stated = reading.status { take(stated) }
    }
  }

  private mutating func take(_ stated: AuthorizationStatus) {
    if let status, status != stated {
      // One of two may be wider: granted and limited.
      guard StatusWords.granting.contains(status) == StatusWords.granting.contains(stated) else {
        problem = problem ?? "its properties contradict each other"
        return
      }
      if status == .authorized { self.status = stated }
    } else {
      status = stated
    }
  }

  private static let true_: Set<String> = ["true", "yes", "1", "y", "on", "1.0", "t"]
  private static let false_: Set<String> = ["false", "no", "0", "n", "off", "0.0", "f"]

  private mutating func take(_ flag: TellingProperties.Flag) {
    // A property of a user's own choice that says nothing by its name is taken for a yes.
    var polarity = Traits.yes
    switch AnswerReading(Array(flag.name.utf8)).said {
    case .outcome(let said): polarity = said
    case .nothing: break
    // The name may mean the opposite.
    default: return fail(flag.value)
    }
    if let isTrue = Self.boolean(flag.value) {
      take(isTrue, of: polarity, flag.value)
    } else if polarity == .yes {
      take(AnswerReading(flag.value), flag.value)
    } else {
      fail(flag.value)
    }
  }

  /// Exactly as written: `-1` is not 1. Tables write true and false as 1.0 and 0.0 in a column with empty cells.
  static func boolean(_ value: some Collection<UInt8>) -> Bool? {
    let text = String(bounded: value).lowercased()
    return true_.contains(text) ? true : false_.contains(text) ? false : nil
  }

  private mutating func take(_ isTrue: Bool, of polarity: Traits, _ value: [UInt8]) {
    if isTrue {
      take(AnswerReading(said: .outcome(polarity)), value)
    } else if polarity == .yes {
      take(AnswerReading(said: .outcome(.no)), value)
    } else {
      excluded.formUnion(polarity)
    }
  }

  /// The meaning of an unlisted key. A value of unknown words has no meaning there, because the key may have any value.
  private mutating func take(_ other: TellingProperties.Other) {
    let value = other.value
    let isTrue = Self.boolean(value)
    let reading = value == TellingProperties.unreadable ? AnswerReading(said: .unclear) : AnswerReading(value)
    switch (other.key.kind, reading.said) {
    case (.tooMany, _): problem = problem ?? "it has too many properties"
    case (.turned, .foreign) where isTrue == nil, (.turned, .nothing) where isTrue == nil: break
    case (.turned, _): fail(value)
    case (.flag(let polarity), _) where isTrue != nil && other.key.isCertain: take(isTrue == true, of: polarity, value)
    case (.flag(let polarity), _) where isTrue != nil:
      if isTrue == true { hints.formUnion(polarity) } else if polarity == .yes { hints.formUnion(.no) }
    // `denied: "Allow"`
    case (.flag(let polarity), .outcome) where polarity != .yes: fail(value)
    case (_, .outcome(let said)) where !other.key.isCertain: hints.formUnion(said)
    case (.status, _) where other.key.isCertain: takeStatus(value)
    case (_, .outcome) where other.key.isCertain: take(reading, value)
    case (_, .keeps), (_, .unclear):
      if other.key.isCertain || reading.said == .unclear && Self.speaks(value) { fail(value) }
    default: break
    }
  }

  /// Whether a value that is not understood has an answer's word in it.
  private static func speaks(_ value: [UInt8]) -> Bool {
    Lexicon.shared.lexemes(of: NormalName(value)).contains {
      !$0.traits.isDisjoint(with: .outcomes) && !$0.traits.contains(.boolean)
    }
  }

  private mutating func takeStatus(_ text: [UInt8]) {
    if let stated = StatusWords.status(text) { return take(stated) }
    // A status of something else (`sent`, `California`) is ignored; one that may be an answer is not.
    if AnswerReading(text).said == .unclear { fail(text) }
  }
}

/// The properties that an event's meaning depends on: their values by role, as texts; empty or nil if absent.
package struct TellingProperties: Hashable, Sendable {
  /// A property that holds yes or no under its own name: `granted: false`.
  package struct Flag: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]
  }

  /// A member that no mapping lists, with a key about an answer.
  package struct Other: Hashable, Sendable {
    package var key: TellingKey
    package var value: [UInt8]

    package init(key: TellingKey, value: [UInt8]) {
      self.key = key
      self.value = value
    }
  }

  /// The subject of the event: `permission`, `permission_type`.
  package var permission: [UInt8]?
  /// The same under names that may mean something else: `type`, `resource`.
  package var permissionHint: [UInt8]?
  package var statuses: [[UInt8]] = []
  package var results: [[UInt8]] = []
  package var flags: [Flag] = []
  package var source: [UInt8]?
  package var screen: [UInt8]?
  package var button: [UInt8]?
  /// Values that may show whether the screen was the app's: `prompt_type`, `step`.
  package var scenes: [[UInt8]] = []
  /// The feature of a `feature_used`; it may be the name of a permission's event.
  package var feature: [UInt8]?
  package var others: [Other] = []

  /// Replaces a value that is not a short text: a list, an object, a sentence. Such a value is not read, but must not
  /// count as absent.
  package static let unreadable = Array("(a list or a long text)?".utf8)
}

// MARK: Names beside a column with the permission, as in canonical rows. They need not name the permission (`opened
// settings`, `system dialog shown`, `allowed`), but if they do, they must agree with the column.

extension EventReading {
  /// The reading of a canonical row's event.
  /// - Parameters:
  ///   - name: the event's name.
  ///   - properties: of which `permission` is the column's value.
  package init(canonical name: NormalName, _ properties: TellingProperties) {
    self.init(name: name, properties: properties)
    if let kind = Self.kind(named: name) {
      // Another spelling of a kind is that kind, unless the other columns say the contrary.
      if case .event = meaning { meaning = .event(kind) }
      return
    }
    guard let column = permission, properties.permission != nil else { return }
    if let problem = Self.disagreement(reading.permission, column) {
      meaning = .unknown(problem)
    } else if meaning == .unknown(nil), reading.turn == nil, isShort(column) {
      meaning =
        EventReading(name: NormalName(column + Array(" permission ".utf8) + name.bytes), properties: properties)
        .meaning
    }
  }

  /// Why a name and a column do not speak of one permission; nil if they do. The column may narrow down what the name says.
  static func disagreement(_ named: PermissionWords.Meaning, _ column: [UInt8]) -> String? {
    switch named {
    case .none: nil
    case .several: "it names several permissions"
    case .one(let named): agrees(named, column) ? nil : "its name and its column name different permissions"
    }
  }

  private static let narrower = [
    "location_when_in_use": "location_always", "photo_library": "photo_library_add",
    "calendars": "calendars_write_only",
  ]

  private static func agrees(_ named: String, _ column: [UInt8]) -> Bool {
    column.elementsEqual(named.utf8) || narrower[named].map { column.elementsEqual($0.utf8) } ?? false
  }

  /// The allowed meanings of the words of a short name. No negation, call or doubt, no tap and no page of the app.
  private static let telling: Traits = [
    .yes, .no, .skip, .revoked, .reEnabled, .prompt, .weakPrompt, .system, .shown, .asked, .answer, .settingsPrompt,
    .settingsOpened, .inSettings, .filler, .marker, .overlay, .settings,
  ]
  private static let unclear: Traits = [
    .negator, .doubt, .earlier, .call, .boolean, .determiner, .tapped, .number,
  ]

  /// Whether every word is known and is about an answer or a screen, so that the name means the same as after the
  /// permission's name.
  private func isShort(_ column: [UInt8]) -> Bool {
    if Self.isScreen(name) || Self.isButton(name) { return false }
    let isKnown = reading.lexemes.allSatisfy { lexeme in
      if let permission = lexeme.permission { return Self.agrees(permission, column) }
      return !lexeme.traits.isDisjoint(with: Self.telling) && lexeme.traits.isDisjoint(with: Self.unclear)
    }
    // Shown alone: the explanation or the prompt?
    let tells: Traits = [
      .yes, .no, .skip, .revoked, .reEnabled, .prompt, .weakPrompt, .system, .overlay, .settingsPrompt, .settingsOpened,
    ]
    return isKnown && !reading.traits.isDisjoint(with: tells)
  }
}
