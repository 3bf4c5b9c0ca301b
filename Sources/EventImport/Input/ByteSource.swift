// Bytes one after another, whatever they come from: a file, a pipe, a decompressor, a member of an archive.

/// A sequence of bytes, read by one thread at a time.
protocol ByteSource: AnyObject {
  /// Reads some bytes; 0 only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int
  /// Bytes taken so far from the file that is underneath, as stored.
  var storedBytes: Int { get }
}

extension ByteSource {
  /// Fills the buffer; fewer bytes only at the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The first bytes of the source, as many as tell its form.
  func readHead() throws(ImportError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: ImportLimit.head, alignment: 16)
    defer { memory.deallocate() }
    var head: [UInt8] = []
    repeat {
      let count = try fill(memory)
      head += memory[..<count]
      if count < memory.count { break }
    } while FileHead.wantsMore(head)
    return head
  }
}

/// A file or pipe, read onward.
final class FileSource: ByteSource {
  private let file: InputFile
  private(set) var storedBytes = 0

  init(_ file: InputFile) { self.file = file }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = try file.read(into: buffer)
    storedBytes += count
    return count
  }
}

/// Bytes that are in memory.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private(set) var storedBytes = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - storedBytes)
    buffer.copyBytes(from: bytes[storedBytes..<storedBytes + count])
    storedBytes += count
    return count
  }
}

/// Bytes that were read ahead, then the rest of their source.
final class ResumedSource: ByteSource {
  private let head: [UInt8]
  private var taken = 0
  private let rest: any ByteSource

  init(head: [UInt8], rest: any ByteSource) {
    self.head = head
    self.rest = rest
  }

  var storedBytes: Int { rest.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if taken == head.count { return try rest.read(into: buffer) }
    let count = min(buffer.count, head.count - taken)
    buffer.copyBytes(from: head[taken..<taken + count])
    taken += count
    return count
  }
}
