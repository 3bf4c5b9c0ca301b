// What sections are written on.

/// A form of documents.
protocol SectionPage {
  mutating func write(_ section: Section)
}

extension SectionPage {
  mutating func write(_ sections: [Section]) {
    for section in sections { write(section) }
  }
}
