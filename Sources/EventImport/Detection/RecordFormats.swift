// The mappings of an import: a user's own, and the presets if they are needed.

import Threads
import PermissionEvents

import EventMapping

/// The programs that a file may be read with. Presets are read when the first file asks for one, so that canonical files
/// never pay for them. Safe to use from several threads.
final class RecordFormats: Sendable {
  /// A user's own mappings, in the order in which they were named.
  let own: [MappingProgram]
  private let prefersAccount: Bool
  /// User ids are hidden: a refusal shows nothing of the file.
  let hidesNames: Bool
  /// A form that was named is not looked for in what files hold.
  private let isFixed: Bool
  private let loaded = Mutex<[MappingProgram]?>(nil)

  init(
    _ mappings: [Mapping], prefersAccount: Bool, hidesNames: Bool = false, isFixed: Bool = false
  ) throws(ImportError) {
    self.isFixed = isFixed
    self.prefersAccount = prefersAccount
    self.hidesNames = hidesNames
    var programs: [MappingProgram] = []
    try Self.checkPlaces(mappings)
    for mapping in mappings { programs.append(try Self.compile(mapping, prefersAccount)) }
    own = programs
  }

  /// A file's lines are looked at for all places at once, and there is room for so many beside the presets'.
  private static let maximumPlaces = 200

  private static func checkPlaces(_ mappings: [Mapping]) throws(ImportError) {
    var places: Set<PropertyReference> = []
    for mapping in mappings {
      for list in (mapping.record?.recognise ?? []) + (mapping.record?.companions ?? []) { places.formUnion(list) }
      guard places.count <= maximumPlaces else {
        let text = "the mappings recognise files by more than \(maximumPlaces) places; a few for each vendor are enough"
        throw .badMapping(mapping.name, MappingError("\(mapping.name): \(text)"))
      }
    }
  }

  private static func compile(_ mapping: Mapping, _ prefersAccount: Bool) throws(ImportError) -> MappingProgram {
    do {
      return try MappingProgram(mapping, prefersAccount: prefersAccount)
    } catch {
      throw .badMapping(mapping.name, error)
    }
  }

  /// The program of each vendor: a user's mapping that extends the preset, else the preset.
  func vendors() throws(ImportError) -> [MappingProgram] {
    if let known = loaded.withLock({ $0 }) { return known }
    var programs: [MappingProgram] = []
    for name in Presets.names {
      do {
        // A table of a vendor's takes nothing from the preset for its files.
        if let mapping = try Presets.mapping(name),
          !own.contains(where: { $0.mapping.base == name && $0.record.form == mapping.record?.form })
        {
          programs.append(try Self.compile(mapping, prefersAccount))
        }
      } catch let error as MappingError {
        throw .badMapping(name, error)
      } catch {
        throw .badMapping(name, MappingError("the preset \(name) cannot be read"))
      }
    }
    let made = programs
    loaded.withLock { $0 = made }
    return made
  }

  /// The program that reads all files whose rows are records, if their form is fixed: the vendor's that was named, or the one mapping that
  /// was given.
  func fixed(_ format: ImportFormat) throws(ImportError) -> MappingProgram? {
    guard isFixed else { return nil }
    if let name = format.vendor { return try vendor(name) }
    return format == .auto && own.count == 1 ? own[0] : nil
  }

  /// The program of a vendor that was named with `--format`.
  func vendor(_ name: String) throws(ImportError) -> MappingProgram? {
    if let mapping = own.first(where: { $0.mapping.base == name }) { return mapping }
    return try vendors().first { $0.mapping.name == name }
  }
}
