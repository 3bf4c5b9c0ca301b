// Rates that others published, beside the figure that is a share of the same users.

import PermissionAnalysis
import PermissionEvents

/// Rates of one publication.
public struct PublishedRates: Sendable, Equatable {
  /// The figure that has the same denominator.
  public enum Figure: String, Sendable, CaseIterable {
    /// Granted out of granted and denied.
    case promptGrantRate = "prompt_grant_rate"
    /// The active users who have the permission on.
    case reach
  }

  public struct Rate: Sendable, Equatable {
    public var platform: String
    /// Nil for all apps.
    public var vertical: String?
    public var percent: Double

    package init(platform: String, vertical: String?, percent: Double) {
      (self.platform, self.vertical, self.percent) = (platform, vertical, percent)
    }
  }

  public var figure: Figure
  public var permission: String
  /// `of those who answered the prompt`.
  public var denominator: String
  /// Whether a rate is the median of apps, and not the share of all their users.
  public var isMedian: Bool
  public var source: String
  /// `2025` or `2025-07`.
  public var published: String
  public var apps: Int?
  /// `750 million visitors`.
  public var users: String?
  public var address: String
  public var rates: [Rate]

  package init(
    figure: Figure, permission: String, denominator: String, isMedian: Bool, source: String, published: String,
    apps: Int?, users: String?, address: String, rates: [Rate]
  ) {
    (self.figure, self.permission, self.denominator, self.isMedian) = (figure, permission, denominator, isMedian)
    (self.source, self.published, self.apps, self.users) = (source, published, apps, users)
    (self.address, self.rates) = (address, rates)
  }

  /// `Published by AppsFlyer in March 2022, 4 years before: iOS 46 %, by vertical 41 % (education) to 53 % (finance), of those who answered the prompt (4 600 apps).`
  /// - Parameter day: the last day of the report.
  func sentence(before day: DayNumber) -> String {
    let platforms = ["ios", "android"].compactMap { platform -> String? in
      let own = rates.filter { $0.platform == platform }
      let name = platform == "ios" ? "iOS" : "Android"
      let all = own.first { $0.vertical == nil }.map { name + space + Self.text($0.percent) + space + "%" }
      let verticals = own.filter { $0.vertical != nil }.sorted { $0.percent < $1.percent }
      guard let low = verticals.first, let high = verticals.last else { return all }
      let range =
        "\(Self.text(low.percent))\(space)% (\(low.vertical ?? "")) to \(Self.text(high.percent))\(space)% (\(high.vertical ?? ""))"
      return all.map { $0 + ", by vertical " + range } ?? name + " by vertical " + range
    }
    let size = [apps.map { NumberText.counted($0, "app") }, users].compactMap { $0 }.joined(separator: ", ")
    return "Published by \(source) \(Self.moment(published)), \(Self.age(published, before: day)): "
      + "\(isMedian ? "medians of apps, " : "")\(platforms.joined(separator: "; ")), \(denominator)"
      + (size.isEmpty ? "." : " (\(size)).")
  }

  private static func text(_ percent: Double) -> String { fixed(percent, percent == percent.rounded() ? 0 : 1) }

  private static func parts(_ published: String) -> (year: Int64, month: Int64?) {
    let parts = published.split(separator: "-").compactMap { Int64($0) }
    return (parts.first ?? 0, parts.count > 1 ? parts[1] : nil)
  }

  /// `in March 2022`, `in 2025`.
  private static func moment(_ published: String) -> String {
    let (year, month) = parts(published)
    return "in " + (month.map { DayWords.month(CivilDate(year: year, month: $0, day: 1)) + " " } ?? "") + "\(year)"
  }

  /// `8 months before`, `4 years before`, `this year`, or that it is newer than the report.
  private static func age(_ published: String, before day: DayNumber) -> String {
    let (year, month) = parts(published)
    let date = CivilDate(day)
    guard let month else {
      let years = date.year - year
      return years == 0
        ? "the year of this report" : years < 0 ? "after this report" : "\(years) year\(years == 1 ? "" : "s") before"
    }
    let months = (date.year - year) * 12 + date.month - month
    if months < 0 { return "after this report" }
    if months == 0 { return "the month of this report" }
    return months < 24 ? "\(months) month\(months == 1 ? "" : "s") before" : "\(months / 12) years before"
  }
}

private let space = "\u{A0}"

extension ReportScope {
  /// What others published of a figure, for the permissions that a section shows.
  func published(_ figure: PublishedRates.Figure, of permissions: [String]) -> [String] {
    guard let asOf = report.asOf else { return [] }
    return references.filter { reference in
      reference.figure == figure && permissions.contains { RowNames.isSame($0, reference.permission) }
    }.map { $0.sentence(before: report.zone.day(of: asOf)) }
  }
}
