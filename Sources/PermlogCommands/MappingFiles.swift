// The options by which ingest and mapping check read vendors' exports, and the files behind them.

import ArgumentParser
import EventImport
import EventMapping
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ImportFormat: ExpressibleByArgument {}

enum IdentityOption: String, ExpressibleByArgument, CaseIterable { case device, account }

/// How exports are read.
struct ImportFormOptions: ParsableArguments {
  @Option(help: "Form of the files; auto tells each by its content.")
  var format: ImportFormat = .auto

  @Option(help: ArgumentHelp("A mapping of your own (YAML); may be given several times.", valueName: "file"))
  var mapping: [String] = []

  @Option(help: "Who a user of a vendor's export is: the install (device) or the account.")
  var identity: IdentityOption = .device

  @Option(
    help: ArgumentHelp(
      "Zone of the project, for exports whose times are its wall clock (Mixpanel projects from before 2023).",
      valueName: "zone"))
  var projectTimeZone: String?

  @Option(
    help: ArgumentHelp(
      "Zone of times that name none, like Europe/Berlin; without it such lines are rejected.", valueName: "zone"))
  var inputTimeZone: String?

  @Flag(name: .customLong("keep-ids"), help: "Keep blanks at the ends of ids; without it they are cut.")
  var keepIDs = false

  @Flag(help: "Keep permissions outside the taxonomy under their own names.")
  var allowCustomPermissions = false

  @Flag(help: "Keep timestamps up to the year 2100; without it, up to 25 hours past the clock.")
  var allowFuture = false

  @Flag(help: "Keep what can be read of a damaged file; without it nothing is stored then.")
  var keepPartial = false

  /// The options for an import. Zones are read here, before any thread is started.
  func options(threads: Int) throws -> ImportOptions {
    var options = ImportOptions(
      format: format, allowFuture: allowFuture, allowCustomPermissions: allowCustomPermissions,
      now: Milliseconds(time(nil)) * 1000, threads: threads)
    if !mapping.isEmpty, format == .ndjson || format == .csv {
      throw CommandFailure.usage(
        "--format \(format.rawValue) reads canonical files, which need no --mapping; leave one of the two out")
    }
    options.mappings = try mapping.map { try Self.mapping($0) }
    try Self.checkBases(options.mappings)
    options.prefersAccount = identity == .account
    options.keepsPartial = keepPartial
    options.keepsIDs = keepIDs
    options.words = CommandWords.text
    let span = Timestamp.earliest...Timestamp.latest
    if let projectTimeZone {
      options.projectZone = try SystemZones.table(projectTimeZone, over: span, option: "--project-time-zone")
    }
    if let inputTimeZone {
      options.inputZone = try SystemZones.table(inputTimeZone, over: span, option: "--input-time-zone")
    }
    for mapping in options.mappings {
      guard case .named(let name)? = mapping.record?.zone else { continue }
      options.zones[name] = try SystemZones.table(name, over: span, option: mapping.name + ": zone")
    }
    for (path, mapping) in zip(self.mapping, options.mappings) where !allowCustomPermissions {
      try mapping.requireKnownPermissions(file: path)
    }
    return options
  }

  /// The first of two mappings for the same files would be used, and the other not.
  private static func checkBases(_ mappings: [Mapping]) throws {
    for (index, second) in mappings.enumerated() {
      guard let base = second.base else { continue }
      let first = mappings[..<index].first { $0.base == base && $0.record?.recognise == second.record?.recognise }
      if let first {
        throw CommandFailure.usage(
          "--mapping: \(first.name) and \(second.name) both extend \(base); put their rules into one file")
      }
    }
  }

  private static func mapping(_ path: String) throws -> Mapping {
    guard let bytes = try SmallFile.read(path, limit: 1 << 20, option: "--mapping") else {
      throw CommandFailure.usage("--mapping \(path): it is larger than 1 MiB, which no mapping is")
    }
    return try Mapping(yaml: bytes, name: path)
  }
}

/// Files of settings, read whole.
enum SmallFile {
  /// - Returns: the bytes; nil where there are more than `limit`.
  static func read(_ path: String, limit: Int, option: String) throws -> [UInt8]? {
    guard let file = fopen(path, "r") else {
      throw CommandFailure.failed(
        "\(option) \(path): \(String(cString: strerror(errno))). Name a file that you may read.")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = fread(&bytes, 1, limit + 1, file)
    guard ferror(file) == 0 else {
      throw CommandFailure.failed(
        "\(option) \(path): \(String(cString: strerror(errno))). Name a file that you may read.")
    }
    return count > limit ? nil : Array(bytes[..<count])
  }
}
