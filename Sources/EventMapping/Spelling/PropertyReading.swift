// What all telling properties of an event say together. They must agree: of two that do not, nobody knows which is right.

import PermissionEvents

struct PropertyReading: Sendable {
  /// The outcome that results and flags agree on; nil if none says one.
  private(set) var outcome: Traits?
  /// What a result says has happened, if that is no answer: `prompt_shown`.
  private(set) var act: Traits?
  private(set) var status: AuthorizationStatus?
  /// The answer refuses the more of two permissions: a no to the one, and nothing new of the other.
  private(set) var keepsLess = false
  /// Why nothing can be said.
  private(set) var problem: String?
  /// A flag says that something is not so: `denied: false` is no grant, and does not go with a denial.
  private(set) var excluded: Traits = []

  /// - Parameter answer: a value of `permission` that is an answer.
  init(_ properties: TellingProperties, answer: [UInt8]?, permission: [UInt8]?) {
    for value in properties.results + [properties.button].compactMap({ $0 }) {
      if let permission, !Self.fits(value, permission) { problem = "its answer is to another permission's prompt" }
    }
    for result in properties.results + [answer].compactMap({ $0 }) { take(AnswerReading(result), result) }
    for flag in properties.flags { take(flag) }
    for text in properties.statuses { takeStatus(text) }
    // A button counts if it says an answer; most say where somebody tapped.
    if let button = properties.button.map({ AnswerReading($0) }), case .outcome = button.said { take(button, []) }
  }

  /// False for an answer that names another permission, or is on the prompt of another alone.
  private static func fits(_ value: [UInt8], _ permission: [UInt8]) -> Bool {
    guard ButtonTitles.fits(value, permission) else { return false }
    let named = Lexicon.shared.lexemes(of: NormalName(value)).filter { !$0.isFragile }.compactMap(\.permission)
    return named.allSatisfy { SubjectReading.agree($0, permission) }
  }

  private mutating func fail(_ value: [UInt8]) {
    let text = String(decoding: value.prefix(40), as: UTF8.self)
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
        problem = problem ?? "its properties say two things"
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
        problem = problem ?? "its properties say two things"
        return
      }
      if status == .authorized { self.status = stated }
    } else {
      status = stated
    }
  }

  private static let true_: Set<String> = ["true", "yes", "1", "y", "on"]
  private static let false_: Set<String> = ["false", "no", "0", "n", "off"]

  private mutating func take(_ flag: TellingProperties.Flag) {
    // As it is written: `-1` is not 1.
    let text = String(decoding: flag.value, as: UTF8.self).lowercased()
    // A property of a user's own choice that says nothing by its name is taken for a yes.
    var polarity = Traits.yes
    switch AnswerReading(Array(flag.name.utf8)).said {
    case .outcome(let said): polarity = said
    case .nothing: break
    // The name may say the contrary, and nobody knows.
    default: return fail(flag.value)
    }
    if Self.true_.contains(text) {
      take(AnswerReading(said: .outcome(polarity)), flag.value)
    } else if Self.false_.contains(text) {
      if polarity == .yes {
        take(AnswerReading(said: .outcome(.no)), flag.value)
      } else {
        excluded.formUnion(polarity)
      }
    } else if polarity == .yes {
      take(AnswerReading(flag.value), flag.value)
    } else {
      fail(flag.value)
    }
  }

  private mutating func takeStatus(_ text: [UInt8]) {
    if let stated = StatusWords.status(text) { return take(stated) }
    // A status of something else (`sent`, `California`) is none; one that may say an answer is not passed over.
    if AnswerReading(text).said == .unclear { fail(text) }
  }
}

/// The properties that an event's meaning depends on: their values by what they may tell, as texts; empty or nil if absent.
package struct TellingProperties: Hashable, Sendable {
  /// A property that holds yes or no under its own name: `granted: false`.
  package struct Flag: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// What the event is about: `permission`, `permission_type`.
  package var permission: [UInt8]?
  /// The same under names that may mean something else: `type`, `resource`.
  package var permissionHint: [UInt8]?
  package var statuses: [[UInt8]] = []
  package var results: [[UInt8]] = []
  package var flags: [Flag] = []
  package var source: [UInt8]?
  package var screen: [UInt8]?
  package var button: [UInt8]?
  /// What may say whose screen it was: `prompt_type`, `step`.
  package var scenes: [[UInt8]] = []
  /// The feature of a `feature_used`; it may be the name of a permission's event.
  package var feature: [UInt8]?

  package init() {}

  /// In place of a value that is no short text: a list, an object, a sentence. It is there, so that it must not pass for
  /// absent, and nobody reads it.
  package static let unreadable = Array("(a list or a long text)?".utf8)
}
