// "A figure whose evidence the log does not hold is null, never 0."

/// What is missing in the log for the rows of a permission: "looked at for all users and all time up to as_of, whatever
/// the filters".
struct OracleEvidence {
  let missing: [String]

  /// - Parameters:
  ///   - events: all up to as_of.
  ///   - journeys: all exposed ones of the permission at least.
  init(_ events: [OracleEvent], _ journeys: [OracleJourney], _ permission: String, _ terms: Terms) {
    func has(_ kinds: [String], of permission: String? = nil) -> Bool {
      events.contains { event in
        kinds.contains(event.event)
          && (permission.map { event.permission.map(Bytes.init) == Bytes($0) } ?? true)
      }
    }
    let isEnabledAfterDenial = journeys.of(.denied).contains {
      Bytes($0.permission) == Bytes(permission) && $0.te(terms) != nil
    }
    let held: [(String, Bool)] = [
      ("activity", has(["feature_used", "app_active"])), ("feature_used", has(["feature_used"])),
      ("enabled_later", has(["re_enabled", "status_checked"], of: permission) || isEnabledAfterDenial),
      ("revoked", has(["revoked", "status_checked"], of: permission)), ("settings_opened", has(["settings_opened"])),
      ("app_installed", has(["app_installed"])),
    ]
    missing = held.filter { !$0.1 }.map(\.0)
  }

  /// The figures that rest on each, by the keys on the way to them; `*` is each element of a list.
  var unknown: [[String]] {
    let figures: [String: [String]] = [
      "activity": [
        "engagement.granted.mean_active_days", "engagement.granted.mean_feature_events",
        "engagement.not_granted.mean_active_days", "engagement.not_granted.mean_feature_events",
        "engagement.active_days_difference", "engagement.feature_events_difference",
        "engagement.active_days_correlation", "engagement.feature_events_correlation", "retention.*.difference",
      ]
        + ["granted", "denied", "skipped", "dropped_off"].flatMap {
          ["retention.*.\($0).retained", "retention.*.\($0).rate"]
        },
      "feature_used": [
        "engagement.granted.mean_feature_events", "engagement.not_granted.mean_feature_events",
        "engagement.feature_events_difference", "engagement.feature_events_correlation",
      ],
      "enabled_later": [
        "enabled_later.denied.enabled", "enabled_later.denied.rate", "enabled_later.denied.partial",
        "settings_prompt.enabled", "settings_prompt.partial", "settings_prompt.exposed", "settings_prompt.unexposed",
        "settings_prompt.rate_ratio",
      ] + ["at_risk", "value", "low", "high"].map { "enabled_later.denied.kaplan_meier.*.\($0)" },
      "revoked": [
        "after_grant.revoked", "after_grant.revoked_rate", "after_grant.upgraded", "after_grant.upgraded_rate",
      ],
      "settings_opened": ["settings_prompt.opened"],
    ]
    let paths: [String] = missing.flatMap { figures[$0] ?? [] }
    return paths.map { path in path.split(separator: ".").map(String.init) }
  }
}

extension OracleJSON {
  /// A row with what is unknown as null, and the list of what is missing.
  func without(_ evidence: OracleEvidence) -> OracleJSON {
    evidence.unknown.reduce(self) { $0.null(at: $1[...]) }
      .replacing("no_evidence", with: .array(evidence.missing.map { .string($0) }))
  }

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
  /// A metric beside the primary one, as unknown if it rests on what is missing.
  func known(_ metric: OracleJSON) -> OracleJSON {
    let unknown = ["retention_day_7": "activity", "enabled_later_denied": "enabled_later"]
    guard case .string(let name)? = metric["metric"], let evidence = unknown[name], missing.contains(evidence),
      case .object(let members) = metric
    else { return metric }
    return .object(members.map { $0.key == "metric" ? $0 : OracleMember(key: $0.key, value: .null) })
  }
}

/// True if the log does not hold what the comparison's own metric rests on, so that it is refused.
public func isRefused(_ events: [OracleEvent], _ options: OracleComparisonOptions) -> Bool {
  guard options.metric == "retention_day_7" else { return false }
  let stored = withoutDuplicates(events)
  let asOf = options.asOf ?? stored.map(\.timestamp).max() ?? 0
  return !stored.contains { $0.isEngagement && $0.timestamp <= asOf }
}
