// Time zones of the machine's database, as tables that are made once.

import EventImport
import EventLog
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum SystemZones {
  /// `$TZDIR`, which the C library heeds too; nil if it is not set.
  private static var named: String? {
    getenv("TZDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static var directories: [String] {
    named.map { [$0] } ?? ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
  }

  /// What may be the matter with the directories if a zone is not found.
  private static var whereabouts: String {
    if let named { return " TZDIR says that the zones are in \(named)." }
    let isThere = directories.contains { access($0, R_OK) == 0 }
    return isThere ? "" : " This machine has no zone database: install tzdata."
  }

  /// Files of the database have a few kilobytes.
  private static let maximumLength = 1 << 20

  /// The table of a zone of the IANA database over a span of time.
  /// - Parameters:
  ///   - argument: what of a request names the zone.
  ///   - place: where it is named, if that is not in the request.
  static func table(
    _ name: String, over span: ClosedRange<Milliseconds>, argument: PermlogError.Argument = .timeZone,
    place: String = ""
  ) throws(PermlogError) -> ZoneTable {
    if name == "UTC" { return .utc }
    guard let (path, bytes) = try find(name, argument) else {
      let advice =
        spelled(name).map { "Did you mean \($0)?" }
        ?? "Use a name of the IANA database, like UTC, Europe/Berlin or America/New_York."
      throw PermlogError(
        .usage, "\(place)there is no zone \(name). \(advice)\(whereabouts)",
        argument: place.isEmpty ? argument : nil)
    }
    guard let zone = ZoneFile(bytes) else {
      throw PermlogError(
        .damaged,
        "\(path): not a zone file that can be read (TZif, RFC 9636). Reinstall tzdata, or use another zone.")
    }
    // Days at the edges of the span begin in other weeks and months.
    let margin = 40 * millisecondsPerDay
    return zone.table(name, over: span.lowerBound - margin...span.upperBound + margin)
  }

  /// The zone that a name means in another case, or with blanks for underscores; nil if there is none.
  private static func spelled(_ name: String) -> String? {
    let wanted = name.replacing(" ", with: "_").lowercased().split(separator: "/").map(String.init)
    guard !wanted.isEmpty, wanted.count <= 4 else { return nil }
    for directory in directories {
      var found: [String] = []
      for part in wanted {
        let names = (try? SystemFileSystem().list(([directory] + found).joined(separator: "/"))) ?? []
        guard let next = names.filter({ $0.lowercased() == part }).min() else { break }
        found.append(next)
      }
      let path = found.joined(separator: "/")
      if found.count == wanted.count, path != name, (try? find(path, .timeZone)) != nil { return path }
    }
    return nil
  }

  /// True for a text that can be the name of a zone.
  static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || "/_+-".utf8.contains($0)
    }
    return isPlain && !name.isEmpty && !name.hasPrefix("/") && !name.contains("//")
  }

  /// The file of a zone; nil if there is none of that name.
  private static func find(
    _ name: String, _ argument: PermlogError.Argument
  ) throws(PermlogError) -> (path: String, bytes: [UInt8])? {
    guard isName(name) else { return nil }
    for directory in directories {
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      // Other files are beside those of the database, which begin with "TZif".
      if let bytes = try SmallFile.read(path, limit: maximumLength, argument: argument),
        bytes.starts(with: "TZif".utf8)
      {
        return (path, bytes)
      }
    }
    return nil
  }
}
