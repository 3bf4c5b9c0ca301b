// From where a question looks, in which zone, and how long an answer counts.

import ArgumentParser
import Permlog

/// For questions whose durations are fixed.
struct ClockOptions: ParsableArguments {
  // Without defaults, so that it is known what was given: a saved plan has its own.
  @Option(help: ArgumentHelp("Time zone of days and weeks, by its IANA name (default: UTC).", valueName: "zone"))
  var timeZone: String?

  @Option(
    help: ArgumentHelp(
      "Look as of this date or time (default: that of the newest event, or now if that is earlier).",
      valueName: "moment"))
  var asOf: String?

  @Option(
    help: ArgumentHelp(
      "An answer that comes less than this after its prompt is no person's: no dialog was shown. 0 takes every answer for a person's (default: 250ms).",
      valueName: "duration"))
  var atOnce: DurationOption?

  /// Puts what was given into a scope.
  func apply(to scope: inout QuestionScope) throws {
    if let atOnce { scope.atOnce = atOnce.milliseconds }
    if let timeZone { scope.timeZone = timeZone }
    if let asOf { scope.asOf = try Moments.moment(asOf, option: "--as-of") }
  }
}

struct MomentOptions: ParsableArguments {
  @OptionGroup var clock: ClockOptions

  @Option(
    help: ArgumentHelp(
      "How long after the exposure an answer counts: a number with ms, s, m, h or d (default: 30m).",
      valueName: "duration"))
  var responseWindow: DurationOption?

  /// Puts what was given into a scope.
  func apply(to scope: inout QuestionScope) throws {
    try clock.apply(to: &scope)
    if let responseWindow { scope.responseWindow = responseWindow.milliseconds }
  }
}
