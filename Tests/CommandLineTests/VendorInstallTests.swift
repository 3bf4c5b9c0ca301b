// What vendors call an install is one, and an opened app never is.

import Testing

@Suite struct VendorInstallTests {
  static let names: [(form: String, installs: [String], opens: String)] = [
    ("amplitude", ["[Amplitude] Application Installed", "Application Installed"], "[Amplitude] Application Opened"),
    ("mixpanel", ["$ae_first_open"], "$ae_session"), ("segment", ["Application Installed"], "Application Opened"),
    ("ga4", ["first_open"], "session_start"), ("posthog", ["Application Installed"], "Application Opened"),
    ("snowplow", ["application_install"], "application_foreground"),
  ]

  @Test(arguments: names.indices) func vendorsInstallsAreInstalls(_ index: Int) throws {
    let (form, installs, opens) = Self.names[index]
    let workspace = try Workspace()
    // Also an event of the app's own, in a usual spelling.
    let events = (installs + ["App Installed"]).map { ($0, "app_installed") } + [(opens, "app_active")]
    let lines = events.enumerated().map { number, event in
      // A property of a permission makes no permission's event of it.
      VendorLine.make(
        form, id: number, user: "u\(number)", seconds: 1_775_000_000 + number, name: event.0,
        properties: [("permission", "camera"), ("build", "812")])
    }
    let file = try workspace.write(
      "export.\(form == "snowplow" ? "tsv" : "json")", lines.joined(separator: "\n") + "\n")
    let log = workspace.path("log")
    let ingested = try Tool.run(["ingest", file, "--log", log, "--allow-future"])
    #expect(ingested.status == 0, "\(form): \(ingested.errors)")
    let stored = try Tool.run(["export", "--log", log]).text.split(separator: "\n")
    #expect(stored.count == events.count)
    for (number, event) in events.enumerated() {
      let line = try #require(stored.first { $0.contains("u\(number)") }, "\(form): \(stored)")
      #expect(line.contains("\"event\":\"\(event.1)\"") && !line.contains("camera"), "\(form), \(event.0): \(line)")
    }
  }
}
