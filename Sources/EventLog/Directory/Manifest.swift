// The manifest: the names of the live files. Replacing it is the commit. It is text, so that a person can
// read it, and its last line is a checksum of all the bytes before.

import KeyedHashes
import PermissionEvents

package struct Manifest: Sendable, Equatable {
  static let fileName = "manifest"
  static let temporaryName = "manifest.new"
  /// The newest version that this program reads. A manifest is written in the oldest version that can express it. Older
  /// releases keep working on plain logs, and refuse logs with erasures, expiry or hashed users, where they would undo
  /// these, lose the history or mix users, and logs that remember their ingests, have a rule of their own, leave users out, or know
  /// the numbers of events.
  static let version = 8
  /// Most bytes of a manifest: some 170,000 parts, which no machine holds open at once.
  static let maximumLength = 1 << 24
  /// Longer than any line that is written.
  private static let longestLine = 512

  package var generation: UInt64 = 0
  /// The id of the next part; ids are never used twice.
  package var nextPart: UInt64 = 1
  /// In the order of their ids.
  package var parts: [PartDescription] = []
  package var erasures: ErasureDescription?
  /// Events before this time were dropped, and are left out when they come again; nil if none were.
  package var expiredBefore: Milliseconds?
  /// The rule by which older events are dropped; nil if there is none.
  package var retention: RetentionSpan?
  var changes = ChangeHistory()
  var users = UserNamings()
  package var links: LinksDescription?
  package var eventIDs = EventIDRules.former
  /// The log's memory of its ingests; nil if it has none.
  package var history: HistoryDescription?
  /// The list of users that answers leave out; nil if there are none.
  package var exclusions: ExclusionDescription?
  /// The files with the numbers of events, in the order of their ids.
  package var numbers: [NumbersDescription] = []
  /// The log before its newest ingest with events, whose files are kept until the log changes again; nil if that ingest cannot
  /// be taken back.
  package var previous: PreviousLog?

  package init() {}

  private var liveNames: [String] {
    parts.map(\.name) + numbers.map(\.name)
      + [erasures?.name, links?.name, history?.name, exclusions?.name].compactMap { $0 }
  }

  /// The files that stay: of the log, and of the log before its newest ingest.
  var fileNames: [String] {
    let live = liveNames
    return live + (previous.map { Set($0.state.liveNames).subtracting(live).sorted() } ?? [])
  }

  /// Files of the log before its newest ingest that are not the log's any more.
  var previousParts: [PartDescription] {
    let live = Set(parts.map(\.id))
    return previous?.state.parts.filter { !live.contains($0.id) } ?? []
  }

  func encode() -> [UInt8] {
    let bytes = Array((["permlog-manifest \(version)"] + lines).flatMap { ($0 + "\n").utf8 })
    return bytes + Self.checksumLine(of: bytes)
  }

  private var version: Int {
    if !numbers.isEmpty || previous?.state.numbers.isEmpty == false { return Self.version }
    if exclusions != nil || changes.changes.contains(where: { $0.kind == .excludedUsers }) { return 7 }
    if history != nil || previous != nil || retention != nil { return 6 }
    if links != nil || eventIDs != .former { return 5 }
    if !users.isEmpty { return 4 }
    return !changes.isEmpty ? 3 : erasures == nil && expiredBefore == nil ? 1 : 2
  }

  private var lines: [String] {
    var lines = ["generation \(generation)", "next-part \(nextPart)"]
    for part in parts {
      lines.append(
        "\(part.name) length \(part.length) footer \(FileName.digits(part.footerChecksum)) rows \(part.rows)")
    }
    if let erasures {
      lines.append("\(erasures.name) checksum \(FileName.digits(erasures.checksum)) users \(erasures.users)")
    }
    if let expiredBefore { lines.append("expired-before \(expiredBefore)") }
    if let retention { lines.append("keep \(retention)") }
    lines += changes.lines + users.lines
    if let links { lines.append("\(links.name) checksum \(FileName.digits(links.checksum)) ids \(links.ids)") }
    if eventIDs != .former { lines.append("event-ids \(eventIDs.version)\(eventIDs.areKeyed ? " keyed" : "")") }
    if let history {
      lines.append("\(history.name) checksum \(FileName.digits(history.checksum)) ingests \(history.ingests)")
    }
    if let exclusions {
      lines.append("\(exclusions.name) checksum \(FileName.digits(exclusions.checksum)) users \(exclusions.users)")
    }
    for file in numbers {
      lines.append("\(file.name) checksum \(FileName.digits(file.checksum)) runs \(file.runs)")
    }
    if let previous {
      lines.append("undo \(previous.ingest)")
      lines += previous.state.lines.map { PreviousLog.prefix + $0 }
    }
    return lines
  }

  /// The last line, in every version.
  static func checksumLine(of bytes: [UInt8]) -> [UInt8] {
    Array("checksum \(FileName.digits(Checksum.of(bytes, seed: 0)))\n".utf8)
  }

  /// Reads a manifest; throws if any byte differs from what was written.
  init(_ bytes: [UInt8], file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "manifest", what) }
    let lastLine = (bytes.dropLast().lastIndex(of: 0x0A) ?? -1) + 1
    guard Self.checksumLine(of: Array(bytes[..<lastLine])) == Array(bytes[lastLine...]) else {
      throw damaged("its checksum does not match")
    }
    // Line by line, up to the first line that is not part of a manifest, so that a bad file costs little.
    var rest = bytes[..<lastLine]
    func nextLine() throws -> [Substring] {
      let line = rest.prefix(Self.longestLine).prefix { $0 != 0x0A }
      guard line.count < min(Self.longestLine, rest.count) else { throw damaged("it has a line that is too long") }
      rest = rest[(line.endIndex + 1)...]
      return String(bounded: line).split(separator: " ")
    }
    let first = rest.isEmpty ? [] : try nextLine()
    guard first.count == 2, first[0] == "permlog-manifest", let version = Int(first[1]) else {
      throw damaged("it is not a manifest")
    }
    guard version <= Self.version else { throw LogError.newerFormat(file, version, newest: Self.version) }
    while !rest.isEmpty {
      guard try read(try nextLine(), file: file) else {
        throw damaged("it has a line that is not part of a manifest")
      }
    }
    // Only the exact bytes as which such a manifest is written are accepted.
    guard encode() == bytes, isValid, previous.map({ $0.isValid(before: self) }) ?? true else {
      throw damaged("it is not as permlog writes it")
    }
  }

  fileprivate var isValid: Bool {
    let ids = parts.map(\.id)
    let counted = numbers.map(\.id)
    let others = [erasures?.id, links?.id, history?.id, exclusions?.id].compactMap { $0 } + counted
    return zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && zip(counted, counted.dropFirst()).allSatisfy { $0 < $1 }
      && (ids + others).allSatisfy { $0 < nextPart }
      && parts.allSatisfy { $0.rows < 1 << 48 } && changes.isValid && users.isValid
      && max(generation, nextPart) < 1 << 62
  }

  /// Reads a line; false if it is not part of a manifest.
  private mutating func read(_ words: [Substring], file: String) throws -> Bool {
    if words.count == 2, words[0] == "generation", let n = UInt64(words[1]) {
      generation = n
    } else if words.count == 2, words[0] == "next-part", let n = UInt64(words[1]) {
      nextPart = n
    } else if words.count == 7, let id = PartDescription.id(name: String(words[0])), let length = UInt64(words[2]),
      let checksum = UInt64(words[4], radix: 16), let rows = UInt64(words[6])
    {
      parts.append(PartDescription(id: id, length: length, footerChecksum: checksum, rows: rows))
    } else if let (id, checksum, users) = Self.named(words, ErasureDescription.self) {
      erasures = ErasureDescription(id: id, checksum: checksum, users: users)
    } else if let (id, checksum, ids) = Self.named(words, LinksDescription.self) {
      links = LinksDescription(id: id, checksum: checksum, ids: ids)
    } else if let (id, checksum, ingests) = Self.named(words, HistoryDescription.self) {
      history = HistoryDescription(id: id, checksum: checksum, ingests: ingests)
    } else if let (id, checksum, users) = Self.named(words, ExclusionDescription.self) {
      exclusions = ExclusionDescription(id: id, checksum: checksum, users: users)
    } else if let (id, checksum, runs) = Self.named(words, NumbersDescription.self) {
      numbers.append(NumbersDescription(id: id, checksum: checksum, runs: runs))
    } else if words.count == 2 || words.count == 3, words[0] == "event-ids", let version = Int(words[1]) {
      guard version <= EventIDRules.newest else {
        throw LogError(
          .newerFormat,
          "\(file): it makes event ids by rule \(version), which this permlog does not know. Use a newer permlog.")
      }
      eventIDs = EventIDRules(version: version, areKeyed: words.count == 3)
    } else if words.count == 2, words[0] == "expired-before", let time = Milliseconds(words[1]) {
      expiredBefore = time
    } else if words.count == 2, words[0] == "keep", let rule = RetentionSpan(words[1]) {
      retention = rule
    } else if words.count == 2, words[0] == "undo", let ingest = Int(words[1]), previous == nil {
      previous = PreviousLog(ingest: ingest, state: Manifest())
    } else if words.first == "previous", var earlier = previous {
      // Out of here while it changes: it must not be copied for each line.
      previous = nil
      defer { previous = earlier }
      return try earlier.state.read(Array(words.dropFirst()), file: file)
    } else if !changes.read(words), !users.read(words) {
      return false
    }
    return true
  }

  /// The numbers in the line of a file that is not a part.
  private static func named<File: NumberedFile>(
    _ words: [Substring], _ file: File.Type
  ) -> (id: UInt64, checksum: UInt64, count: UInt32)? {
    guard words.count == 5, let id = File.id(name: String(words[0])), let checksum = UInt64(words[2], radix: 16),
      let count = UInt32(words[4])
    else { return nil }
    return (id, checksum, count)
  }

  // MARK: A name for one state of a log, to be kept elsewhere
  // A log that was replaced by an older copy of itself is intact in every part, so nothing in its directory can show it.

  /// SHA-256 of the manifest, 64 hexadecimal digits. It names every part with its checksum, so that no two states of a log share one.
  package var fingerprint: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = sha256(encode()).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(bounded: text)
  }
}

// MARK: The log before its newest ingest, so that this can be taken back

package struct PreviousLog: Sendable, Equatable {
  static let prefix = "previous "

  /// The number of the newest ingest with events.
  package let ingest: Int
  /// One: a manifest cannot directly contain a manifest.
  private var states: [Manifest]

  var state: Manifest {
    get { states[0] }
    _modify { yield &states[0] }
  }

  /// - Parameter state: what is never taken back is left out: the lists of erased and of excluded users, the ingests, the changes of the past.
  init(ingest: Int, state: Manifest) {
    self.ingest = ingest
    var state = state
    (state.erasures, state.history, state.previous, state.changes) = (nil, nil, nil, ChangeHistory())
    state.exclusions = nil
    states = [state]
  }

  /// Whether it can be what was before a log.
  fileprivate func isValid(before log: Manifest) -> Bool {
    state.isValid && state.erasures == nil && state.history == nil && state.previous == nil && state.exclusions == nil
      && state.changes.isEmpty && ingest > 0
      && log.history != nil && state.generation < log.generation && state.nextPart <= log.nextPart
      && state.expiredBefore == log.expiredBefore
  }
}

// MARK: Under which names a log knows its users
// Ingested under two keys, or once under a key and once without, one person would be two users, and an erasure would
// find half of the events.

package enum UserNaming: Sendable, Hashable {
  /// The ids of the exports.
  case plain
  /// Pseudonyms under a key, which is identified by its check.
  case hashed(check: UInt64)
}

/// The naming of a log's users in a manifest. Empty if no user was ever hashed, so that older versions can read such a log.
package struct UserNamings: Sendable, Equatable {
  /// Checks of the keys, rising.
  private(set) var keys: [UInt64] = []
  private(set) var hasPlain = false

  /// More cannot be an accident.
  static let limit = 64

  var isEmpty: Bool { keys.isEmpty && !hasPlain }

  /// Whether one person can be two users.
  var isMixed: Bool { keys.count + (hasPlain ? 1 : 0) > 1 }

  func contains(_ naming: UserNaming) -> Bool {
    switch naming {
    case .plain: hasPlain
    case .hashed(let check): keys.contains(check)
    }
  }

  mutating func insert(_ naming: UserNaming) {
    switch naming {
    case .plain: hasPlain = true
    case .hashed(let check): if !keys.contains(check) { keys = (keys + [check]).sorted() }
    }
  }

  /// False for values that no writer records.
  var isValid: Bool {
    isEmpty || !keys.isEmpty && keys.count <= Self.limit && zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
  }

  // MARK: The manifest

  var lines: [String] { (hasPlain ? ["users plain"] : []) + keys.map { "users hashed \(FileName.digits($0))" } }

  /// Reads a line; false if it is not one of these. The caller checks that it is in canonical form.
  mutating func read(_ words: [Substring]) -> Bool {
    guard words.count > 1, words[0] == "users" else { return false }
    if words.count == 2, words[1] == "plain" {
      hasPlain = true
    } else if words.count == 3, words[1] == "hashed", let check = UInt64(words[2], radix: 16) {
      keys.append(check)
    } else {
      return false
    }
    return true
  }
}
