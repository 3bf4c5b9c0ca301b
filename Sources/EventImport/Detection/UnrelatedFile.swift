// Files that lie beside exports and have nothing to do with events. Only a file that was found, in a directory or an
// archive, is left out for it: by its content first, by its name where that says nothing.

enum UnrelatedFile {
  /// True where nothing is lost if a file of no known form is left out.
  /// - Parameter sketch: of its content.
  static func isOne(name: String, head: [UInt8], sketch: HeadSketch) -> Bool {
    if let content = ForeignContent(head) { return !content.mayHoldEvents }
    if ForeignContent.isWideText(Array(head.prefix(8192))) { return isUnrelated(name: name) }
    switch sketch.form {
    case .text: return !isNamedAsRecords(path: name)
    case .table: return sketch.records == 0 || isUnrelated(name: name)
    case .objects(let list):
      // One record in a file of its own: whole, or over several lines.
      if isNamedAsRecords(path: name) || sketch.mayBeRecord { return false }
      if sketch.records > 1, list == nil { return false }
      return list == nil || sketch.records == 0 || isDescription(name: name)
    }
  }

  /// A table whose cells do not add up may be one with a few lines of something else before it.
  private static func isNamedAsRecords(path: String) -> Bool {
    [".csv", ".tsv", ".ndjson", ".jsonl"].contains { base(path).hasSuffix($0) }
  }

  /// True for files whose name says that they hold no events, whatever form was asked for.
  static func isUnrelated(name path: String) -> Bool {
    let name = base(path)
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.count > 1 ? String(parts[parts.count - 1]) : ""
    if endings.contains(ending) || marks.contains(name) { return true }
    if name.hasPrefix("_committed_") || name.hasPrefix("_started_") { return true }
    let stem = parts.first.map { String($0) } ?? ""
    return ["", "txt"].contains(ending) && documents.contains { stem == $0 || stem.hasPrefix($0 + "-") }
  }

  /// A single document that describes others by its name.
  private static func isDescription(name path: String) -> Bool {
    let name = base(path)
    return ["manifest.json", "schema.json", "package.json"].contains(name) || name.hasSuffix(".schema.json")
      || name.hasSuffix("_schema.json") || name.hasSuffix(".manifest.json")
  }

  /// The file's own name in lower case, without what says that it is packed.
  private static func base(_ path: String) -> String {
    let last = path.split(whereSeparator: { $0 == "/" || $0 == "!" }).last.map { String($0) } ?? path
    let name = last.lowercased()
    for packed in [".gz", ".zst", ".xz"] where name.hasSuffix(packed) { return String(name.dropLast(packed.count)) }
    return name
  }

  private static let documents = [
    "readme", "license", "licence", "changelog", "notice", "authors", "contributing", "copying", "changes", "history",
  ]
  private static let marks: Set<String> = [
    "_success", "makefile", "dockerfile", "md5sums", "sha256sums", "sha512sums", "checksums", "checksums.txt",
  ]
  private static let endings: Set<String> = [
    "md", "markdown", "rst", "adoc", "html", "htm", "css", "js", "ts", "py", "rb", "pl", "sh", "bash", "zsh", "bat",
    "ps1",
    "r", "sql", "ddl", "xml", "xsd", "yaml", "yml", "toml", "ini", "cfg", "conf", "crc", "md5", "sha1", "sha256",
    "sha512",
    "sum", "sig", "asc", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "tif", "tiff", "heic", "pdf",
    "swift",
    "kt", "java", "go", "ipynb",
  ]
}
