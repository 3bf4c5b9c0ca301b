// `permlog simulate`: a made-up export with known truths.

import ArgumentParser
import ExportSimulation
import PermissionAnalysis
import PermissionEvents
import Permlog
import ReportRendering

extension SimulatedFormat: ExpressibleByArgument {}

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Write a made-up export with known truths.",
    usage: "permlog simulate <options>",
    discussion: """
      The same options give the same bytes, on every platform. --truth writes the figures that a report of the export \
      should find, as of the truth's as_of.

      Example:
        permlog simulate --users 5000 --truth truth.json --output export.ndjson
        permlog simulate --format amplitude | permlog ingest -
        permlog simulate --onboarding --truth truth.json --output onboarding.ndjson
        permlog simulate --assignments --format posthog --output events.jsonl
      """)

  @Option("How many users install the app.", value: "n")
  var users = 10_000

  @Option("A whole number from 0; another seed gives another random draw.", value: "n")
  var seed: UInt64 = 1

  @Option("Length of the export in weeks.", value: "n")
  var weeks = 12

  @Option("First day of the export, UTC.", value: "date")
  var start = "2025-01-06"

  @Flag(help: "Simulate an app with installs, an onboarding of three permissions and a new release.")
  var onboarding = false

  @Option(
    "Percent of the users, up to 80, who had decided before the export begins. The app asks them anyway, and their calls return at once.",
    value: "percent")
  var decidedBefore = 0

  @Flag(help: "Write the experiments' variants as assigned events, as experiment tools do. Screens carry none.")
  var assignments = false

  @Flag(
    help:
      "Give the Settings prompts two messages, A and B, each permission's in an experiment of its own (for compare --screen settings)."
  )
  var settingsMessages = false

  @Option("Output format (default: by the name of --output, else ndjson).", value: "format")
  var format: SimulatedFormat?

  @Option("Write the export to this file.", value: "file")
  var output: String?

  @Option("Write the true rates and effects to this file (JSON).", value: "file")
  var truth: String?

  func validate() throws {
    guard (1...SimulationOptions.longestUsers).contains(users) else {
      throw ValidationError("--users must be a number from 1 to \(grouped(SimulationOptions.longestUsers))")
    }
    guard (1...SimulationOptions.longestWeeks).contains(weeks) else {
      throw ValidationError("--weeks must be a number from 1 to \(SimulationOptions.longestWeeks)")
    }
    guard (0...SimulationOptions.mostDecidedBefore).contains(decidedBefore) else {
      throw ValidationError("--decided-before must be a number from 0 to \(SimulationOptions.mostDecidedBefore)")
    }
    guard !onboarding || decidedBefore == 0 else {
      throw ValidationError("--decided-before does not go with --onboarding, in which no user had decided before")
    }
    guard !onboarding || !assignments else {
      throw ValidationError("--assignments needs experiments, which --onboarding lacks: leave out one of the two")
    }
    guard !settingsMessages || !onboarding && !assignments else {
      throw ValidationError("--settings-messages does not go with --onboarding and --assignments")
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
          decidedBefore: decidedBefore, assignments: assignments, settingsMessages: settingsMessages)
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

// MARK: The truths of a simulation as JSON, `permlog.truth/1`; docs/simulation.md describes the keys
// For each figure of the report with an interval, the truth has a number under the same name. Names, nesting and order
// follow the tree of the report's figures.

enum TruthJSON {
  static func render(_ truth: SimulationTruth) -> [UInt8] {
    let options = truth.options
    return JSONWriter.document(
      [
        "schema": "permlog.truth/1", "users": options.users, "seed": String(options.seed), "weeks": options.weeks,
        "start": CivilDate(options.firstDay).text, "as_of": Timestamp.text(truth.asOf), "time_zone": "UTC",
        "response_window_ms": 1_800_000, "follow_up_days": 28, "settings_window_days": 7,
        "decided_before": options.decidedBefore,
        "not_asked": truth.notAsked.map { ["permission": $0.permission, "users": $0.users] as JSONMembers },
        "rows": truth.rows.map { TruthRow(row: $0) },
        "experiments": truth.experiments.map { TruthExperiment(experiment: $0) },
        "settings_experiments": truth.settingsExperiments.map(members),
      ] as JSONMembers)
  }

  /// The tree of the report's figures, with only the figures that have a truth.
  private struct TruthRow: JSONWritable {
    var row: TrueRow

    func write(to json: inout JSONWriter) {
      let truths = truths(row.figures)
      var taken = 0
      json.object { json in
        json.member("permission", row.permission)
        json.member("week", row.week)
        members(ReportRow.figures.nodes, truths, "", &json, &taken)
      }
      assert(taken == truths.count, "a truth has no figure of its name")
    }

    /// - Parameter taken: counts the truths that were found in the tree.
    private func members(
      _ nodes: [FigureNode<ReportRow>], _ truths: [String: Double?], _ path: String, _ json: inout JSONWriter,
      _ taken: inout Int
    ) {
      func put(_ name: StaticString, _ nodes: [FigureNode<ReportRow>], _ json: inout JSONWriter) {
        let path = path + "\(name)"
        if let truth = truths[path] {
          json.member(name, truth)
          taken += 1
        } else if truths.keys.contains(where: { $0.hasPrefix(path + ".") }) {
          json.object(name) { members(nodes, truths, path + ".", &$0, &taken) }
        }
      }
      for node in nodes {
        switch node {
        case .figure(let figure): put(figure.name, [], &json)
        case .group(let name, let nodes), .optional(let name, _, let nodes), .knowable(let name, _, let nodes):
          put(name, nodes, &json)
        case .days(let name, let days):
          json.array(name) { json in
            for (day, nodes) in days {
              json.element { json in
                json.member("day", day)
                members(nodes, truths, path + "\(name).day_\(day).", &json, &taken)
              }
            }
          }
        case .classes(let name, let classes):
          json.array(name) { json in
            for (name, nodes) in classes {
              json.element { json in
                json.member("class", "\(name)")
                members(nodes, truths, path + "\(name).", &json, &taken)
              }
            }
          }
        // A row of a report has no such nodes.
        case .part, .inJSON, .inTables: break
        }
      }
    }
  }

  /// The true values of a row, under the names of the report's figures. A group may have a number instead of its parts.
  private static func truths(_ figures: TrueFigures) -> [String: Double?] {
    var truths: [String: Double?] = [
      "exposed": figures.exposed, "restricted": figures.restricted, "base": figures.base,
      "grant_rate": figures.grantRate, "deny_rate": figures.denyRate, "skip_rate": figures.skipRate,
      "drop_off_rate": figures.dropOffRate, "prompt_grant_rate": figures.promptGrantRate,
      "granted_by_follow_up": figures.grantedByFollowUp, "explained_against_cold.explained": figures.explained,
      "explained_against_cold.cold": figures.cold,
      "explained_against_cold.difference": TrueFigures.difference(figures.explained, figures.cold),
      "after_grant.revoked_rate": figures.revoked, "after_grant.upgraded_rate": figures.upgraded,
      "settings_prompt.opened": figures.settingsOpened, "settings_prompt.enabled": figures.settingsEnabled,
      "engagement.active_days_difference": difference(figures.activeDays),
      "engagement.feature_events_difference": difference(figures.featureEvents),
    ]
    for (name, later) in zip(["denied", "skipped", "dropped_off"], figures.enabledLater) {
      truths["enabled_later.\(name)"] = .some(later)
    }
    for (i, side) in ["granted", "not_granted"].enumerated() {
      truths["engagement.\(side).mean_active_days"] = .some(figures.activeDays[i])
      truths["engagement.\(side).mean_feature_events"] = .some(figures.featureEvents[i])
    }
    for day in figures.retention {
      let path = "retention.day_\(day.day)."
      for (name, share) in zip(["granted", "denied", "skipped", "dropped_off"], day.byOutcome) {
        truths[path + name] = .some(share)
      }
      truths[path + "difference"] = .some(TrueFigures.difference(day.byOutcome[0], day.notGranted))
    }
    return truths
  }

  private struct TruthExperiment: JSONWritable {
    var experiment: TrueExperiment

    func write(to json: inout JSONWriter) {
      json.object { json in
        json.members(members(experiment))
        guard let assigned = experiment.assigned else { return }
        json.member(
          "assigned",
          [
            "users": assigned.users, "exposed": assigned.exposed, "late": assigned.late,
            "asked_before": assigned.askedBefore,
          ] as JSONMembers)
      }
    }
  }

  private static func members(_ experiment: TrueSettingsExperiment) -> JSONMembers {
    let metrics: [(ComparisonMetric, [Double])] = [
      (.settingsEnabled, experiment.enabled), (.settingsOpened, experiment.opened),
    ]
    return [
      "experiment": experiment.name, "permission": experiment.permission, "a": "A", "b": "B",
      "metrics": metrics.map { metric, shares -> JSONMembers in
        [
          "metric": metric.rawValue, "a": shares[0], "b": shares[1],
          "difference": TrueFigures.difference(shares[1], shares[0]), "ratio": shares[1] / shares[0],
        ]
      },
    ]
  }

  /// Metrics of `permlog compare`, for both messages, and the effect of B.
  private static func members(_ experiment: TrueExperiment) -> JSONMembers {
    let metrics: [(ComparisonMetric, (TrueFigures) -> Double?)] = [
      (.grantRate, \.grantRate), (.grantedByDay28, \.grantedByFollowUp), (.denyRate, \.denyRate),
      (.skipRate, \.skipRate), (.dropOffRate, \.dropOffRate), (.promptGrantRate, \.promptGrantRate),
      (.retentionDay7, \.retentionDay7),
    ]
    return [
      "experiment": experiment.name, "permission": experiment.permission, "a": "A", "b": "B",
      "not_asked": ["a": experiment.notAsked, "b": experiment.notAsked] as JSONMembers,
      "metrics": metrics.map { metric, value -> JSONMembers in
        let (a, b) = (value(experiment.a), value(experiment.b))
        let ratio = a.flatMap { a in b.flatMap { a > 0 ? $0 / a : nil } }
        return ["metric": metric.rawValue, "a": a, "b": b, "difference": TrueFigures.difference(b, a), "ratio": ratio]
      },
    ]
  }

  private static func difference(_ pair: [Double?]) -> Double? {
    TrueFigures.difference(pair.first ?? nil, pair.last ?? nil)
  }
}

// MARK: The truths of the onboarding as JSON, `permlog.onboarding-truth/1`; docs/simulation.md describes the keys
// Groups and classes have the names of the report's and the flows' JSON. A plain number replaces a value with an
// interval.

enum OnboardingTruthJSON {
  static func render(_ truth: OnboardingTruth) -> [UInt8] {
    let options = truth.options
    return JSONWriter.document(
      [
        "schema": "permlog.onboarding-truth/1", "users": options.users, "seed": String(options.seed),
        "weeks": options.weeks, "start": CivilDate(options.firstDay).text, "as_of": Timestamp.text(truth.asOf),
        "log_start": Timestamp.text(options.firstDay * millisecondsPerDay),
        "time_zone": "UTC", "response_window_ms": 1_800_000, "timing": truth.timing.map(timing),
        "flow": truth.flows.map(flow), "release": release(truth), "surfaces": truth.surfaces.map(surfaces),
      ] as JSONMembers)
  }

  private static func timing(_ timing: OnboardingTruth.Timing) -> JSONMembers {
    [
      "permission": timing.permission, "by_install": classes(timing.byInstall),
      "by_active_days": classes(timing.byActiveDays), "by_feature_used": classes(timing.byFeatureUsed),
    ]
  }

  private static func classes(_ rates: [OnboardingTruth.Rate]) -> JSONMembers {
    ["classes": rates.map { ["class": $0.name, "base": $0.base, "rate": $0.rate] as JSONMembers }]
  }

  private static func flow(_ flows: OnboardingTruth.Flows) -> JSONMembers {
    [
      "which": flows.which, "flows": flows.flows,
      "tree": flows.tree.map {
        ["prefix": $0.prefix, "flows": $0.flows, "outcomes": outcomes($0.outcomes), "went_on": $0.wentOn] as JSONMembers
      },
      "by_position": flows.byPosition.flatMap { permission, rates in
        rates.map {
          ["permission": permission, "position": $0.name, "base": $0.base, "rate": $0.rate] as JSONMembers
        }
      },
      "by_outcome_before": flows.byOutcomeBefore.flatMap { permission, rates in
        rates.map { ["permission": permission, "before": $0.name, "base": $0.base, "rate": $0.rate] as JSONMembers }
      },
      "declared": [
        "permissions": OnboardingTruth.declaredSteps, "started": flows.reached.first, "reached": flows.reached,
        "answered": flows.answered, "completed": flows.answered.last,
      ] as JSONMembers,
    ]
  }

  private static func outcomes(_ shares: [Double]) -> JSONMembers {
    func share(_ outcome: AskOutcome) -> Double { shares[outcome.rawValue] }
    return [
      "granted": share(.granted), "denied": share(.denied), "skipped": share(.skipped),
      "dropped_off": share(.droppedOff), "restricted": share(.restricted),
    ]
  }

  private static func release(_ truth: OnboardingTruth) -> JSONMembers {
    [
      "property": "app_version", "a": OnboardingTruth.versions.first, "b": OnboardingTruth.versions.last,
      "permissions": truth.releases.map { release -> JSONMembers in
        [
          "permission": release.permission, "a": release.old, "b": release.new,
          "difference": TrueFigures.difference(release.new, release.old),
        ]
      },
    ]
  }

  private static func surfaces(_ permission: String, _ rates: [OnboardingTruth.Rate]) -> JSONMembers {
    [
      "permission": permission,
      "values": rates.map { ["value": $0.name, "base": $0.base, "rate": $0.rate] as JSONMembers },
    ]
  }
}
