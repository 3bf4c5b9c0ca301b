// What could be read of a damaged file, where the user asked to keep that: the bytes before the damage, then an end.

/// Ends where its source fails, and remembers why.
final class PartialSource: ByteSource {
  private let source: any ByteSource
  /// Why it ended before its end.
  private(set) var failure: ImportError?

  init(_ source: any ByteSource) { self.source = source }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if failure != nil { return 0 }
    do {
      return try source.read(into: buffer)
    } catch {
      failure = error
      return 0
    }
  }
}
