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

  public let shown, opened, eligible, enabled: Int
  public let exposed, unexposed: PersonTime
  /// Of the two rates, exposed over unexposed.
  public let rateRatio: Estimate?

  init(_ sums: RowSums) {
    func side(_ days: JourneySum, _ milliseconds: JourneySum, _ enabled: Counter) -> PersonTime {
      let personDays = Double(sums[days]) + Double(sums[milliseconds]) / Double(millisecondsPerDay)
      let rate = personDays > 0 ? Double(sums[enabled]) / personDays * 100 : nil
      return PersonTime(personDays: personDays, enabled: sums[enabled], per100PersonDays: rate)
    }
    shown = sums[Counter.settingsShown]
    opened = sums[Counter.settingsOpened]
    eligible = sums[Counter.settingsEligible]
    enabled = sums[Counter.settingsEnabled]
    exposed = side(.exposedDays, .exposedMilliseconds, .exposedEnabled)
    unexposed = side(.unexposedDays, .unexposedMilliseconds, .unexposedEnabled)
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
        side("exposed") { $0.exposed }, side("unexposed") { $0.unexposed },
        .estimate("rate_ratio", "rate exposed over unexposed", .ratio, over: { $0.grants.denied }) {
          $0.settings.rateRatio
        },
      ])
  ]

  private static func side(
    _ name: StaticString, _ side: @escaping @Sendable (SettingsFigures) -> PersonTime
  ) -> FigureNode<ReportRow> {
    .group(
      name,
      [
        .number("person_days", "time that the denied were followed so", .personDays) { side($0.settings).personDays },
        .count("enabled", "enabled in that time") { side($0.settings).enabled },
        .number("per_100_person_days", "enabled per time", .rate) { side($0.settings).per100PersonDays },
      ])
  }
}
