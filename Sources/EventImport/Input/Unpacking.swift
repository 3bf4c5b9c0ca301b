// The bytes of a packed body in memory, with a limit: what a server got and has to look into before it is read as an import.

import Buffers

/// Undoes compressions.
package enum Unpacking {
  /// Plain bytes as they are; gzip and Zstandard unpacked, one inside another too.
  /// - Parameters:
  ///   - limit: the most bytes that come out.
  ///   - name: names the bytes in errors.
  /// - Throws: `damaged` if the data are torn or damaged, `resources` if more would come out.
  package static func bytes(_ packed: [UInt8], limit: Int, name: String) throws(ImportError) -> [UInt8] {
    var bytes = packed
    for _ in 0..<InputQueue.maximumLayers {
      let packing = Packing(head: bytes)
      let source: any ByteSource
      switch packing {
      case .gzip: source = try GzipSource(MemorySource(bytes), name: name)
      case .zstandard:
        let reader = try ArchiveReader(MemorySource(bytes), name: name, packing: packing)
        guard try reader.nextMember() else { return [] }
        source = reader
      case .none, .zip, .xz, .tar: return bytes
      }
      bytes = try read(source, limit: limit, name: name)
    }
    return bytes
  }

  static func read(_ source: any ByteSource, limit: Int, name: String) throws(ImportError) -> [UInt8] {
    var bytes: [UInt8] = []
    let memory = PaddedBuffer(capacity: 1 << 16)
    while true {
      let count = try source.read(into: memory.room)
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw ImportError(.resources, name, "unpacked it has more than \(limit) bytes, the most that are read")
      }
      bytes += memory.room[..<count]
    }
  }
}
