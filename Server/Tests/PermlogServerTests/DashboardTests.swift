// Pages as a browser and a program get them: the command's bytes, once computed, and nothing that a page must not have.

import Foundation
import Permlog
import Testing

@testable import PermlogServer

/// A log of 60 users with names that are found wherever they are: two messages, three countries, two weeks.
func madeUpLog(_ path: String, users: Int = 60) throws {
  var lines = ""
  for i in 0..<users {
    let (user, day) = ("secret-user-\(i)", 2 + i % 14)
    func add(_ event: String, _ seconds: Int, _ more: String = "") {
      let time = String(format: "2026-03-%02dT10:%02d:%02d.000Z", day, seconds / 60, seconds % 60)
      lines +=
        #"{"user_id":"\#(user)","timestamp":"\#(time)","event":"\#(event)","permission":"notifications","variant":"\#(i % 2 == 0 ? "A" : "B")","experiment":"copy","country":"\#(["DE", "AT", "US"][i % 3])"\#(more)}"#
        + "\n"
    }
    add("explanation_shown", 0)
    if i % 5 == 4 {
      add("skipped", 4)
    } else {
      add("prompt_shown", 4)
      add(i % 3 == 0 ? "denied" : "granted", 8)
    }
  }
  try PermissionLog(path).append(Array(lines.utf8), name: "made-up.ndjson")
}

extension PermissionLog {
  fileprivate func append(_ bytes: [UInt8], name: String) throws {
    let file = path + "-" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try ingest([file])
  }
}

@Suite struct DashboardTests {
  private static let addresses = [
    "/today", "/report", "/report?by=country&permission=notifications", "/report?week=2026-W10",
    "/compare?messages=A&messages=B&permission=notifications&by=country", "/compare", "/experiments", "/flow",
    "/flow?steps=notifications", "/audit", "/data", "/report?permission=nonsense", "/compare?messages=A",
  ]

  @Test func pagesBringNothingInline() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      for address in Self.addresses {
        let page = try await server.get(address)
        #expect(page.status == (address.contains("nonsense") || address.hasSuffix("=A") ? 400 : 200), "\(address)")
        #expect(page.head.contains("default-src 'none'; style-src 'self'; script-src 'self'"), "\(address)")
        #expect(!page.head.contains("unsafe") && page.head.contains("nosniff"))
        #expect(page.body.hasPrefix("<!DOCTYPE html>") && page.body.hasSuffix("</html>\n"), "\(address)")
        for inline in ["<style", " style=", "<script>", "javascript:", "http-equiv"] {
          #expect(!page.body.contains(inline), "\(address): \(inline)")
        }
        #expect(page.body.firstMatch(of: /\son[a-z]+=/) == nil, "\(address)")
        // What an open page compares with the newest commit.
        let isAnswer = page.status == 200 && address != "/compare"
        #expect(page.body.contains(try "data-state=\"\(server.log.fingerprint())\"") == isAnswer, "\(address)")
        #expect(page.body.components(separatedBy: "aria-current=\"page\"").count == 2, "\(address)")
        let ids = page.body.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count, "\(address): \(ids.filter { id in ids.count { $0 == id } > 1 })")
      }
      let style = try #require(
        try await server.get("/report").body.firstMatch(of: /href="(\/style-[0-9a-f]+\.css)"/)?.1)
      let file = try await server.get(String(style))
      #expect(file.status == 200 && file.head.contains("immutable") && file.body.contains(".bar"))
    }
  }

  @Test func answersAreThoseOfTheLibrary() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      var report = ReportRequest()
      report.properties = [.country]
      report.hasCharts = false
      var comparison = ComparisonRequest(control: "A", treatments: ["B"])
      comparison.permission = "notifications"
      let style = TextStyle(words: CommandWords.text)
      let wanted: [(String, [UInt8])] = [
        ("/report.json?by=country", try server.log.report(report).render(as: .json, style: style)),
        ("/report.csv?by=country", try server.log.report(report).render(as: .csv, style: style)),
        (
          "/compare.json?" + comparison.query, try server.log.compare(comparison).render(as: .json, style: style)
        ),
        ("/compare.csv?" + comparison.query, try server.log.compare(comparison).render(as: .csv, style: style)),
        ("/flow.json", try server.log.flow().render(as: .json, style: style)),
        ("/audit.json", try server.log.audit().render(as: .json, style: style)),
        ("/experiments.csv", try server.log.experiments().render(as: .csv, style: style)),
      ]
      for (address, bytes) in wanted {
        let answer = try await server.get(address)
        #expect(answer.status == 200 && answer.body == String(decoding: bytes, as: UTF8.self), "\(address)")
      }
    }
  }

  @Test func equalQuestionsAreComputedOnce() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      // The same question in other words, by many at once.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for i in 0..<24 {
          group.addTask { () async throws in
            let order = i % 2 == 0 ? "permission=notifications&by=country" : "by=country&permission=notifications"
            #expect(try await server.get("/report.json?" + order).status == 200)
          }
        }
        try await group.waitForAll()
      }
      let metrics = server.server.metrics
      #expect(metrics.text.contains("permlog_answer_seconds_count 1\n") && metrics.count(.keptAnswers) == 23)

      let first = try await server.get("/report.json")
      let tag = try #require(first.head.firstMatch(of: /ETag: ("[^"]+")/)?.1)
      let again = try await server.get("/report.json", headers: ["If-None-Match: \(tag)", "Connection: close"])
      #expect(again.status == 304 && again.body.isEmpty)
      // Another format of the answer is another one.
      #expect(try await server.get("/report.csv", headers: ["If-None-Match: \(tag)"]).status == 200)
      _ = try await server.post("/v1/events?wait=1&key=wk", event("new", user: "x"))
      let later = try await server.get("/report.json", headers: ["If-None-Match: \(tag)"])
      #expect(later.status == 200 && later.body != first.body)
    }
  }

  @Test func formsAreAddresses() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      let sent = try await server.get("/report?week=&from=&permission=notifications&where=&where=country%3DDE%2CAT")
      #expect(sent.status == 303)
      #expect(sent.head.contains("Location: /report?permission=notifications&where=country%3DDE%2CAT\r\n"))
      #expect(try await server.get("/").head.contains("Location: /today\r\n"))
      let page = try await server.get("/report?permission=notifications&where=country%3DDE%2CAT&response_window=1h")
        .body
      #expect(page.contains(#"<option value="notifications" selected="selected">"#))
      #expect(page.contains(#"value="country=AT,DE""#) && page.contains(#"value="1h""#))
      #expect(page.contains("permlog report --log "))
      #expect(page.contains("--response-window 1h --where country=AT,DE --permission notifications"))
      // What is wrong stands beside what was given.
      let wrong = try await server.get("/report?from=yesterday&permission=notifications")
      #expect(
        wrong.status == 400 && wrong.body.contains(#"role="alert""#) && wrong.body.contains(#"value="yesterday""#))
      let hostile = try await server.get("/report?permission=%3Cscript%3Ealert(1)%3C/script%3E&by=%22%3E%3Cb%3E")
      #expect(hostile.status == 400 && !hostile.body.contains("<script>alert") && !hostile.body.contains("<b>"))
      for address in [
        "/report?nonsense=1", "/report?without_users=/etc/passwd", "/audit.json?examples=3", "/flow?%zz=1",
      ] {
        #expect(try await server.get(address).status == 400, "\(address)")
      }
      #expect(try await server.get("/report?log=other").status == 404)
      #expect(try await server.get("/report.xml").status == 404)
      let head = try await server.request("HEAD", "/report.json", headers: ["Connection: close"])
      #expect(head.status == 200 && head.body.isEmpty && head.head.contains("Content-Length: "))
    }
  }

  @Test func noPageNamesAUser() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      let odd = [
        #"{"user_id":"secret-user-x","timestamp":"secret-user-y","event":"granted","permission":"camera"}"#,
        #"{"user_id":"secret-user-x","timestamp":"2026-11-20T10:00:00Z","event":"push_permission_maybe_granted"}"#,
        #"{"user_id":"secret-user-x","timestamp":"2026-11-20T10:00:00Z","event":"granted","permission":"secret-user-z"}"#,
      ]
      _ = try await server.post("/v1/events?wait=1&key=wk", odd.joined(separator: "\n"))
      _ = try await server.post("/v1/events?wait=1&key=wk", event("1", user: "secret-user-live"))
      var seen = 0
      for address in Self.addresses {
        guard let page = Page.at(String(address.prefix { $0 != "?" }))?.page else { continue }
        for format in ["", ".json", ".csv", ".svg"] {
          let path = "/" + page.rawValue + format + address.drop { $0 != "?" }
          let answer = try await server.get(path)
          seen += answer.status == 200 ? 1 : 0
          #expect(!answer.body.contains("secret-user"), "\(path)")
        }
      }
      #expect(seen > 25)
      let data = try await server.get("/data").body
      #expect(data.contains("push_permission_maybe_granted") && data.contains("kind: granted"))
    }
  }

  @Test func smallGroupsHaveOnePage() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory, { $0.smallGroups = 5 }) { server async throws in
      var request = ReportRequest()
      request.properties = [.country]
      request.valueLimit = .max
      let groups = try server.log.report(request).largeGroups(of: 5)
      let style = TextStyle(words: CommandWords.text)
      let answer = try await server.get("/report.json?by=country")
      #expect(answer.body == String(decoding: groups.render(as: .json, style: style), as: UTF8.self))
      #expect(try await server.get("/report?by=country").body.contains("--small-groups 5"))
      for closed in ["/compare?messages=A&messages=B", "/experiments", "/flow", "/audit", "/audit.json"] {
        #expect(try await server.get(closed).status == 403, "\(closed)")
      }
      #expect(try await server.get("/report?where=country%3DDE").status == 400)
      let page = try await server.get("/report").body
      #expect(!page.contains("name=\"where\"") && !page.contains(".svg") && page.contains("name=\"by\""))
      #expect(try await !server.get("/today").body.contains("2026-03"))
      // Days, but no times and no numbers of events.
      let data = try await server.get("/data").body
      #expect(data.contains("2026-03-15<") && data.firstMatch(of: /2026-03-[0-9]{2}T/) == nil)
      #expect(!data.contains("<dt>events</dt>") && !data.contains("/audit"))
      let refused = try await server.get("/report?week=bad")
      #expect(refused.status == 400 && !refused.body.contains("name=\"where\""))
      #expect(try await server.get("/audit.json").head.contains("application/json"))
      #expect(try await server.get("/today").status == 200)
      let today = try await server.get("/today").body
      #expect(!today.contains("Grant rates"))
    }
  }

  @Test func hiddenCharactersAreSentBack() async throws {
    let directory = try TemporaryDirectory()
    let name = "a\u{202E}b\nc\"<"
    let lines = (0..<40).map { i in
      let variant = i % 2 == 0 ? #"a\u202Eb\nc\"<"# : "B"
      return
        #"{"user_id":"u\#(i)","timestamp":"2026-03-02T10:00:00Z","event":"prompt_shown","permission":"camera","variant":"\#(variant)"}"#
        + "\n"
        + #"{"user_id":"u\#(i)","timestamp":"2026-03-02T10:00:05Z","event":"granted","permission":"camera"}"# + "\n"
    }
    try PermissionLog(directory.path + "/log").append(Array(lines.joined().utf8), name: "odd.ndjson")
    try await withServer(in: directory) { server async throws in
      var request = ComparisonRequest(control: "B", treatments: [name])
      request.permission = "camera"
      let page = try await server.get("/compare?" + request.query)
      #expect(page.status == 200)
      // The form has the name itself, and two messages leave room for a third.
      #expect(page.body.contains("value=\"a\u{202E}b&#10;c&quot;&lt;\""))
      let odd = try await server.get("/report?permission=%EF%BF%BE%01")
      #expect(odd.status == 400 && XMLParserOf(odd.body.replacing("<!DOCTYPE html>", with: "")).isWellFormed)
      #expect(page.body.components(separatedBy: "name=\"messages\"").count == 4)
    }
  }

  @Test func aQuarantineThatCannotBeReadIsNotEmpty() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      let empty = try await server.get("/data").body
      #expect(empty.contains("Nothing waits"))
      try FileManager.default.removeItem(atPath: directory.path + "/state/quarantine")
      let listed = try await server.get("/v1/quarantine")
      #expect(listed.status == 500 && listed.body.contains("cannot be read"))
    }
    // Another server, which has read nothing yet.
    let second = try TemporaryDirectory()
    try madeUpLog(second.path + "/log")
    try await withServer(in: second) { server async throws in
      try FileManager.default.removeItem(atPath: second.path + "/state/quarantine")
      let page = try await server.get("/data")
      #expect(page.status == 200 && page.body.contains("it is not known what waits"))
      #expect(!page.body.contains("Nothing waits"))
    }
  }

  @Test func logsHaveNames() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try madeUpLog(directory.path + "/other.permlog", users: 40)
    try await withServer(
      in: directory, { $0.keys.append(.init(key: "second", log: directory.path + "/other.permlog")) }
    ) { server async throws in
      let page = try await server.get("/report?log=other").body
      #expect(page.contains("href=\"/flow?log=other\"") && page.contains("name=\"log\" value=\"other\""))
      let other = try PermissionLog(directory.path + "/other.permlog").report()
      let answer = try await server.get("/report.json?log=other").body
      #expect(answer == String(decoding: other.render(as: .json), as: UTF8.self))
      // Without a name the answer would be another one when a log is added.
      #expect(try await server.get("/report.json").status == 400)
      #expect(try await server.get("/report?by=country").head.contains("Location: /report?log=log&by=country\r\n"))
      let mine = try await server.get("/report.json?log=log").body
      #expect(mine != answer && mine.hasPrefix("{"))
    }
  }

  /// A reader who stops reading gives up his answer, and holds nobody else's.
  @Test func whoReadsNothingIsClosed() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log", users: 400)
    try await withServer(in: directory, { $0.idleTimeout = 1 }) { server async throws in
      let wanted = String(repeating: "GET /report HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", count: 80)
      let socket = try SilentReader(port: server.port, sending: Array(wanted.utf8))
      defer { socket.close() }
      for _ in 0..<200 where server.server.metrics.value(.connections) == 0 {
        try await Task.sleep(for: .milliseconds(20))
      }
      for _ in 0..<400 where server.server.metrics.value(.connections) > 0 {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(server.server.metrics.value(.connections) == 0)
    }
  }

  @Test func aServerWithoutEventsHasPages() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server async throws in
      let today = try await server.get("/today")
      // Open pages follow the first commit too.
      #expect(today.status == 200 && today.body.contains("data-state=\"\""))
      #expect(today.body.contains("Minutes before it started are not known"))
      for address in ["/report", "/flow", "/data", "/experiments", "/report.json"] {
        let answer = try await server.get(address)
        #expect(answer.status == 404 && answer.body.contains("no event yet"), "\(address)")
      }
      _ = try await server.post("/v1/events?wait=1&key=wk", event("1"))
      #expect(try await server.get("/report").status == 200)
    }
  }

  @Test func picturesStandAlone() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      for address in ["/report.svg", "/compare.svg?messages=A&messages=B", "/flow.svg"] {
        let answer = try await server.get(address)
        #expect(answer.status == 200 && answer.head.contains("image/svg+xml"), "\(address)")
        #expect(!answer.body.contains("var(") && answer.body.contains("data-series"), "\(address)")
        #expect(XMLParserOf(answer.body).isWellFormed, "\(address)")
        // Rules that size a drawing on a page would size it here too.
        #expect(!answer.body.contains("\nsvg{") && answer.body.contains("<g transform=\"translate("))
        // Its own style is allowed, and nothing else.
        #expect(answer.head.contains("style-src 'unsafe-inline'; sandbox") && !answer.head.contains("script-src"))
      }
      let picture = try await server.get("/report.png")
      #expect(picture.status == (Picture.converter == nil ? 404 : 200))
      #expect(picture.body.contains(Picture.converter == nil ? "rsvg-convert" : "PNG"))
    }
  }
}

/// Whether a text is well-formed XML, by Python's parser: Foundation has its own in another library.
private struct XMLParserOf {
  let isWellFormed: Bool

  init(_ text: String) {
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import sys,xml.dom.minidom as m; m.parseString(sys.stdin.buffer.read())"]
    process.standardInput = input
    do { try process.run() } catch {
      isWellFormed = false
      return
    }
    input.fileHandleForWriting.write(Data(text.utf8))
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    isWellFormed = process.terminationStatus == 0
  }
}
