// Who, when and which: the user, the time and the id of a vendor's record.

import Buffers
import EventMapping
import PermissionEvents

extension RecordParser {
  /// The first id that stands for somebody.
  func user() throws(Rejection) -> (FieldValue, slot: Int) {
    var nobody: FieldValue?
    for (slot, prefix) in program.user {
      guard var value = extractor.values[slot].asText(maximum: Int(UInt16.max)) else { continue }
      if !prefix.isEmpty, value.bytes.starts(with: prefix) {
        value.text = value.text[prefix.count..<value.text.count]
      }
      if EventAssembler.isNobody(value.bytes) {
        nobody = nobody ?? value
      } else {
        return (value, slot)
      }
    }
    if let nobody { throw .nobody(nobody) }
    throw .missing(ImportField.userID)
  }

  func time() throws(Rejection) -> RecordTime.Reading {
    for slot in program.time {
      let value = extractor.values[slot]
      guard value.asText(maximum: 64) != nil else { continue }
      timeValue = value
      return try times.read(value)
    }
    throw .missing(ImportField.timestamp)
  }

  /// Puts an id that is kept as it is into the fields; else gives the one that is made of the vendor's key, or nil if the
  /// event has none.
  func eventID(user: FieldValue, userSlot: Int, _ reading: RecordTime.Reading) -> EventBatch.Identifier? {
    func text(_ slot: Int) -> FieldValue? { extractor.values[slot].asText(maximum: ImportLimit.line) }
    switch program.id {
    case nil: return nil
    case .plain(let slots, let within):
      guard let id = slots.lazy.compactMap(text).first else { return nil }
      guard let within, within != userSlot, let scope = text(within) else {
        fields[ImportField.eventID] = id
        return nil
      }
      // The id is unique within a device, and the user is not that device.
      beginKey()
      appendKey(id.bytes)
      appendKey(scope.bytes)
    case .derived(let parts, let needs):
      if let needs, text(needs) == nil { return nil }
      beginKey()
      for part in parts {
        switch part {
        case .value(let slot): appendKey(text(slot)?.bytes ?? PaddedBytes.none.bytes)
        case .time: appendKey(reading.exported)
        case .timeInSeconds: appendKey(floorDivide(reading.exported, 1000))
        }
      }
    }
    return assembler.derivedID(of: key)
  }

  private func beginKey() {
    key.removeAll(keepingCapacity: true)
    key.append(contentsOf: program.mapping.scope.utf8)
    key.append(0)
  }

  private func appendKey(_ text: UnsafeRawBufferPointer) {
    for shift in [0, 8, 16] { key.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    key.append(contentsOf: text)
  }

  private func appendKey(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { key.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }
}
