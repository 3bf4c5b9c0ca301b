// The same made-up population in the form of every vendor gives the same report.

import Foundation
import Testing

@Suite struct VendorRoundTripTests {
  @Test(arguments: [[], ["--onboarding"]]) func everyVendorsFormGivesTheSameReport(population: [String]) throws {
    let workspace = try Workspace()
    var expected: Data?
    for format in ["ndjson", "amplitude", "mixpanel", "segment", "ga4", "posthog", "snowplow"] {
      let file = workspace.path(format)
      let simulated = try Tool.run(
        ["simulate", "--users", "60", "--weeks", "4", "--seed", "3", "--format", format, "--output", file] + population)
      #expect(simulated.status == 0, "\(simulated.errors)")
      let log = workspace.path("log-" + format)
      let ingested = try Tool.run(["ingest", file, "--log", log])
      #expect(ingested.status == 0, "\(ingested.errors)")
      #expect(ingested.text.contains("rejected   0 lines"), "\(format): \(ingested.text)")
      let printed = try Tool.run(["report", "--format", "json", "--log", log]).text
      #expect(printed.count > 1000)
      // Amplitude and GA4 number their events, and all arrived.
      let completeness = try #require(printed.firstMatch(of: /\n  "completeness": (null|\{(?:.|\n)*?\n  \}),/))
      let isNumbered = ["amplitude", "ga4"].contains(format)
      #expect(
        completeness.1.contains(#""arrived_share": 1,"#) == isNumbered, "\(format): \(completeness.1.prefix(200))")
      #expect((completeness.1 == "null") == !isNumbered)
      let report = Data(printed.replacing(completeness.0, with: "").utf8)
      if expected == nil { expected = report }
      #expect(report == expected, "\(format)")
    }
  }
}
