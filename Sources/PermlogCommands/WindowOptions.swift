// The windows and the clock that report, compare and plan share; durations, dates and moments as they are written.

import ArgumentParser
import PermissionAnalysis
import PermissionEvents
import Permlog

struct WindowOptions: ParsableArguments {
  @OptionGroup var moment: MomentOptions

  @Option(help: ArgumentHelp("How long a journey is followed (default: 28d).", valueName: "duration"))
  var followUp: DurationOption?

  func scope() throws -> QuestionScope {
    var scope = QuestionScope()
    try apply(to: &scope)
    return scope
  }

  /// What was given.
  func apply(to scope: inout QuestionScope) throws {
    try moment.apply(to: &scope)
    if let followUp { scope.followUp = followUp.milliseconds }
  }
}

/// A duration as it is written: a number with `ms`, `s`, `m`, `h` or `d`, in whole milliseconds.
struct DurationOption: ExpressibleByArgument {
  var milliseconds: Milliseconds
  /// As it was written.
  var text: String

  private static let units: [(suffix: String, length: Milliseconds)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", millisecondsPerDay),
  ]

  init?(argument: String) {
    if argument == "0" {
      (milliseconds, text) = (0, argument)
      return
    }
    for unit in Self.units where argument.hasSuffix(unit.suffix) {
      guard let value = Self.milliseconds(argument.dropLast(unit.suffix.count), unit.length) else { continue }
      milliseconds = value
      text = argument
      return
    }
    return nil
  }

  /// A decimal number of units; nil if it is none, or not a whole number of milliseconds, or too long.
  private static func milliseconds(_ text: Substring, _ unit: Milliseconds) -> Milliseconds? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }),
      parts[0].utf8.count <= 13, let whole = Milliseconds(parts[0])
    else { return nil }
    var total = whole.multipliedReportingOverflow(by: unit)
    if parts.count == 2 {
      guard parts[1].utf8.count <= 9, let digits = Milliseconds(parts[1]) else { return nil }
      var scale: Milliseconds = 1
      for _ in parts[1].utf8 { scale *= 10 }
      guard digits * unit % scale == 0 else { return nil }
      total = total.partialValue.addingReportingOverflow(digits * unit / scale)
    }
    return !total.overflow && total.partialValue <= AnalysisWindows.longest ? total.partialValue : nil
  }
}

enum Moments {
  static func date(_ text: String, option: String) throws -> CivilDate {
    guard let date = CivilDate(parsing: text), (2008...2100).contains(date.year) else {
      throw CommandFailure.usage("\(option): \(text) is not a date from 2008 to 2100 like 2026-04-05")
    }
    return date
  }

  /// A date, whose first moment in the zone is meant, or an RFC 3339 time.
  static func moment(_ text: String, option: String) throws -> Moment {
    if let time = time(text) { return .time(time) }
    guard let date = CivilDate(parsing: text), (2008...2100).contains(date.year) else {
      throw CommandFailure.usage(
        "\(option): \(text) is neither a date like 2026-04-05 nor a time with a zone like 2026-04-05T12:00:00Z")
    }
    return .startOf(date)
  }

  private static func time(_ text: String) -> Milliseconds? {
    let bytes = Array(text.utf8)
    guard let time = bytes.withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }) else { return nil }
    return (0...Timestamp.latest + millisecondsPerDay * 366).contains(time) ? time : nil
  }
}
