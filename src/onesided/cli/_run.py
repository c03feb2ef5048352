"""One run of a command: the options that all commands have, and how a command ends."""

import functools
import inspect
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar, get_args, get_type_hints

import typer

from onesided import __version__
from onesided.cli._config import ENDING, Config, as_typed, digests, read_config
from onesided.cli._options import OUTPUT, file_option, option
from onesided.cli._outputs import File
from onesided.cli._own_methods import keeping_apart
from onesided.cli._talk import check_interrupted, progress, say, saying_warnings, talking, warn
from onesided.exceptions import TableError

_PANEL = "This run"
V = TypeVar("V")
_run: ContextVar["Run"] = ContextVar("run")


@dataclass
class Run:
    """One run of a command.

    Attributes
    ----------
    verb : name of the command
    command : the shortest command line that does the same
    config : the config to save, and its path; None if it is not saved
    as_json : whether standard output gets one JSON object
    warnings : texts of the warnings so far
    inputs : paths of all files and folders that the options read, which no output may replace
    written : paths of the outputs, by name of their content
    stdout : standard output, also while methods of users print to standard error
    """

    verb: str
    command: str
    config: tuple[Config, Path] | None
    as_json: bool
    warnings: list[str]
    inputs: list[Path]
    written: dict[str, Path] = field(default_factory=dict)
    stdout: TextIO = field(default_factory=lambda: sys.stdout)

    def write(self, files: Mapping[str, File] | None = None) -> None:
        """Write all outputs and the config, or none of these files.

        Parameters
        ----------
        files : the outputs, by name of their content
        """
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        check_interrupted()
        files = files or {}
        self.written = {name: path for name, (path, _) in files.items()}
        writers = dict(files.values())
        if self.config is not None:
            config, path = self.config
            if path.resolve() in {each.resolve() for each in writers}:
                raise TableError(
                    f"{str(path)!r} is another output of this run.",
                    "Pass another name: --save-config FILE.",
                )
            writers[path] = partial(tables.write_text, config.as_text())
        tables.write_files(writers)
        if self.config is not None:
            say(f"Config: {path}")

    @contextmanager
    def writing(self, name: str, file: File) -> Iterator[dict[str, File]]:
        """Yield a dictionary for further outputs; at the end, write them with the main output.

        All outputs are written or none. But if a further output cannot be made, the main output is
        written before the error ends the command.

        Parameters
        ----------
        name : name of the content of the main output
        file : the main output
        """
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        files = {name: file}
        try:
            yield files
            self.write(files)
        except Exception:
            with suppress(TableError):  # only the first error is reported
                tables.write_files(dict([file]))
                warn(f"{file[0]} is written, but then an error ended the command.")
            raise

    def end(self, title: str, facts: Callable[[], Any], line: str = "") -> None:
        """Print the result that scripts read: with --json a JSON object, otherwise one line.

        Parameters
        ----------
        title : title above the line, printed to standard error
        facts : function that returns the result for the JSON object
        line : the line; by default the path of the first output
        """
        if self.as_json:
            from onesided import tables  # noqa: PLC0415 - help does not pay for it

            config = {} if self.config is None else {"config": self.config[1]}
            outcome = {
                "verb": self.verb,
                "version": __version__,
                "command": self.command,
                "warnings": self.warnings,
                "result": facts(),
                "written": {name: str(path) for name, path in (self.written | config).items()},
            }
            typer.echo(tables.as_json(outcome), file=self.stdout)
            return
        if title:
            say(title)
        typer.echo(line or str(next(iter(self.written.values()))), file=self.stdout)


def current_run() -> Run:
    """Return the run of the current command."""
    return _run.get()


def _use_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Set the defaults of the command from a config file, before the command line is parsed."""
    if value is None or ctx.resilient_parsing:
        return value
    config = read_config(value, str(ctx.info_name), _kinds(ctx))
    by_name = {_typed(each): each.name for each in _own(ctx)}
    ctx.default_map = {
        by_name[name]: as_typed(value)
        for name, value in config.options.items()
        if value is not None
    }
    return value


@dataclass(frozen=True)
class _Shared:
    """The options that all commands have."""

    config: Annotated[
        Path | None,
        file_option(
            "Read options from a file that --save-config wrote; options given here win.",
            panel=_PANEL,
            callback=_use_config,
            is_eager=True,
        ),
    ] = None
    save_config: Annotated[
        Path | None,
        file_option(
            "Save all options, the version and the SHA-256 of the inputs as .json. --config FILE "
            "repeats the run and gives the same bytes; with audit, it continues the audit.",
            panel=_PANEL,
        ),
    ] = None
    as_json: Annotated[
        bool,
        option(
            "Print one JSON object with verb, version, command, warnings, result and written; "
            "after an error with verb, version and error.",
            "--json",
            panel=_PANEL,
        ),
    ] = False
    verbose: Annotated[
        int,
        option(
            "Explain each decision; -vv also shows what each pass over the data costs.",
            *("--verbose", "-v"),
            panel=_PANEL,
            count=True,
            show_default=False,
            metavar="",
        ),
    ] = 0
    quiet: Annotated[
        bool, option("Print only warnings and errors.", "--quiet", "-q", panel=_PANEL)
    ] = False


_SHARED = {each.name for each in fields(_Shared)}
_CONTEXT = inspect.Parameter(
    "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
)


def verb(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that makes a function a command with the options that all commands have.

    The parameters of the function are options, or dataclasses whose fields are options. The
    function must end with `Run.write` and `Run.end`.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, type] = {
        name: each.annotation
        for name, each in signature.parameters.items()
        if isinstance(each.annotation, type) and is_dataclass(each.annotation)
    }
    own = [
        option
        for name, each in signature.parameters.items()
        for option in (_options_of(groups[name]) if name in groups else [each])
    ]
    # A signature needs options without a default first; otherwise the help keeps the order.
    own.sort(key=lambda each: each.default is not inspect.Parameter.empty)
    defaults = {each.name: each.default for each in own}
    outputs = {each.name for each in own if OUTPUT in get_args(each.annotation)}

    @functools.wraps(command)
    def run(ctx: typer.Context, **options: Any) -> None:
        shared = _Shared(**{name: options.pop(name) for name in _SHARED})
        verbose = shared.verbose + (ctx.obj if isinstance(ctx.obj, int) else 0)
        if verbose and shared.quiet:
            raise TableError("--verbose and --quiet cannot be used together.", "Pass one of them.")
        read = {name: value for name, value in options.items() if name not in outputs}
        inputs = _paths(read)
        with talking(verbose=verbose, quiet=shared.quiet) as warnings:
            begun = Run(
                verb=str(ctx.info_name),
                command=_command(ctx, options, defaults),
                config=_config_of(ctx, options, defaults, inputs, shared),
                as_json=shared.as_json,
                warnings=warnings,
                inputs=[*inputs, *_paths({"config": shared.config})],
            )
            token = _run.set(begun)
            try:
                with saying_warnings(), keeping_apart(options.get("method")):
                    command(**_gathered(options, groups))
            finally:
                _run.reset(token)

    options = [*own, *_options_of(_Shared)]
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in options]
    run.__signature__ = signature.replace(parameters=[_CONTEXT, *keywords])  # type: ignore[attr-defined]  # what typer reads
    run.outputs = outputs  # type: ignore[attr-defined]  # for a test of their names
    return run


def _options_of(group: type) -> Iterator[inspect.Parameter]:
    """Yield the fields of a group of options as parameters."""
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name], default=default
        )


def _gathered(options: Mapping[str, Any], groups: Mapping[str, type]) -> dict[str, Any]:
    """Return the arguments of a command: its own options, and one value for each group."""
    rest = dict(options)
    made = {
        name: group(**{each.name: rest.pop(each.name) for each in fields(group)})
        for name, group in groups.items()
    }
    return rest | made


def _config_of(
    ctx: typer.Context,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    inputs: list[Path],
    shared: _Shared,
) -> tuple[Config, Path] | None:
    """Return the config to save and its path; None if no config is saved.

    The function also checks the names of all files, and warns if the inputs or the version differ
    from those of --config.
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    for text in _values(options, str):
        if text != text.encode(errors="replace").decode():
            raise TableError(f"The option {text!r} is not UTF-8 text.", "Type it again as UTF-8.")
    for path in [*_paths(options), *_paths(vars(shared))]:
        tables.check_file_name(path)
    saved, name = shared.save_config, str(ctx.info_name)
    if saved is not None:
        _check_save(saved, inputs, options)
    kept = read_config(shared.config, name, _kinds(ctx)) if shared.config else None
    if not (kept or saved):
        return None
    with progress("reading the inputs for their SHA-256"):
        found = digests(inputs)
    for difference in kept.differences(found) if kept else ():
        warn(f"{difference} The results may differ.")
    values = {
        _typed(each): None
        if options[each.name] == "" == defaults[each.name]
        else _plain(options[each.name])
        for each in _own(ctx)
    }
    return None if saved is None else (Config(__version__, name, values, found), saved)


def _own(ctx: typer.Context) -> Iterator[Any]:
    """Return the arguments and options of a command, without those that all commands have."""
    return (each for each in ctx.command.params if each.name not in _SHARED)


def _typed(parameter: Any) -> str:
    """Return the name of a parameter as a person types it, without dashes: "id" for --id."""
    if parameter.param_type_name == "argument":
        return str(parameter.name)
    return str(max(parameter.opts, key=len)).removeprefix("--")


def _kinds(ctx: typer.Context) -> dict[str, type]:
    """Return the kind of each option: `list`, `bool` for a switch, or `str` for one value."""
    return {
        _typed(each): list
        if getattr(each, "multiple", False) or each.nargs == -1
        else bool
        if getattr(each, "is_flag", False)
        else str
        for each in _own(ctx)
    }


def _plain(value: Any) -> Any:
    """Return the value of an option as JSON can hold it; None if the option was not given."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value] or None
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _paths(options: Mapping[str, Any]) -> list[Path]:
    """Return the paths among the values of options."""
    return _values(options, Path)


def _values(options: Mapping[str, Any], kind: type[V]) -> list[V]:
    """Return the values of one type among the values of options; lists are searched too."""
    return [
        each
        for value in options.values()
        for each in (value if isinstance(value, (list, tuple)) else [value])
        if isinstance(each, kind)
    ]


def _check_save(path: Path, inputs: list[Path], options: Mapping[str, Any]) -> None:
    """Raise an error before the work if a config file cannot be written."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    for source in inputs:
        tables.check_writable(path, (ENDING,), source=source)
    report = options.get("report")
    if isinstance(report, Path) and report.with_suffix(ENDING).resolve() == path.resolve():
        raise TableError(
            f"{str(path)!r} is the file that will hold the data of the report.",
            "Pass another name: --save-config FILE.",
        )


def _command(ctx: typer.Context, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the command line: arguments, then the options that differ from their defaults."""
    words = ["onesided", str(ctx.info_name)]
    for each in sorted(_own(ctx), key=lambda each: each.param_type_name != "argument"):
        value = options[each.name]
        if value == defaults[each.name] or value is None or value is False or value in ([], ()):
            continue
        option = [] if each.param_type_name == "argument" else [f"--{_typed(each)}"]
        if value is True:
            words += option
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [*option, str(_plain(one))]
    return shlex.join(words)


def print_failure(name: str, problem: str, mend: str) -> None:
    """Print the two lines of an error as a JSON object; `name` is the name of the command."""
    error = {"problem": problem, "mend": mend}
    failure = {"verb": name, "version": __version__, "error": error}
    typer.echo(json.dumps(failure, ensure_ascii=False))
