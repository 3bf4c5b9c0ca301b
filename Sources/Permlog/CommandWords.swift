// The command line: how a request is written there, and the options and commands that errors and documents suggest. The libraries leave these
// words to the caller.

import PermissionEvents
import ReportRendering

/// The words of the `permlog` command, for documents that another program shows: with them its text and JSON are those of the command.
public enum CommandWords {
  /// What to do on the command line, beginning with the punctuation after the sentence before.
  public static let text: RemedyWords = { remedy in
    switch remedy {
    case .makeLog(let path): ". Make one with `permlog ingest FILE --log \(quoted(path))`, or name another with --log."
    case .nameEmptyDirectory: ". Name an empty or a new directory with --log."
    case .fillLog: ". Fill it with `permlog ingest FILE`."
    case .restoreOrSalvage:
      ". The log is damaged; `permlog verify` lists all damage. Restore the log from a copy, or save the undamaged "
        + "events with `permlog export --skip-damaged`."
    case .compact: " The next command that writes removes them; `permlog compact` is enough."
    case .verifyAndReport: ". Run `permlog verify` and report this."
    case .giveErasureKey: ". Give it with --key FILE."
    case .giveRightErasureKey: ". Give the key file that `permlog erase` created: --key FILE."
    case .moveErasureKey: ". Leave --key out, or move the log's own key out first: `permlog erase --move-key FILE`."
    case .eraseWithKey: ". `permlog erase --key FILE --user ID` creates a key outside the log."
    case .nameNewKeyFile: ". Name a new file."
    case .giveUserKey:
      ". Nothing was stored. Give the same key with --hash-users; of a log that was rekeyed all its keys, the oldest first. "
        + "--force-mixed-users stores the events anyway: the "
        + "same person may then count twice, and erased users reappear."
    case .giveNoUserKey:
      ". Nothing was stored. Leave --hash-users out, or use another log for hashed users. --force-mixed-users stores "
        + "the events anyway: the same person may then count twice, and erased users reappear."
    case .eraseWithUserKey: ". Nothing was changed. Give the key with which the log was filled: --hash-users KEYFILE."
    case .eraseWithoutUserKey: ". Nothing was changed. Leave --hash-users out."
    case .confirmUserKey:
      ". Nothing was stored. If you are sure that the key is that of the log, --force-mixed-users accepts it."
    case .rekeyHashedLog:
      ". Nothing was changed. Ids as they are in the exports cannot be rekeyed: ingest the exports with --hash-users into a new "
        + "log. In a log of pseudonyms an ingest with --hash-users records the key."
    case .giveKeysToRekey:
      ". Nothing was changed. Give all keys of the log, the oldest first, and then the new one: permlog rekey OLD NEW."
    case .hashEventIDsFirst:
      ". Nothing was changed. Hash them first: permlog erase --hash-event-ids --hash-users KEYFILE."
    case .useFewerThreads: ". Try again with fewer --threads."
    case .tryLater: ". Try again when it is done, or wait for it with --wait 60s."
    case .leaveLinksOut: ". Ingest with --no-join."
    case .replaceEvents:
      ". The log keeps what it had. If the new reading is right, store it: permlog ingest FILES --replace"
    case .ingestIntoNewLog:
      ". Nothing was changed. Ingest all files of that source into a new log: permlog ingest FILES --into-new-log --log NEW_DIR"
    case .divideSharedUser:
      ". An id that many installs share is not a user. Give each install its own id, or remove the shared id with "
        + "`permlog erase`. It has the most lines in `permlog export`."
    case .draftMapping(let path):
      " To write a first mapping: permlog mapping draft \(quoted(path))"
    case .tellFormByContent: "; leave --format out, and permlog detects the format from the content"
    case .unpackLargeWindow(let path):
      ". Decompress it in a pipe: zstd -d --long=31 -c \(path == "-" ? "FILE" : quoted(path)) | permlog ingest -"
    case .keepPartialFiles: ". --keep-partial keeps the lines before it."
    case .readWithPython(let path):
      ". permlog's Python package reads it: python -m permlog ingest \(quoted(path))"
    case .leaveOutMappings: ", which need no --mapping; leave one of the two out"
    case .showPreset: "; print an example with permlog mapping show amplitude"
    case .allowCustomPermissions: ", or give --allow-custom-permissions"
    case .keepCustomPermission: " (--allow-custom-permissions keeps it)"
    case .keepFutureTime: " (--allow-future keeps it)"
    case .nameInputZone: " with --input-time-zone"
    case .nameMoment: ". Give it: --snapshot-time 2026-03-01T06:00:00Z"
    case .nameEvent: ". Name it: --event-name NAME, and ingest the files of one event at a time."
    case .tryMapping: "permlog mapping check FILE --mapping THIS_FILE"
    case .preferAccount: "; for --identity account"
    case .nameProjectZone: " with --project-time-zone"
    case .choosePermission(let names):
      ": choose one with --permission: \(LongNames.list(names, more: " (`permlog info` lists them)"))"
    case .nameBaselineRate: ". Name a rate with --baseline."
    case .askForShorterInterval: ". Ask for a shorter interval: --from and --to, or one --week."
    case .askForLess: ". Ask for less: --from and --to, one --permission, or another property with --by."
    case .exampleIngest: "permlog ingest export.ndjson"
    case .widenConditions: "Leave out some of the --where conditions."
    case .widenInterval: "Ask for a longer interval, or leave --from, --to and --week out."
    case .listKinds: "; permlog info shows what the log has."
    case .lookFromLater: " (--as-of)"
    case .readJSON: "; --format json has them."
    case .readCSV: "; --format csv has them."
    case .seeMore(let sections):
      "--full for everything; --section NAME for a part: "
        + (sections.isEmpty ? "`permlog help report` lists the names." : sections.joined(separator: ", ") + ".")
    case .seeMoreOfFlows:
      "--full for everything, --output flow.html for a drawing, --steps P1,P2,... for a flow of your own."
    case .effectDeviation: ", or --effect-sd POINTS"
    case .declareSplit(let split): split.contains(" ") ? " (--split '\(split)')" : " (--split \(split))"
    case .seeMoreOfComparison: "--full prints everything, --output compare.html makes a page."
    case .listAllChecks: "; --all lists them."
    case .giveInfoPlist: "; give it with --info-plist FILE."
    case .plannedUsers: " (--planned-n)"
    case .smallestEffect: " (--minimum-effect)"
    case .compareAnswers: ", or compare only those who answered (--variant-from answer)"
    case .compareSettingsMessages: ", or compare Settings messages (--screen settings)"
    case .compareAllExperiments: ", or all with --all"
    case .chooseExperiment: " (--experiment)"
    case .split: " (--split)"
    case .compareAsPlanned(let users, let looks):
      "`--planned-n \(users)\(looks.map { " --looks \($0)" } ?? " --rule always-valid")`"
    case .compareWithPlan(let path, let variants):
      // The plan has the names, and a name that begins with a dash would be taken for an option.
      "permlog compare "
        + (variants.contains { $0.hasPrefix("-") } ? [] : variants.map(quoted))
        .map { $0 + " " }.joined() + "--plan \(quoted(path))"
    case .savePlan: "add `--save FILE` and the names of the messages"
    }
  }

  /// An argument in the form that a shell needs.
  public static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte >= 48 && byte <= 57 || "/._-+,:@%=".utf8.contains(byte)
    }
    return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }
}

// MARK: Options and arguments

extension FieldDescription {
  /// Its option on the command line: `--by-limit` of `by_limit`.
  public var option: String { CommandWords.option(name) }
}

extension CommandWords {
  /// The option of a field's name.
  package static func option(_ name: String) -> String {
    // Byte by byte: every start of the process makes the options of its command.
    "--" + String(bounded: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 })
  }
}

extension FieldedRequest {
  /// The arguments of the command that makes this request: `["A", "B", "--permission", "camera"]`.
  public var commandArguments: [String] {
    let given = given
    var (operands, options): ([String], [String]) = ([], [])
    for field in Self.fields {
      for text in given[field.argument] ?? [] {
        if field.description.shape == .operands {
          operands.append(text)
        } else {
          // Joined to its option, a value may begin with a dash.
          options += text.hasPrefix("-") ? [field.description.option + "=" + text] : [field.description.option, text]
        }
      }
    }
    // A name with a dash comes after everything else.
    return operands.contains { $0.hasPrefix("-") } ? options + ["--"] + operands : operands + options
  }
}
