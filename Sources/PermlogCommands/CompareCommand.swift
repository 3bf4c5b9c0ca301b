// `permlog compare`: messages against the first of them.

import ArgumentParser
import Permlog

extension ComparisonForm: ExpressibleByArgument {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare messages: B, and any others, against A, the control.",
    discussion: """
      Decides by an always-valid confidence sequence, so that it can be read again and again. The exit status is 0 \
      whatever the decision.

      Example:
        permlog compare A B --permission notifications --experiment notification_copy_v1
        permlog compare A B --guardrail drop_off_rate:1 --by platform --explain
        permlog compare A B C --split 2:1:1 --planned-n 20000 --looks 5
      """)

  @Argument(help: ArgumentHelp("Variant shown as the control.", valueName: "A"))
  var control: String

  @Argument(help: ArgumentHelp("Variants to compare with it, one or more.", valueName: "B"))
  var treatments: [String]

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions
  @OptionGroup var options: ComparisonOptions

  @Option(help: "Form of the comparison: \(ComparisonForm.names).")
  var format: ComparisonForm = .text

  @Option(
    help: ArgumentHelp("Write the comparison to this file, whole or not at all.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Say for each number which method, formula and source it comes from.")
  var explain = false

  @Flag(help: "Draw the text with signs of ASCII only.")
  var ascii = false

  private var variants: [String] { [control] + treatments }

  func validate() throws {
    let most = ComparisonRequest.mostVariants
    guard variants.count <= most else { throw ValidationError("compare takes at most \(most) variants") }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw ValidationError("name two different variants, or more, each once")
    }
    try options.validate(variants: variants.count)
  }

  func run() throws {
    let rendered = try CommandFailure.wrap {
      try log.open().compare(try request(), onUnknown: Output.tell).render(
        as: format, style: style, isExplained: explain)
    }
    try Output.result(rendered, to: output)
  }

  private var style: TextStyle {
    var style = TextStyle.current(toFile: output != nil)
    style.isASCII = ascii
    return style
  }

  private func request() throws -> ComparisonRequest {
    var request = ComparisonRequest(control: control, treatments: treatments)
    request.scope = try windows.scope()
    try options.apply(to: &request)
    return request
  }
}
