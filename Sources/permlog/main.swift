import PermlogCommands

Permlog.runMain()
