// Bytes that may be read past their end. Fast readers load 16 or more bytes at once and decide afterwards which of them
// count. The owner of the memory guarantees that the bytes after a text are readable.

/// A view of some bytes after which `padding` more can be read. Their content is undefined.
///
/// Only an owner of padded memory makes one. It does not keep the memory: its owner says how long it is valid.
public struct PaddedBytes: BitwiseCopyable {
  /// The number of readable bytes after the end, as simdjson requires, which reads furthest.
  public static let padding = 64

  /// The bytes themselves. An empty view may have no memory at all.
  public let bytes: UnsafeRawBufferPointer

  /// - Parameter start: in memory with that much padding, such as a C library's.
  @inlinable
  @inline(__always)
  public init(unsafePadded start: UnsafeRawPointer?, count: Int) {
    bytes = UnsafeRawBufferPointer(start: start, count: count)
  }

  /// No bytes.
  @inlinable public static var none: PaddedBytes { PaddedBytes(unsafePadded: nil, count: 0) }

  @inlinable public var count: Int { bytes.count }
  @inlinable public var isEmpty: Bool { bytes.isEmpty }

  /// A part: more can be read after it than after the whole.
  @inlinable public subscript(_ part: Range<Int>) -> PaddedBytes {
    assert(part.lowerBound >= 0 && part.upperBound <= count, "a part past the end of padded bytes")
    return PaddedBytes(unsafePadded: bytes.baseAddress.map { $0 + part.lowerBound }, count: part.count)
  }

  /// The part that a view of some of the same bytes shows.
  @inlinable public func part(_ view: UnsafeRawBufferPointer) -> PaddedBytes {
    assert(view.isEmpty || view.baseAddress.map { bytes.baseAddress.map { $0...$0 + count }?.contains($0) } == true)
    return PaddedBytes(unsafePadded: view.baseAddress, count: view.count)
  }

  /// The first 16 bytes as two words of the machine's order, zeros after the end.
  @inlinable
  @inline(__always)
  public var words: (low: UInt64, high: UInt64) {
    guard let start = bytes.baseAddress else { return (0, 0) }
    let low = start.loadUnaligned(as: UInt64.self)
    if count < 8 { return (low & Self.ones(count), 0) }
    let high = start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return (low, count < 16 ? high & Self.ones(count &- 8) : high)
  }

  /// A mask of ones in the first bytes of a word, in memory order; at most 7 bytes.
  @inlinable
  @inline(__always)
  public static func ones(_ count: Int) -> UInt64 {
    UInt64(littleEndian: ((1 as UInt64) &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
  }
}

/// Memory for a number of bytes with `PaddedBytes.padding` more after them, freed with its owner. It does not grow or move, so
/// that views of it stay valid as long as it does.
public struct PaddedBuffer: ~Copyable, @unchecked Sendable {
  // Unchecked: one owner has the memory, and whoever shares a view of it does not write any more.
  /// All of the memory but the padding, to be written.
  public let room: UnsafeMutableRawBufferPointer
  /// Bytes that were appended.
  public private(set) var count = 0

  /// Nothing yet, zeros all over.
  public init(capacity: Int) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + PaddedBytes.padding, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    room = UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity])
  }

  /// A copy of some bytes.
  public init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit { room.baseAddress?.deallocate() }

  @inlinable public var capacity: Int { room.count }

  /// The appended bytes. Valid as long as this memory, and until the next append.
  public var bytes: PaddedBytes { self[0..<count] }

  /// Any part of the memory, appended or written to `room`.
  @inlinable public subscript(_ part: Range<Int>) -> PaddedBytes {
    assert(part.lowerBound >= 0 && part.upperBound <= capacity, "a part past the end of padded memory")
    return PaddedBytes(unsafePadded: room.baseAddress.map { $0 + part.lowerBound }, count: part.count)
  }

  /// Appends bytes for which there is room.
  public mutating func append(_ more: some Collection<UInt8>) {
    precondition(more.count <= capacity - count, "more bytes than padded memory has room for")
    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyBytes(from: more)
    count += more.count
  }

  /// Removes the appended bytes.
  public mutating func removeAll() { count = 0 }
}
