// What each library expects to be told. An app's library deletes what it has recorded on some answers, so that no answer here says that a
// body was wrong: it is kept, and read when it can be.

import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Permlog

enum Answers {
  static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  static func json(_ value: [String: Any], _ status: HTTPResponse.Status = .ok) -> Response {
    let bytes =
      (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
    return json(String(decoding: bytes, as: UTF8.self), status)
  }

  static func problem(_ status: HTTPResponse.Status, _ text: String) -> Response { json(["error": text], status) }

  /// Come again: nothing was taken.
  static func comeAgain(_ seconds: Int, _ text: String) -> Response {
    var response = problem(.serviceUnavailable, text)
    response.headers[.retryAfter] = String(seconds)
    return response
  }

  /// A body is on the disk.
  static func accepted(_ endpoint: Endpoint, _ parts: RequestParts, id: UInt64, body: [UInt8]) -> Response {
    switch endpoint.form {
    case .canonical: return json(["receipt": String(id)])
    case .segment: return json(#"{"success":true}"#)
    case .posthog where parts.path == "/i/v1/analytics/events": return results(of: body, endpoint)
    case .posthog: return json(#"{"status":1}"#)
    // PostHog's and Amplitude's libraries share a path: each finds its own members.
    case .amplitude, .batch:
      return json([
        "code": 200, "status": 1, "payload_size_bytes": body.count, "server_upload_time": Intake.now,
      ])
    case .mixpanel:
      let isVerbose = parts.query["verbose"] == "1" || body.firstRange(of: Array("verbose=1".utf8)) != nil
      if isVerbose { return json(#"{"error":null,"status":1}"#) }
      return json(parts.path == "/import" ? #"{"code":200,"status":"OK"}"# : "1")
    }
  }

  /// A result for each event by its id, as PostHog's newer interface has it.
  private static func results(of body: [UInt8], _ endpoint: Endpoint) -> Response {
    let plain = (try? unpacked(body)) ?? []
    let ids = BodyEvents(plain, endpoint, received: "", wantsIDs: true).ids
    return json(["results": Dictionary(ids.map { ($0, ["result": "ok"]) }, uniquingKeysWith: { first, _ in first })])
  }

  // MARK: What libraries ask before they send

  /// The answer to a request of a library's settings; nil if it is none.
  static func settings(_ path: String, _ parts: RequestParts) -> Response? {
    let steps = path.split(separator: "/").map(String.init)
    if steps.count == 4, steps[0] == "v1", steps[1] == "projects", steps[3] == "settings" {
      return segmentSettings(key: steps[2])
    }
    if steps.count == 3, steps[0] == "projects", steps[2] == "settings" { return segmentSettings(key: steps[1]) }
    if path == "/sourceConfig" { return rudderSource(key: parts.key ?? "") }
    if steps.count == 3, steps[0] == "array", steps[2].hasPrefix("config") { return json(posthogConfig) }
    return nil
  }

  /// No `httpConfig`: without it the library keeps everything that is not answered.
  private static func segmentSettings(key: String) -> Response {
    json([
      "integrations": ["Segment.io": ["apiKey": key]], "plan": ["track": [:] as [String: Any]],
      "edgeFunction": [:] as [String: Any],
    ])
  }

  private static func rudderSource(key: String) -> Response {
    json([
      "source": [
        "id": "permlog", "name": "permlog", "writeKey": key, "enabled": true, "workspaceId": "permlog",
        "updatedAt": "2026-01-01T00:00:00.000Z", "destinations": [] as [Any],
        "config": ["statsCollection": ["errors": ["enabled": false], "metrics": ["enabled": false]]],
      ] as [String: Any]
    ])
  }

  private static var posthogConfig: [String: Any] {
    [
      "supportedCompression": ["gzip"], "hasFeatureFlags": false, "sessionRecording": false, "surveys": false,
      "heatmaps": false, "errorTracking": false, "capturePerformance": false,
    ]
  }

  /// The answer to a request with nothing that permlog keeps; nil if it is none.
  static func ignored(_ path: String) -> Response? {
    switch path {
    case "/engage", "/groups": json("1")
    case "/flags", "/decide":
      json([
        "flags": [:] as [String: Any], "featureFlags": [:] as [String: Any],
        "featureFlagPayloads": [:] as [String: Any],
        "errorsWhileComputingFlags": false, "config": ["enable_collect_everything": false], "sessionRecording": false,
        "supportedCompression": ["gzip"], "requestId": "",
      ])
    case "/s", "/identify": json(#"{"status":1}"#)
    case "/i/v1/logs": json("{}")
    default: nil
    }
  }
}

/// Before an answer only a little is unpacked: a body of more events than a library sends has no results of its own.
private func unpacked(_ body: [UInt8]) throws -> [UInt8] { try PackedBytes.unpacked(body, limit: 4 << 20) }
