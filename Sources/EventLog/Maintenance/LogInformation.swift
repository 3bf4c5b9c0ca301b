// The content of a log, from its footers only.

import PermissionEvents

public struct LogInformation: Sendable {
  public struct PartInformation: Sendable {
    public var name: String
    public var events: Int
    public var bytes: Int
    public var blocks: Int
    public var times: ClosedRange<Milliseconds>
  }

  public var generation: UInt64
  /// A name for this state of the log: SHA-256 of the manifest, 64 hexadecimal digits. If it is kept elsewhere, it
  /// shows whether the directory was replaced by an older copy.
  public var fingerprint: String
  public var parts: [PartInformation]
  /// The rule by which older events are dropped; nil if there is none.
  public var retention: RetentionSpan?
  /// Users who are kept out.
  public var erasedUsers: Int
  /// Ids in the list of users that answers leave out.
  public var excludedUsers = 0
  /// Where the key of the list of erased users is; nil if there is no list, and so no key.
  public var erasureKey: ErasureKeyLocation?
  /// How users are named, if any are known to be hashed; nil for plain ids, and where the log does not say.
  public var userNames: UserNames?
  /// Users who have several ids, and these ids.
  public var linkedUsers = 0
  public var linkedIDs = 0
  /// How ids of events are made and stored.
  public var eventIDs = EventIDRules.former
  /// Whether users are hashed, and ids of events, which apps may make of the users' ids, are as the apps wrote them.
  public var hasReadableEventIDs: Bool { userNames != nil && !eventIDs.areKeyed && events > 0 }
  /// Events before this time are kept out.
  public var expiredBefore: Milliseconds?
  /// The counts of the ingests; nil if no part has them (before 0.3.0). Parts without counts are left out.
  public var ingested: IngestTally?
  /// The ingests that the log remembers, oldest first; none in a log of an older version.
  public var ingests: [IngestRecord] = []
  /// Whether the list of ingests cannot be read.
  public var areIngestsDamaged = false
  /// The number of the ingest that can be taken back; nil if none can be.
  public var undoableIngest: Int?
  /// The bytes that are kept so that it can be taken back.
  public var undoBytes = 0
  /// What the server that feeds the log says of itself; nil if none does.
  public var live: LiveStatus?
  /// Distinct values in use by field, in bytewise order.
  public var values: [StringField: [String]]
  /// The vocabulary that this program does not know.
  public var unknown: UnknownVocabulary
  /// Times of the oldest and of the newest event; nil for an empty log.
  public var times: ClosedRange<Milliseconds>? {
    guard let low = parts.map(\.times.lowerBound).min(), let high = parts.map(\.times.upperBound).max() else {
      return nil
    }
    return low...high
  }
  /// The keys that an ingest and an erasure must be given.
  public var keysNeeded: [NeededKey] {
    (erasureKey == .outside ? [.erasures] : []) + (userNames == nil ? [] : [.users])
  }
  public var events: Int { parts.reduce(0) { $0 + $1.events } }
  public var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }
}

extension LogInformation {
  /// The newest ingest that read something and was not taken back; nil if none is remembered.
  public var newestIngest: IngestRecord? { ingests.last { $0.undone == nil && $0.files > 0 } }

  /// What fell outside the log's past in the newest ingests: the newest finding about each measure.
  public var health: [HealthFinding] {
    var seen: Set<String> = []
    return ingests.suffix(Self.ingestsOfHealth).filter { $0.undone == nil }.reversed().flatMap(\.findings)
      .filter { seen.insert($0.measure).inserted }
  }

  /// A week of daily ingests.
  private static let ingestsOfHealth = 7
}

/// How a log names users whose ids were hashed.
public enum UserNames: String, Sendable {
  /// All by pseudonyms under one key.
  case hashed
  /// By several keys, or by pseudonyms and plain ids: one person can be two users.
  case mixed
}

/// A key that a log needs for an ingest.
public enum NeededKey: String, Sendable {
  /// That of the list of erased users.
  case erasures = "erasure_key"
  /// That of the users' pseudonyms.
  case users = "user_key"
}

extension LogDirectory {
  /// The content of the log, and where the key of its list of erased users is.
  package func information() throws -> LogInformation {
    // A writer may remove the list after the manifest that names it was read.
    for _ in 0..<10 {
      let snapshot = try LogSnapshot(self)
      var information = snapshot.information
      do {
        information.erasureKey = try snapshot.directory.erasureKeyPlace(snapshot.manifest)
        let links = try snapshot.directory.readLinks(snapshot.manifest).links
        (information.linkedUsers, information.linkedIDs) = (links.userCount, links.idCount)
        let history = try snapshot.directory.readHistoryIfWhole(snapshot.manifest)
        (information.ingests, information.areIngestsDamaged) = (history?.ingests ?? [], history == nil)
        information.live = snapshot.liveStatus()
        information.undoableIngest = snapshot.manifest.previous?.ingest
        information.undoBytes = snapshot.manifest.previousParts.reduce(0) { $0 + Int(clamping: $1.length) }
        return information
      } catch {
        guard try readManifest() != snapshot.manifest else { throw error }
      }
    }
    throw LogError(.locked, "\(path): it changed each time permlog read it", .tryLater)
  }
}

extension LogSnapshot {
  package var information: LogInformation {
    var values: [StringField: Set<[UInt8]>] = [:]
    for part in parts {
      let dictionary = part.footer.dictionary
      for field in StringField.allCases where field != .permission {
        let texts = dictionary.values[field.rawValue].filter { !$0.isEmpty }
        values[field, default: []].formUnion(texts)
      }
      for context in dictionary.contexts where context.permission != 0 {
        let name = dictionary.value(.permission, context.permission)
        values[.permission, default: []].insert(name)
      }
    }
    return LogInformation(
      generation: manifest.generation, fingerprint: manifest.fingerprint,
      parts: parts.map {
        .init(
          name: $0.name, events: Int($0.visibleRows), bytes: Int($0.description.length), blocks: $0.footer.blocks.count,
          times: $0.footer.minimumTime...$0.footer.maximumTime)
      },
      retention: manifest.retention,
      erasedUsers: Int(manifest.erasures?.users ?? 0), excludedUsers: Int(manifest.exclusions?.users ?? 0),
      userNames: manifest.users.isEmpty ? nil : manifest.users.isMixed ? .mixed : .hashed,
      eventIDs: manifest.eventIDs, expiredBefore: manifest.expiredBefore, ingested: ingestTally,
      values: values.mapValues { values in
        values.sorted { $0.lexicographicallyPrecedes($1) }.map { String(bounded: $0) }
      },
      unknown: unknown)
  }
}
