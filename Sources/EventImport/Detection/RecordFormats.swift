// The mappings of an import: a user's own, and the presets if they are needed.

import Buffers
import EventMapping
import PermissionEvents
import Threads

/// A mapping that a file may be read with. Its program is made for the first file that is: most of the presets are of none.
final class RecordFormat: Sendable {
  let mapping: Mapping
  let record: RecordDescription
  private let rows: ReadingOptions
  private let made = Mutex<MappingProgram?>(nil)

  init(_ mapping: Mapping, _ rows: ReadingOptions) {
    (self.mapping, self.rows) = (mapping, rows)
    var record = mapping.record ?? RecordDescription()
    if let name = rows.eventName {
      record.event = record.event.map { if case .given = $0 { .constant(name) } else { $0 } }
    }
    self.record = record
  }

  /// Whether its events are named where a canonical row has the kind.
  var namesEventInCanonicalColumn: Bool {
    record.event.first?.places == [.pointer([ImportField.names[ImportField.event]])]
  }

  /// The program, for a file that is read with it.
  /// - Throws: `usage` if the files do not have something that the caller has to give.
  func program(for file: String) throws(ImportError) -> MappingProgram {
    if record.event.allSatisfy({ if case .given = $0 { true } else { false } }) {
      throw ImportError(
        .usage, file, "it is in the format \(mapping.name), and such files do not have the name of their event",
        .nameEvent)
    }
    if record.isTimeGiven, rows.snapshotTime == nil {
      throw ImportError(
        .usage, file,
        "it is in the format \(mapping.name): users as they were at one time, which the file does not have", .nameMoment
      )
    }
    return try program()
  }

  func program() throws(ImportError) -> MappingProgram {
    if let known = made.withLock({ $0 }) { return known }
    var mapping = mapping
    mapping.record = record
    do {
      let program = try MappingProgram(mapping, prefersAccount: rows.identity == .account, sticky: rows.sticky)
      made.withLock { $0 = program }
      return program
    } catch {
      throw .badMapping(mapping.name, error)
    }
  }
}

/// The mappings that a file may be read with. Presets are read when the first file needs one, so that canonical files
/// never pay for them. Safe to use from several threads.
final class RecordFormats: Sendable {
  /// A user's own mappings, in the order in which they were named.
  let own: [RecordFormat]
  let rows: ReadingOptions
  /// User ids are hidden: a refusal shows nothing of the file.
  var hidesNames: Bool { rows.userKey != nil }
  private let loaded = Mutex<[RecordFormat]?>(nil)

  init(_ mappings: [Mapping] = [], rows: ReadingOptions = ReadingOptions()) throws(ImportError) {
    self.rows = rows
    try Self.checkPlaces(mappings)
    own = mappings.map { RecordFormat($0, rows) }
    for format in own { _ = try format.program() }
  }

  /// A file's lines are searched for all paths at once. This is the limit for the paths of the user's mappings.
  private static let maximumPlaces = 200

  private static func checkPlaces(_ mappings: [Mapping]) throws(ImportError) {
    var places: Set<PropertyReference> = []
    for mapping in mappings {
      for list in (mapping.record?.recognise ?? []) + (mapping.record?.companions ?? []) { places.formUnion(list) }
      guard places.count <= maximumPlaces else {
        let text =
          "the mappings recognise files by more than \(maximumPlaces) columns and paths; a few for each "
          + "vendor are enough"
        throw .badMapping(mapping.name, MappingError("\(mapping.name): \(text)"))
      }
    }
  }

  /// The preset of each vendor, without those that a user's mapping extends.
  func vendors() throws(ImportError) -> [RecordFormat] {
    if let known = loaded.withLock({ $0 }) { return known }
    var made: [RecordFormat] = []
    for name in Presets.names {
      do {
        // A table of a vendor's takes nothing from the preset for its files.
        if let mapping = try Presets.mapping(name),
          !own.contains(where: { $0.mapping.base == name && $0.record.form == mapping.record?.form })
        {
          made.append(RecordFormat(mapping, rows))
        }
      } catch {
        throw .badMapping(name, error)
      }
    }
    let all = made
    loaded.withLock { $0 = all }
    return all
  }

  /// The mapping for all files with records as rows, if their format is fixed: that of the named vendor, or of the only
  /// given mapping.
  func fixed() throws(ImportError) -> RecordFormat? {
    guard rows.isFormFixed else { return nil }
    if let name = rows.format.vendor { return try vendor(name) }
    return rows.format == .auto && own.count == 1 ? own[0] : nil
  }

  /// The mapping of a vendor that was named with `--format`.
  func vendor(_ name: String) throws(ImportError) -> RecordFormat? {
    if let mapping = own.first(where: { $0.mapping.base == name }) { return mapping }
    return try vendors().first { $0.mapping.name == name }
  }
}

// MARK: Checks whether lines have certain paths, by which a vendor's export is recognised

/// The paths by which several mappings recognise their files, searched in the first lines of a file.
final class PathProbe {
  private let extractor: JSONExtractor
  /// Alternatives by mapping: slots that must all have a value.
  private var wanted: [(target: Int, slots: [Int])] = []
  /// Slots that must have no value, by target.
  private var unwanted: [Int: [Int]] = [:]
  private var slots: [[String]: Int] = [:]
  private static let maximumSlots = 256

  /// - Parameter capacity: bytes of the longest line.
  init?(capacity: Int) {
    guard let extractor = JSONExtractor(slots: Self.maximumSlots, capacity: capacity) else { return nil }
    self.extractor = extractor
  }

  /// Adds lists of paths for a target; all paths of one list must be present.
  func add(_ alternatives: [[PropertyReference]], target: Int) {
    for places in alternatives where !places.isEmpty { wanted.append((target, places.map { slot($0) })) }
  }

  /// A line with one of these paths does not belong to the target.
  func exclude(_ places: [PropertyReference], target: Int) { unwanted[target, default: []] += places.map { slot($0) } }

  func slot(_ place: PropertyReference) -> Int {
    if let known = slots[place.keys] { return known }
    let slot = min(slots.count, Self.maximumSlots - 1)
    slots[place.keys] = slot
    extractor.want(place.keys, slot: slot)
    // A flattened record has it at its root.
    if place.keys.count > 1 {
      for sign in [".", "_"] { extractor.want([place.keys.joined(separator: sign)], slot: slot) }
    }
    return slot
  }

  /// The first target with all its paths in a line; nil if no target has, or the line is not a JSON object.
  func target(_ line: [UInt8]) -> Int? {
    read(line) {
      func has(_ slot: Int) -> Bool { extractor.has(slot) }
      return wanted.first { target, slots in
        slots.allSatisfy(has) && !(unwanted[target] ?? []).contains(where: has)
      }?.target
    }
  }

  func isObject(_ line: [UInt8]) -> Bool { read(line) { true } ?? false }

  /// The text at a path, or nil without one.
  func text(_ line: [UInt8], _ slot: Int) -> [UInt8]? {
    read(line) { extractor[slot].kind == .string ? Array(extractor[slot].bytes) : nil }
  }

  func isList(_ line: [UInt8], _ slot: Int) -> Bool { read(line) { extractor[slot].kind == .array } ?? false }

  private func read<Value>(_ line: [UInt8], _ body: () -> Value?) -> Value? {
    extractor.begin(slots: Self.maximumSlots)
    let text = PaddedBuffer(line)
    let result = extractor.read(text.bytes)
    return result.reason == nil || result.isDuplicate ? body() : nil
  }
}
