// The windows and the clock that report and compare share.

import ArgumentParser
import Permlog

struct WindowOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Time zone of days and weeks, by its IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp("Look from this date or time (default: the newest timestamp in the log).", valueName: "moment"))
  var asOf: String?

  @Option(
    help: ArgumentHelp(
      "How long after the exposure an answer counts: a number with ms, s, m, h or d.", valueName: "duration"))
  var responseWindow = Duration(30, days: false)

  @Option(help: ArgumentHelp("How long a journey is followed.", valueName: "duration"))
  var followUp = Duration(28, days: true)

  func scope() throws -> QuestionScope {
    var scope = QuestionScope()
    scope.timeZone = timeZone
    scope.asOf = try asOf.map { try Moments.moment($0, option: "--as-of") }
    scope.responseWindow = responseWindow.milliseconds
    scope.followUp = followUp.milliseconds
    return scope
  }
}
