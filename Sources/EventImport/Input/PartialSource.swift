// What could be read of a damaged file, where the user asked to keep that: the bytes before the damage, then an end.

/// Ends where its source fails, and remembers why.
final class PartialSource: ByteSource {
  private let source: any ByteSource
  /// The one that its source reads from in turn.
  private let beneath: PartialSource?
  private var ownFailure: ImportError?

  init(_ source: any ByteSource, beneath: PartialSource? = nil) {
    self.source = source
    self.beneath = beneath
  }

  /// Why it ended before its end.
  var failure: ImportError? { ownFailure ?? beneath?.failure }

  var storedBytes: Int { source.storedBytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if ownFailure != nil { return 0 }
    do {
      return try source.read(into: buffer)
    } catch {
      ownFailure = error
      return 0
    }
  }
}
