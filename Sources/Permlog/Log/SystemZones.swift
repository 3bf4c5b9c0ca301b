// Time zones of the machine's database, through the C library, turned into tables once. The library keeps one zone for the
// process (`TZ`), so one table is made at a time.

import Threads
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum SystemZones {
  /// Held while the process has another zone than its own.
  private static let processZone = Mutex(())

  private static let directories = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]

  /// The table of a zone of the IANA database over a span of time.
  /// - Parameters:
  ///   - argument: what of a request names the zone.
  ///   - place: where it is named, if that is not in the request.
  static func table(
    _ name: String, over span: ClosedRange<Milliseconds>, argument: PermlogError.Argument = .timeZone,
    place: String = ""
  ) throws(PermlogError) -> ZoneTable {
    if name == "UTC" { return .utc }
    guard exists(name) else {
      let hint =
        directories.contains { access($0, R_OK) == 0 } ? "" : " This machine has no zone database: install tzdata."
      throw PermlogError(
        .usage,
        "\(place)there is no zone \(name). Use a name of the IANA database, like UTC, Europe/Berlin or America/New_York.\(hint)",
        argument: place.isEmpty ? argument : nil)
    }
    return processZone.withLock { _ in read(name, over: span) }
  }

  private static func read(_ name: String, over span: ClosedRange<Milliseconds>) -> ZoneTable {
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", ":" + name, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    // No zone changes its offset twice within a step.
    let step: Milliseconds = 12 * 3_600_000
    let start = span.lowerBound - 40 * millisecondsPerDay
    let end = span.upperBound + 40 * millisecondsPerDay
    var transitions: [ZoneTable.Transition] = []
    var time = start
    let initial = offset(at: start)
    var current = initial
    while time < end {
      let next = time + step
      let later = offset(at: next)
      if later != current {
        transitions.append(.init(at: change(after: time, before: next, from: current), offset: later))
        current = later
      }
      time = next
    }
    return ZoneTable(name: name, initialOffset: initial, transitions: transitions)
  }

  private static func exists(_ name: String) -> Bool {
    let isName = name.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || "/_+-".utf8.contains($0)
    }
    guard isName, !name.isEmpty, !name.hasPrefix("/"), !name.contains("//") else { return false }
    return directories.contains { directory in
      var status = stat()
      guard stat(directory + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      // A file of the database begins with "TZif"; other files lie beside them.
      guard let file = fopen(directory + "/" + name, "r") else { return false }
      defer { fclose(file) }
      var magic = [UInt8](repeating: 0, count: 4)
      return fread(&magic, 1, 4, file) == 4 && magic == Array("TZif".utf8)
    }
  }

  private static func offset(at time: Milliseconds) -> Milliseconds {
    var seconds = time_t(floorDivide(time, 1000))
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return 0 }
    return Milliseconds(parts.tm_gmtoff) * 1000
  }

  /// The second at which the offset changes, by bisection.
  private static func change(after low: Milliseconds, before high: Milliseconds, from old: Milliseconds) -> Milliseconds
  {
    var low = floorDivide(low, 1000)
    var high = floorDivide(high, 1000)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offset(at: middle * 1000) == old { low = middle } else { high = middle }
    }
    return high * 1000
  }
}
