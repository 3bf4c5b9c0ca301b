// HTML and the SVG within it, written so that it is also well-formed XML. Text and attributes are escaped here and
// nowhere else: what comes from an export cannot become markup.

struct Markup {
  typealias Attributes = KeyValuePairs<String, String>

  private(set) var bytes: [UInt8] = []
  private var lastID = 0

  /// An element with content. In HTML an element without content needs its end tag too, if it is not void.
  mutating func element(_ name: String, _ attributes: Attributes = [:], _ body: (inout Markup) -> Void) {
    start(name, attributes)
    bytes.append(0x3E)
    body(&self)
    bytes += "</\(name)>".utf8
  }

  /// An element with text alone.
  mutating func element(_ name: String, _ attributes: Attributes = [:], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// A void element of HTML, or an element of SVG without content.
  mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
    start(name, attributes)
    bytes += "/>".utf8
  }

  mutating func text(_ text: String) { escape(text) }

  mutating func newLine() { bytes.append(0x0A) }

  /// Markup of our own that is never made of data.
  mutating func raw(_ markup: String) { bytes += markup.utf8 }

  /// An id that the page has once.
  mutating func newID() -> String {
    lastID += 1
    return "i\(lastID)"
  }

  private mutating func start(_ name: String, _ attributes: Attributes) {
    bytes += "<\(name)".utf8
    for (key, value) in attributes {
      bytes += " \(key)=\"".utf8
      escape(value)
      bytes.append(0x22)
    }
  }

  private mutating func escape(_ text: String) {
    for byte in TextStyle.plain.legible(text).utf8 {
      switch byte {
      case 0x26: bytes += "&amp;".utf8
      case 0x3C: bytes += "&lt;".utf8
      case 0x3E: bytes += "&gt;".utf8
      case 0x22: bytes += "&quot;".utf8
      case 0x27: bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
  }
}
