// How text is drawn: the width, colour, and whether signs beyond ASCII are to be used.

package struct TextStyle: Sendable {
  package var width: Int
  package var hasColor: Bool

  package init(width: Int = 80, hasColor: Bool = false) {
    self.width = width
    self.hasColor = hasColor
  }
}
