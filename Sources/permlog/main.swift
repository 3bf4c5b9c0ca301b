import PermlogCommands

PermlogCommand.runMain()
