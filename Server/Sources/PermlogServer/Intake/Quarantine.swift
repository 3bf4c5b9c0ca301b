// What could not be read: kept, counted, and read again when a mapping or a key was mended.

import Foundation

/// Entries on the disk, in files of the spool's form.
actor Quarantine {
  private static let fileSize = 4 << 20
  static let ending = ".held"
  nonisolated let directory: String
  private let limit: Int
  private let metrics: ServerMetrics
  private var file: AppendFile?
  private var nextFile: UInt64
  private var bytes = 0
  private var entries = 0
  /// Bodies with unknown keys may fill this share of it: who sends them is not known.
  private static let strangers = 0.25
  private var strangerBytes = 0

  init(_ directory: String, limit: Int, metrics: ServerMetrics) throws {
    (self.directory, self.limit, self.metrics) = (directory, limit, metrics)
    try Disk.makeDirectory(directory)
    nextFile = 1
    for name in Disk.names(in: directory, ending: Self.ending) {
      let content = try SpoolFile(path: directory + "/" + name).read()
      bytes += Disk.size(directory + "/" + name)
      entries += content.records.count
      strangerBytes += content.records.filter { $0.head.reason == Self.unknownKey }.reduce(0) { $0 + $1.body.count }
      nextFile = max(nextFile, (UInt64(name.dropLast(Self.ending.count)) ?? 0) + 1)
    }
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
  }

  static let unknownKey = "unknown_key"

  /// Adds entries, and returns when they are on the disk. If it is full, the oldest entries go; but an unknown key puts nobody else's
  /// entries out. What goes is counted.
  func add(_ records: [SpoolRecord]) throws {
    var all: [UInt8] = []
    var kept = 0
    for record in records {
      if record.head.reason == Self.unknownKey {
        guard Double(strangerBytes + record.body.count) <= Double(limit) * Self.strangers else {
          metrics.add(.quarantineDropped, 1)
          continue
        }
        strangerBytes += record.body.count
      }
      record.append(to: &all)
      kept += 1
    }
    guard !all.isEmpty else { return }
    if let open = file, open.length >= Self.fileSize { file = nil }
    if let file {
      try file.append(all)
    } else {
      let made = try AppendFile(directory + "/" + String(format: "%016llu", nextFile) + Self.ending)
      nextFile += 1
      try made.append(SpoolRecord.magic + all)
      try Disk.synchronizeDirectory(directory)
      file = made
      bytes += SpoolRecord.magic.count
    }
    for record in records { metrics.addQuarantined(record.head.reason ?? "") }
    bytes += all.count
    entries += kept
    try dropOldest()
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
  }

  private func dropOldest() throws {
    var names = Disk.names(in: directory, ending: Self.ending)
    while bytes > limit, names.count > 1 {
      let path = directory + "/" + names.removeFirst()
      let records = (try? SpoolFile(path: path).read().records) ?? []
      bytes -= Disk.size(path)
      entries -= records.count
      strangerBytes -= records.filter { $0.head.reason == Self.unknownKey }.reduce(0) { $0 + $1.body.count }
      metrics.add(.quarantineDropped, records.count)
      try Disk.remove(path)
    }
  }

  // MARK: Reading again

  /// The files as they are now; later entries go to another one.
  func files() -> [String] {
    file = nil
    return Disk.names(in: directory, ending: Self.ending)
  }

  func read(_ name: String) throws -> [SpoolRecord] { try SpoolFile(path: directory + "/" + name).read().records }

  /// Forgets a file whose entries were read again.
  func remove(_ name: String) throws {
    let path = directory + "/" + name
    let records = try SpoolFile(path: path).read().records
    let size = Disk.size(path)
    try Disk.remove(path)
    bytes -= size
    entries -= records.count
    strangerBytes -= records.filter { $0.head.reason == Self.unknownKey }.reduce(0) { $0 + $1.body.count }
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
  }

  /// The entries by reason and detail, the most frequent first.
  func summary() throws -> [(reason: String, detail: String, count: Int)] {
    var counts: [[String]: Int] = [:]
    for name in Disk.names(in: directory, ending: Self.ending) {
      for record in try read(name) { counts[[record.head.reason ?? "", record.head.detail ?? ""], default: 0] += 1 }
    }
    return counts.map { ($0.key[0], $0.key[1], $0.value) }.sorted { ($1.count, $0.detail) < ($0.count, $1.detail) }
  }

  // MARK: Erasing

  /// Removes every entry that names a user.
  /// - Returns: how many went.
  func erase(_ user: String) throws -> Int {
    file = nil
    var gone = 0
    for name in Disk.names(in: directory, ending: Self.ending) {
      let records = try read(name)
      let kept = records.filter { !Self.names($0.body, user) }
      guard kept.count < records.count else { continue }
      gone += records.count - kept.count
      if kept.isEmpty {
        try remove(name)
        try Disk.synchronizeDirectory(directory)
        continue
      }
      var all = SpoolRecord.magic
      for record in kept { record.append(to: &all) }
      let path = directory + "/" + name
      let size = Disk.size(path)
      try Disk.replace(path, all)
      bytes += all.count - size
      entries -= records.count - kept.count
    }
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
    return gone
  }

  /// Whether bytes name a user: as a value of JSON, with a prefix too (`$device:`), or anywhere if they cannot be parsed.
  static func names(_ body: [UInt8], _ user: String) -> Bool {
    let bytes = (try? unpackedForSearch(body)) ?? body
    if let tree = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]) {
      return holds(tree, user)
    }
    return bytes.firstRange(of: Array(user.utf8)) != nil
  }

  private static func holds(_ value: Any, _ user: String) -> Bool {
    switch value {
    case let text as String: text == user || text.hasSuffix(":" + user)
    case let number as NSNumber: number.stringValue == user
    case let list as [Any]: list.contains { holds($0, user) }
    case let object as [String: Any]: object.contains { $0.key == user || holds($0.value, user) }
    default: false
    }
  }
}

import Permlog

/// A body that is packed hides what it names.
private func unpackedForSearch(_ body: [UInt8]) throws -> [UInt8] {
  try PackedBytes.unpacked(body, limit: Intake.unpackedLimit)
}
