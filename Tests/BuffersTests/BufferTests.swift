import Testing

import Buffers

@Suite("A buffer of plain values")
struct BufferTests {
  @Test("values stay in their order while it grows")
  func growing() {
    var buffer = Buffer<UInt32>()
    for value in 0..<10_000 { buffer.append(UInt32(value)) }
    #expect(buffer.count == 10_000)
    #expect((0..<10_000).allSatisfy { buffer.span[$0] == UInt32($0) })
    buffer.removeAll()
    #expect(buffer.count == 0 && buffer.capacity >= 10_000)
  }

  @Test("extending fills up, and leaves what is there")
  func extending() {
    var buffer = Buffer(repeating: 7, count: 3)
    buffer.extend(to: 1_000, repeating: -1)
    buffer.extend(to: 5, repeating: 3)
    #expect(buffer.count == 1_000)
    #expect(buffer[2] == 7 && buffer[3] == -1 && buffer[999] == -1)
  }

  @Test("a change through the span is a change of the values")
  func spans() {
    var buffer = Buffer(repeating: UInt8(0), count: 4)
    var span = buffer.mutableSpan
    span[3] = 9
    #expect(buffer[3] == 9)
    #expect(buffer.span.count == 4)
  }

  @Test("resizing makes room, also for what was there before it grows again")
  func resizing() {
    var buffer = Buffer<Int>(capacity: 4)
    buffer.resizeDiscarding(to: 100)
    for i in 0..<100 { buffer[i] = i }
    buffer.append(100)
    buffer.reserve(5_000)
    #expect(buffer.count == 101 && buffer.capacity >= 5_000)
    #expect((0...100).allSatisfy { buffer[$0] == $0 })
  }

  @Test("what is appended at an address, from elsewhere or by resizing comes after what is there")
  func appendingUnwritten() {
    var buffer = Buffer<UInt16>()
    for round in 0..<200 {
      let place = buffer.unsafeAppend(2)
      (place[0], place[1]) = (UInt16(round), 1)
      buffer.append(from: [UInt16(round), 2, 3], count: 3)
    }
    #expect(buffer.count == 1_000)
    #expect((0..<200).allSatisfy { buffer[$0 * 5] == UInt16($0) && buffer[$0 * 5 + 2] == UInt16($0) })
    buffer.resize(to: 5_000)
    #expect(buffer.count == 5_000 && buffer[999] == 3)
    buffer.resize(to: 1)
    buffer.append(7)
    #expect(buffer.count == 2 && buffer[0] == 0 && buffer[1] == 7)
  }
}
