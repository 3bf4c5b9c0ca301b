// Flows as a Sankey drawing: a column for each step, a bar for each permission of it, bands from bar to bar. Heights of bars and bands are
// in proportion to flows; what ended at a bar has no band.

import PermissionAnalysis

struct FlowChart {
  /// All flows that asked for a permission at the same step, whatever came before.
  struct Bar {
    /// Index of the column: the number of permissions before.
    var step: Int
    /// nil for the permissions of few flows together.
    var permission: String?
    var outcomes = FlowOutcomes()
    var ended = 0
    var flows: Int { outcomes.total }
  }

  /// Flows from one bar to a bar of the next column; both are indices of `bars`.
  struct Band: Equatable {
    var from: Int
    var to: Int
    var flows: Int
  }

  /// By column, and within one the most flows first; what is joined comes last.
  private(set) var bars: [Bar] = []
  private(set) var bands: [Band] = []
  private let settled: Int

  /// Columns that are drawn; the table has all steps.
  static let mostSteps = 5
  /// Bars of a column; the others are joined.
  static let mostBars = 7

  init(_ entry: FlowEntry) {
    settled = entry.settled
    let nodes = entry.tree.filter { $0.prefix.count <= Self.mostSteps }
    // Names are bytes: texts that Unicode takes for equal are two permissions.
    func name(_ permission: String?) -> [UInt8] { Array((permission ?? "").utf8) }
    var flows: [[[UInt8]: Int]] = []
    for node in nodes {
      while flows.count < node.prefix.count { flows.append([:]) }
      flows[node.prefix.count - 1][name(node.prefix.last), default: 0] += node.flows
    }
    let few = Int((Self.leastHeight / Self.height * Double(settled)).rounded(.up))
    var slots: [[[UInt8]: Int]] = []
    for (step, counts) in flows.enumerated() {
      let order = counts.sorted { a, b in
        a.value == b.value ? a.key.lexicographicallyPrecedes(b.key) : a.value > b.value
      }
      let named = order.prefix(Self.mostBars).prefix { $0.value >= few }
      let rest = order.dropFirst(named.count)
      let first = bars.count
      bars += named.map { Bar(step: step, permission: String(bounded: $0.key)) }
      if !rest.isEmpty { bars.append(Bar(step: step, permission: nil)) }
      slots.append(
        Dictionary(
          uniqueKeysWithValues: named.enumerated().map { ($1.key, first + $0) }
            + rest.map { ($0.key, first + named.count) }))
    }
    var joined: [Int: [Int: Int]] = [:]
    for node in nodes {
      let step = node.prefix.count - 1
      guard let bar = slots[step][name(node.prefix.last)] else { continue }
      bars[bar].outcomes.add(node.outcomes)
      bars[bar].ended += node.ended
      if step > 0, let from = slots[step - 1][name(node.prefix[step - 1])] {
        joined[from, default: [:]][bar, default: 0] += node.flows
      }
    }
    bands = joined.flatMap { from, targets in targets.map { Band(from: from, to: $0.key, flows: $0.value) } }
      .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  // MARK: Drawing

  private static let width = 760.0
  /// Pixels of all settled flows, without the gaps between bars.
  private static let height = 300.0
  private static let leastHeight = 3.0
  /// A bar has two lines of words beside it.
  private static let label = 30.0
  private static let gap = 12.0
  private static let barWidth = 16.0
  /// For the words beside the bars of the last column.
  private static let lastColumn = 170.0

  static func draw(_ entry: FlowEntry, on page: inout Markup) {
    let chart = FlowChart(entry)
    let colors = parts(FlowOutcomes())
    page.legend(colors.map(\.name)) { page, number in
      page.element("g", ["class": colors[number].style]) { $0.bar(x: 0.5, y: 0.5, width: 23, height: 11, "fill") }
    }
    page.element("figure", ["class": "large"]) { page in
      page.element(
        "div", ["class": "scroll sankey", "role": "region", "aria-label": "Flows step by step", "tabindex": "0"]
      ) { chart.draw(on: &$0) }
      page.numbers(chart.numbers, "Flows as they are drawn")
    }
  }

  private func draw(on page: inout Markup) {
    let steps = (bars.last?.step ?? 0) + 1
    let distance = steps > 1 ? min(300, (Self.width - Self.lastColumn) / Double(steps - 1)) : 0
    let scale = Self.height / Double(max(1, settled))
    var tops = [Double](repeating: 0, count: bars.count)
    var bottom = [Double](repeating: 0, count: steps)
    for (i, bar) in bars.enumerated() {
      tops[i] = bottom[bar.step]
      bottom[bar.step] += max(Double(bar.flows) * scale, Self.label) + Self.gap
    }
    let height = (bottom.max() ?? 0) + 8
    page.drawing(
      width: Self.width, height: height, title: "What the app asks for, step by step", description: description
    ) { page in
      func x(_ bar: Int) -> Double { Double(bars[bar].step) * distance }
      // Bands leave a bar in the order of the bars they lead to, and reach one in the order of those they come from.
      var (left, reached) = (tops, tops)
      for band in bands {
        let thickness = Double(band.flows) * scale
        page.series("\(name(band.from)) → \(name(band.to))", "neutral") { page in
          page.element(
            "title", text: "\(name(band.from)) → \(name(band.to)): \(NumberText.counted(band.flows, "flow"))")
          page.flow(
            from: (x(band.from) + Self.barWidth, left[band.from]), to: (x(band.to), reached[band.to]), thickness, "band"
          )
        }
        left[band.from] += thickness
        reached[band.to] += thickness
      }
      for (i, bar) in bars.enumerated() { draw(bar, x: x(i), y: tops[i], scale, on: &page) }
    }
  }

  private func draw(_ bar: Bar, x: Double, y: Double, _ scale: Double, on page: inout Markup) {
    page.series(name(bar), "neutral") { page in
      var top = y
      for part in Self.parts(bar.outcomes) where part.count > 0 {
        let length = Double(part.count) * scale
        page.element("g", ["class": part.style]) { page in
          page.element("title", text: "\(name(bar)), \(part.name): \(NumberText.counted(part.count, "flow"))")
          page.bar(x: x, y: top, width: Self.barWidth, height: length, "fill")
        }
        top += length
      }
      let share = Double(bar.flows) / Double(max(1, settled))
      page.label(
        ChartName.short(bar.permission.map(PermissionTitle.of) ?? "others", most: 26), x: x + Self.barWidth + 6,
        y: y + 12,
        "strong")
      page.label("\(NumberText.percent(share)) of flows", x: x + Self.barWidth + 6, y: y + 26)
    }
  }

  private func name(_ bar: Int) -> String { name(bars[bar]) }
  private func name(_ bar: Bar) -> String { bar.permission ?? "others" }

  private static func parts(_ outcomes: FlowOutcomes) -> [(name: String, style: String, count: Int)] {
    let counts = [outcomes.granted, outcomes.denied, outcomes.skipped, outcomes.droppedOff]
    return zip(OutcomeMark.all, counts).map { ($0.name, $0.style, $1) } + [
      ("restricted", "restricted", outcomes.restricted)
    ]
  }

  private var description: String {
    let described = bars.prefix(12).map { bar in
      "step \(bar.step + 1), \(name(bar)): \(NumberText.counted(bar.flows, "flow")), "
        + NumberText.percent(Double(bar.flows) / Double(max(1, settled)))
    }
    return described.joined(separator: "; ") + (bars.count > 12 ? "; and \(bars.count - 12) more." : ".")
  }

  private var numbers: Table {
    let style = TextStyle(width: 120)
    let outcomes = Self.parts(FlowOutcomes()).enumerated().map { number, part in
      TableColumn<Bar>(part.name) { style.count(Self.parts($0.outcomes)[number].count) }
    }
    let columns: [TableColumn<Bar>] =
      [
        TableColumn("flows") { style.count($0.flows) },
        TableColumn("of all") { style.share($0.flows, of: settled) },
      ] + outcomes + [TableColumn("ended") { style.count($0.ended) }]
    return Table("step and permission", bars, columns) { "\($0.step + 1) " + name($0) }
  }
}

extension Markup {
  /// A band of one thickness that bends from the right of one bar to the left of another.
  fileprivate mutating func flow(
    from a: (x: Double, y: Double), to b: (x: Double, y: Double), _ thickness: Double, _ style: String
  ) {
    func point(_ x: Double, _ y: Double) -> String { "\(Plot.px(x)) \(Plot.px(y))" }
    let middle = (a.x + b.x) / 2
    let (low, high) = (a.y + thickness, b.y + thickness)
    path(
      "M\(point(a.x, a.y))C\(point(middle, a.y)) \(point(middle, b.y)) \(point(b.x, b.y))L\(point(b.x, high))"
        + "C\(point(middle, high)) \(point(middle, low)) \(point(a.x, low))Z", style)
  }
}

/// What a permission is called where people look, as iOS's settings call it.
enum PermissionTitle {
  private static let titles: [String: String] = [
    "notifications": "Notifications", "camera": "Camera", "photo_library": "Photos",
    "photo_library_add": "Photos, add only",
    "microphone": "Microphone", "location_when_in_use": "Location, while in use", "location_always": "Location, always",
    "contacts": "Contacts", "calendars": "Calendars", "calendars_write_only": "Calendars, add only",
    "reminders": "Reminders",
    "bluetooth": "Bluetooth", "face_id": "Face ID", "health_read": "Health, read", "health_write": "Health, write",
    "motion": "Motion & Fitness", "speech": "Speech Recognition", "tracking": "Tracking",
    "local_network": "Local Network",
    "siri": "Siri", "media_library": "Media & Apple Music", "homekit": "HomeKit",
    "nearby_interaction": "Nearby Interactions", "focus_status": "Focus", "mail": "Mail",
    "alarms": "Alarms",
    "age_range": "Age Range",
    "family_controls": "Family Controls",
    "location_temporary_accuracy": "Precise Location, once",
    "financial_data": "Financial Data",
    "identity_document": "ID in Wallet",
    "health_clinical": "Health Records",
    "game_center_friends": "Game Center Friends",
    "nfc": "NFC",
    "fall_detection": "Fall Detection",
    "sensorkit": "Research Sensors",
    "critical_messaging": "Critical Messages",
    "tv_provider": "TV Provider",
    "critical_alerts": "Critical Alerts",
    "time_sensitive": "Time-Sensitive Notifications",
    "accessory_setup": "Accessory Setup",
    "wifi_aware": "Wi-Fi Aware",
    "journaling_suggestions": "Journaling Suggestions",
    "world_sensing": "World Sensing",
    "hand_tracking": "Hand Tracking",
    "main_camera": "Main Camera",
    "accessory_tracking": "Accessory Tracking",
    "desktop_folder": "Desktop Folder",
    "documents_folder": "Documents Folder",
    "downloads_folder": "Downloads Folder",
    "network_volumes": "Network Volumes",
    "removable_volumes": "Removable Volumes",
    "file_provider": "File Provider",
    "apple_events": "Automation",
    "system_administration": "System Administration",
    "audio_capture": "System Audio Recording",
    "app_data": "Data of Other Apps",
    "screen_capture": "Screen Recording",
    "body_sensors": "Body Sensors",
    "nearby_devices": "Nearby Devices",
  ]

  /// The title of a permission of the taxonomy; a custom one has its own name.
  static func of(_ permission: String) -> String { titles[permission] ?? permission }
}
