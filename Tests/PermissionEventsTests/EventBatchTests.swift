// Packed events and the dictionary of a run.

import LogTestSupport
import Testing

@testable import PermissionEvents

@Suite struct EventBatchTests {
  @Test func everyFieldComesBackAtItsLimits() {
    let seed: UInt64 = 17
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let time = Milliseconds.random(in: 0...(1 << 42 - 1), using: &generator)
      let kind = EventKind.allCases.randomElement(using: &generator) ?? .granted
      let forms: [IdentifierForm] = [.text, .lowercaseUUID, .uppercaseUUID]
      let user = forms.randomElement(using: &generator) ?? .text
      let id = forms.randomElement(using: &generator) ?? .text
      let context = UInt32.random(in: 0...0xF_FFFF, using: &generator)
      let attributes = UInt32.random(in: 0...0xF_FFFF, using: &generator)
      let sequence = UInt64.random(in: 0...(1 << 38 - 1), using: &generator)
      let event = PackedEvent(
        userHash: 1, userWord: 2,
        order: PackedEvent.order(userForm: user, eventForm: id, time: time, kind: kind, sequence: sequence),
        eventHigh: 3, eventLow: 4,
        codes: PackedEvent.codes(context: context, attributes: attributes, sequence: sequence))
      #expect(event.time == time && event.kindCode == kind.rawValue, "seed \(seed)")
      #expect(event.userForm == user.rawValue && event.eventForm == id.rawValue, "seed \(seed)")
      #expect(event.context == context && event.attributes == attributes, "seed \(seed)")
      #expect(event.sequence == sequence, "seed \(seed)")
      #expect(event.timeAndKind == UInt64(time) << 4 | UInt64(kind.rawValue), "seed \(seed)")
    }
    #expect(MemoryLayout<PackedEvent>.size == 48)
  }

  @Test func aSequenceHoldsTheLastRowOfTheLastChunk() throws {
    let batch = EventBatch()
    batch.chunk = EventBatch.maximumChunks - 1
    let dictionary = EventDictionary()
    let event = TestEvent(user: "u", id: "e", time: 1)
    for _ in 0..<EventBatch.maximumEvents { batch.append(event, dictionary: dictionary) }
    #expect(batch.count == EventBatch.maximumEvents)
    #expect(try #require(batch.events.last).sequence == EventBatch.maximumChunks << 16 - 1)
    #expect(try #require(batch.events.last).storedRank == nil)
    #expect(try #require(batch.events.last).eventForm == IdentifierForm.text.rawValue)
    batch.removeAll()
    #expect(batch.events.isEmpty && batch.texts.isEmpty)
  }

  @Test func textsLieWhereTheirRangesSay() throws {
    let batch = EventBatch()
    let dictionary = EventDictionary()
    batch.append(TestEvent(user: "alice", id: "first", time: 1), dictionary: dictionary)
    batch.append(TestEvent(user: "bob", id: "second", time: 1), dictionary: dictionary)
    let event = try #require(batch.events.last)
    let (user, id) = (TextRange(word: event.userWord), TextRange(word: event.eventHigh))
    #expect(Array(batch.texts[user.offset..<user.offset + user.count]) == Array("bob".utf8))
    #expect(Array(batch.texts[id.offset..<id.offset + id.count]) == Array("second".utf8))
  }

  @Test func codesAreStableAndSharedByThreads() {
    let dictionary = EventDictionary()
    func code(_ field: StringField, _ text: String) -> UInt32 {
      Array(text.utf8).withUnsafeBytes { dictionary.code(field, $0) }
    }
    #expect(code(.permission, "") == 0)
    for (i, name) in PermissionCode.taxonomy.enumerated() { #expect(code(.permission, name) == UInt32(i) + 1) }
    #expect(code(.permission, "our_own") == UInt32(PermissionCode.taxonomy.count) + 1)
    // Equal as Swift strings, different as bytes.
    #expect(code(.variant, "\u{E9}") != code(.variant, "e\u{301}"))
    #expect(code(.variant, "\u{E9}") == 1 && code(.variant, "e\u{301}") == 2)
    let tuple = ContextTuple(permission: 1, status: .limited)
    #expect(dictionary.code(ContextTuple()) == dictionary.code(ContextTuple()))
    #expect(dictionary.code(tuple) != dictionary.code(ContextTuple(permission: 1)))
    #expect(dictionary.contents.contexts[Int(dictionary.code(tuple))] == tuple)
    #expect(!dictionary.isFull)
  }
}
