// An app with one screen that scans a code. This file needs SwiftUI: it is not built with the rest of this repository, and nobody has
// tried it on a phone yet. `ScanFlow` is, and its tests run on Linux.

#if canImport(SwiftUI) && canImport(UIKit) && canImport(AVFoundation)
  import AVFoundation
  import PermissionRecorder
  import SwiftUI
  import UIKit

  @MainActor let recorder = PermissionRecorder(
    .init(
      endpoint: URL(string: "https://events.example.com") ?? URL(fileURLWithPath: "/"), key: "KEY",
      appVersion: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
      readers: [.camera: StatusReaders.camera, .notifications: StatusReaders.notifications]))

  @main struct PermissionApp: App {
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
      WindowGroup { ScanScreen() }
        .onChange(of: phase) { phase in
          switch phase {
          case .active: Task { await recorder.becameActive() }
          case .background: sendInBackground()
          default: break
          }
        }
    }

    /// iOS gives a few seconds after the app has left the screen.
    private func sendInBackground() {
      recorder.synchronise()
      let task = UIApplication.shared.beginBackgroundTask()
      Task {
        await recorder.send()
        UIApplication.shared.endBackgroundTask(task)
      }
    }
  }

  struct ScanScreen: View {
    @State private var flow = ScanFlow(recorder) { _ = await AVCaptureDevice.requestAccess(for: .video) }
    @State private var step = ScanFlow.Step.start
    @Environment(\.scenePhase) private var phase

    var body: some View {
      Button("Scan") { Task { await flow.scan() } }
        .task { flow.onChange = { step = $0 } }
        .task { await recorder.run() }
        .sheet(isPresented: isExplaining) { Explanation(variant: variant, answer: flow.explanationAnswered) }
        .alert("The camera is off", isPresented: isOff) {
          Button("Open Settings") {
            Task {
              await flow.openSettings {
                if let url = URL(string: UIApplication.openSettingsURLString) { await UIApplication.shared.open(url) }
              }
            }
          }
          Button("Type the code", role: .cancel) {}
        }
        .onChange(of: phase) { phase in
          if phase == .active { Task { flow.becameActive(await StatusReaders.camera()) } }
        }
    }

    private var isOff: Binding<Bool> {
      Binding {
        step == .off
      } set: { _ in
      }
    }
    private var variant: String? { if case .explanation(let variant) = step { variant } else { nil } }
    private var isExplaining: Binding<Bool> {
      Binding {
        variant != nil
      } set: {
        if !$0 { flow.explanationAnswered(false) }
      }
    }
  }

  struct Explanation: View {
    let variant: String?
    let answer: (Bool) -> Void

    var body: some View {
      VStack(spacing: 24) {
        Text(variant == "promise" ? "Scanned in a second" : "To read the code, we need the camera").font(.title)
        Text("Nothing is stored or sent.")
        Button("Continue") { answer(true) }.buttonStyle(.borderedProminent)
        Button("Not now") { answer(false) }
      }.padding()
    }
  }
#endif
