// Names of canonical rows, beside a column that says the permission: short ones are read, and none comes out as a yes that is
// a no, or of another permission than the column's.

import PermissionEvents
import Testing

@testable import EventMapping

@Suite struct CanonicalReadingTests {
  private static func properties(_ permission: String?, result: String? = nil) -> TellingProperties {
    var properties = TellingProperties()
    properties.permission = permission.map { Array($0.utf8) }
    properties.results = result.map { [Array($0.utf8)] } ?? []
    return properties
  }

  private static func reading(_ name: String, _ permission: String?, result: String? = nil) -> EventReading {
    EventReading(canonical: NormalName(name), properties(permission, result: result))
  }

  @Test(arguments: [
    ("primer shown", EventKind.explanationShown), ("primer skipped", .skipped), ("soft ask declined", .skipped),
    ("prompt shown", .promptShown), ("system dialog shown", .promptShown), ("Native Alert Displayed", .promptShown),
    ("requested", .promptShown), ("alertAccepted", .granted), ("allowed", .granted),
    ("user denied", .denied), ("not granted", .denied), ("declined", .denied), ("not now", .skipped),
    ("opened settings", .settingsOpened), ("settings alert shown", .settingsPromptShown),
    ("granted in settings", .reEnabled), ("turned off", .revoked), ("Push Permission Prompt Shown", .promptShown),
    ("pushPermissionDenied", .denied), ("Granted", .granted),
  ])
  func shortNamesAreRead(name: String, kind: EventKind) {
    let reading = Self.reading(name, "notifications")
    #expect(reading.meaning == .event(kind), "\(name)")
    #expect(reading.permission == Array("notifications".utf8))
  }

  @Test(arguments: [
    "shown", "viewed", "screen shown", "Allow", "Don’t Allow", "OK", "yes", "no", "no prompt", "allow prompt",
    "never granted", "prompt allowed",
    "won't grant", "granted?", "!granted", "ungranted", "order confirmed", "payment accepted", "intro skipped",
    "onboarding skipped", "settings", "settings shown", "foo", "event", "friend accepted", "camera allowed",
    "toggle enabled", "answer no", "already granted", "granted 0",
  ])
  func whatMayMeanTwoThingsIsNot(name: String) {
    let reading = Self.reading(name, "notifications")
    guard case .unknown = reading.meaning else {
      Issue.record("\(name): \(reading.meaning)")
      return
    }
  }

  @Test func aTapOnTheExplanationIsUnderstood() {
    for name in ["primer continue", "primer accepted", "explanation allowed", "soft ask accepted"] {
      guard case .nothing = Self.reading(name, "camera").meaning else {
        Issue.record("\(name)")
        continue
      }
    }
  }

  @Test func aNameWithoutAColumnSaysThePermissionItself() {
    let reading = Self.reading("push_permission_granted", nil)
    #expect(reading.meaning == .event(.granted) && reading.permission == Array("notifications".utf8))
    #expect(Self.reading("opened settings", nil).meaning == .unknown(nil))
  }

  /// Each name of a permission beside each permission's column: the same, a narrower one, or unread.
  @Test func nameAndColumnAgree() {
    let narrower: Set = [
      ["location_when_in_use", "location_always"], ["photo_library", "photo_library_add"],
      ["calendars", "calendars_write_only"],
    ]
    var agreed = 0
    for named in PermissionCode.taxonomy {
      guard case .one(named) = NameReading(NormalName(named + "_permission_granted")).permission else { continue }
      for column in PermissionCode.taxonomy + ["lidar"] {
        let reading = Self.reading(named + "_permission_granted", column)
        let agrees = named == column || narrower.contains([named, column])
        if agrees {
          agreed += 1
          #expect(reading.meaning == .event(.granted), "\(named) \(column)")
          #expect(reading.permission == Array(column.utf8))
        } else {
          guard case .unknown = reading.meaning else {
            Issue.record("\(named) \(column): \(reading.meaning)")
            continue
          }
        }
      }
    }
    #expect(agreed > 20)
  }

  private static let negators = [
    "not", "never", "no longer", "cannot", "can't", "isn't", "wasn’t", "didn't", "won't", "hardly", "no", "without",
    "failed", "refused to be", "error", "un", "dis", "non", "nicht",
  ]

  @Test(arguments: [
    "granted", "allowed", "accepted", "approved", "authorized", "enabled", "opted in", "turned on",
    "granted in settings",
    "prompt accepted", "dialog allowed", "prompt shown", "requested", "allow", "yes", "limited", "always",
  ])
  func noNoBecomesAYes(word: String) {
    for negator in Self.negators {
      for name in ["\(negator) \(word)", "\(word) \(negator)", negator + word, "\(negator)_\(word)"] {
        let meaning = Self.reading(name, "camera").meaning
        for kind in [EventKind.granted, .reEnabled, .promptShown, .explanationShown] {
          #expect(meaning != .event(kind), "\(name)")
        }
      }
    }
    for result in ["denied", "false", "no", "Don’t Allow", "not granted"] {
      let meaning = Self.reading(word, "camera", result: result).meaning
      #expect(meaning != .event(.granted) && meaning != .event(.reEnabled), "\(word) result=\(result)")
    }
  }

  @Test func whatAKindSaysIsNotTurned() {
    #expect(Self.reading("Granted", "camera", result: "granted").meaning == .event(.granted))
    for result in ["denied", "false"] {
      guard case .unknown = Self.reading("Granted", "camera", result: result).meaning else {
        Issue.record("\(result)")
        continue
      }
    }
  }

  @Test(arguments: [
    ("did become active", EventKind.appActive), ("app did become active", .appActive),
    ("AppDidBecomeActive", .appActive),
    ("session_start", .appActive), ("first_open", .appInstalled),
  ])
  func activityIsRead(name: String, kind: EventKind) throws {
    let program = try #require(MappingProgram.canonical)
    #expect(program.decide(program.plan(Array(name.utf8))) { _ in nil }.outcome == .event(kind))
  }

  @Test(arguments: [
    ("nag screen thingy", ["explanations (explanation step)"]),
    ("thingy skipped", ["skips (skip rate)"]), ("grantd", ["answers (grant rate)"]),
    ("nicht granted", ["answers (grant rate)"]), ("odd prompt", ["prompts (prompt step)"]),
    ("teapot session", ["activity (retention, engagement)"]), ("teapot", []),
  ])
  func whatAnUnreadNameIsMissingIn(name: String, figures: [String]) {
    #expect(MissingFigures.of(event: Array(name.utf8)) == figures)
  }
}
