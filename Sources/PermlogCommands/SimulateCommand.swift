// `permlog simulate`: a made-up export with known truths.

import ArgumentParser
import ExportSimulation
import Permlog
import ReportRendering

extension SimulatedFormat: ExpressibleByArgument {}

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Write a made-up export with known truths.",
    discussion: """
      The same options give the same bytes, on every platform. --truth writes what a report of the export should find, \
      looking from the truth's as_of.

      Example:
        permlog simulate --users 5000 --truth truth.json --output export.ndjson
        permlog simulate --format amplitude | permlog ingest -
        permlog simulate --onboarding --truth truth.json --output onboarding.ndjson
      """)

  @Option(help: ArgumentHelp("How many users install the app.", valueName: "n"))
  var users = 10_000

  @Option(help: ArgumentHelp("A whole number from 0; another seed is another draw.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Length of the export in weeks.", valueName: "n"))
  var weeks = 12

  @Option(help: ArgumentHelp("First day of the export, UTC.", valueName: "date"))
  var start = "2025-01-06"

  @Flag(help: "Simulate an app with installs, an onboarding of three permissions and a new release.")
  var onboarding = false

  @Option(
    help: ArgumentHelp(
      "Percent of the users, up to 80, who had decided before the export begins and whom the app asks anyway: their calls return at once.",
      valueName: "percent"))
  var decidedBefore = 0

  @Option(
    help: ArgumentHelp(
      "Output format (default: by the name of --output, else ndjson).",
      valueName: "format"))
  var format: SimulatedFormat?

  @Option(help: ArgumentHelp("Write the export to this file.", valueName: "file"), completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("Write the true rates and effects to this file (JSON).", valueName: "file"),
    completion: .file())
  var truth: String?

  func validate() throws {
    guard (1...SimulationOptions.longestUsers).contains(users) else {
      throw ValidationError("--users takes a number from 1 to \(grouped(SimulationOptions.longestUsers))")
    }
    guard (1...SimulationOptions.longestWeeks).contains(weeks) else {
      throw ValidationError("--weeks takes a number from 1 to \(SimulationOptions.longestWeeks)")
    }
    guard (0...SimulationOptions.mostDecidedBefore).contains(decidedBefore) else {
      throw ValidationError("--decided-before takes a number from 0 to \(SimulationOptions.mostDecidedBefore)")
    }
    guard !onboarding || decidedBefore == 0 else {
      throw ValidationError("--decided-before is not for --onboarding, in which nobody had decided before")
    }
    if let output, output == truth { throw ValidationError("--output and --truth name the same file") }
  }

  func run() throws {
    let summary = try CommandFailure.wrap {
      let first = try GivenTime.date(start, of: .start)
      let population = onboarding ? SimulatedPopulation.onboarding : .everyday
      guard
        let simulation = try? Simulation(
          users: users, seed: seed, weeks: weeks, firstDay: first, population: population,
          decidedBefore: decidedBefore)
      else {
        throw CommandFailure.usage("--start and --weeks: the export would end after 2099. Begin earlier.")
      }
      if simulation.endsInTheFuture {
        Output.message("permlog: the export ends in the future; ingest it with --allow-future")
      }
      if let truth {
        var protected = ProtectedFiles()
        protected.add(output: output, "also the export's file")
        let json =
          onboarding
          ? OnboardingTruthJSON.render(OnboardingTruth(simulation.options))
          : TruthJSON.render(SimulationTruth(simulation.options))
        try Output.result(json, to: truth, besides: protected, option: "--truth")
      }
      let format = try FileFormat.choose(format, output, else: .ndjson)
      var protected = ProtectedFiles()
      protected.add(output: truth, "also the truth's file")
      let stream = try ResultStream(path: output, option: "--output", besides: protected)
      let summary = try simulation.write(as: format) { try stream.write($0) }
      try stream.close()
      return summary
    }
    if Output.isErrorTerminal {
      Output.message(
        "\(counted(summary.lines, "line", "lines")): \(counted(summary.events, "event", "events")) of "
          + "\(counted(summary.users, "user", "users")), \(counted(summary.copies, "copy", "copies"))")
    }
  }
}
