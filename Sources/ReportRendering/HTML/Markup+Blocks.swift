// Sections and blocks as HTML.

extension Markup {
  /// - Parameter afterAnswer: what follows the first drawing of the section that leads a page.
  mutating func write(_ section: Section, afterAnswer: ((inout Markup) -> Void)? = nil) {
    guard section.heading != .none else {
      for block in section.blocks { write(block) }
      return
    }
    newLine()
    element("section", ["id": section.id, "aria-labelledby": section.id + "-title"]) { page in
      page.element("h2", ["id": section.id + "-title"]) { $0.name(ChartName.heading(section.title)) }
      let answer = section.blocks.firstIndex { if case .drawing = $0 { true } else { false } }
      for (place, block) in section.blocks.enumerated() {
        page.write(block, caption: section.title)
        if place == answer { afterAnswer?(&page) }
      }
      if answer == nil { afterAnswer?(&page) }
    }
  }

  /// - Parameter caption: of tables, for those who hear the page.
  mutating func write(_ block: Block, caption: String = "") {
    switch block {
    case .words(let words): prose(words, ["class": "words"])
    case .paragraph(let words, _): prose(words)
    case .headline(let words): prose(words, ["class": "headline"])
    case .verdict(let words, _, let kind): verdict(words, kind)
    case .note(let words, _): prose(words, ["class": "note"])
    case .caution(let words, .note): prose("Note: " + words, ["class": "caution"])
    case .caution(let words, _): prose(words, ["class": "caution"])
    case .strong(let words, let kind): strong(words, kind)
    case .facts(let facts, _): self.facts(facts)
    case .table(let table, let empty, let more):
      guard !table.isEmpty else { return prose(empty) }
      self.table(table, caption: caption, extraTitles: more?.titles ?? []) { more?.draw(&$0, $1) }
    case .command(let words): element("pre") { $0.element("code") { $0.held(words) } }
    case .source(let address): source(address)
    case .drawing(let draw): draw(&self)
    case .ruler, .gap: break
    }
  }

  // MARK: Words

  mutating func prose(_ words: String, _ attributes: Attributes = [:]) {
    element("p", attributes) { $0.held(words) }
  }

  /// Text whose options, such as `--minimum-effect`, are not broken at their hyphens.
  mutating func held(_ words: String) {
    var rest = Substring(words)
    while let option = Self.option(in: rest) {
      text(String(rest[..<option.lowerBound]))
      element("code", ["class": "option"], text: String(rest[option]))
      rest = rest[option.upperBound...]
    }
    text(String(rest))
  }

  /// The first word that begins with two hyphens and a letter.
  private static func option(in words: Substring) -> Range<Substring.Index>? {
    let bytes = words.utf8
    var place = bytes.startIndex
    var isStart = true
    func isWord(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D }
    while place < bytes.endIndex {
      if isStart, bytes[place...].starts(with: "--".utf8) {
        let end = bytes[place...].firstIndex { !isWord($0) } ?? bytes.endIndex
        if let letter = bytes[place...].dropFirst(2).first, letter >= 0x61, isWord(letter) { return place..<end }
      }
      isStart = !isWord(bytes[place])
      place = bytes.index(after: place)
    }
    return nil
  }

  /// What was decided, with the colour and the sign of its kind.
  private mutating func verdict(_ words: String, _ kind: VerdictKind?) {
    guard let kind else { return prose(words, ["class": "verdict"]) }
    element("p", ["class": "verdict " + kind.rawValue]) { page in
      page.ornament(width: 24, height: 24) { kind.draw(on: &$0) }
      page.element("span") { $0.held(ChartName.heading(words)) }
    }
  }

  private mutating func strong(_ words: String, _ kind: VerdictKind?) {
    guard let kind else { return element("h3") { $0.name(ChartName.heading(words)) } }
    element("h3", ["class": "kind " + kind.rawValue]) { page in
      page.ornament(width: 24, height: 24) { kind.draw(on: &$0) }
      page.element("span") { $0.name(ChartName.heading(words)) }
    }
  }

  /// A link only if it leads anywhere from a page that lies by itself.
  private mutating func source(_ address: String) {
    element("p", ["class": "note"]) { page in
      page.text("See ")
      if address.hasPrefix("https:") {
        page.element("a", ["href": address, "rel": "noreferrer"], text: address)
      } else {
        page.text(address)
      }
    }
  }

  // MARK: Names, facts and what opens with a click

  /// A name from outside: its direction of writing stays its own.
  mutating func name(_ text: String) {
    element("bdi") { page in
      // A long name breaks after an underscore rather than in a word.
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      for (i, part) in parts.enumerated() {
        page.text(part + (i + 1 < parts.count ? "_" : ""))
        if i + 1 < parts.count, text.utf8.count > 12 { page.empty("wbr") }
      }
    }
  }

  /// What opens with a click, and is left out on paper.
  mutating func details(_ summary: String, _ body: (inout Markup) -> Void) {
    element("details") { page in
      page.element("summary", text: summary)
      body(&page)
    }
  }

  private mutating func facts(_ facts: [Fact]) {
    element("dl", ["class": "facts"]) { page in
      for fact in facts {
        page.element("dt", text: fact.name)
        page.element("dd") { page in
          if fact.isAlarm { page.element("strong", ["class": "bad"], text: Fact.alarm) }
          page.held((fact.isAlarm ? " " : "") + fact.text)
        }
      }
    }
  }
}
