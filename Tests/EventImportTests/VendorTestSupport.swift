// What the tests of vendors' exports share: the samples, and events as short lines.

import EventMapping
import Foundation
import PermissionEvents

@testable import EventImport

enum Samples {
  /// `data/samples` of this checkout.
  static let directory: String =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("data/samples").path

  static func path(_ name: String) -> String { directory + "/" + name }

  static func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  static func mapping(_ name: String) throws -> Mapping {
    try Mapping(yaml: Array(text(name).utf8), name: name)
  }
}

extension PlainEvent {
  /// `user kind time variant status surface`, each only if it is there.
  var story: String {
    [user, kind, Timestamp.text(time), fields["variant"] ?? "-", status.isEmpty ? "-" : status].joined(separator: " ")
  }
}

/// A zone of two offsets: summer time until a moment, winter time from then on.
func zone(_ name: String, _ offset: Milliseconds, from: Milliseconds? = nil, then: Milliseconds = 0) -> ZoneTable {
  ZoneTable(
    name: name, initialOffset: offset, transitions: from.map { [.init(at: $0, offset: then)] } ?? [])
}

let hour: Milliseconds = 3_600_000

extension ImportOutcome {
  var stories: [String] { events.map(\.story) }
}

/// Options with a mapping of one's own.
func testOptions(mapping: String, name: String = "mine.yaml") throws -> ImportOptions {
  var options = testOptions()
  options.mappings = [try Mapping(yaml: Array(mapping.utf8), name: name)]
  return options
}

/// The text as a gzip file.
func gzip(_ text: String) throws -> Data {
  let directory = try TemporaryDirectory()
  let path = try directory.write("x", text)
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/gzip")
  process.arguments = [path]
  try process.run()
  process.waitUntilExit()
  return try Data(contentsOf: URL(fileURLWithPath: path + ".gz"))
}
