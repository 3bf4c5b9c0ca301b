// Durations, dates and moments as they are written on the command line.

import ArgumentParser
import PermissionAnalysis
import PermissionEvents

/// A duration: a whole number with `ms`, `s`, `m`, `h` or `d`.
struct Duration: ExpressibleByArgument {
  var milliseconds: Milliseconds

  init?(argument: String) {
    let units: [(String, Milliseconds)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", millisecondsPerDay),
    ]
    for (suffix, unit) in units where argument.hasSuffix(suffix) {
      let digits = argument.dropLast(suffix.count)
      guard !digits.isEmpty, digits.utf8.count <= 14, digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
        let number = Milliseconds(digits)
      else { continue }
      let (product, overflow) = number.multipliedReportingOverflow(by: unit)
      guard !overflow, product <= AnalysisWindows.longest else { return nil }
      milliseconds = product
      return
    }
    return nil
  }
}

enum Moments {
  /// The first moment of a date in a zone.
  static func date(_ text: String, option: String, zone: ZoneTable) throws -> Milliseconds {
    zone.firstMoment(of: try day(text, option: option))
  }

  static func day(_ text: String, option: String) throws -> DayNumber {
    guard let date = CivilDate(parsing: text), (2008...2100).contains(date.year) else {
      throw CommandFailure.usage("\(option): \(text) is not a date from 2008 to 2100 like 2026-04-05")
    }
    return date.dayNumber
  }

  /// A date (its first moment in the zone) or an RFC 3339 time.
  static func moment(_ text: String, option: String, zone: ZoneTable) throws -> Milliseconds {
    if let time = time(text) { return time }
    guard let date = CivilDate(parsing: text), (2008...2100).contains(date.year) else {
      throw CommandFailure.usage(
        "\(option): \(text) is neither a date like 2026-04-05 nor a time with a zone like 2026-04-05T12:00:00Z")
    }
    return zone.firstMoment(of: date.dayNumber)
  }

  private static func time(_ text: String) -> Milliseconds? {
    let bytes = Array(text.utf8)
    guard let time = bytes.withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }) else { return nil }
    return (0...Timestamp.latest + millisecondsPerDay * 366).contains(time) ? time : nil
  }
}
