// A simulated export as bytes and as lines.

import Foundation
import PermissionEvents

@testable import ExportSimulation

/// Collects what a simulation writes.
final class Simulated {
  private(set) var bytes: [UInt8] = []
  private(set) var pieces = 0
  let summary: SimulationSummary

  init(_ options: SimulationOptions, _ format: SimulatedFormat = .ndjson) throws {
    let collector = Collector()
    summary = try ExportSimulator.write(options, as: format) { piece in
      collector.bytes += piece
      collector.pieces += 1
    }
    bytes = collector.bytes
    pieces = collector.pieces
  }

  private final class Collector {
    var bytes: [UInt8] = []
    var pieces = 0
  }

  private(set) lazy var lines: [Substring] = String(decoding: bytes, as: UTF8.self).utf8.split(separator: 0x0A).map {
    Substring($0)
  }

  /// The lines as JSON objects.
  func objects() throws -> [[String: Any]] {
    try lines.map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// FNV-1a, 64 bits.
  var checksum: UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension SimulationOptions {
  static func small(
    users: Int = 300, seed: UInt64 = 5, weeks: Int = 6, firstDay: DayNumber = 20_094, decidedBefore: Int = 0,
    assignments: Bool = false
  ) -> Self {
    SimulationOptions(
      users: users, seed: seed, weeks: weeks, firstDay: firstDay, decidedBefore: decidedBefore, assignments: assignments
    )
  }
}
