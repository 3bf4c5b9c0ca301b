// The requests of vendors' libraries: which path is whose, and what its events lack that the vendor's own server would add.

import Permlog

/// Whose form a body has.
public enum WireForm: String, Codable, Sendable, CaseIterable {
  /// Canonical events, a line or an element of an array each.
  case canonical
  /// Segment's libraries and RudderStack's: one form.
  case segment
  case posthog
  case amplitude
  case mixpanel
  /// `/batch` is PostHog's and Amplitude's: the body shows whose.
  case batch

  /// The preset that reads the events; nil for canonical ones.
  var format: ImportFormat {
    switch self {
    case .canonical, .batch: .ndjson
    default: ImportFormat(rawValue: rawValue) ?? .auto
    }
  }

  /// Members of a body that hold its events.
  var lists: [String] {
    switch self {
    case .segment, .posthog: ["batch"]
    case .amplitude: ["events"]
    case .batch: ["batch", "events"]
    case .canonical, .mixpanel: []
    }
  }

  /// Where a body names the key of its project: members beside the events, or members of an event.
  var keyMembers: [String] { ["writeKey", "api_key", "token"] }
}

/// A request whose events are kept: its form, and the type of its events if only the path says it.
public struct Endpoint: Codable, Sendable, Hashable {
  public var form: WireForm
  /// Segment's `type`, for the paths that have one event each: `track`.
  public var type: String?

  public init(_ form: WireForm, type: String? = nil) { (self.form, self.type) = (form, type) }

  /// The endpoint of a path, without its last slash; nil if its requests hold no events.
  public static func at(_ path: String) -> Endpoint? { all[path] }

  /// Paths with events.
  public static let all: [String: Endpoint] = {
    var all: [String: Endpoint] = [
      "/v1/events": Endpoint(.canonical),
      "/v1/b": Endpoint(.segment), "/v1/batch": Endpoint(.segment), "/v1/import": Endpoint(.segment),
      "/b": Endpoint(.segment),
      "/batch": Endpoint(.batch),
      "/capture": Endpoint(.posthog), "/e": Endpoint(.posthog), "/i/v0/e": Endpoint(.posthog),
      "/i/v1/analytics/events": Endpoint(.posthog),
      "/2/httpapi": Endpoint(.amplitude),
      "/track": Endpoint(.mixpanel), "/import": Endpoint(.mixpanel),
    ]
    for type in ["track", "identify", "screen", "page", "group", "alias"] {
      all["/v1/" + type] = Endpoint(.segment, type: type)
    }
    return all
  }()
}
