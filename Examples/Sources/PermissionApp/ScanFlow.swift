// The logic of a screen that needs the camera: explain, ask, go on without it, lead to Settings. It knows no view, so that it runs anywhere.

import PermissionRecorder

/// What the scan screen shows.
@MainActor public final class ScanFlow {
  public enum Step: Equatable, Sendable {
    /// The button "Scan".
    case start
    /// The app's own words before the dialog, in the variant that the install has.
    case explanation(String)
    /// The camera.
    case camera
    /// "The camera is off", with a button to Settings and one to type the code.
    case off
    /// Typing the code: after "Not now", and where a parent or an employer decided.
    case typing
  }

  public private(set) var step = Step.start { didSet { onChange(step) } }
  public var onChange: (Step) -> Void = { _ in }

  private let recorder: PermissionRecorder
  private let request: @Sendable () async -> Void
  private var answer: CheckedContinuation<Bool, Never>?

  /// - Parameter request: calls the system, like `{ _ = await AVCaptureDevice.requestAccess(for: .video) }`.
  public init(_ recorder: PermissionRecorder, request: @escaping @Sendable () async -> Void) {
    (self.recorder, self.request) = (recorder, request)
  }

  /// The button "Scan".
  public func scan() async {
    let variant = recorder.variant("scan_copy_v1", ["reason", "promise"])
    let status = await recorder.ask(.camera, variant: variant, surface: "scan") {
      step = .explanation(variant?.name ?? "reason")
      return await withCheckedContinuation { answer = $0 }
    } request: {
      await request()
    }
    show(status)
  }

  private func show(_ status: PermissionStatus?) {
    switch status {
    case .authorized: step = .camera
    case .denied:
      recorder.settingsPromptShown(.camera, surface: "scan")
      step = .off
    default: step = .typing
    }
  }

  /// The buttons of the explanation: "Continue" and "Not now".
  public func explanationAnswered(_ goesOn: Bool) {
    answer?.resume(returning: goesOn)
    answer = nil
  }

  /// The button "Open Settings".
  public func openSettings(_ open: () async -> Void) async {
    await recorder.openSettings(.camera, surface: "scan", open: open)
  }

  /// The app became active: the camera may be on now.
  public func becameActive(_ status: PermissionStatus?) {
    if step == .off, status == .authorized { step = .camera }
  }
}
