// Tells the form of a file by its first bytes.

import EventMapping

/// What the first bytes of a file say.
enum DetectedFormat {
  /// Lines or records, behind a byte-order mark and a header.
  case content(InputLayout, offset: Int, lines: Int)
  /// A document with an array of records: an array, or a page or batch around one.
  case envelope(offset: Int)
  /// A file that comes along with exports and holds no events.
  case companion

  /// - Parameters:
  ///   - head: the first bytes, as many as `FileHead` asks for.
  ///   - name: the file, for messages.
  ///   - unwrapped: the head is what an envelope held.
  init(
    head: [UInt8], format: ImportFormat, formats: RecordFormats, name: String, unwrapped: Bool = false
  ) throws(ImportError) {
    let detector = FormatDetector(head: head, format: format, formats: formats, name: name, unwrapped: unwrapped)
    self = try detector.detect()
  }
}
