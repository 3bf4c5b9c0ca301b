// An open part: its footer, and reads of its blocks. Keeps its file open, so that a compaction or an
// erasure that removes the name does not disturb it.

import PermissionEvents

/// A part that is open for reading; safe to use from several threads.
package final class PartReader: Sendable {
  package let description: PartDescription
  let footer: PartFooter
  /// For the part's codes of kinds those that a reader of this part alone takes.
  let kindCodes: KindCodes
  private let path: String
  private let files: any FileSystem
  private let descriptor: Int32
  /// The reader whose descriptor this one shares; nil where it is its own.
  private let owner: PartReader?

  var id: UInt64 { description.id }
  var name: String { description.name }

  /// Opens a part and checks header, tail and footer.
  convenience init(_ description: PartDescription, directory: String, files: any FileSystem) throws {
    try self.init(id: description.id, expected: description, directory: directory, files: files)
  }

  /// Opens a part.
  /// - Parameters:
  ///   - expected: what the manifest says of it; nil where there is no manifest to ask, and the part speaks for itself.
  init(id: UInt64, expected: PartDescription?, directory: String, files: any FileSystem) throws {
    self.files = files
    owner = nil
    path = directory + "/" + PartDescription.name(id)
    descriptor = try files.open(path, .read)
    do {
      let (footer, description) = try Self.readFooter(id, expected, descriptor, path: path, files: files)
      self.footer = footer
      self.description = description
      kindCodes = LogVocabulary([footer.dictionary]).codes(of: footer.dictionary)
    } catch {
      try? files.close(descriptor)
      throw error
    }
  }

  /// The same open part without some of its blocks, which are damaged.
  init(_ part: PartReader, skipping skipped: Set<Int>) {
    var footer = part.footer
    footer.blocks = footer.blocks.indices.filter { !skipped.contains($0) }.map { footer.blocks[$0] }
    self.footer = footer
    description = part.description
    kindCodes = part.kindCodes
    (files, path, descriptor) = (part.files, part.path, part.descriptor)
    owner = part
  }

  deinit { if owner == nil { try? files.close(descriptor) } }

  /// Fills a buffer from an offset.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try Self.read(buffer, at: offset, descriptor, path: path, name: name, files: files)
  }

  private static func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ descriptor: Int32, path: String, name: String,
    files: any FileSystem
  ) throws {
    let n = try files.read(descriptor, into: buffer, at: offset, path: path)
    guard n == buffer.count else {
      throw LogError.damaged(name, "offset \(offset)", "the file ends \(buffer.count - n) bytes too early")
    }
  }

  private static func readFooter(
    _ id: UInt64, _ expected: PartDescription?, _ descriptor: Int32, path: String, files: any FileSystem
  ) throws -> (PartFooter, PartDescription) {
    let name = PartDescription.name(id)
    let length = try files.size(descriptor, path: path)
    let least = PartFormat.headerLength + PartFormat.tailLength
    guard length == expected?.length ?? UInt64(length), length >= least else {
      let right = expected.map { "\($0.length)" } ?? "at least \(least)"
      throw LogError.damaged(name, "end of file", "it has \(length) bytes and should have \(right)")
    }
    func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      try bytes.withUnsafeMutableBytes {
        try read($0, at: offset, descriptor, path: path, name: name, files: files)
      }
      return bytes
    }
    let version = try PartHeader.version(try bytes(PartFormat.headerLength, at: 0), part: id, file: name)
    let tailOffset = length - PartFormat.tailLength
    guard let tail = PartTail(try bytes(PartFormat.tailLength, at: tailOffset), part: id),
      tail.footerChecksum == expected?.footerChecksum ?? tail.footerChecksum,
      tail.footerOffset >= UInt64(PartFormat.headerLength), tail.footerOffset <= UInt64(tailOffset),
      UInt64(tailOffset) - tail.footerOffset == UInt64(tail.storedLength),
      tail.rawLength <= PartFormat.maximumFooterLength
    else { throw LogError.damaged(name, "tail at offset \(tailOffset)", "the tail is not what was written") }
    let stored = try bytes(Int(tail.storedLength), at: Int(tail.footerOffset))
    let seed = Checksum.seed(part: id, block: .max, stream: PartFormat.footerStream)
    let place = "footer at offset \(tail.footerOffset)"
    guard Checksum.of(stored, seed: seed) == tail.footerChecksum else {
      throw LogError.damaged(name, place, "it does not have its checksum")
    }
    let decompressor = try Decompressor()
    var raw = [UInt8](repeating: 0, count: Int(tail.rawLength))
    let isWhole = stored.withUnsafeBytes { stored in
      raw.withUnsafeMutableBytes { decompressor.decompress(stored, into: $0) }
    }
    guard isWhole,
      let footer = raw.withUnsafeBytes({ PartFooter($0, version: version, fileLength: Int(tail.footerOffset)) }),
      footer.rows == expected?.rows ?? footer.rows
    else { throw LogError.damaged(name, place, "it cannot be read") }
    let description = PartDescription(
      id: id, length: UInt64(length), footerChecksum: tail.footerChecksum, rows: footer.rows)
    return (footer, description)
  }
}
