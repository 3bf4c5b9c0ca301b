// Moments and intervals in the report's time zone.

import PermissionEvents

enum MomentText {
  /// RFC 3339 with the zone's offset at that moment; milliseconds only where there are any.
  static func text(_ time: Milliseconds, _ zone: ZoneTable) -> String {
    let minutes = zone.offset(at: time) / 60_000
    var text = Timestamp.text(time + minutes * 60_000)
    text.removeLast(text.hasSuffix(".000Z") ? 5 : 1)
    guard minutes != 0 || zone.name != "UTC" else { return text + "Z" }
    return text + (minutes < 0 ? "-" : "+") + two(abs(minutes) / 60) + ":" + two(abs(minutes) % 60)
  }

  /// `[2026-03-23, 2026-03-30)`.
  static func days(_ week: ISOWeek) -> String {
    "[" + CivilDate(week.firstDay).text + ",\u{A0}" + CivilDate(week.firstDay + 7).text + ")"
  }

  private static func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
}
