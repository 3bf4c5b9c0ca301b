// What could not be read: kept, counted, and read again when a mapping or a key was mended.

import Foundation

/// Entries on the disk, in files of the spool's form.
actor Quarantine {
  private static let fileSize = 4 << 20
  static let ending = ".held"
  /// Of files whose entries are being read again.
  private static let again = ".again"
  /// Of bytes of the spool that cannot be read.
  private static let damaged = ".damaged"
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
    // A reading that did not end begins again.
    for name in try Disk.names(in: directory, ending: Self.again) {
      try Disk.rename(directory + "/" + name, directory + "/" + name.dropLast(Self.again.count) + Self.ending)
    }
    for name in try Disk.names(in: directory, ending: Self.ending) {
      nextFile = max(nextFile, (UInt64(name.dropLast(Self.ending.count)) ?? 0) + 1)
    }
    let all = try Self.count(directory)
    (bytes, entries, strangerBytes) = all
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
  }

  private static func count(_ directory: String) throws -> (bytes: Int, entries: Int, strangers: Int) {
    var all = (bytes: 0, entries: 0, strangers: 0)
    for name in try Disk.names(in: directory, ending: ending) {
      let (path, content) = (directory + "/" + name, try SpoolFile(path: directory + "/" + name).read())
      all.bytes += Disk.size(path)
      all.entries += content.records.count
      all.strangers += bytesOfStrangers(content.records)
    }
    return all
  }

  private static func bytesOfStrangers(_ records: [SpoolRecord]) -> Int {
    records.reduce(0) { $0 + ($1.head.reason == unknownKey ? $1.body.count : 0) }
  }

  private func show() {
    metrics.set(.quarantineBytes, bytes)
    metrics.set(.quarantineEntries, entries)
  }

  static let unknownKey = "unknown_key"

  /// Adds entries, and returns when they are on the disk. If it is full, the oldest entries go; but an unknown key puts nobody else's
  /// entries out. What goes is counted.
  func add(_ records: [SpoolRecord]) throws {
    var all: [UInt8] = []
    var (kept, strangers, dropped) = (0, 0, 0)
    for record in records {
      if record.head.reason == Self.unknownKey {
        guard Double(strangerBytes + strangers + record.body.count) <= Double(limit) * Self.strangers else {
          dropped += 1
          continue
        }
        strangers += record.body.count
      }
      record.append(to: &all)
      kept += 1
    }
    metrics.add(.quarantineDropped, dropped)
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
    strangerBytes += strangers
    try dropOldest()
    show()
  }

  private func dropOldest() throws {
    var names = try Disk.names(in: directory, ending: Self.ending)
    while bytes > limit, names.count > 1 {
      let path = directory + "/" + names.removeFirst()
      let records = (try? SpoolFile(path: path).read().records) ?? []
      bytes -= Disk.size(path)
      entries -= records.count
      strangerBytes -= Self.bytesOfStrangers(records)
      metrics.add(.quarantineDropped, records.count)
      try Disk.remove(path)
    }
  }

  /// Keeps bytes of the spool that cannot be read: a request that was not answered, or damage on the disk. The newest few are kept.
  func keep(unreadable: [UInt8], of name: String) throws {
    try Disk.replace(directory + "/" + name + Self.damaged, unreadable)
    for old in try Disk.names(in: directory, ending: Self.damaged).dropLast(16) {
      try Disk.remove(directory + "/" + old)
    }
  }

  // MARK: Reading again

  /// The files as they are now; later entries go to another one.
  func files() throws -> [String] {
    file = nil
    summed = nil
    return try Disk.names(in: directory, ending: Self.ending)
  }

  /// Takes a file out: its entries count no more, so that they have room when some come back.
  /// - Returns: the entries; none if the file went meanwhile, because the quarantine was full.
  func take(_ name: String) throws -> [SpoolRecord] {
    let (path, aside) = (directory + "/" + name, directory + "/" + name.dropLast(Self.ending.count) + Self.again)
    guard Disk.exists(path) else { return [] }
    let (records, size) = (try SpoolFile(path: path).read().records, Disk.size(path))
    try Disk.rename(path, aside)
    bytes -= size
    entries -= records.count
    strangerBytes -= Self.bytesOfStrangers(records)
    show()
    return records
  }

  /// Forgets a file that was taken out and read; without it the next start reads it again.
  func forget(_ name: String) throws {
    try Disk.remove(directory + "/" + name.dropLast(Self.ending.count) + Self.again)
  }

  /// Puts a file back that could not be read.
  func putBack(_ name: String) throws {
    let aside = directory + "/" + name.dropLast(Self.ending.count) + Self.again
    guard Disk.exists(aside) else { return }
    try Disk.rename(aside, directory + "/" + name)
    (bytes, entries, strangerBytes) = try Self.count(directory)
    show()
  }

  private var summed: (entries: [(reason: String, detail: String, count: Int)], at: ContinuousClock.Instant)?

  /// The entries by reason and detail, the most frequent first.
  /// - Parameter age: an earlier summary that is not older will do: it reads every file.
  func summary(noOlderThan age: Duration = .zero) throws -> [(reason: String, detail: String, count: Int)] {
    if let summed, ContinuousClock.now - summed.at <= age { return summed.entries }
    var counts: [[String]: Int] = [:]
    for name in try Disk.names(in: directory, ending: Self.ending) {
      for record in try SpoolFile(path: directory + "/" + name).read().records {
        counts[[record.head.reason ?? "", record.head.detail ?? ""], default: 0] += 1
      }
    }
    let entries = counts.map { (reason: $0.key[0], detail: $0.key[1], count: $0.value) }
      .sorted { ($1.count, $0.detail) < ($0.count, $1.detail) }
    summed = (entries, ContinuousClock.now)
    return entries
  }

  // MARK: Erasing

  /// Removes every entry that names a user, and those that cannot be looked into.
  /// - Returns: how many went.
  func erase(_ user: String) throws -> Int {
    file = nil
    summed = nil
    var gone = 0
    for name in try Disk.names(in: directory, ending: Self.ending) {
      let path = directory + "/" + name
      let records = try SpoolFile(path: path).read().records
      let kept = records.filter { !EntrySearch.names($0.body, user) }
      guard kept.count < records.count else { continue }
      gone += records.count - kept.count
      if kept.isEmpty {
        try Disk.remove(path)
      } else {
        try Disk.replace(path, kept.reduce(into: SpoolRecord.magic) { $1.append(to: &$0) })
      }
    }
    // What is damaged cannot be looked into.
    for name in try Disk.names(in: directory, ending: Self.damaged) {
      try Disk.remove(directory + "/" + name)
      gone += 1
    }
    try Disk.synchronizeDirectory(directory)
    (bytes, entries, strangerBytes) = try Self.count(directory)
    show()
    return gone
  }
}
