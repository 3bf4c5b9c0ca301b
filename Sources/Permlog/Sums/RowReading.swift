// How rows are read, as one word: shards that were read in different ways do not add up.

import EventImport
import EventMapping
import PermissionEvents

extension IngestOptions {
  /// The options with mappings in memory: what is read twice could be another text the second time.
  func withMappingsRead() throws(PermlogError) -> IngestOptions {
    var options = self
    for (place, source) in mappings.enumerated() {
      guard case .file(let path) = source else { continue }
      options.mappings[place] = .yaml(try source.text(), name: path)
      options.keptFiles.append(path)
    }
    return options
  }

  /// Goes up if the same row becomes another event, or is rejected, by this program's own rules: spellings, ids of nobody, times.
  private static let readerVersion = 2

  /// A checksum of everything that decides which event a row becomes, and whether it is accepted. Names of files, threads, and what is
  /// refused after the rows were read have no part in it.
  func reading() throws -> String {
    let options = try importOptions(threads: 1)
    var facts = [
      "reader \(Self.readerVersion)", "format \(rows.format.rawValue)", "identity \(rows.identity.rawValue)",
      "keep_ids \(rows.keepsBlanksOfIDs)", "join \(rows.joinsLinkedIDs)",
      "custom_permissions \(rows.allowsCustomPermissions)", "future \(rows.allowsFutureTimes)",
      "partial \(rows.keepsPartialFiles)", "now \(rows.allowsFutureTimes ? "-" : "\(options.now)")",
      "user_key \(rows.userKey.map { "\($0.check)" } ?? "-")",
    ]
    facts.append("project_zone \(Self.text(options.projectZone))")
    facts.append("input_zone \(Self.text(options.inputZone))")
    for (name, zone) in options.zones.sorted(by: { $0.key < $1.key }) {
      facts.append("zone \(name) \(Self.text(zone))")
    }
    for mapping in mappings { facts.append("mapping \(Checksum.text(of: try mapping.text()))") }
    // What this version makes of vendors' events.
    for name in VendorMappings.names {
      facts.append("preset \(name) \(Checksum.text(of: Array((VendorMappings.yaml(name) ?? "").utf8)))")
    }
    return Checksum.text(of: Array(facts.joined(separator: "\n").utf8))
  }

  private static func text(_ zone: ZoneTable?) -> String { zone.map { "\($0.name) \($0.transitionsText)" } ?? "-" }
}
