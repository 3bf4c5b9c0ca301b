// Which vendor a table or flattened records come from, by the names of their columns: a preset that a draft can build on.

import EventMapping

/// The preset that a draft builds on.
struct DraftVendor {
  let preset: String
  /// Times that name no zone are UTC.
  let isUTC: Bool
  /// The preset knows where everything is.
  let hasRecord: Bool
  /// The column of the install, if its name does not say that it is one.
  let install: String?

  /// Nil if the file is no vendor's.
  init?(_ sketch: HeadSketch) {
    hasRecord = sketch.knownForm?.preset != nil
    let table: Presets.Table?
    if let known = sketch.knownForm?.preset {
      preset = known
      table = try? Presets.Table(known)
    } else {
      var names: Set<String> = []
      for place in sketch.places {
        names.insert(SketchPlace.squash(place.path.joined()))
        if let own = place.ownName { names.insert(SketchPlace.squash(own)) }
      }
      table = Presets.table(names)
      guard let table else { return nil }
      preset = table.preset
    }
    install = table?.install
    isUTC = hasRecord || (try? Presets.mapping(preset))?.record?.zone != .project
  }
}
