// A simulated export: users in the order in which they join, block after block, each block's lines in the order in which a
// server would have received them. Memory holds one block.

import PermissionEvents

/// What was written.
public struct SimulationSummary: Equatable, Sendable {
  public var users = 0
  /// Distinct events.
  public var events = 0
  /// Lines that repeat an event.
  public var copies = 0

  public var lines: Int { events + copies }
}

package enum ExportSimulator {
  /// Users of a block. Up to as many, the whole export is in the order of arrival.
  static let usersPerBlock = 8192

  /// Writes a simulated export.
  /// - Parameter sink: gets the export's bytes in pieces that end at a line's end.
  /// - Throws: what `sink` throws.
  package static func write(
    _ options: SimulationOptions, as format: SimulatedFormat,
    to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> SimulationSummary {
    let words = LineWords(options, format)
    let template = LineTemplate(format.template, words)
    let calendar = JoinCalendar(options)
    let start = options.firstDay * millisecondsPerDay
    let block = EventBlock()
    var simulation = UserSimulation(options)
    var order = ArrivalOrder()
    var users: [SimulatedUser] = []
    var summary = SimulationSummary()
    var out = LineBuffer(sink: sink)

    func writeBlock(_ out: inout LineBuffer) throws {
      try order.forEach(block, since: start) { [users] event in
        try out.reserve()
        template.write(event, users[Int(event.user)], into: &out)
      }
      summary.users += users.count
      block.removeAll()
      users.removeAll(keepingCapacity: true)
    }

    for byte in format.heading.utf8 { out.byte(byte) }
    for day in 0..<options.days {
      for number in calendar.users(on: day) {
        let slot = UInt32(truncatingIfNeeded: users.count)
        let count = block.count
        users.append(simulation.simulate(number: number, slot: slot, joins: day, into: block))
        summary.events += Int(simulation.serial)
        summary.copies += block.count - count - Int(simulation.serial)
        if users.count == usersPerBlock || block.count >= ArrivalOrder.mostEvents { try writeBlock(&out) }
      }
    }
    try writeBlock(&out)
    try out.flush()
    return summary
  }
}
