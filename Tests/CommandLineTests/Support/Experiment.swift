// A made-up experiment: groups of users, of whom an exact number grants, spread evenly over days.

import Foundation
import Testing

struct Experiment {
  /// Users who were shown one message.
  struct Group {
    var variant: String
    var users: Int
    var granted: Int
    /// Of the others, those who leave without an answer; the rest denies.
    var left = 0
    /// Of those who grant, those who turn it off 10 days later.
    var lost = 0
    /// First day of exposure and number of days.
    var from = 0
    var days = 14
    var platform: String? = "ios"
    var appVersion: String? = "1.0"
    /// The first so many see this message too, a day later.
    var alsoSeen: (variant: String, users: Int)?

    init(_ variant: String, _ users: Int, granted: Int, left: Int = 0, from: Int = 0, days: Int = 14) {
      self.variant = variant
      self.users = users
      self.granted = granted
      self.left = left
      self.from = from
      self.days = days
    }

    func losing(_ users: Int) -> Group {
      var group = self
      group.lost = users
      return group
    }

    func on(platform: String?) -> Group {
      var group = self
      group.platform = platform
      return group
    }

    func seeing(_ variant: String, _ users: Int) -> Group {
      var group = self
      group.alsoSeen = (variant, users)
      return group
    }
  }

  static let start = 1_770_000_000_000 / 86_400_000 * 86_400_000
  static let day = 86_400_000

  var groups: [Group]
  let workspace: Workspace

  init(_ groups: [Group]) throws {
    self.groups = groups
    workspace = try Workspace()
  }

  private func line(_ user: String, _ id: String, _ time: Int, _ kind: String, _ group: Group, _ variant: String)
    -> String
  {
    let platform = group.platform.map { ",\"platform\":\"\($0)\"" } ?? ""
    let version = group.appVersion.map { ",\"app_version\":\"\($0)\"" } ?? ""
    return
      #"{"event_id":"\#(user)-\#(id)","user_id":"\#(user)","timestamp":\#(time),"event":"\#(kind)","permission":"camera","variant":"\#(variant)"\#(platform)\#(version)}"#
  }

  /// True for `count` of the numbers below `all`, spread evenly.
  private func isPicked(_ i: Int, _ count: Int, of all: Int) -> Bool { i * count / all != (i + 1) * count / all }

  private var lines: [String] {
    var lines: [String] = []
    for (number, group) in groups.enumerated() {
      var (grants, others) = (0, 0)
      for i in 0..<group.users {
        let user = "u\(number)-\(i)"
        let time = Self.start + group.from * Self.day + (2 * i + 1) * group.days * Self.day / (2 * group.users)
        lines.append(line(user, "p", time, "prompt_shown", group, group.variant))
        if isPicked(i, group.granted, of: group.users) {
          lines.append(line(user, "a", time + 3000, "granted", group, group.variant))
          if isPicked(grants, group.lost, of: group.granted) {
            lines.append(line(user, "r", time + 10 * Self.day, "revoked", group, group.variant))
          }
          grants += 1
        } else {
          if !isPicked(others, group.left, of: max(1, group.users - group.granted)) {
            lines.append(line(user, "a", time + 4000, "denied", group, group.variant))
          }
          others += 1
        }
        if let also = group.alsoSeen, i < also.users {
          lines.append(line(user, "q", time + Self.day, "prompt_shown", group, also.variant))
        }
      }
    }
    lines.append(#"{"user_id":"end","timestamp":\#(Self.start + 90 * Self.day),"event":"app_active","variant":"B"}"#)
    lines.append(#"{"user_id":"end","timestamp":\#(Self.start),"event":"app_active","variant":"A"}"#)
    return lines
  }

  /// The log's directory.
  func log() throws -> String {
    let log = workspace.path("log")
    guard !FileManager.default.fileExists(atPath: log) else { return log }
    let file = try workspace.write("a.ndjson", lines.joined(separator: "\n"))
    #expect(try Tool.run(["ingest", file, "--log", log]).status == 0)
    return log
  }

  func run(_ variants: [String] = ["A", "B"], _ options: [String]) throws -> ToolResult {
    try Tool.run(["compare"] + variants + ["--permission", "camera", "--log", try log()] + options)
  }

  /// The comparison as JSON; that the text can be written is looked at too.
  func compare(_ variants: [String] = ["A", "B"], _ options: [String] = []) throws -> [String: Any] {
    let result = try run(variants, options + ["--format", "json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try run(variants, options).status == 0)
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }
}

extension [String: Any] {
  /// A value by keys and places: `at("guardrails", 0, "state")`.
  func at(_ path: Any...) -> Any? {
    var value: Any? = self
    for step in path {
      if let key = step as? String {
        value = (value as? [String: Any])?[key]
      } else if let place = step as? Int, let list = value as? [Any] {
        value = list.indices.contains(place) ? list[place] : nil
      } else {
        return nil
      }
    }
    return value
  }
}
