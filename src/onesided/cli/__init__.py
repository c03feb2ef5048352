"""The command line: one file a command, over public names."""
