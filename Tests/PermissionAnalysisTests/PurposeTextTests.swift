// Usage sentences as texts, at the edges of each rule of docs/info-plist.md.

import Testing

@testable import PermissionAnalysis

@Suite struct PurposeTextTests {
  private func problem(_ text: String, inEnglish: Bool = true) -> PurposeFinding.Reason? {
    PurposeText(text).problem(inEnglish: inEnglish)
  }

  @Test(
    "Sentences that give a reason are left alone",
    arguments: [
      "Scan receipts with the camera.", "Acme needs access to your camera to scan receipts.",
      "To scan receipts, Acme needs access to your camera.", "We need camera access so you can scan receipts.",
      "Camera access is required to scan receipts.", "We'd like to use your location when you look for shops.",
      "Acme requires access to your photos for your profile picture.",
      "This app needs access to your photo library. Pictures that you choose are sent with your order.",
      "Todo uses your photos in lists.", "Photos that you choose are shown on the map in the app",
      "Scan your message here, and read the text here in your language.",
      "Pick another picture to replace with a new one.",
      "Record voice notes. Requires microphone access.", "Microphone access is required. Record notes with it.",
      "$(PRODUCT_NAME) scans receipts with it.", "$(CAMERA_TEXT)", "Because: $(WHY)",
    ])
  func good(text: String) { #expect(problem(text) == nil) }

  @Test(
    "Sentences that only say that access is needed",
    arguments: [
      "This app needs access to your camera.", "This app needs access to the camera and the microphone",
      "$(PRODUCT_NAME) requires access to contacts", "We would like to access your contacts.",
      "Acme needs camera access!",
      "We’d like access to your calendar", "Camera access is required.", "Microphone access required.",
      "Please allow access to your location.",
      "We need permission to use the microphone", "Thank you! Camera access is required. Please allow access to it.",
    ])
  func noReason(text: String) { #expect(problem(text) == .saysNoReason) }

  @Test("Eight words after the need are a thing, nine say something else")
  func words() {
    #expect(problem("It needs access to one two three four five six seven eight") == .saysNoReason)
    #expect(problem("It needs access to one two three four five six seven eight nine") == nil)
  }

  @Test(
    "What templates leave behind",
    arguments: [
      "TODO", "TODO: say why the camera is needed", "Lorem ipsum dolor sit amet", "string", "Usage Description.", "...",
      "-",
      "Privacy - Camera Usage Description", "INSERT_REASON_HERE", "My description about why I need this capability",
      "Replace with appropriate message.", "NSCameraUsageDescription", "<#reason#>", "$(PRODUCT_NAME)",
      "${PRODUCT_NAME} ",
      "test", "Your description here", "Enter your text here.", "Insert the reason here before you send it to Apple",
    ])
  func placeholders(text: String) { #expect(problem(text) == .isPlaceholder) }

  @Test(
    "A key of a table for which no text was found, in any language",
    arguments: [
      "cameraPermissionText", "camera.permission.explanation", "PERMISSION_CAMERA_RATIONALE", "infoPlist_camera",
    ])
  func keys(text: String) {
    #expect(problem(text) == .isPlaceholder && problem(text, inEnglish: false) == .isPlaceholder)
  }

  @Test(
    "One word is short, and no key",
    arguments: [
      "Receipts", "Receipts.", "Kamerazugriffserlaubnis", "$(A)b.cdefghi", "Scanning...", "$(PRODUCT_NAME)scans",
    ])
  func oneWord(text: String) { #expect(problem(text, inEnglish: false) != .isPlaceholder) }

  @Test("Nothing is nothing, also in signs that nobody sees", arguments: ["", " \n", "\u{200B}\u{FEFF} ", "\u{2060}"])
  func empty(text: String) {
    #expect(problem(text) == .isEmpty)
    #expect(problem(text, inEnglish: false) == .isEmpty)
  }

  @Test("Twenty characters are enough, nineteen are not; blanks at the ends and names of the app do not count")
  func length() {
    #expect(problem("Scans your receipts!") == nil)
    #expect(problem("Scans your receipts") == .isShort(characters: 19))
    #expect(problem("  Scans your receipts \n") == .isShort(characters: 19))
    #expect(problem("$(PRODUCT_NAME) Scans your receipts") == .isShort(characters: 19))
    // Characters that people see, not code points.
    #expect(problem("Scans your receipt👩‍👩‍👧‍👦") == .isShort(characters: 19))
    #expect(problem("Um Belege zu scannen", inEnglish: false) == nil)
    #expect(problem("Um Belege zu lesen.", inEnglish: false) == .isShort(characters: 19))
  }

  @Test("In Chinese, Japanese and Korean ten characters are enough")
  func dense() {
    #expect(problem("用相机扫描您的收据。", inEnglish: false) == nil)
    #expect(problem("用相机扫描您的收据", inEnglish: false) == .isShort(characters: 9))
    #expect(problem("レシートをスキャンし", inEnglish: false) == nil)
    #expect(problem("영수증을 스캔합니다", inEnglish: false) == nil)
    #expect(problem("Scan 收据", inEnglish: false) == .isShort(characters: 7))
  }

  @Test("Of a long text the first thousand code points are looked at")
  func long() {
    #expect(PurposeText(String(repeating: "a", count: 1_000_000)).trimmed.count == 1_000)
    #expect(problem(String(repeating: " ", count: 970) + "Scans your receipts and more") == nil)
  }

  @Test("Words are looked for in English alone")
  func languages() {
    let text = "This app needs access to your camera."
    #expect(problem(text, inEnglish: false) == nil)
    #expect(problem("TODO: say why the camera is needed", inEnglish: false) == nil)
  }
}
