// Unpacks gzip by zlib, because libarchive passes over the checksum at its end: damage inside would come out
// as other lines, silently.

import Buffers
import CZlib

/// The bytes of a gzip file of one or more members (RFC 1952), each checked against its checksum and length.
final class GzipSource: ByteSource {
  /// zlib's largest window, and 16 for "a gzip header is asked for".
  private static let windowBits: Int32 = 15 + 16

  private let source: any ByteSource
  private let name: String
  private let input = PaddedBuffer(capacity: 1 << 16)
  /// zlib keeps a pointer to its state, so that must not move.
  private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var inMember = true
  private var sourceEnded = false
  /// Damage after bytes that are given out first.
  private var failure: ImportError?

  init(_ source: any ByteSource, name: String) throws(ImportError) {
    self.source = source
    self.name = name
    state.initialize(to: z_stream())
    guard inflateInit2_(state, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .outOfMemory(name)
    }
  }

  deinit {
    inflateEnd(state)
    state.deallocate()
  }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    state.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_out = UInt32(clamping: buffer.count)
    let room = Int(state.pointee.avail_out)
    if let failure { throw failure }
    while Int(state.pointee.avail_out) == room, room > 0 {
      if state.pointee.avail_in == 0 { try refill() }
      if !inMember {
        if try !beginMember() { return 0 }
      }
      if state.pointee.avail_in == 0 { throw damaged("it ends in the middle") }
      switch inflate(state, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: inMember = false
      case Z_MEM_ERROR: throw .outOfMemory(name)
      default:
        let error = damaged(state.pointee.msg.map { String(cString: $0) } ?? "no reason given")
        if Int(state.pointee.avail_out) == room { throw error }
        failure = error
      }
    }
    return room - Int(state.pointee.avail_out)
  }

  private func damaged(_ cause: String) -> ImportError { .damaged(name, "the gzip data", cause: cause) }

  private func refill() throws(ImportError) {
    if sourceEnded { return }
    let count = try source.read(into: input.room)
    if count == 0 { sourceEnded = true }
    state.pointee.next_in = input.room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_in = UInt32(count)
  }

  /// Goes on to the next member; false at the end. Zeros after the last one are padding.
  private func beginMember() throws(ImportError) -> Bool {
    while true {
      while state.pointee.avail_in > 0, state.pointee.next_in.pointee == 0 {
        state.pointee.next_in += 1
        state.pointee.avail_in -= 1
      }
      if state.pointee.avail_in > 0 { break }
      if sourceEnded { return false }
      try refill()
    }
    guard state.pointee.next_in.pointee == 0x1F else { throw damaged("other data follows its end") }
    inflateReset(state)
    inMember = true
    return true
  }
}
