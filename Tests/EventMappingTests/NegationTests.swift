// Words × negators × positions × properties: none comes out as a yes, or as a screen that was shown.

import PermissionEvents
import Testing

@testable import EventMapping

@Suite struct NegationTests {
  private static let words = [
    "accepted", "approved", "enabled", "opted in", "confirmed", "subscribed", "granted", "allowed", "authorized",
    "permitted",
    "agreed", "turned on", "accept", "approve", "allow", "yes", "shown", "requested",
  ]
  private static let negators = [
    "not", "never", "no longer", "cannot", "can't", "isn't", "wasn’t", "didn't", "did not", "won't", "hardly", "no",
    "neither",
    "without", "failed", "unable to", "refused to be", "error", "could not be", "un", "dis", "non", "nicht", "pas",
    "sin",
  ]

  /// A word and a negator, before and after it, joined or apart.
  private static func negated(_ word: String, _ negator: String) -> [String] {
    var result = [
      "\(negator) \(word)", "\(word) \(negator)", "\(negator) really \(word)",
      "\(negator.replacing("'", with: "’")) \(word)", "\(negator.replacing("'", with: "")) \(word)",
      "\(negator.replacing("'", with: " ")) \(word)",
    ]
    if ["un", "dis", "non"].contains(negator) { result += [negator + word, negator + "-" + word] }
    return result
  }

  private static func spellings(_ name: String) -> [String] {
    let words = name.split(separator: " ").map(String.init)
    return [
      name, words.joined(separator: "_"), words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
      name.uppercased(),
    ]
  }

  /// Neither a yes nor a screen.
  private static func isTurned(_ meaning: EventMeaning) -> Bool {
    guard case .event(let kind) = meaning else { return true }
    return ![.granted, .reEnabled, .promptShown, .explanationShown].contains(kind)
  }

  private static func meaning(_ name: String, _ telling: TellingProperties = .init()) -> EventMeaning {
    EventReading(name: NormalName(name), properties: telling).meaning
  }

  @Test(arguments: ["push permission", "notification prompt", "location authorization", "att prompt", "notifications"])
  func inNames(subject: String) {
    for word in Self.words {
      for negator in Self.negators {
        var names = Self.negated(word, negator).flatMap { ["\(subject) \($0)", "\($0) \(subject)"] }
        names += ["\(negator) \(subject) \(word)", "\(subject) \(word) \(negator)"]
        for name in names.flatMap(Self.spellings) { #expect(Self.isTurned(Self.meaning(name)), "\(name)") }
      }
    }
  }

  @Test(arguments: ["result", "status", "granted"])
  func inProperties(property: String) {
    for word in Self.words {
      for value in Self.negators.flatMap({ Self.negated(word, $0) }).flatMap(Self.spellings) {
        for name in [
          "push_permission_result", "push_permission_prompt", "notification_permission", "push_permission_accepted",
        ] {
          let telling = Self.telling(property, value)
          let usual = EventReading(name: NormalName(name), properties: telling)
          #expect(Self.isTurned(usual.meaning), "\(name) \(property)=\(value)")
          // A look at the state must not find it on either.
          if case .event(.statusChecked) = usual.meaning {
            #expect(usual.status.map { !StatusWords.granting.contains($0) } == true, "\(name) \(property)=\(value)")
          }
        }
      }
    }
  }

  private static func telling(_ property: String, _ value: String) -> TellingProperties {
    var telling = TellingProperties()
    switch property {
    case "status": telling.statuses = [Array(value.utf8)]
    case "granted": telling.flags = [.init(name: property, value: Array(value.utf8))]
    default: telling.results = [Array(value.utf8)]
    }
    return telling
  }

  @Test func booleansThatSayNoMakeNoYes() {
    for name in [
      "push_permission_accepted", "Push Permission Approved", "notification_permission_enabled",
      "push_opt_in_confirmed",
    ] {
      for property in ["result", "status", "granted"] {
        for value in ["false", "FALSE", "no", "No", "0", "denied", "don't allow", "Don’t Allow", "not granted"] {
          #expect(Self.isTurned(Self.meaning(name, Self.telling(property, value))), "\(name) \(property)=\(value)")
        }
      }
    }
  }

  @Test func signsThatAskOrDenyLeaveItOpen() {
    for name in [
      "push_permission_!granted", "Push permission granted?", "push permission ≠ granted", "push permission ❌ granted",
    ] {
      #expect(Self.isTurned(Self.meaning(name)), "\(name)")
    }
    for value in ["!granted", "granted?", "¬allowed", "❌ Allow"] {
      #expect(AnswerReading(Array(value.utf8)).said == .unclear)
    }
  }

  @Test func everyWordOfYesHasOneOfNo() {
    for (yes, no) in Lexicon.opposites + Lexicon.switches.map({ (yes: $0.on, no: $0.off) }) {
      #expect(!yes.isEmpty && !no.isEmpty)
      for word in yes.split(separator: " ") {
        #expect(Lexicon.shared[String(word)]?.traits.isDisjoint(with: [.yes, .reEnabled]) == false, "\(word)")
      }
      for word in no.split(separator: " ") {
        #expect(Lexicon.shared[String(word)]?.traits.isDisjoint(with: [.no, .revoked]) == false, "\(word)")
      }
    }
    // No word is both, but for one of which the name says which.
    for lexeme in Lexicon.shared.all where lexeme.traits.contains(.yes) {
      #expect(lexeme.traits.isDisjoint(with: [.no, .revoked, .skip, .negator, .doubt, .earlier]), "\(lexeme.text)")
    }
  }

  @Test func unknownWordsBesideAnAnswerLeaveItUnread() {
    for name in [
      "push_permission_granted_verweigert", "push_permission_xyz_granted", "push_permission_granted_2",
      "push_permission_granted_0",
    ] { #expect(Self.isTurned(Self.meaning(name)), "\(name)") }
    // Before what it is about, a word is the space of an app's own names.
    #expect(Self.meaning("acme_push_permission_granted") == .event(.granted))
  }
}
