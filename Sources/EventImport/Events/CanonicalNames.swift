// Names of canonical rows that are not kinds: read by the lexicon like a vendor's, with the other columns as
// properties, once for each combination of values. Names that are not understood are counted.

import Buffers
import EventMapping
import PermissionEvents

/// A thread's readings of names. Owned by one thread.
final class CanonicalNames {
  /// Names of columns that influence the meaning of a name.
  static let telling = Set(MappingProgram.canonical?.places.paths.compactMap(\.keys.first) ?? [])

  private let tally: EventTally
  /// Made when the first name is read: most files have only kinds.
  private lazy var program = MappingProgram.canonical
  /// The extractor of the other columns, its decisions, and the columns that it is for. Files of one format follow one another.
  private var known: (columns: [String], isArrow: Bool, extractor: RecordExtractor, decisions: DecisionCache)?
  /// Owns the memory of values that were set in the current row.
  private var decided: DecisionCache.CachedDecision?
  /// Values of other columns with their first row already recorded.
  private var noted: Set<EventTally.Key> = []
  private static let mostNoted = 20_000
  private static let longestValue = 128

  init(tally: EventTally) { self.tally = tally }

  /// Reads the name of a row's event, and writes its meaning into the row's values.
  /// - Parameters:
  ///   - values: by `ImportField` number. New values are in separate memory.
  ///   - line: of the row in its chunk.
  ///   - layout: of the file.
  ///   - columns: the names of a table's columns; fields have their canonical names.
  ///   - extract: reads the row's columns.
  /// - Throws: why the name is not understood.
  func read(
    _ values: borrowing Buffer<FieldValue>, line: Int, into result: inout ChunkResult, _ layout: RecordLayout,
    columns: [String] = [], _ extract: (RecordExtractor) throws(Rejection) -> Void
  ) throws(Rejection) -> EventNaming {
    let event = values[ImportField.event]
    guard let (extractor, decisions) = reader(layout, columns) else { return .listed }
    try extract(extractor)
    let kept = decisions.decision(event.bytes, extractor.values, extractor.found)
    if !kept.isKnown {
      kept.isKnown = true
      result.examples.append(.init(line: line, key: kept.tallied))
    }
    let permission = StringField.permission.rawValue
    switch kept.decision.outcome {
    case .nothing: return .nothing
    case .event(let kind):
      decided = kept
      values[ImportField.event] = kept.kind.value
      if kind.needsPermission {
        values[permission] = kept.permission.value
        if !kept.status.value.isAbsent { values[ImportField.status] = kept.status.value }
      }
      return .respelled
    // The rules for kinds report what a kind in another spelling lacks.
    case .unknown(let reason) where kept.isKind && (reason == nil || values[permission].isAbsent): return .listed
    case .unknown(nil): throw .unknownKind(event)
    case .unknown(let reason?): throw .unreadName(event, reason)
    }
  }

  private func reader(_ layout: RecordLayout, _ columns: [String]) -> (RecordExtractor, DecisionCache)? {
    let isArrow = if case .arrow = layout { true } else { false }
    if let known, known.isArrow == isArrow, known.columns == columns { return (known.extractor, known.decisions) }
    guard let program, let made = try? RecordExtractor(program, layout: layout, columnNames: columns) else {
      return nil
    }
    let decisions = DecisionCache(program, tally: tally, isCanonical: true)
    known = (columns, isArrow, made, decisions)
    return (made, decisions)
  }

  /// Counts the value of another column for which a row was refused. Names of events are counted when they are read.
  func note(_ reason: Rejection, line: Int, into result: inout ChunkResult) {
    guard let (value, outcome) = reason.refusedValue else { return }
    let isPermission = if case .unknownPermission = reason { true } else { false }
    let key = tally.key(refused: Array(value.prefix(Self.longestValue)), outcome, isPermission: isPermission)
    tally.add(key, count: 1)
    guard noted.count < Self.mostNoted, noted.insert(key).inserted else { return }
    result.examples.append(.init(line: line, key: key))
  }
}

/// The outcome of an event's name that is not in the closed list.
enum EventNaming {
  /// The closed list decides.
  case listed
  /// It was read, and the values are those of a kind now.
  case respelled
  /// It was understood, but no kind exists for it.
  case nothing
}

/// Events of canonical rows by kind, permission and status, for a table of names: their names are the kinds. Counts of one thread,
/// for one dictionary.
struct KindCounter {
  private struct KindRow: Hashable {
    var kind: UInt8
    var context: UInt32
  }

  private var counts: [KindRow: Int] = [:]

  /// - Parameter named: events of the batch that are counted by another name.
  mutating func count(_ batch: EventBatch, except named: Set<Int>) {
    for (place, event) in batch.events.enumerated() where !named.contains(place) {
      counts[KindRow(kind: event.kindCode, context: event.context), default: 0] += 1
    }
  }

  func flush(_ dictionary: EventDictionary, to tally: EventTally) {
    if counts.isEmpty { return }
    let contents = dictionary.contents
    for (row, count) in counts {
      guard let kind = EventKind(rawValue: row.kind) else { continue }
      let context = contents.contexts[Int(row.context)]
      let decision = MappingDecision(
        outcome: .event(kind), permission: contents.values[StringField.permission.rawValue][Int(context.permission)],
        status: Array(context.status.name.utf8))
      let name = Array(kind.name.utf8)
      tally.add(
        tally.key(name, answer: "", decision, looksLikePermission: kind.needsPermission, isCanonical: true),
        count: count)
    }
  }
}

// MARK: Values that are not in their closed list: in a usual spelling (`Granted`, `photoLibrary`, `Not Determined`) they are read
// and counted; anything farther from the list is refused, with a suggestion.

/// A thread's memory of the spellings that it has met. Owned by one thread.
final class Respelling {
  /// A value of a closed list under another spelling.
  struct Meant {
    let code: UInt32
    /// A permission as stored. It outlives every line, because an event's id may be made of it.
    let text: OwnedText
  }

  private static let maximumEntries = 1000
  private var known: [FieldAndValue: Meant?] = [:]

  /// The intended value, in another case, with spaces or in camelCase, or in other words that a vendor's exports use
  /// for it; nil if unknown.
  func find(_ field: Int, _ value: UnsafeRawBufferPointer) -> Meant? {
    guard value.count <= 64 else { return nil }
    let key = FieldAndValue(field: field, value: Array(value))
    if let known = known[key] { return known }
    if known.count >= Self.maximumEntries { known.removeAll() }
    let found = Self.meant(field, value)
    known[key] = found
    return found
  }

  private static let permissions = PermissionCode.taxonomy.map { OwnedText(Array($0.utf8)) }
  private static let none = OwnedText([])

  private static func meant(_ field: Int, _ value: UnsafeRawBufferPointer) -> Meant? {
    let name = NormalName(value)
    // `!granted`, `granted?`
    if name.isDoubtful { return nil }
    let text = name.text
    switch field {
    case ImportField.event:
      // The recorder writes `lost` exactly; another `Lost` is about something else.
      guard let kind = EventKind.names.firstIndex(of: text), kind != Int(EventKind.lost.rawValue) else { return nil }
      return Meant(code: UInt32(kind), text: none)
    case ImportField.status:
      guard !text.isEmpty else { return nil }
      let listed = AuthorizationStatus.names.firstIndex(of: text).map { UInt32($0) }
      return (listed ?? StatusWords.status(value).map { UInt32($0.rawValue) }).map { Meant(code: $0, text: none) }
    case StringField.permission.rawValue:
      // Codes of the taxonomy are the same in every dictionary, and 0 is none.
      let listed = PermissionCode.taxonomy.firstIndex(of: text)
      let place =
        listed ?? PermissionWords.permission(value: value).flatMap { PermissionCode.taxonomy.firstIndex(of: $0) }
      return place.map { Meant(code: UInt32($0 + 1), text: permissions[$0]) }
    default: return nil
    }
  }
}

/// The suggestions for refused values: one wrong word is mostly in every line of a file. They are requested in the
/// order of the input, so that the same files give the same sentences.
struct Suggestions {
  /// The number of values with suggestions in an import: to find one takes longer than to read a line.
  private static let maximumEntries = 1000
  private static let longest = 64
  private var known: [FieldAndValue: String] = [:]

  /// `; did you mean granted?`, or nothing.
  mutating func text(_ unlisted: FieldAndValue) -> String {
    guard unlisted.value.count <= Self.longest else { return "" }
    if let text = known[unlisted] { return text }
    if known.count >= Self.maximumEntries { return "" }
    let found =
      switch unlisted.field {
      case ImportField.event: Suggestion.kind(unlisted.value)
      case ImportField.status: Suggestion.status(unlisted.value)
      default: Suggestion.permission(unlisted.value)
      }
    let text = found.map { "; did you mean \($0)?" } ?? ""
    known[unlisted] = text
    return text
  }
}
