// A server as apps and operators meet it.

import Foundation
import Permlog
import Testing

@testable import PermlogServer

@Suite struct ServerTests {
  @Test func anEventIsInTheLogWhenItIsWaitedFor() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let lines = event("1") + "\n" + event("2") + "\n" + #"{"user_id":"x","event":"granted"}"#
      let answer = try await server.post("/v1/events?wait=1", lines, headers: ["Authorization: Bearer wk"])
      #expect(answer.status == 200 && answer.json["lines"] as? Int == 3 && answer.json["rejected"] as? Int == 1)
      #expect((answer.json["commit"] as? [String: Any])?["new"] as? Int == 2)
      #expect(try server.eventIDs().sorted() == ["1", "2"])
      let again = try await server.post("/v1/events?wait=1&key=wk", "[" + event("1") + "," + event("3") + "]")
      let commit = again.json["commit"] as? [String: Any]
      #expect(commit?["new"] as? Int == 1 && commit?["copies"] as? Int == 1)
    }
  }

  /// One event of each library's form, in each way that its libraries send it.
  @Test func eachFormIsRead() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let basic = "Authorization: Basic " + Data("wk:".utf8).base64EncodedString()
      let segment =
        #"{"type":"track","event":"Push Permission Granted","messageId":"s1","anonymousId":"a","timestamp":"2026-11-20T10:00:00Z"}"#
      let requests: [(String, String, [String], (Int, String))] = [
        ("/v1/b", #"{"batch":[\#(segment)],"writeKey":"wk"}"#, [], (200, "success")),
        (
          "/v1/batch", #"{"batch":[\#(segment.replacing("s1", with: "s2"))]}"#, [basic, "AnonymousId: x"],
          (200, "success")
        ),
        (
          "/v1/track", segment.replacing("s1", with: "s3").replacing(#""type":"track","#, with: ""), [basic],
          (200, "success")
        ),
        (
          "/batch/",
          #"{"api_key":"wk","batch":[{"event":"push_permission_granted","distinct_id":"p","timestamp":"2026-11-20T10:00:00Z","uuid":"0199aaaa-0000-7000-8000-000000000001","properties":{}}]}"#,
          [], (200, "status")
        ),
        (
          "/i/v0/e/",
          #"{"api_key":"wk","event":"push_permission_denied","distinct_id":"p","timestamp":"2026-11-20T10:00:01Z","uuid":"0199aaaa-0000-7000-8000-000000000002"}"#,
          [], (200, "status")
        ),
        (
          "/2/httpapi",
          #"{"api_key":"wk","events":[{"device_id":"d","event_type":"push_permission_granted","time":1763632800000,"insert_id":"a1"}]}"#,
          [], (200, "\"code\":200")
        ),
        (
          "/batch",
          #"{"api_key":"wk","events":[{"device_id":"d","event_type":"push_permission_granted","time":1763632801000,"insert_id":"a2"}]}"#,
          [], (200, "\"code\":200")
        ),
        (
          "/track/?ip=1",
          #"[{"event":"push_permission_granted","properties":{"token":"wk","distinct_id":"m","time":1763632800,"$insert_id":"m1"}}]"#,
          [], (200, "1")
        ),
        (
          "/import?strict=1",
          #"[{"event":"push_permission_granted","properties":{"token":"wk","distinct_id":"m","time":1763632801,"$insert_id":"m2"}}]"#,
          ["Authorization: Basic " + Data("secret:".utf8).base64EncodedString()], (200, "\"code\":200")
        ),
      ]
      for (path, body, headers, (status, text)) in requests {
        let answer = try await server.post(path, body, headers: headers)
        #expect(answer.status == status && answer.body.contains(text), "\(path): \(answer)")
        // A library repeats what it got no answer for.
        _ = try await server.post(path, body, headers: headers)
      }
      try await server.settle()
      #expect(try server.eventIDs().count == requests.count)
      #expect(server.server.metrics.count(.copies) == requests.count)
      #expect(server.server.metrics.value(.quarantineEntries) == 0)
    }
  }

  @Test func packedBodiesAreRead() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      // `gzip -9` and `zstd` of one event each.
      for (name, packed) in [("gzip", try pack("gzip", event("g"))), ("zstd", try pack("zstd", event("z")))] {
        let answer = try await server.request(
          "POST", "/v1/events?wait=1&key=wk", packed, headers: ["Content-Encoding: \(name)"])
        #expect((answer.json["commit"] as? [String: Any])?["new"] as? Int == 1, "\(name): \(answer)")
      }
      // A bomb stays packed, in quarantine.
      let bomb = try pack("gzip", String(repeating: " ", count: 140 << 20))
      #expect(try await server.request("POST", "/v1/b", bomb).status == 200)
      // So does half of a packed body.
      let half = Array(try pack("gzip", event("h")).dropLast(9))
      #expect(try await server.request("POST", "/v1/events?key=wk", half).status == 200)
      try await server.settle()
      let held = try await server.request("GET", "/v1/quarantine")
      #expect(held.json["entries"] as? Int == 2 && held.body.contains("too_large") && held.body.contains("damaged"))
    }
  }

  private func pack(_ tool: String, _ text: String) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/x"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "\(tool) -q -c \(path) > \(path).packed"]
    try process.run()
    process.waitUntilExit()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".packed")))
  }

  /// No answer makes a library delete what it has: RudderStack's on 400, 401, 404 and 413, Segment's on 400, PostHog's on any 4xx but
  /// 413, Amplitude's repeats a 400 for ever.
  @Test func noBodyIsRefusedForWhatItSays() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let bodies = [
        "", "{", "nonsense", "[]", "null", #"{"batch":"no"}"#, #"{"batch":[1]}"#, "\u{0}\u{1}", #"{"events":[{}]}"#,
        String(repeating: "[", count: 100_000),
      ]
      for path in Endpoint.all.keys.sorted() where path != "/v1/events" {
        for body in bodies {
          let answer = try await server.post(path, body)
          #expect(answer.status == 200, "\(path), \(body.prefix(20)): \(answer)")
          if path == "/track" { #expect(answer.body == "1") }
        }
      }
      try await server.settle()
      #expect(server.server.metrics.value(.quarantineEntries) > 0)
      #expect(try server.eventIDs().isEmpty)
    }
  }

  @Test func whatLibrariesAskIsAnswered() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let settings = try await server.request("GET", "/v1/projects/abc/settings")
      #expect(
        settings.status == 200 && settings.body.contains(#""apiKey":"abc""#) && !settings.body.contains("httpConfig"))
      let source = try await server.request("GET", "/sourceConfig?writeKey=abc&p=ios")
      #expect((source.json["source"] as? [String: Any])?["enabled"] as? Bool == true)
      #expect(try await server.request("GET", "/array/phc_x/config").status == 200)
      #expect(try await server.post("/flags/?v=2", "{}").body.contains(#""flags":{}"#))
      #expect(try await server.post("/s/", "replay").status == 200)
      #expect(try await server.post("/engage/?ip=1", "[]").body == "1")
      let results = try await server.post(
        "/i/v1/analytics/events",
        #"{"batch":[{"uuid":"u1","event":"a","distinct_id":"d","timestamp":"2026-11-20T10:00:00Z"}]}"#,
        headers: ["Authorization: Bearer wk"])
      #expect(results.body == #"{"results":{"u1":{"result":"ok"}}}"#)
      #expect(try await server.request("GET", "/healthz").status == 200)
      #expect(try await server.request("GET", "/readyz").json["status"] as? String == "ok")
      #expect(try await server.request("GET", "/nothing").status == 404)
      #expect(try await server.request("POST", "/../etc/passwd").status == 404)
      #expect(try await server.request("PATCH", "/v1/b").status == 405)
      #expect(try await server.request("GET", "/metrics").body.contains("permlog_accepted_total 1\n"))
    }
  }

  @Test func anUnknownKeyIsHeldAndReadWhenItIsKnown() async throws {
    let directory = try TemporaryDirectory()
    let body =
      #"{"batch":[{"type":"track","event":"Push Permission Granted","messageId":"s1","anonymousId":"a","timestamp":"2026-11-20T10:00:00Z"}],"writeKey":"new"}"#
    try await withServer(in: directory) { server in
      #expect(try await server.post("/v1/batch", body).status == 200)
      #expect(try await server.post("/v1/events?key=other", event("1")).status == 401)
      try await server.settle()
      #expect(try await server.request("GET", "/v1/quarantine").body.contains("unknown_key"))
      #expect(try server.eventIDs().isEmpty)
    }
    try await withServer(in: directory) {
      $0.keys.append(.init(key: "new", log: directory.path + "/log"))
    } _: { server in
      let answer = try await server.request("POST", "/v1/requeue")
      #expect(answer.json["entries_before"] as? Int == 1 && answer.json["entries_after"] as? Int == 0, "\(answer)")
      #expect(try server.eventIDs() == ["s1"])
    }
  }

  @Test func aMendedMappingReadsWhatWasHeld() async throws {
    let directory = try TemporaryDirectory()
    let body =
      #"{"batch":[{"type":"track","event":"push_permission_zap","messageId":"s1","anonymousId":"a","timestamp":"2026-11-20T10:00:00Z"},{"type":"track","event":"Song Played","messageId":"s2","anonymousId":"a","timestamp":"2026-11-20T10:00:00Z"}],"writeKey":"wk"}"#
    try await withServer(in: directory) { server in
      _ = try await server.post("/v1/batch", body)
      try await server.settle()
      let held = try await server.request("GET", "/v1/quarantine")
      #expect(held.body.contains("push_permission_zap") && !held.body.contains("Song"), "\(held)")
      #expect(server.server.metrics.count(.notMapped) == 1)
    }
    let mapping = directory.path + "/own.yaml"
    try Data(
      "extends: segment\nrules:\n  - event: push_permission_zap\n    kind: granted\n    permission: notifications\n"
        .utf8
    ).write(to: URL(fileURLWithPath: mapping))
    try await withServer(in: directory) {
      $0.keys[0].mapping = mapping
    } _: { server in
      #expect(try await server.request("POST", "/v1/requeue").json["entries_after"] as? Int == 0)
      #expect(try server.eventIDs() == ["s1"])
      // What comes now is read at once, and forms without the mapping as before.
      _ = try await server.post("/v1/batch", body.replacing("s1", with: "s3"))
      _ = try await server.post("/v1/events?key=wk", event("c1"))
      try await server.settle()
      #expect(try server.eventIDs().sorted() == ["c1", "s1", "s3"])
    }
  }

  @Test func anErasedUserIsNowhere() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      _ = try await server.post(
        "/v1/events?key=wk",
        event("1", user: "ann%20b") + "\n" + event("2", user: "bob") + "\n"
          + #"{"user_id":"ann%20b","event":"granted"}"#)
      let answer = try await server.request("DELETE", "/v1/users/ann%2520b")
      #expect(answer.status == 200 && answer.json["quarantine_entries"] as? Int == 1, "\(answer)")
      #expect(((answer.json["logs"] as? [[String: Any]])?.first?["events"] as? Int) == 1)
      _ = try await server.post("/v1/events?key=wk", event("3", user: "ann%20b") + "\n" + event("4", user: "bob"))
      try await server.settle()
      #expect(try server.eventIDs().sorted() == ["2", "4"])
      #expect(server.server.metrics.value(.spoolBytes) == 0)
      let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
      for file in files {
        guard let bytes = FileManager.default.contents(atPath: directory.path + "/" + file) else { continue }
        #expect(bytes.range(of: Data("ann%20b".utf8)) == nil, "\(file)")
      }
    }
  }

  @Test func administrationNeedsTheToken() async throws {
    let directory = try TemporaryDirectory()
    let token = directory.path + "/token"
    _ = FileManager.default.createFile(
      atPath: token, contents: Data("0123456789abcdef".utf8), attributes: [.posixPermissions: 0o600])
    try await withServer(in: directory) {
      $0.adminTokenFile = token
    } _: { server in
      let requests = [
        ("DELETE", "/v1/users/u"), ("POST", "/v1/requeue"), ("GET", "/metrics"), ("GET", "/v1/quarantine"),
      ]
      for (method, path) in requests {
        let without = try await server.request(method, path).status
        let wrong = try await server.request(method, path, headers: ["Authorization: Bearer wk"]).status
        let right = try await server.request(method, path, headers: ["Authorization: Bearer 0123456789abcdef"]).status
        #expect(without == 401 && wrong == 401 && right == 200)
      }
    }
    // Without a token only this machine may ask, and not through a proxy.
    try await withServer(in: directory) { server in
      let direct = try await server.request("GET", "/metrics").status
      let passed = try await server.request("DELETE", "/v1/users/u", headers: ["X-Forwarded-For: 10.0.0.1"]).status
      #expect(direct == 200 && passed == 401)
    }
  }

  @Test func limitsAreAnsweredWithoutLoss() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) {
      $0.bodyLimit = 10_000
      $0.memoryLimit = 10_000
      $0.spoolLimit = 30_000
      $0.commitInterval = 30
    } _: { server in
      let large = String(repeating: " ", count: 10_001)
      // Libraries that divide a batch are told so; another one would delete it.
      #expect(try await server.post("/2/httpapi", large).status == 413)
      #expect(try await server.post("/batch", large).status == 413)
      for path in ["/v1/b", "/track"] {
        let answer = try await server.post(path, large)
        #expect(answer.status == 503 && answer.head.contains("Retry-After"), "\(answer)")
      }
      // The first body is read at once; the others wait for the interval and fill the spool.
      var statuses: [Int] = []
      for i in 0..<8 {
        let body = event("\(i)") + String(repeating: " ", count: 8000)
        statuses.append(try await server.post("/v1/events?key=wk", body).status)
      }
      #expect(statuses.first == 200 && statuses.last == 503 && Set(statuses) == [200, 503], "\(statuses)")
    }
    // Ending, the server reads what it took.
    let log = try PermissionLog(directory.path + "/log")
    #expect(try log.information().events >= 3)
  }

  @Test func aBrokenOffRequestLeavesNothing() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      for _ in 0..<20 {
        _ = try await server.request(
          "POST", "/v1/events?key=wk", Array((event("half") + String(repeating: " ", count: 5000)).utf8), half: true)
      }
      // Heads that are no HTTP, that are too long, or that try to hide a second request.
      let bad = [
        "GARBAGE\r\n\r\n", "POST /v1/b HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        "POST /v1/b HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/b HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 100_000) + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + (0..<500).map { "H\($0): 1\r\n" }.joined() + "\r\n",
        "POST /v1/events?key=wk HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nPOST /v1/events?key=wk HTTP/1.1\r\n",
        "POST /v1/b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
      ]
      for text in bad {
        let answer = try await server.send(Array(text.utf8))
        #expect(answer.status == 0 || (400..<500).contains(answer.status), "\(text.prefix(60)): \(answer)")
      }
      #expect(try await server.post("/v1/events?wait=1&key=wk", event("whole")).status == 200)
      #expect(try server.eventIDs() == ["whole"])
    }
  }

  @Test func twoServersOfOneDirectoryAreRefused() async throws {
    let directory = try TemporaryDirectory()
    _ = try await withServer(in: directory) { server in
      #expect(throws: SettingsError.self) {
        _ = try PermlogServer(
          ServerSettings(state: directory.path + "/state", keys: [.init(key: "a", log: "b")]), logger: ServerLog.logger)
      }
    }
  }

  /// The lock of the log is free between two commits: a nightly ingest of a file works beside the server, and finds copies.
  @Test func filesAreIngestedBesideIt() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      for i in 0..<30 {
        _ = try await server.post("/v1/events?key=wk", event("live\(i)"))
        let bytes = Array((event("live\(i)") + "\n" + event("file\(i)")).utf8)
        // Not on a thread that the server needs to finish its commit: it would wait for itself.
        let result = try await onAThread { [server] in
          var log = server.log
          log.lockPatience = LockPatience(limit: 60_000)
          return try log.ingest(bytes: bytes)
        }
        #expect(result.stored.new + result.stored.duplicates == 2 && result.stored.new >= 1)
      }
      try await server.settle()
      #expect(try server.eventIDs().count == 60 && Set(try server.eventIDs()).count == 60)
    }
  }

  private func onAThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }

  // MARK: Found by reviewers

  /// A head that is too long would end the file for its reader, with all that came after it.
  @Test func aStrangersKeyHurtsNobody() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) {
      $0.commitInterval = 0.3
    } _: { server in
      let long = Data(repeating: 1, count: 11_800).base64EncodedString()
      for i in 0..<5 {
        _ = try await server.post("/v1/b", "{}", headers: ["Authorization: Basic " + long])
        #expect(try await server.post("/v1/events?key=wk", event("\(i)")).status == 200)
      }
      try await server.settle()
      #expect(try server.eventIDs().count == 5)
    }
  }

  /// A small body that unpacks to as much as may be, beside one of another form, for the same log.
  @Test func largeBodiesOfTwoFormsAreRead() async throws {
    let directory = try TemporaryDirectory()
    let line =
      #"{"type":"track","event":"Song Played","messageId":"s","anonymousId":"a","timestamp":"2026-11-20T10:00:00Z","properties":{"x":"\#(String(repeating: "y", count: 2000))"}}"#
    let large = #"{"writeKey":"wk","batch":["# + Array(repeating: line, count: 28_000).joined(separator: ",") + "]}"
    let packed = try pack("gzip", large)
    try await withServer(in: directory) {
      $0.commitInterval = 0.3
    } _: { server in
      _ = try await server.post("/v1/events?key=wk", event("first"))
      _ = try await server.post("/v1/events?key=wk", event("1") + String(repeating: " ", count: 1_200_000))
      #expect(try await server.request("POST", "/v1/b", packed).status == 200)
      #expect(try await server.post("/v1/events?key=wk", event("2")).status == 200)
      try await server.settle()
      #expect(try server.eventIDs().sorted() == ["1", "2", "first"])
    }
  }

  @Test func aBodyOfVeryManyBadLinesIsOneEntry() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) { server in
      let lines = String(repeating: "{}\n", count: 30_000) + event("good")
      _ = try await server.request("POST", "/v1/events?key=wk", try pack("gzip", lines))
      _ = try await server.request(
        "POST", "/v1/events?key=wk", try pack("gzip", String(repeating: "{}\n", count: 400_000)))
      try await server.settle()
      #expect(try server.eventIDs() == ["good"])
      #expect(server.server.metrics.value(.quarantineEntries) == 2)
      // Nothing goes with a second reading.
      let again = try await server.request("POST", "/v1/requeue")
      #expect(again.json["entries_before"] as? Int == 2 && again.json["entries_after"] as? Int == 2, "\(again)")
      #expect(try server.eventIDs() == ["good"])
    }
  }

  /// Reading the quarantine again loses nothing, however full it is.
  @Test func aFullQuarantineIsReadAgain() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) {
      $0.quarantineLimit = 1_000_000
    } _: { server in
      for i in 0..<4 {
        let body = #"{"writeKey":"unknown","batch":[{"n":\#(i),"x":"\#(String(repeating: "y", count: 50_000))"}]}"#
        #expect(try await server.post("/v1/b", body).status == 200)
      }
      for i in 0..<9 {
        let line = #"{"n":\#(i),"x":"\#(String(repeating: "y", count: 80_000))"}"#
        #expect(try await server.post("/v1/events?key=wk", line).status == 200)
      }
      try await server.settle()
      let before = server.server.metrics.value(.quarantineEntries)
      #expect(before == 13)
      for _ in 0..<3 {
        let answer = try await server.request("POST", "/v1/requeue")
        #expect(answer.status == 200 && answer.json["entries_after"] as? Int == 13, "\(answer)")
      }
      #expect(server.server.metrics.count(.quarantineDropped) == 0)
    }
  }

  /// Lengths that are only announced take no memory from others.
  @Test func promisesOfBodiesKeepNobodyOut() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) {
      $0.idleTimeout = 3
    } _: { server in
      for _ in 0..<8 {
        Task {
          _ = try await server.send(Array("POST /v1/b HTTP/1.1\r\nHost: x\r\nContent-Length: 20971520\r\n\r\n{".utf8))
        }
      }
      try await Task.sleep(for: .milliseconds(300))
      #expect(try await server.post("/v1/events?wait=1&key=wk", event("1")).status == 200)
    }
  }

  @Test func whoWaitsDoesNotKeepTheServer() async throws {
    let directory = try TemporaryDirectory()
    let begin = ContinuousClock.now
    try await withServer(in: directory) {
      $0.commitInterval = 60
    } _: { server in
      // The first reading is at once, the next one after a minute.
      _ = try await server.post("/v1/events?wait=1&key=wk", event("1"))
      async let waiting = server.post("/v1/events?wait=1&key=wk", event("2"))
      try await Task.sleep(for: .milliseconds(300))
      await server.server.stop()
      let answer = try await waiting
      #expect(answer.status == 202 && answer.body.contains("receipt"), "\(answer)")
    }
    #expect(ContinuousClock.now - begin < .seconds(50))
    #expect(try PermissionLog(directory.path + "/log").information().events == 2)
  }

  /// One log has one writer, however its path is written.
  @Test func aLogThatIsSpeltTwiceHasOneWriter() async throws {
    let directory = try TemporaryDirectory()
    try await withServer(in: directory) {
      $0.keys.append(.init(key: "two", log: directory.path + "/x/../log/"))
    } _: { server in
      for i in 0..<10 {
        _ = try await server.post("/v1/events?key=wk", event("a\(i)"))
        _ = try await server.post("/v1/events?key=two", event("b\(i)"))
      }
      try await server.settle()
      #expect(try server.eventIDs().count == 20)
    }
  }
}
