// A number with its interval, as the figures carry it.

import PermissionEvents
import Statistics

/// A value with its 95 % interval; the bounds are nil if there is no interval.
public struct Estimate: Sendable, Hashable {
  public internal(set) var value: Double
  public internal(set) var low, high: Double?

  public init(_ value: Double, _ interval: Interval? = nil) {
    self.init(value, low: interval?.low, high: interval?.high)
  }

  public init(_ value: Double, low: Double?, high: Double?) {
    self.value = value
    self.low = low
    self.high = high
  }

  /// A value with its normal interval.
  init(_ value: Double, standardError: Double) {
    let reach = 1.959963984540054 * standardError
    self.init(value, low: value - reach, high: value + reach)
  }

  /// A rate with its Wilson interval; nil if the denominator is 0.
  static func rate(_ successes: Int, _ trials: Int) -> Estimate? {
    guard let sample = try? BinomialSample(successes: successes, trials: trials), let rate = sample.rate else {
      return nil
    }
    return Estimate(rate, Wilson.interval(sample))
  }

  package static func difference(_ first: (Int, Int), _ second: (Int, Int)) -> Estimate? {
    guard let a = try? BinomialSample(successes: first.0, trials: first.1),
      let b = try? BinomialSample(successes: second.0, trials: second.1)
    else { return nil }
    return difference(a, b)
  }

  /// The difference of two rates, first minus second, with its Miettinen-Nurminen interval; nil without trials.
  static func difference(_ first: BinomialSample, _ second: BinomialSample, confidence: Double = 0.95) -> Estimate? {
    guard let rateA = first.rate, let rateB = second.rate else { return nil }
    return Estimate(rateA - rateB, MiettinenNurminen.differenceInterval(first, second, confidence: confidence))
  }
}

// MARK: The events that a log must have before a figure can be known
// An app that logs no use has not lost all its users: without events a figure is unknown, never 0.

/// Events without which some figures of a row are unknown. permlog looks for them among all users and all time up to
/// as_of, even if the report is filtered.
public enum Evidence: String, Sendable, CaseIterable {
  /// `feature_used` or `app_active`: retention and active days.
  case activity
  /// `feature_used`: uses of a feature.
  case featureUsed = "feature_used"
  /// Of the permission, `re_enabled` or `status_checked`, or a denied journey that was found on later: who comes back after a
  /// denial.
  case enabledLater = "enabled_later"
  /// Of the permission, `revoked` or `status_checked`: what becomes of a grant.
  case revoked
  /// `settings_opened`: whether a Settings prompt was followed.
  case settingsOpened = "settings_opened"
  /// `app_installed`: how long after the install people were asked.
  case appInstalled = "app_installed"
  /// Prompts and answers that are not logged together: how long people take.
  case promptTimes = "prompt_times"
  /// Of the permission, `explanation_shown` or `prompt_shown`: who did not answer, steps and times.
  case screens
  /// Of the permission, `explanation_shown`: the step of the explanation.
  case explanation
  /// Of the permission, `granted`, `re_enabled`, `denied`, or a conclusive status: the answers of users.
  case answers
}

extension [Evidence] {
  /// Whether the times from screens to answers are known.
  var hasTimes: Bool { !contains(.promptTimes) && !contains(.screens) }
  /// Whether it is known who did not answer.
  var hasDropOff: Bool { !contains(.screens) && !contains(.answers) }

  /// Returns a value that needs this evidence. Nil if the evidence is missing.
  func known<Value>(_ evidence: Evidence, _ value: @autoclosure () -> Value?) -> Value? {
    contains(evidence) ? nil : value()
  }

  /// The same of a value that is of those who answered in one way.
  func knownOfAnswers<Value>(_ evidence: Evidence, _ value: @autoclosure () -> Value?) -> Value? {
    contains(.answers) ? nil : known(evidence, value())
  }
}

package struct EvidenceError: Error, CustomStringConvertible {
  package var evidence: Evidence
  /// Its name in JSON.
  package var figure: String

  package var description: String { "\(evidence.sentence), so \(figure) is unknown" }
}

extension Evidence {
  /// What the log lacks, as the beginning of a sentence.
  package var sentence: String {
    switch self {
    case .activity: "this log has no activity events (feature_used, app_active)"
    case .featureUsed: "this log has no feature_used events"
    case .enabledLater: "this log has no re_enabled or status_checked events of the permission"
    case .revoked: "this log has no revoked or status_checked events of the permission"
    case .settingsOpened: "this log has no settings_opened events"
    case .appInstalled: "this log has no app_installed events"
    case .promptTimes: "this log has prompts and answers of the permission that are logged together"
    case .screens: "this log has no screens of the permission (explanation_shown, prompt_shown)"
    case .explanation: "this log has no explanation_shown events of the permission"
    case .answers: "this log has no granted or denied events of the permission"
    }
  }
}

// MARK: How old the events are that an answer is made of

/// The newest event of a log, compared with the clock. Times are UTC milliseconds.
public struct DataAge: Sendable, Hashable {
  public let newest: Milliseconds
  /// The newest that is not ahead of the clock; nil if all are.
  public let latest: Milliseconds?
  /// The time of the question.
  public let clock: Milliseconds

  /// - Parameter newest: of all events; it is not ahead of the clock.
  package init(newest: Milliseconds, clock: Milliseconds) { self.init(newest: newest, latest: newest, clock: clock) }

  package init(newest: Milliseconds, latest: Milliseconds?, clock: Milliseconds) {
    (self.newest, self.latest, self.clock) = (newest, latest, clock)
  }

  /// Whole days since the latest event that is not ahead of the clock; nil without one.
  public var days: Int? { latest.map { Int((clock - $0) / millisecondsPerDay) } }

  /// Whether there were no events for more than two days: the log is not fed, or the app no longer asks.
  public var isOld: Bool { latest.map { clock - $0 > 2 * millisecondsPerDay } ?? false }

  /// Whether a phone's clock is ahead: such events are not looked at yet.
  public var isAhead: Bool { newest > clock }
}
