// The permissions manager: explain, ask, look again, lead to Settings. Each step records what happened, and nothing that did not.

import Foundation

extension PermissionRecorder {
  /// Asks for a permission, if the system would show its dialog.
  ///
  /// Records `explanation_shown` and, if it returns false, `skipped`; `prompt_shown` right before the call, and its answer right after it by the
  /// status that is found then. If the permission is decided already, nothing is shown: neither the explanation nor the dialog.
  ///
  /// - Parameters:
  ///   - explain: shows your own screen first, and returns whether the user went on.
  ///   - request: calls the system, which shows its dialog: not the request for provisional notifications. Its result is not read; the status after it is.
  /// - Returns: the status at the end. If `Configuration.readers` has no closure that knows it, `request` runs, nothing is recorded, and it
  ///   is nil.
  @discardableResult
  public func ask<Answer>(
    _ permission: Permission, variant: Variant? = nil, surface: String? = nil,
    isolation: isolated (any Actor)? = #isolation, explain: () async -> Bool, request: () async throws -> Answer
  ) async -> PermissionStatus? {
    await ask(permission, variant, surface, explains: true, isolation, explain, request)
  }

  /// The same without a screen of your own.
  @discardableResult
  public func ask<Answer>(
    _ permission: Permission, variant: Variant? = nil, surface: String? = nil,
    isolation: isolated (any Actor)? = #isolation, request: () async throws -> Answer
  ) async -> PermissionStatus? {
    await ask(permission, variant, surface, explains: false, isolation, { true }, request)
  }

  private func ask<Answer>(
    _ permission: Permission, _ variant: Variant?, _ surface: String?, explains: Bool,
    _ isolation: isolated (any Actor)?, _ explain: () async -> Bool, _ request: () async throws -> Answer
  ) async -> PermissionStatus? {
    // Of two callers at the same time one asks.
    let read = configuration.readers[permission]
    guard begin(permission) else { return await read?() }
    defer { end(permission) }
    guard let read, let before = await read() else {
      configuration.onProblem("\(permission.rawValue): nobody knows its status, so that nothing is recorded")
      _ = try? await request()
      return nil
    }
    guard showsDialog(permission, before) else {
      look(permission, before, surface: surface)
      return before
    }
    // So that it is known that more was asked for.
    if before.isOn { look(permission, before, surface: surface) }
    if explains {
      record(.explanationShown, permission, variant: variant, surface: surface)
      guard await explain() else {
        record(.skipped, permission, variant: variant, surface: surface)
        return before
      }
      // The explanation may have stayed for minutes, and another dialog may have decided meanwhile.
      guard let now = await read(), now == before else { return await check(permission) }
    }
    record(.promptShown, permission, variant: variant, surface: surface)
    _ = try? await request()
    guard let after = await read() else { return nil }
    let kind: EventKind = after == .notDetermined ? .skipped : after.isOn && after != before ? .granted : .denied
    // A refusal of more leaves on what was on. Beside a denial that status would contradict it.
    let isRefused = kind == .denied && after.isOn
    record(kind, permission, status: isRefused ? nil : after, variant: variant, surface: surface)
    return after
  }

  /// Whether the system shows its dialog: once, and once more for what is on in part.
  private func showsDialog(_ permission: Permission, _ status: PermissionStatus) -> Bool {
    switch (permission, status) {
    case (_, .notDetermined): true
    case (.locationAlways, .whenInUse), (.calendars, .writeOnly), (.notifications, .provisional):
      change { !($0.state.permissions[permission.rawValue]?.wasAskedForMore ?? false) } ?? true
    default: false
    }
  }

  /// A look at a permission that is being asked for.
  private func check(_ permission: Permission) async -> PermissionStatus? {
    let status = await configuration.readers[permission]?()
    if let status { look(permission, status, surface: nil) }
    return status
  }

  /// Looks at all permissions. Records what changed while the app was not looking: turned on or off in Settings, a dialog whose answer the
  /// app did not live to see, the first look at all, and the first look of a new version of the app. Call it at launch; `becameActive` does.
  public func check() async {
    setClock()
    for (permission, read) in configuration.readers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      // The closing of a dialog makes the app active before its answer is recorded.
      guard let reading = beginReading(permission), let status = await read() else { continue }
      look(permission, status, surface: nil, reading)
    }
  }

  /// Records that the app is in use, and looks at all permissions. Call it at launch and on every `didBecomeActive`.
  public func becameActive() async {
    if !isAsking { record(.appActive) }
    await check()
    outbox.wake()
  }

  /// Your alert that leads to Settings is on the screen.
  public func settingsPromptShown(_ permission: Permission, variant: Variant? = nil, surface: String? = nil) {
    record(.settingsPromptShown, permission, variant: variant, surface: surface)
  }

  /// Leads to Settings. The event is on the disk before `open` runs: iOS ends the app when most of the switches there are turned.
  public func openSettings(
    _ permission: Permission, variant: Variant? = nil, surface: String? = nil,
    isolation: isolated (any Actor)? = #isolation, open: () async -> Void
  ) async {
    record(.settingsOpened, permission, variant: variant, surface: surface)
    await open()
  }

  /// Compares a status with the last one that was recorded.
  private func look(
    _ permission: Permission, _ status: PermissionStatus, surface: String?, _ reading: (asks: Int, number: Int)? = nil
  ) {
    _ = change { journal in
      if let reading, !isNewest(permission, reading) { return }
      guard journal.state.install != nil else { return }
      let known = journal.state.permissions[permission.rawValue] ?? .init()
      guard let kind = kind(known, status) else { return }
      try journal.append(event(kind, permission, status, surface: surface))
    }
  }

  /// What a look tells; nil if nothing.
  private func kind(_ known: JournalState.Known, _ status: PermissionStatus) -> EventKind? {
    // The answer of a dialog that was open when the app ended: when it was given nobody knows.
    if known.isOpen, status != .notDetermined { return .statusChecked }
    guard let before = known.status else { return .statusChecked }
    if before == status { return known.version == configuration.appVersion ? nil : .statusChecked }
    if before == .denied, status.isOn {
      // Some versions of iOS 17 return "denied" while the dialog is still up.
      let answered = known.answered.flatMap { Event.date($0) }
      let isSoon = answered.map { abs(event(.statusChecked).date.timeIntervalSince($0)) < 60 } ?? false
      return isSoon ? .statusChecked : .reEnabled
    }
    return before.isOn && status == .denied ? .revoked : .statusChecked
  }
}

extension Event {
  fileprivate var date: Date { Event.date(timestamp) ?? .distantPast }
}
