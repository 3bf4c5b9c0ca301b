// Prompts that point to Settings after a denial, and whether people follow them.

import PermissionEvents
import Statistics

/// Of the denied journeys of a row. Descriptive: the alert is shown to people who have just tried the feature.
public struct SettingsFigures: Sendable {
  /// Denied users' time after a prompt, or all their other time.
  public struct PersonTime: Sendable {
    public let personDays: Double
    public let enabled: Int
    /// nil without time.
    public let per100PersonDays: Double?
  }

  public let shown, eligible: Int
  /// nil without evidence.
  public let opened, enabled: Int?
  /// Enabled in part, of `enabled`.
  public let partial: Int?
  /// nil without evidence.
  public let exposed, unexposed: PersonTime?
  /// Of the two rates, exposed over unexposed.
  public let rateRatio: Estimate?

  init(_ sums: RowSums, missing: [Evidence]) {
    func side(_ days: JourneySum, _ milliseconds: JourneySum, _ enabled: Counter) -> PersonTime {
      let personDays = Double(sums[days]) + Double(sums[milliseconds]) / Double(millisecondsPerDay)
      let rate = personDays > 0 ? Double(sums[enabled]) / personDays * 100 : nil
      return PersonTime(personDays: personDays, enabled: sums[enabled], per100PersonDays: rate)
    }
    shown = sums[Counter.settingsShown]
    opened = missing.known(.settingsOpened, sums[Counter.settingsOpened])
    eligible = sums[Counter.settingsEligible]
    guard !missing.contains(.enabledLater) else {
      (enabled, partial, exposed, unexposed, rateRatio) = (nil, nil, nil, nil, nil)
      return
    }
    enabled = sums[Counter.settingsEnabled]
    partial = sums[Counter.settingsPartial]
    let exposed = side(.exposedDays, .exposedMilliseconds, .exposedEnabled)
    let unexposed = side(.unexposedDays, .unexposedMilliseconds, .unexposedEnabled)
    (self.exposed, self.unexposed) = (exposed, unexposed)
    rateRatio = RateRatio.logNormal(
      firstEvents: exposed.enabled, firstExposure: exposed.personDays, secondEvents: unexposed.enabled,
      secondExposure: unexposed.personDays
    ).map { Estimate($0.ratio, $0.interval) }
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "settings_prompt",
      [
        .count("shown", "denied, then a Settings prompt", over: { $0.grants.denied }) { $0.settings.shown },
        .count("opened", "Settings opened soon after", over: { $0.settings.shown }) { $0.settings.opened },
        .count("eligible", "followed for the settings window", over: { $0.settings.shown }) { $0.settings.eligible },
        .count("enabled", "enabled in that window", over: { $0.settings.eligible }) { $0.settings.enabled },
        .count("partial", "enabled in part in that window", over: { $0.settings.enabled ?? 0 }) { $0.settings.partial },
        side("exposed") { $0.exposed }, side("unexposed") { $0.unexposed },
        .estimate("rate_ratio", "rate exposed over unexposed", .ratio, over: { $0.grants.denied }) {
          $0.settings.rateRatio
        },
      ])
  ]

  private static func side(
    _ name: StaticString, _ side: @escaping @Sendable (SettingsFigures) -> PersonTime?
  ) -> FigureNode<ReportRow> {
    .knowable(
      name, isKnown: { side($0.settings) != nil },
      [
        .number("person_days", "time that the denied were followed so", .personDays) { side($0.settings)?.personDays },
        .count("enabled", "enabled in that time") { side($0.settings)?.enabled },
        .number("per_100_person_days", "enabled per time", .rate) { side($0.settings)?.per100PersonDays },
      ])
  }
}
