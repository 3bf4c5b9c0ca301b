// Tells the form of a file by its first bytes.

import EventMapping

/// What the first bytes of a file say.
enum DetectedFormat {
  /// Lines or records, behind a byte-order mark and a header.
  case content(InputLayout, offset: Int, lines: Int)
  /// A document with an array of records: an array, or a page or batch around one.
  case envelope(offset: Int)
  /// A file that holds no events, or comes along with those that do.
  case skipped(SkippedFiles.Reason)

  /// - Parameters:
  ///   - head: the first bytes, as many as `FileHead` asks for.
  ///   - name: the file, for messages.
  ///   - document: where the head is what an envelope held, the head of the file that has the envelope.
  init(
    head: [UInt8], format: ImportFormat, formats: RecordFormats, name: String, document: [UInt8]? = nil
  ) throws(ImportError) {
    let detector = FormatDetector(
      head: head, format: format, formats: formats, name: name, document: document)
    self = try detector.detect()
  }
}
