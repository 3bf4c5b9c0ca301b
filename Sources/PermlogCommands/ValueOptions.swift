// Options and arguments with a value, declared by their help and the name of the value.

import ArgumentParser

/// A value called a file is completed as a file.
private func completion(of value: String) -> CompletionKind? {
  switch value {
  case "file", "keyfile": .file()
  case "dir": .directory
  default: nil
  }
}

extension Option {
  init<T: ExpressibleByArgument>(_ help: String, value: String) where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }

  init<T: ExpressibleByArgument>(wrappedValue: [T], _ help: String, value: String) where Value == [T] {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }

  init(wrappedValue: Value, _ help: String, value: String) where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }

  init(_ help: String, value: String) where Value: ExpressibleByArgument {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }
}

extension Argument {
  init(_ help: String, value: String) where Value: ExpressibleByArgument {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }

  init<T: ExpressibleByArgument>(_ help: String, value: String) where Value == [T] {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }

  init<T: ExpressibleByArgument>(wrappedValue: [T], _ help: String, value: String) where Value == [T] {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion(of: value))
  }
}
