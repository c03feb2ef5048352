"""The command line: each command is one file, which uses only public names of the library."""
