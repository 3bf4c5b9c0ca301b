// "A figure whose evidence the log does not hold is null, never 0."

/// What is missing in the log for the rows of a permission: "looked at for all users and all time up to as_of, whatever
/// the filters".
struct OracleEvidence {
  let missing: [String]

  /// - Parameters:
  ///   - events: all up to as_of, as questions read them.
  ///   - journeys: all exposed ones of the permission at least.
  init(
    _ events: [OracleEvent], _ reading: OracleReading, _ journeys: [OracleJourney], _ permission: String, _ terms: Terms
  ) {
    func has(_ kinds: [String], of permission: String? = nil) -> Bool {
      events.contains { event in
        kinds.contains(event.event)
          && (permission.map { event.permission.map(Bytes.init) == Bytes($0) } ?? true)
      }
    }
    let own = journeys.filter { Bytes($0.permission) == Bytes(permission) }
    let isEnabledAfterDenial = own.of(.denied).contains { $0.te(terms) != nil }
    // Screens are counted as they are stored: also those of calls that returned at once.
    let screens = ["explanation_shown", "prompt_shown", OracleEvent.unseenPrompt]
    let held: [(String, Bool)] = [
      ("activity", has(["feature_used", "app_active"])), ("feature_used", has(["feature_used"])),
      ("enabled_later", has(["re_enabled", "status_checked"], of: permission) || isEnabledAfterDenial),
      ("revoked", has(["revoked", "status_checked"], of: permission)), ("settings_opened", has(["settings_opened"])),
      ("app_installed", has(["app_installed"])), ("prompt_times", !reading.isLoggedTogether(permission)),
      ("screens", has(screens, of: permission)), ("explanation", has(["explanation_shown"], of: permission)),
      ("answers", has(["granted", "re_enabled", "denied"], of: permission) || own.contains(where: \.isByStatus)),
    ]
    missing = held.filter { !$0.1 }.map(\.0)
  }

  /// The figures that rest on each, by the keys on the way to them; `*` is each element of a list.
  var unknown: [String] {
    let times = ["time_to_answer_ms", "prompt_time_ms", "time_by_outcome_ms"]
    let differences = [
      "engagement.granted.mean_active_days", "engagement.granted.mean_feature_events",
      "engagement.not_granted.mean_active_days", "engagement.not_granted.mean_feature_events",
      "engagement.active_days_difference", "engagement.feature_events_difference",
      "engagement.active_days_correlation", "engagement.feature_events_correlation", "retention.*.difference",
    ]
    let outcomes = ["granted", "denied", "skipped", "dropped_off"]
    func retained(_ outcome: String) -> [String] { ["retention.*.\(outcome).retained", "retention.*.\(outcome).rate"] }
    func enabled(_ outcome: String) -> [String] {
      ["enabled", "rate", "partial"].map { "enabled_later.\(outcome).\($0)" }
        + ["at_risk", "value", "low", "high"].map { "enabled_later.\(outcome).kaplan_meier.*.\($0)" }
    }
    let figures: [String: [String]] = [
      "activity": ["settings_prompt.trials"] + differences + outcomes.flatMap(retained),
      "feature_used": [
        "engagement.granted.mean_feature_events", "engagement.not_granted.mean_feature_events",
        "engagement.feature_events_difference", "engagement.feature_events_correlation",
      ],
      "enabled_later": enabled("denied") + [
        "settings_prompt.enabled", "settings_prompt.partial", "settings_prompt.trials",
      ],
      "revoked": [
        "after_grant.revoked", "after_grant.revoked_rate", "after_grant.upgraded", "after_grant.upgraded_rate",
      ],
      "settings_opened": ["settings_prompt.opened"],
      "prompt_times": times,
      "screens": times + ["explanation_time_ms", "dropped_off", "drop_off_rate", "steps", "explained_against_cold"]
        + enabled("dropped_off") + retained("dropped_off"),
      "explanation": ["steps.explanation", "explained_against_cold"],
      "answers": [
        "granted", "partial", "denied", "dropped_off", "grant_rate", "deny_rate", "skip_rate", "drop_off_rate",
        "prompt_grant_rate", "granted_by_follow_up.granted", "granted_by_follow_up.partial",
        "granted_by_follow_up.granted_first",
        "granted_by_follow_up.rate", "explained_against_cold.difference", "explained_against_cold.explained.granted",
        "explained_against_cold.cold.granted", "steps.prompt.granted", "steps.prompt.denied", "steps.prompt.dropped",
        "trend", "usual",
      ] + ["denied", "skipped", "dropped_off"].flatMap(enabled) + differences + outcomes.flatMap(retained),
    ]
    return missing.flatMap { figures[$0] ?? [] }
  }
}

extension OracleJSON {
  /// A row with what is unknown as null, and the list of what is missing.
  func without(_ evidence: OracleEvidence) -> OracleJSON {
    evidence.unknown.reduce(self) { $0.null(at: $1) }
      .replacing("no_evidence", with: .array(evidence.missing.map { .string($0) }))
  }

  /// With null at a path such as `retention.*.difference`.
  func null(at path: String) -> OracleJSON { null(at: path.split(separator: ".").map(String.init)[...]) }

  private func null(at path: ArraySlice<String>) -> OracleJSON {
    guard let key = path.first else { return .null }
    switch self {
    case .array(let elements) where key == "*": return .array(elements.map { $0.null(at: path.dropFirst()) })
    case .object(let members):
      return .object(
        members.map { OracleMember(key: $0.key, value: $0.key == key ? $0.value.null(at: path.dropFirst()) : $0.value) }
      )
    default: return self
    }
  }

  private func replacing(_ key: String, with value: OracleJSON) -> OracleJSON {
    guard case .object(let members) = self else { return self }
    return .object(members.map { $0.key == key ? OracleMember(key: key, value: value) : $0 })
  }
}

extension OracleEvidence {
  /// What a metric of a comparison rests on.
  static func of(_ metric: String) -> [String] {
    switch metric {
    case "retention_day_7": ["activity", "answers"]
    case "drop_off_rate": ["answers", "screens"]
    case "kept_by_day_28": ["answers", "revoked"]
    case "settings_enabled": ["enabled_later"]
    case "settings_opened": ["settings_opened"]
    case "enabled_later_denied": ["enabled_later", "answers"]
    case "enabled_later_skipped": ["answers"]
    case "enabled_later_dropped_off": ["screens", "answers"]
    case "time_to_answer_ms": ["prompt_times", "screens"]
    default: ["answers"]
    }
  }

  /// A metric beside the primary one, as unknown if it rests on what is missing.
  func known(_ metric: OracleJSON) -> OracleJSON {
    guard case .string(let name)? = metric["metric"], Self.of(name).contains(where: missing.contains),
      case .object(let members) = metric
    else { return metric }
    return .object(members.map { $0.key == "metric" ? $0 : OracleMember(key: $0.key, value: .null) })
  }
}

/// True if the log does not hold what the comparison's own metric rests on, so that it is refused.
public func isRefused(_ events: [OracleEvent], _ options: OracleComparisonOptions) -> Bool {
  let history = OracleComparedHistory(events, options)
  // Of nobody there is nothing to refuse.
  let all = comparedJourneys(history.events, history.reading, options, history.terms)
  guard all.contains(where: { options.policy == "first" || !$0.isContaminated }) else { return false }
  return OracleEvidence.of(options.metric).contains(where: history.evidence(options).missing.contains)
}

/// True if Settings prompts show the messages, and no screen does (no answer, if answers stand alone). Then the other
/// comparison is named.
public func areOfSettingsPromptsAlone(_ events: [OracleEvent], _ options: OracleComparisonOptions) -> Bool {
  let messages = options.variants.map(Bytes.init)
  let history = OracleComparedHistory(events, options)
  let isAlone = history.reading.isAnsweredAlone(options.permission)
  let own = withoutDuplicates(events).filter {
    guard let variant = $0.variant, $0.permission.map(Bytes.init) == Bytes(options.permission) else { return false }
    return $0.timestamp <= history.terms.asOf && messages.contains(Bytes(variant))
      && (options.experiment == nil || $0.experiment.map(Bytes.init) == options.experiment.map(Bytes.init))
  }
  return !own.contains { isAlone ? ["granted", "denied"].contains($0.event) : $0.isScreen }
    && own.contains { $0.event == "settings_prompt_shown" }
}
