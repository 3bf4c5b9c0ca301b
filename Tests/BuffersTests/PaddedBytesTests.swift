import Buffers
import Testing

@Suite struct PaddedBytesTests {
  @Test func aBufferHoldsWhatWasAppendedAndZerosAfterIt() {
    var buffer = PaddedBuffer(capacity: 8)
    #expect(buffer.bytes.isEmpty && buffer.capacity == 8)
    buffer.append([1, 2, 3])
    buffer.append([4])
    #expect(buffer.bytes.bytes.elementsEqual([1, 2, 3, 4]))
    let all = UnsafeRawBufferPointer(start: buffer.room.baseAddress, count: buffer.capacity + PaddedBytes.padding)
    #expect(all.dropFirst(4).allSatisfy { $0 == 0 })
    buffer.removeAll()
    buffer.append([9])
    #expect(buffer.bytes.bytes.elementsEqual([9]))
  }

  @Test func partsArePaddedToo() {
    let buffer = PaddedBuffer(Array("granted".utf8))
    let part = buffer.bytes[2..<5]
    #expect(part.bytes.elementsEqual("ant".utf8) && buffer[0..<2].bytes.elementsEqual("gr".utf8))
    #expect(PaddedBytes.none.isEmpty && PaddedBytes.none[0..<0].isEmpty)
  }

  /// Every length up to two words and past them: the words hold the bytes that are there and nothing of those after.
  @Test(arguments: 0...20) func wordsEndWithTheText(count: Int) {
    let text = (0..<count).map { UInt8($0 + 1) } + [UInt8](repeating: 0xFF, count: 20)
    let buffer = PaddedBuffer(text)
    let words = buffer.bytes[0..<count].words
    let expected = Array(text.prefix(min(count, 16))) + [UInt8](repeating: 0, count: max(0, 16 - count))
    let found = withUnsafeBytes(of: words) { Array($0) }
    #expect(found == expected)
    #expect(PaddedBytes.none.words == (0, 0))
  }
}
