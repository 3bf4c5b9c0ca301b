// The options by which ingest and mapping check read exports.

import ArgumentParser
import Permlog

extension ImportFormat: ExpressibleByArgument {}
extension IngestOptions.Identity: ExpressibleByArgument {}

/// How exports are read.
struct ImportFormOptions: ParsableArguments {
  @Option(help: "Form of the files; auto tells each by its content.")
  var format: ImportFormat = .auto

  @Option(help: ArgumentHelp("A mapping of your own (YAML); may be given several times.", valueName: "file"))
  var mapping: [String] = []

  @Option(help: "Who a user of a vendor's export is: the install (device) or the account.")
  var identity: IngestOptions.Identity = .device

  @Option(
    help: ArgumentHelp(
      "Zone of the project, for exports whose times are its wall clock (Mixpanel projects from before 2023).",
      valueName: "zone"))
  var projectTimeZone: String?

  @Option(
    help: ArgumentHelp(
      "Zone of times that name none, like Europe/Berlin; without it such lines are rejected.", valueName: "zone"))
  var inputTimeZone: String?

  @Flag(name: .customLong("keep-ids"), help: "Keep blanks at the ends of ids; without it they are cut.")
  var keepIDs = false

  @Flag(help: "Keep permissions outside the taxonomy under their own names.")
  var allowCustomPermissions = false

  @Flag(help: "Keep timestamps up to the year 2100; without it, up to 25 hours past the clock.")
  var allowFuture = false

  @Flag(help: "Keep what can be read of a damaged file; without it nothing is stored then.")
  var keepPartial = false

  func options() -> IngestOptions {
    var options = IngestOptions()
    options.format = format
    options.mappings = mapping.map { .file($0) }
    options.identity = identity
    options.projectTimeZone = projectTimeZone
    options.inputTimeZone = inputTimeZone
    options.keepsBlanksOfIDs = keepIDs
    options.allowsCustomPermissions = allowCustomPermissions
    options.allowsFutureTimes = allowFuture
    options.keepsPartialFiles = keepPartial
    options.words = CommandWords.text
    return options
  }
}
