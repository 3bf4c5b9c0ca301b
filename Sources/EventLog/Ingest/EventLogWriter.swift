// The one writer of a log: takes rounds of events and commits them all at once. What removes events is in
// Maintenance.

import PermissionEvents

/// Writes to a log. Holds the log's lock from its making until it is closed.
package final class EventLogWriter {
  let directory: LogDirectory
  let threads: Int
  private let lock: WriterLock
  private let memory: Int
  private let clock: (() -> Milliseconds)?
  let eventsOfUser: Int
  private(set) var manifest: Manifest
  /// Parts of the log, then the parts that this ingest has written but not yet committed.
  private(set) var parts: [PartReader]
  /// Each with the ledger, if another round may follow.
  private(set) var uncommitted: [ExistingPart] = []
  /// Made if there are several rounds, or if events of the log may be replaced.
  private(set) var ledger: CopyLedger?
  /// Which ids are one user, and which users have hidden rows in older parts.
  var links: UserLinks
  var hidden: HiddenUsers
  /// Ids that came in one session without a link, of the log and of this ingest.
  var split: SplitSessions
  private var newSplit = SplitSessions()
  /// Ids that this ingest must remove from all parts, because they turned out to be of an erased user.
  var erasedByLink: [[UInt8]] = []
  /// The rule of the next commit; nil if it stays as it is.
  var newRetention: RetentionSpan??
  /// Rows that are hidden since this ingest are all that is left of some values or times, so that they have to go.
  var dropsHidden = false
  package internal(set) var eventIDs: EventIDRules
  /// Events of rounds that were replaced by lesser copies of later ones.
  private var replaced = ReplacedCounts()
  var erasures: ErasureList?
  /// The naming of the log's users after this ingest; nil if it does not change.
  var admittedUsers: UserNamings?
  /// Whether the log has pseudonyms, but not under which key.
  var isKeyUnproven = false
  /// The ingests that the log remembers.
  package internal(set) var history: IngestHistory
  /// Why the list of ingests could not be read, so that a new one begins; nil if it could.
  package private(set) var historyDamage: String?
  /// Of this ingest, and the events of it that are late. Nil without a clock.
  private var sitting: ChangeHistory.Sitting?
  private var late = LateTally()
  /// Of rounds that had no new event, and so no part to keep it.
  private var carried = IngestTally()
  /// As the manifest's file has it.
  private var committedHidden: HiddenUsers
  var hasOtherLinks = false
  private var committedHistory: IngestHistory
  /// The list of users that answers leave out, and the one that the manifest's file has.
  package internal(set) var exclusions: ExcludedUsers
  private var committedExclusions: ExcludedUsers
  /// The numbers of this ingest's rows.
  private(set) var rowNumbers: NumberCollector
  /// Hashes of users with events in this ingest who were erased.
  private(set) var erasedUsers: Set<UInt64> = []
  /// Why some numbers of events could not be read and are not kept; nil if all could.
  package internal(set) var numbersDamage: String?
  /// The files of numbers of the next commit; nil if they stay.
  var newNumbers: [NumbersDescription]?
  private var nextPart: UInt64
  /// False from the first written file to the commit.
  private var isClean = true
  /// The new log, if it did not exist before; nil from the commit on.
  private var newLog: NewLog?
  package internal(set) var counts = IngestCounts()
  package private(set) var contradictions = Contradictions()
  package private(set) var users = UserTally()
  /// Whether events of the log are replaced by other readings of their rows.
  package var replaces = false
  /// Knows which events the log may have, so that the search for copies reads few blocks; nil for a single ingest, for which reading
  /// all ids costs more.
  private var known: KnownEvents?

  /// Clocks may count whole seconds: an event that is this much later than a clock is not ahead of it.
  package static let clockStep: Milliseconds = 999

  /// Opens a log for writing, and makes it if it does not exist. A new log is removed again unless it is committed.
  /// - Parameters:
  ///   - memory: bytes of events to keep in memory before spilling to disk.
  ///   - mayCreate: false if there must be a log: then nothing is made.
  ///   - clock: gives the time of a commit, in milliseconds since 1970; without it changes of the past are not recorded.
  ///   - eventsOfUser: most events of one user that the log takes; a block cannot hold more.
  package init(
    _ directory: LogDirectory, threads: Int, memory: Int = 128 << 20, mayCreate: Bool = true,
    clock: (() -> Milliseconds)? = nil, eventsOfUser: Int = PartFormat.maximumRows
  ) throws {
    self.threads = threads
    self.memory = memory
    self.clock = clock
    self.eventsOfUser = min(eventsOfUser, PartFormat.maximumRows)
    if mayCreate {
      (self.directory, lock, newLog) = try NewLog.open(directory)
    } else {
      let opened = try directory.opened()
      _ = try opened.readManifest()
      self.directory = opened
      lock = try WriterLock(opened)
    }
    let directory = self.directory
    manifest = try directory.readManifest()
    try directory.removeLeftovers(manifest)
    erasures = try directory.readErasures(manifest)
    parts = try LogSnapshot(directory).parts
    let known = try directory.readLinks(manifest)
    (links, hidden, split) = (known.links, known.hidden, known.split)
    committedHidden = hidden
    do { history = try directory.readHistory(manifest) } catch let error as LogError where error.code == .damaged {
      // Nothing but the memory of ingests is lost.
      history = IngestHistory()
      historyDamage = error.finding
    }
    committedHistory = history
    exclusions = try directory.readExclusions(manifest)
    committedExclusions = exclusions
    eventIDs = parts.isEmpty ? EventIDRules() : manifest.eventIDs
    let (history, newest) = (manifest.changes, parts.map(\.footer.maximumTime).max())
    sitting = clock.map { history.sitting(at: $0(), newest: newest) }
    nextPart = manifest.nextPart
    rowNumbers = NumberCollector(directory: directory)
  }

  /// Of the last commit.
  package var fingerprint: String { manifest.fingerprint }

  package var expiredBefore: Milliseconds? { manifest.expiredBefore }

  /// Begins an ingest of a writer that stays open: the counts begin at 0. The ingest before it was committed, or had no round that was
  /// finished.
  /// - Parameter known: the filter of earlier ingests of the same log; it reads the parts that it does not know.
  package func beginIngest(known: KnownEvents) throws {
    (counts, contradictions, users) = (IngestCounts(), Contradictions(), UserTally())
    forgetNumbers()
    let newest = parts.map(\.footer.maximumTime).max()
    sitting = clock.map { manifest.changes.sitting(at: $0(), newest: newest) }
    try known.read(parts, threads: threads)
    self.known = known
  }

  /// Whether the log existed before this writer was opened, or was committed since.
  package var exists: Bool { newLog == nil }

  package var size: (parts: Int, bytes: Int) {
    (parts.count, parts.reduce(0) { $0 + Int(clamping: $1.description.length) })
  }

  /// The time of the newest event of the log as it was last committed; nil without events.
  package var newestTime: Milliseconds? { parts.map(\.footer.maximumTime).max() }

  package func requireNewLog() throws {
    guard newLog == nil else { return }
    throw LogError(
      .locked, "\(directory.path): a log already exists, but a new one was requested. Nothing was changed",
      .nameEmptyDirectory)
  }

  package func beginRound() -> IngestRound {
    IngestRound(directory: directory, memory: memory, numbers: rowNumbers)
  }

  /// Sorts, de-duplicates and writes a round; nothing is visible to readers yet. All of its events were read by now, so one
  /// that is later than the clock says now had a wrong time, however long the reading took.
  /// - Parameters:
  ///   - isLast: true if no other round follows before the commit; then nothing is noted for one.
  ///   - reading: the counts of the lines since the previous round; a part stores them.
  ///   - sessions: of the whole ingest, with its last round.
  package func finish(
    _ round: IngestRound, isLast: Bool = false, reading: IngestTally = IngestTally(),
    sessions: SessionSample = SessionSample()
  ) throws {
    carried += reading
    if !isLast || replaces, ledger == nil { ledger = CopyLedger(directory) }
    let joined = try join(round)
    if let found = split.among(sessions, links) {
      newSplit = found
      carried += IngestTally(sessions: Int64(sessions.count))
    }
    let id = takeFileID()
    // Before the search for copies: a moved event is not a copy of itself.
    if let joined { hide(joined.moved, before: id) }
    let existing =
      parts.map { ExistingPart(reader: $0, ledger: replaces ? ledger : nil, isCommitted: true) } + uncommitted
    let now = clock.map { min($0(), Timestamp.latest) + Self.clockStep }
    let ingest = PartIngest(
      round: round, joined: joined?.events, directory: directory, existing: existing, ledger: isLast ? nil : ledger,
      admission: Admission(erasures: erasures, expiredBefore: manifest.expiredBefore, eventsOfUser: eventsOfUser),
      reach: sitting?.reach, now: now, carried: carried, replaces: replaces,
      // There is no second attempt, because a round can be read only once.
      threads: MemoryBudget.threads(threads, existing.map(\.reader), bytesPerRow: BlockDecoder.bytesOfWholeRow),
      known: replaces ? nil : known)
    let written = try ingest.write(part: id)
    erasedUsers.formUnion(written.erasedUsers)
    known?.insert(written.keys)
    dropsHidden = dropsHidden || written.counts.joinedCopies > 0
    counts += written.counts
    contradictions += written.contradictions
    users += written.users
    counts += written.replaced.counts
    late += written.late
    replaced += written.replaced
    carried = written.part == nil ? written.tally : IngestTally()
    if let part = written.part {
      let reader = try PartReader(part, in: directory)
      reader.hidden = hidden
      uncommitted.append(ExistingPart(reader: reader, ledger: ledger, now: now))
    }
  }

  func takeFileID() -> UInt64 {
    defer { nextPart += 1 }
    isClean = false
    return nextPart
  }

  /// Makes everything that was written the state of the log, merging parts if there are many.
  /// - Parameters:
  ///   - ingest: what the log remembers of this ingest; nil for nothing. Only with it the ingest can be taken back.
  ///   - isUndoable: false if it cannot be taken back all the same: the record is of several commits.
  package func commit(
    _ ingest: (record: IngestRecord, files: [IngestedFile])? = nil, isUndoable: Bool = true
  ) throws {
    if let ingest {
      history.add(ingest.record, files: ingest.files)
      // Names of files do not bring back an id that was erased.
      if let erasures { try history.forgetNames(where: erasures.contains) }
    }
    // A log that was made and stays empty is one, too.
    guard !uncommitted.isEmpty || counts.links + counts.withdrawn + counts.erasedByLink > 0 else {
      var next = manifest
      // An ingest that stores nothing has arrived, too.
      if try hasNewNumbers() { next.numbers = try numbersAfterIngest() }
      if ingest != nil || next.numbers != manifest.numbers {
        for name in try commitState(next) { try? directory.files.remove(directory.file(name)) }
      }
      forgetNumbers()
      return newLog = nil
    }
    newNumbers = try numbersAfterIngest(removing: erasedByLink)
    // What an erased user had goes for good.
    let previous =
      ingest == nil || !isUndoable || !erasedByLink.isEmpty
      ? nil : PreviousLog(ingest: history.next - 1, state: manifest)
    let before = Set(manifest.fileNames)
    let ledger = ledger
    var obsolete = replaced.events > 0 ? try removeReplaced() : try keepCarried()
    var all =
      try withoutWhatGoes(parts, ledger, &obsolete)
      + withoutWhatGoes(uncommitted.map(\.reader), nil, &obsolete)
    // Parts that do not change.
    var apart: Set<UInt64> = []
    while fitOnePart(all) {
      let candidates = all.filter { !apart.contains($0.id) }
      let sources = MergePolicy.choose(candidates.map { (rows: $0.footer.rows, dictionary: $0.mergeWeight) })
        .map { candidates[$0] }
      guard sources.count > 1 else { break }
      let merged: PartReader?
      do { merged = try rewrite(sources).part } catch let error as LogError where error.code == .limit {
        // Events that do not fit into one part stay in several. That is no reason to refuse new events, or to leave
        // small parts unmerged, whose number would grow with each ingest.
        guard let heaviest = HashRanges.heaviest(sources) else { break }
        apart.insert(heaviest.id)
        continue
      }
      obsolete += sources
      let rewritten = Set(sources.map(\.id))
      all = all.filter { !rewritten.contains($0.id) } + (merged.map { [$0] } ?? [])
    }
    if !uncommitted.isEmpty, !newSplit.isEmpty {
      split += newSplit
      hasOtherLinks = true
    }
    newSplit = SplitSessions()
    var changes = manifest.changes
    changes.sitting = sitting ?? changes.sitting
    if let clock, let reach = sitting?.reach { late.changes(at: clock(), reach: reach).forEach { changes.note($0) } }
    if let now, let reach = all.map(\.footer.maximumTime).max(), !erasedByLink.isEmpty {
      changes.note(
        PastChange(kind: .erasedUsers, first: now, last: now, reach: reach, oldest: 0, count: erasedByLink.count))
    }
    exclusions.remove(erasedByLink)
    let description =
      erasedByLink.isEmpty ? manifest.erasures : try erasures.map { try directory.write($0, id: takeFileID()) }
    try replaceState(
      parts: all, erasures: erasures, description: description, expired: manifest.expiredBefore, changes: changes,
      users: admittedUsers, previous: previous)
    // The commit is done; a name that cannot be removed now is removed by the next writer. What erased users had must go.
    let gone = before.union(obsolete.map(\.name)).subtracting(manifest.fileNames).sorted()
    if erasedByLink.isEmpty {
      for name in gone { try? directory.files.remove(directory.file(name)) }
    } else {
      try directory.removeKeptAnswers()
      try directory.removeForGood(
        gone.filter { try directory.files.list(directory.path).contains($0) }, isChanged: true)
    }
    known?.keep(parts)
    uncommitted = []
    (erasedByLink, dropsHidden) = ([], false)
    self.ledger = nil
    late = LateTally()
    carried = IngestTally()
    forgetNumbers()
  }

  private func forgetNumbers() {
    rowNumbers = NumberCollector(directory: directory)
    erasedUsers = []
  }

  /// Rewrites the parts of this ingest without the events that were replaced by lesser copies. The counts of a part's
  /// ingest may be of copies that were dropped in another round, so one of the parts has all of them.
  /// - Returns: the parts that are replaced.
  private func removeReplaced() throws -> [PartReader] {
    let old = uncommitted
    var tally = (IngestTally.sum(old.map(\.reader.footer.tally) + [clock == nil ? nil : carried]))?.corrected(replaced)
    uncommitted = []
    for part in old {
      let (reader, gone) = (part.reader, part.ledger?.replaced(part: part.reader.id) ?? 0)
      guard gone < Int(reader.footer.rows) else { continue }
      guard let rewritten = try rewrite([reader], replaced: part.ledger, tally: tally).part else { continue }
      uncommitted.append(ExistingPart(reader: rewritten))
      tally = tally.map { _ in IngestTally() }
    }
    if let reach = sitting?.reach {
      late = LateTally()
      for part in uncommitted { try late.add(part.reader, before: reach) }
    }
    ledger = nil
    replaced = ReplacedCounts()
    carried = IngestTally()
    return old.map(\.reader)
  }

  /// Rewrites the smallest part of this ingest if the last rounds had no new event: their counts must be in some part.
  /// That is rare, because a round is tens of millions of events.
  /// - Returns: the part that is replaced.
  private func keepCarried() throws -> [PartReader] {
    guard clock != nil, !carried.isEmpty else { return [] }
    let rows = uncommitted.map(\.reader.footer.rows)
    guard let place = rows.indices.min(by: { rows[$0] < rows[$1] }) else { return [] }
    let old = uncommitted[place].reader
    guard let part = try rewrite([old], tally: IngestTally.sum([old.footer.tally, carried])).part else { return [] }
    carried = IngestTally()
    uncommitted[place] = ExistingPart(reader: part)
    return [old]
  }

  var now: Milliseconds? { clock?() }

  /// False if parts have so much that this program does not know that no part could have all of it.
  func fitOnePart(_ parts: [PartReader]) -> Bool { LogVocabulary(parts).fitsOnePart }

  /// Rewrites parts as one, which is open; nil if nothing of them stays.
  func rewrite(
    _ sources: [PartReader], without removal: Removal? = nil
  ) throws -> (part: PartReader?, removed: Removal.Counts) {
    try rewrite(sources, without: removal, tally: IngestTally.sum(sources.map(\.footer.tally)))
  }

  /// - Parameters:
  ///   - ledger: knows events that are left out.
  ///   - tally: the counts of ingests in the new part.
  func rewrite(
    _ sources: [PartReader], without removal: Removal? = nil, replaced ledger: CopyLedger? = nil, tally: IngestTally?,
    newEventID: (@Sendable ([UInt8]) -> EventBatch.Identifier?)? = nil
  ) throws -> (part: PartReader?, removed: Removal.Counts) {
    var merge = PartMerge(
      sources: sources, removal: removal, replaced: ledger, tally: tally, directory: directory,
      threads: MemoryBudget.threads(threads, sources, bytesPerRow: BlockDecoder.bytesOfWholeRow),
      newEventID: newEventID, eventsOfUser: eventsOfUser)
    let written: (part: PartDescription?, removed: Removal.Counts)
    do {
      written = try merge.write(part: takeFileID())
    } catch let error as LogError where error.exceedsMemory && merge.threads > 1 {
      // Blocks that no other thread reads meanwhile may fit.
      merge.threads = 1
      written = try merge.write(part: takeFileID())
    }
    return (try written.part.map { try PartReader($0, in: directory) }, written.removed)
  }

  /// Commits: from here on the log is these parts, this list of erased users (`erasures`, in the file that is described),
  /// this time of expiry, this history, and these names of users if they are new.
  /// - Parameter previous: the log before; nil if it is not kept.
  func replaceState(
    parts all: [PartReader], erasures list: ErasureList?, description: ErasureDescription?, expired: Milliseconds?,
    changes: ChangeHistory, users: UserNamings? = nil, previous: PreviousLog? = nil
  ) throws {
    var next = manifest
    next.generation += 1
    hidden = hidden.kept(in: all.map(\.id))
    if links.isEmpty, hidden.entries.isEmpty, split.isEmpty {
      next.links = nil
    } else if hasOtherLinks || hidden !== committedHidden {
      next.links = try directory.write(LinksContent(links: links, hidden: hidden, split: split), id: takeFileID())
    }
    next.eventIDs = eventIDs
    next.previous = previous
    try writeLists(&next)
    next.nextPart = nextPart
    next.parts = all.map(\.description).sorted { $0.id < $1.id }
    next.erasures = description
    next.expiredBefore = expired
    if let rule = newRetention { next.retention = rule }
    if let files = newNumbers { next.numbers = files.sorted { $0.id < $1.id } }
    newNumbers = nil
    next.changes = changes
    next.users = users ?? next.users
    try directory.commit(next, holding: lock)
    manifest = next
    parts = all
    (committedHidden, hasOtherLinks, committedHistory, committedExclusions) = (hidden, false, history, exclusions)
    for part in all { part.hidden = hidden }
    erasures = list
    isClean = true
    newLog = nil
  }

  /// Writes the lists that changed.
  private func writeLists(_ next: inout Manifest) throws {
    if history != committedHistory { next.history = try directory.write(history, id: takeFileID()) }
    if exclusions != committedExclusions {
      next.exclusions = exclusions.isEmpty ? nil : try directory.write(exclusions, id: takeFileID())
    }
  }

  /// Commits a state whose parts are on disk already, with the ingests that are remembered now.
  /// - Returns: the files that the log no longer has.
  func commitState(_ state: Manifest) throws -> [String] {
    var next = state
    next.generation = manifest.generation + 1
    try writeLists(&next)
    next.nextPart = nextPart
    let before = Set(manifest.fileNames)
    try directory.commit(next, holding: lock)
    (manifest, committedHistory, committedExclusions, isClean, newLog) = (next, history, exclusions, true, nil)
    return before.subtracting(next.fileNames).sorted()
  }

  /// Removes uncommitted files, and the log itself if it is new, and releases the lock.
  package func close() {
    if !isClean, lock.isProven {
      // A commit can fail after the manifest has been replaced, so the manifest on disk says what goes.
      if let manifest = try? directory.readManifest() { try? directory.removeLeftovers(manifest) }
    } else if !isClean {
      // The lock is another's by now, and so may be what looks left over.
      uncommitted.forEach { $0.reader.discard() }
    }
    isClean = true
    uncommitted = []
    ledger = nil
    newLog?.remove()
    newLog = nil
    lock.release()
  }
}
