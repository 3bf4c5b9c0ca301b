// What a thread knows of the properties that rows carry again and again: nearly every row repeats what an earlier one said.

import EventMapping
import PermissionEvents

/// The events that properties of any row make: assignments to experiments, states of permissions.
struct StickyRows {
  private struct Known {
    var user: UInt64 = 0
    var value: UInt64 = 0
    var day: Int64 = .min
    /// The earliest row.
    var time: Milliseconds = .max
  }

  /// A property's texts, ready for events.
  struct Texts {
    let property: StickyProperty
    let slots: [Int]
    let kind: OwnedText
    /// Of the experiment or the permission.
    let name: OwnedText
    let surface: OwnedText
    /// Whether some record carried a value that was understood.
    var isRead = false
    /// A value of a state that was not.
    private(set) var notUnderstood: [UInt8]?
    /// Values of a state: what was read of them.
    private var statuses: [[UInt8]: AuthorizationStatus?] = [:]
    private static let mostStatuses = 1000

    init(_ property: StickyProperty, _ slots: [Int]) {
      self.property = property
      self.slots = slots
      kind = OwnedText(Array((property.isExperiment ? EventKind.assigned : .statusChecked).name.utf8))
      name = OwnedText(Array((property.permission ?? property.name).utf8))
      surface = OwnedText(property.isExperiment ? [] : Array(property.surface.utf8))
    }

    /// The status that a value of a state means; nil if it is not understood.
    mutating func status(_ value: UnsafeRawBufferPointer) -> AuthorizationStatus? {
      let value = Array(value)
      if let known = statuses[value] { return known }
      let status = property.status(value)
      if statuses.count < Self.mostStatuses { statuses[value] = .some(status) }
      // The least, whatever the order of the rows.
      if status == nil, notUnderstood.map({ value.lexicographicallyPrecedes($0) }) ?? true { notUnderstood = value }
      return status
    }
  }

  var texts: [Texts]
  private let statusTexts = AuthorizationStatus.allCases.map { OwnedText(Array($0.name.utf8)) }
  private var known: [Known]
  private var last = Known()
  private static let slotBits: UInt64 = 12

  init(_ program: MappingProgram) {
    texts = program.sticky.map { Texts($0.property, $0.slots) }
    known = texts.isEmpty ? [] : [Known](repeating: Known(), count: 1 << Int(Self.slotBits))
  }

  var isEmpty: Bool { texts.isEmpty }

  /// Whether a row surely repeats an earlier one of its UTC day. The log drops such copies; this only saves making them.
  mutating func repeats(
    _ number: Int, _ user: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ time: Milliseconds
  ) -> Bool {
    let hash = UserHash.mix(UserHash.text(user) &+ UInt64(number))
    last = Known(user: hash, value: UserHash.text(value), day: floorDivide(time, millisecondsPerDay), time: time)
    let old = known[Self.slot(hash)]
    return old.user == hash && old.value == last.value && old.day == last.day && old.time <= time
  }

  /// Remembers the row that `repeats` was asked of, whose value is understood.
  mutating func remember() { known[Self.slot(last.user)] = last }

  private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> (64 - slotBits)) }

  mutating func status(_ number: Int, _ value: UnsafeRawBufferPointer) -> AuthorizationStatus? {
    texts[number].status(value)
  }

  func text(_ status: AuthorizationStatus) -> FieldValue { statusTexts[Int(status.rawValue)].value }
}
