// What an audit says of how the app asks, as the contract has it (7), read in the plainest way: loops over all pairs of events.
// `OracleAuditReport.swift` makes findings of these.

import Foundation

private let second = 1000
private let minute = 60 * second
private let day = millisecondsPerDay

/// What an audit is asked for.
public struct OracleAuditOptions: Sendable {
  public var timeZone: TimeZone = .gmt
  /// UTC milliseconds; nil: the newest timestamp in the log.
  public var asOf: Int?
  /// UTC milliseconds; nil: the oldest timestamp in the log.
  public var logStart: Int?
  public var from: String?
  public var to: String?
  public var conditions: [OracleCondition] = []
  public var permission: String?
  /// Millionths by the id of a check.
  public var thresholds: [String: Int] = [:]
  public var examples = 0
  /// The log's hash of a user's id, which is its first order; without it no examples are expected.
  public var hash: (@Sendable (String) -> UInt64)?

  public init() {}
}

/// A journey of J: "its journeys with t0 ≤ as_of, not pending, restricted included", that the filters choose.
struct OracleAuditJourney {
  let user: Bytes
  let journey: OracleJourney
  /// All events of the user up to as_of, as they are stored.
  let ofUser: [OracleEvent]
  /// Time of the user's first event, as questions read them.
  let firstEvent: Int?
  let terms: Terms
  let logStart: Int

  private var events: [OracleEvent] { journey.events }

  private func times(_ kinds: String...) -> [Int] { events.filter { kinds.contains($0.event) }.map(\.timestamp) }

  /// "First use = the latest `app_installed` at or before t0, else the user's first event if earlier than t0 and at least 28 days after
  /// the log start."
  var firstUse: Int? {
    let installs = ofUser.filter { $0.event == "app_installed" && $0.timestamp <= journey.t0 }.map(\.timestamp)
    if let latest = installs.max() { return latest }
    guard let first = firstEvent else { return nil }
    return first < journey.t0 && first >= logStart + 28 * day ? first : nil
  }

  /// "t0 within 60 s of first use."
  var isAtOnce: Bool { firstUse.map { journey.t0 - $0 <= 60 * second } ?? false }

  var hasSkip: Bool { !times("skipped").isEmpty }

  /// "A `prompt_shown` within 30 min after any."
  var isAskedAfterNotNow: Bool {
    times("skipped").contains { skip in times("prompt_shown").contains { $0 > skip && $0 <= skip + 30 * minute } }
  }

  /// "Off = `denied`, `revoked`, `status_checked` with `denied` or `restricted`."
  private var offs: [Int] {
    events.filter { event in
      ["denied", "revoked"].contains(event.event)
        || (event.event == "status_checked" && ["denied", "restricted", "declined_sharing"].contains(event.status))
    }.map(\.timestamp)
  }

  var isEverOff: Bool { !offs.isEmpty }

  /// "A `prompt_shown` after an off with no on, no `not_determined` and no `app_installed` between."
  var isAskedAfterDenial: Bool {
    let excuses =
      events.filter { $0.findsOn || $0.status == "not_determined" }.map(\.timestamp)
      + ofUser.filter { $0.event == "app_installed" }.map(\.timestamp)
    // "On Android (the platform of the exposure) the system asks once more: two denials."
    if journey.exposure.platform?.lowercased().hasPrefix("android") == true {
      // "A denial counts if a prompt was shown since the one that counted before."
      var denials: [Int] = []
      var isDialog = true
      for event in events {
        if event.event == "prompt_shown" { isDialog = true }
        if event.event == "denied", isDialog {
          denials.append(event.timestamp)
          isDialog = false
        }
      }
      return times("prompt_shown").contains { prompt in
        let before = denials.filter { $0 < prompt }.sorted()
        guard before.count >= 2 else { return false }
        let off = before[before.count - 2]
        return !excuses.contains { $0 > off && $0 < prompt }
      }
    }
    return offs.contains { off in
      times("prompt_shown").contains { prompt in
        prompt > off && !excuses.contains { $0 > off && $0 < prompt }
      }
    }
  }

  /// "An ask is an `explanation_shown` with the first `prompt_shown` within 30 min after it, a `prompt_shown` alone, or a
  /// `settings_prompt_shown`."
  private var asks: [Int] {
    let explanations = times("explanation_shown")
    let prompts = events.filter { $0.event == "prompt_shown" }
    var alone = prompts
    for explanation in explanations {
      let with = prompts.first { $0.timestamp > explanation && $0.timestamp <= explanation + 30 * minute }
      alone.removeAll { $0 == with }
    }
    return (explanations + alone.map(\.timestamp) + times("settings_prompt_shown")).sorted()
  }

  /// "Four asks of one permission, the fourth within 7 days of the first."
  var isPestered: Bool {
    let asks = asks
    return asks.indices.contains { $0 + 3 < asks.count && asks[$0 + 3] - asks[$0] <= 7 * day }
  }

  private var t1: Int? { journey.answer?.timestamp }

  /// When it was denied; nil unless that is the outcome.
  private var denied: Int? { journey.outcome == .denied ? t1 : nil }

  /// "Of denied journeys with t1 + 7 days ≤ as_of."
  var isDeniedAndFollowed: Bool { denied.map { $0 + 7 * day <= terms.asOf } ?? false }

  private var settingsPrompt: Int? {
    denied.flatMap { denial in times("settings_prompt_shown").filter { $0 > denial }.min() }
  }

  /// "No `settings_prompt_shown` after t1."
  var hasNoWayBack: Bool { isDeniedAndFollowed && settingsPrompt == nil }

  /// "Of denied journeys with a Settings prompt after t1 at ts, ts + 30 min ≤ as_of."
  var isPromptedToSettings: Bool { settingsPrompt.map { $0 + 30 * minute <= terms.asOf } ?? false }

  /// "No `settings_opened` within 30 min."
  var isSettingsPromptIgnored: Bool {
    guard isPromptedToSettings, let shown = settingsPrompt else { return false }
    return !times("settings_opened").contains { $0 >= shown && $0 <= shown + 30 * minute }
  }

  /// "Their latest change of version c (first event with an `app_version` numerically above all before)."
  private var versionChange: Int? {
    var change: Int?
    for (place, event) in ofUser.enumerated() {
      guard let version = components(event.appVersion) else { continue }
      let before = ofUser[..<place].compactMap { components($0.appVersion) }
      if !before.isEmpty, before.allSatisfy({ isBelow($0, version) }) { change = event.timestamp }
    }
    return change
  }

  /// "With t1 before c, c + 24 h ≤ as_of": the change, if so.
  private var seenChange: Int? {
    guard let t1, let change = versionChange, t1 < change, change + day <= terms.asOf else { return nil }
    return change
  }

  var isUpdated: Bool { seenChange != nil }

  /// "No `status_checked` of the permission in [c, c + 24 h]."
  var isNotRechecked: Bool {
    guard let change = seenChange else { return false }
    return !times("status_checked").contains { $0 >= change && $0 <= change + day }
  }

  /// "Of partial grants with t1 + 28 days ≤ as_of": when they were granted.
  private var partialGrant: Int? {
    guard journey.isPartialGrant, let t1, t1 + 28 * day <= terms.asOf else { return nil }
    return t1
  }

  var isFollowedPartial: Bool { partialGrant != nil }

  /// "No screen, Settings prompt or upgrade (11) of it in (t1, t1 + 28 days]."
  var isPartialLeft: Bool {
    guard let grant = partialGrant else { return false }
    return !events.contains { event in
      guard event.timestamp > grant, event.timestamp <= grant + 28 * day else { return false }
      if event.isScreen || event.event == "settings_prompt_shown" { return true }
      // 11: "a `granted`, `re_enabled` or `status_checked` … whose status is given and means on in full".
      return ["granted", "re_enabled", "status_checked"].contains(event.event)
        && isOn(status: event.status, permission: journey.permission)
    }
  }
}

/// The numbers of a version; nil if it is none.
private func components(_ version: String?) -> [Int]? {
  guard let version, !version.isEmpty else { return nil }
  let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
  return parts.contains { $0 == nil } ? nil : parts.compactMap { $0 }
}

/// A component that one of them lacks is 0.
private func isBelow(_ left: [Int], _ right: [Int]) -> Bool {
  for place in 0..<max(left.count, right.count) {
    let (a, b) = (place < left.count ? left[place] : 0, place < right.count ? right[place] : 0)
    if a != b { return a < b }
  }
  return false
}
