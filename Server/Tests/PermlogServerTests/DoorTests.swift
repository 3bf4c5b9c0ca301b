// Who gets in.

import Foundation
import Permlog
import Synchronization
import Testing

@testable import PermlogServer

@Suite struct DoorTests {
  private static let token = "a-token-of-some-length"

  private func file(_ name: String, _ text: String, in directory: TemporaryDirectory) throws -> String {
    let path = directory.path + "/" + name
    try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  @Test func withoutTokensOnlyThisMachineIsLetIn() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      for host in ["127.0.0.1", "localhost:8087", "LOCALHOST", "[::1]:8087"] {
        #expect(try await server.get("/report.json", headers: ["Host: \(host)"]).status == 200, "\(host)")
      }
      // A page of another site, whose name leads here, or that links here; and what a proxy passes on.
      for headers in [
        ["Host: evil.example"], ["Host: 127.evil.example"], ["Host: localhost.evil.example"], ["Host:"],
        ["Host: x:y:z"], ["Host: [2001:db8::1]:80"], ["Host: [::ffff:1.2.3.4]"], ["Host: 127..."], ["Via: 1.1 proxy"],
        ["X-Real-IP: 192.0.2.1"], ["X-Forwarded-Host: 127.0.0.1"],
        ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["X-Forwarded-For: 192.0.2.1"],
        ["Forwarded: for=192.0.2.1"],
      ] {
        for address in ["/report", "/report.json", "/live", "/data"] {
          #expect(try await server.get(address, headers: headers).status == 403, "\(headers) \(address)")
        }
        // Nor may it administer.
        #expect(try await server.get("/v1/quarantine", headers: headers).status == 401, "\(headers)")
        #expect(try await server.request("DELETE", "/v1/users/x", headers: headers).status == 401, "\(headers)")
      }
    }
  }

  @Test func aTokenLetsIn() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    let read = try file("read", Self.token, in: directory)
    let admin = try file("admin", "the-token-of-an-operator", in: directory)
    try await withServer(
      in: directory,
      {
        $0.readTokenFile = read
        $0.adminTokenFile = admin
      }
    ) { server async throws in
      let login = try await server.get("/report?by=country")
      #expect(login.status == 200 && login.body.contains(#"action="/login""#) && !login.body.contains("Grant rate"))
      #expect(login.body.contains(#"value="/report?by=country""#))
      #expect(try await server.get("/report.json").status == 401)
      #expect(try await server.get("/live").status == 401)
      #expect(
        try await server.get("/report.json", headers: ["Authorization: Bearer wrong-token-of-length"]).status == 401)
      for token in [Self.token, "the-token-of-an-operator"] {
        #expect(try await server.get("/report.json", headers: ["Authorization: Bearer \(token)"]).status == 200)
      }
      // Readers do not administer.
      let reader = ["Authorization: Bearer \(Self.token)"]
      #expect(try await server.get("/v1/quarantine", headers: reader).status == 401)
      #expect(try await server.request("DELETE", "/v1/users/x", headers: reader).status == 401)

      let wrong = try await server.post("/login", "token=nonsense&to=%2Freport")
      #expect(wrong.status == 401 && !wrong.head.contains("Set-Cookie") && wrong.body.contains("not the token"))
      let entered = try await server.post("/login", "token=\(Self.token)&to=%2Freport%3Fby%3Dcountry")
      #expect(entered.status == 303 && entered.head.contains("Location: /report?by=country\r\n"))
      let field = try #require(entered.head.firstMatch(of: /Set-Cookie: (permlog_session=[0-9a-f]{64}); ([^\r]*)/))
      #expect(field.2.contains("HttpOnly") && field.2.contains("SameSite=Strict") && !field.2.contains("Secure"))
      let cookie = ["Cookie: other=1; \(field.1)"]
      #expect(try await server.get("/report.json", headers: cookie).status == 200)
      #expect(
        try await server.get("/report.json", headers: ["Cookie: permlog_session=\(String(repeating: "0", count: 64))"])
          .status == 401)
      // A cookie is no admin token.
      #expect(try await server.get("/v1/quarantine", headers: cookie).status == 401)
      let foreign = ["Sec-Fetch-Site: cross-site"]
      #expect(try await server.post("/logout", "", headers: cookie + foreign).status == 405)
      let left = try await server.post("/logout", "", headers: cookie)
      #expect(left.status == 303 && left.head.contains("Max-Age=0"))
      #expect(try await server.get("/report.json", headers: cookie).status == 401)

      let secure = try await server.post("/login", "token=\(Self.token)", headers: ["X-Forwarded-Proto: https"])
      #expect(secure.head.contains("; Secure"))
      // Only addresses of this site are gone on to.
      for to in ["//evil.example", "https://evil.example", "/\\evil.example", "/x%0d%0aSet-Cookie: a=b"] {
        let answer = try await server.post("/login", "token=\(Self.token)&to=\(to)")
        #expect(answer.status == 303 && answer.head.contains("Location: /\r\n"), "\(to)")
      }
      #expect(
        try await server.post("/login", "token=\(Self.token)", headers: ["Sec-Fetch-Site: cross-site"]).status == 400)
      let long = "token=" + String(repeating: "x", count: 5000)
      #expect(try await server.post("/login", long).status == 400)
      #expect(try await server.request("DELETE", "/login").status == 400)
      // Nothing is changed by reading.
      for path in ["/report", "/data", "/today"] {
        #expect(try await server.post(path, "", headers: reader).status == 404)
      }
    }
  }

  @Test func withAnAdminTokenAloneItIsClosed() async throws {
    let directory = try TemporaryDirectory()
    let admin = try file("admin", "the-token-of-an-operator", in: directory)
    try await withServer(in: directory, { $0.adminTokenFile = admin }) { server async throws in
      let answer = try await server.get("/report")
      #expect(answer.status == 403 && answer.body.contains("read_token_file"))
      #expect(try await server.get("/login").status == 404)
    }
  }

  @Test func aProxyNamesPeople() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    let admin = try file("admin", "the-token-of-an-operator", in: directory)
    try await withServer(
      in: directory,
      {
        $0.adminTokenFile = admin
        $0.userHeader = "X-Forwarded-User"
      }
    ) { server async throws in
      let named = ["X-Forwarded-User: ana", "X-Forwarded-For: 192.0.2.1"]
      #expect(try await server.get("/report.json", headers: named).status == 200)
      #expect(try await server.get("/report.json").status == 403)
      #expect(try await server.get("/v1/quarantine", headers: named).status == 401)
    }
    var settings = ServerSettings(state: directory.path + "/s", keys: [.init(key: "wk", log: directory.path + "/log")])
    settings.adminTokenFile = admin
    settings.userHeader = "X-Forwarded-User"
    settings.listen = "0.0.0.0:8087"
    #expect(throws: SettingsError.self) { try settings.check() }
    // A socket that systemd hands over is checked when it is there.
    #expect(settings.reasonForLoopback?.contains("user_header") == true)
    settings.listen = "127.0.0.1:8087"
    settings.userHeader = "no field"
    #expect(throws: SettingsError.self) { try settings.check() }
    settings.userHeader = nil
    settings.smallGroups = 1
    #expect(throws: SettingsError.self) { try settings.check() }
  }
}

/// How much of a stream has arrived.
private final class Seen: Sendable {
  let count = Atomic(0)
}

@Suite struct LiveFeedTests {
  @Test func minutesAreCounted() {
    let start = Date(timeIntervalSince1970: 1_790_000_030)
    let feed = LiveFeed(metrics: ServerMetrics(), now: start)
    feed.note(3, log: "a", now: start)
    feed.note(4, log: "a", now: start + 60)
    feed.note(9, log: "b", now: start + 60)
    let early = feed.numbers("a", now: start + 60)
    #expect(early.byMinute.count == 60 && early.byMinute.compactMap(\.self) == [3, 4] && early.byMinute.last == 4)
    // The first minute was not whole, and the present one is not over.
    #expect(early.lastMinute == nil && early.lastHour == 7 && !early.isWholeHour)
    #expect(feed.numbers("a", now: start + 120).lastMinute == 4 && feed.numbers("b", now: start + 120).lastMinute == 9)
    #expect(feed.numbers("a", now: start + 180).lastMinute == 0)
    let late = feed.numbers("a", now: start + 60 * 60)
    #expect(late.lastHour == 4 && late.isWholeHour)
  }

  @Test func aHeadOfAStreamIsNoViewer() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      for _ in 0..<3 {
        let head = try await server.request("HEAD", "/live", headers: ["Connection: close"])
        #expect(head.status == 200)
      }
      #expect(server.server.metrics.value(.viewers) == 0)
    }
  }

  @Test func aStreamEndsWithItsSession() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    let path = directory.path + "/read"
    try Data("a-token-of-some-length".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try await withServer(in: directory, { $0.readTokenFile = path }) { server async throws in
      let entered = try await server.post("/login", "token=a-token-of-some-length")
      let cookie = try #require(entered.head.firstMatch(of: /Set-Cookie: ([^;]*);/)?.1)
      let headers = ["Cookie: \(cookie)", "Connection: close"]
      async let stream = server.request("GET", "/live", headers: headers)
      for _ in 0..<3000 where server.server.metrics.value(.viewers) == 0 {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(server.server.metrics.value(.viewers) == 1)
      _ = try await server.post("/logout", "", headers: headers)
      #expect(try await stream.body.contains("event: live"))
      #expect(server.server.metrics.value(.viewers) == 0)
    }
  }

  @Test func pagesAreTold() async throws {
    let directory = try TemporaryDirectory()
    try madeUpLog(directory.path + "/log")
    try await withServer(in: directory) { server async throws in
      let commits = Seen()
      async let stream = server.request("GET", "/live", headers: ["Connection: close"]) { arrived in
        let text = String(decoding: arrived, as: UTF8.self)
        commits.count.store(text.components(separatedBy: "event: commit").count - 1, ordering: .relaxed)
      }
      // As long as a busy machine may need.
      func wait(for number: Int) async throws {
        for _ in 0..<3000 where commits.count.load(ordering: .relaxed) < number {
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      try await wait(for: 1)
      _ = try await server.post("/v1/events?wait=1&key=wk", event("1", user: "x"))
      try await wait(for: 2)
      #expect(server.server.metrics.value(.viewers) == 1)
      // The end of the server ends the streams.
      await server.server.stop()
      let text = try await stream
      #expect(text.head.contains("text/event-stream"))
      #expect(text.body.components(separatedBy: "event: commit").count == 3, "\(text.body)")
      #expect(text.body.contains("\"quarantine\":\"0\""))
    }
  }
}

@Suite struct DataPageTests {
  @Test func quotedValuesAreLeftOut() {
    let of = { DataPage.withoutValues("rejected", $0) }
    #expect(of(#"user_id "anna@example.com" names no user"#) == "user_id “…” names no user")
    #expect(of(#"a "b\"c" d 1234567 12"#) == "a “…” d … 12")
    #expect(DataPage.withoutValues("not_mapped", "push_asked") == "push_asked")
    #expect(DataPage.eventName("rejected", #"event "a b" is not understood: why"#) == "a b")
    #expect(DataPage.eventName("rejected", "user_id is missing") == nil)
  }

  @Test func numbersAndAges() {
    #expect(
      DataPage.grouped(0) == "0" && DataPage.grouped(1_234_567) == "1,234,567" && DataPage.grouped(-1000) == "−1,000")
    let now: Milliseconds = 1_790_000_000_000
    for (ago, words) in [
      (0, "0 seconds ago"), (1, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago"),
      (7199, "119 minutes ago"),
      (7200, "2 hours ago"), (172_799, "47 hours ago"), (172_800, "2 days ago"),
    ] as [(Milliseconds, String)] {
      #expect(DataPage.ago(now - ago * 1000, now) == words)
    }
    #expect(DataPage.ago(now + 1000, now) == "ahead of the clock")
  }
}
