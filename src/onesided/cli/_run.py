"""One run of a verb: the options that each verb has, and how each ends."""

import functools
import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from onesided import __version__
from onesided._text import as_json, check_file_name
from onesided.cli._config import (
    ENDING,
    OUTPUTS,
    Config,
    as_typed,
    digests,
    read_config,
)
from onesided.cli._results import Failure, Outcome
from onesided.cli._talk import check_interrupted, progress, say, saying_warnings, talking, warn
from onesided.exceptions import TableError

_PANEL = "This run"
_run: ContextVar["Run"] = ContextVar("run")


@dataclass(frozen=True)
class Run:
    """What was asked, beside the options of the verb itself.

    Attributes
    ----------
    verb : rank, fit and so on
    command : that would do the same, by options that are not at their default
    config : to be saved, and where; None where it is not
    as_json : whether stdout is one JSON object
    warnings : so far
    """

    verb: str
    command: str
    config: tuple[Config, Path] | None
    as_json: bool
    warnings: list[str]

    def write(self, writers: Mapping[Path, Callable[[Path], None]]) -> None:
        """Write the outputs and, if it is asked for, the config: all of them or none.

        Parameters
        ----------
        writers : as `tables.write_files` takes them
        """
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        check_interrupted()
        if self.config is None:
            tables.write_files(writers)
            return
        config, path = self.config
        text = config.as_text()
        tables.write_files({**writers, path: partial(tables.write_text, text)})
        say(f"Config: {path}")

    def end(self, title: str, line: str, result: Any, written: Mapping[str, Path]) -> None:
        """Print what scripts read: the line, or with --json the result.

        Parameters
        ----------
        title : of the line, for people; "" for none
        line : on stdout
        result : as `_results` has it for the verb
        written : the outputs, by what they are
        """
        if self.as_json:
            if self.config is not None:
                written = {**written, "config": self.config[1]}
            outcome = Outcome(
                verb=self.verb,
                version=__version__,
                command=self.command,
                warnings=self.warnings,
                result=result,
                written={name: str(path) for name, path in written.items()},
            )
            typer.echo(as_json(outcome))
            return
        if title:
            say(title)
        typer.echo(line)


def current_run() -> Run:
    """The run of the verb that is at work."""
    return _run.get()


def _use_config(ctx: typer.Context, value: Path | None) -> Path | None:
    """Take the defaults of the verb from a config file, before the command line is looked at."""
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


_CONFIG = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Read options from a file that --save-config wrote; options given here win.",
        metavar="FILE",
        callback=_use_config,
        is_eager=True,
        rich_help_panel=_PANEL,
    ),
]
_SAVE_CONFIG = Annotated[
    Path | None,
    typer.Option(
        "--save-config",
        help=(
            "Save all options, the version and the SHA-256 of the inputs as .json. --config FILE "
            "repeats the run and gives the same bytes."
        ),
        metavar="FILE",
        rich_help_panel=_PANEL,
    ),
]
_JSON = Annotated[
    bool,
    typer.Option(
        "--json",
        help=(
            "Print one JSON object with verb, version, command, warnings, result and written; "
            "after an error with verb, version and error."
        ),
        rich_help_panel=_PANEL,
    ),
]
_VERBOSE = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        metavar="",
        help="Explain each decision; -vv also shows what each pass over the data costs.",
        rich_help_panel=_PANEL,
    ),
]
_QUIET = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only warnings and errors.", rich_help_panel=_PANEL),
]
_SHARED = {
    "config": (_CONFIG, None),
    "save_config": (_SAVE_CONFIG, None),
    "as_json": (_JSON, False),
    "verbose": (_VERBOSE, 0),
    "quiet": (_QUIET, False),
}
_CONTEXT = inspect.Parameter(
    "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
)


def verb(command: Callable[..., None]) -> Callable[..., None]:
    """Make a function a verb, with the options that all verbs have.

    Parameters
    ----------
    command : whose parameters are the options of its own, or dataclasses whose fields are options
        that several verbs share; it ends by `Run.end`
    """
    of_command = inspect.signature(command, eval_str=True)
    groups: dict[str, type] = {
        name: each.annotation
        for name, each in of_command.parameters.items()
        if isinstance(each.annotation, type) and is_dataclass(each.annotation)
    }
    parameters = [
        option
        for name, each in of_command.parameters.items()
        for option in (_options_of(groups[name]) if name in groups else [each])
    ]
    # Options without a default come first in a signature; their order means nothing else.
    parameters.sort(key=lambda each: each.default is not inspect.Parameter.empty)
    signature = of_command.replace(
        parameters=[each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    )

    @functools.wraps(command)
    def run(
        ctx: typer.Context,
        config: Path | None,
        save_config: Path | None,
        *,
        as_json: bool,
        verbose: int,
        quiet: bool,
        **options: Any,
    ) -> None:
        verbose += ctx.obj if isinstance(ctx.obj, int) else 0
        if verbose and quiet:
            raise TableError("--verbose and --quiet cannot be used together.", "Pass one of them.")
        with talking(verbose=verbose, quiet=quiet) as warnings:
            for path in _paths(options, outputs=True):
                check_file_name(path)
            values = {_typed(each): _plain(options[each.name]) for each in _own(ctx)}
            paths = _paths(options)
            if save_config is not None:
                _check_save(save_config, paths, options)
            kept = read_config(config, str(ctx.info_name), _kinds(ctx)) if config else None
            inputs = {}
            if kept or save_config:
                with progress("reading the inputs for their SHA-256"):
                    inputs = digests(paths)
            for difference in kept.differences(inputs) if kept else ():
                warn(f"{difference} The results may differ.")
            name = str(ctx.info_name)
            asked = Run(
                verb=name,
                command=_command(ctx, options, signature),
                config=(Config(__version__, name, values, inputs), save_config)
                if save_config
                else None,
                as_json=as_json,
                warnings=warnings,
            )
            token = _run.set(asked)
            try:
                with saying_warnings():
                    command(**_gathered(options, groups))
            finally:
                _run.reset(token)

    shared = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
        )
        for name, (annotation, default) in _SHARED.items()
    ]
    every = [_CONTEXT, *signature.parameters.values(), *shared]
    run.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]  # what typer reads
    return run


def _options_of(group: type) -> Iterator[inspect.Parameter]:
    """The fields of a group of options as parameters."""
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name], default=default
        )


def _gathered(options: Mapping[str, Any], groups: Mapping[str, type]) -> dict[str, Any]:
    """What the verb takes: its own options, and a value for each group of options."""
    rest = dict(options)
    made = {
        name: group(**{each.name: rest.pop(each.name) for each in fields(group)})
        for name, group in groups.items()
    }
    return rest | made


def _own(ctx: typer.Context) -> Iterator[Any]:
    """The arguments and options of the verb, without those that all verbs have."""
    return (each for each in ctx.command.params if each.name not in _SHARED)


def _typed(parameter: Any) -> str:
    """How it is typed, without dashes: "id" of --id; "table" of an argument."""
    if parameter.param_type_name == "argument":
        return str(parameter.name)
    return str(max(parameter.opts, key=len)).removeprefix("--")


def _kinds(ctx: typer.Context) -> dict[str, type]:
    """What values the options of the verb take."""
    return {
        _typed(each): list
        if getattr(each, "multiple", False) or each.nargs == -1
        else bool
        if getattr(each, "is_flag", False)
        else str
        for each in _own(ctx)
    }


def _plain(value: Any) -> Any:
    """A value of an option as JSON has it; what was not given is None."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value] or None
    if value is None or value == "":
        return None
    return value if isinstance(value, (bool, int, float)) else str(value)


def _paths(options: Mapping[str, Any], *, outputs: bool = False) -> list[Path]:
    """The inputs, and the outputs if they are asked for."""
    return [
        path
        for name, value in options.items()
        if outputs or name not in OUTPUTS
        for path in (value if isinstance(value, (list, tuple)) else [value])
        if isinstance(path, Path)
    ]


def _check_save(path: Path, inputs: list[Path], options: Mapping[str, Any]) -> None:
    """Refuse before the work what cannot be written after it."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    for source in inputs:
        tables.check_writable(path, (ENDING,), source=source)
    report = options.get("report")
    if isinstance(report, Path) and report.with_suffix(ENDING).resolve() == path.resolve():
        raise TableError(
            f"{str(path)!r} is the file that will hold the data of the report.",
            "Pass another name: --save-config FILE.",
        )


def _command(ctx: typer.Context, options: Mapping[str, Any], signature: inspect.Signature) -> str:
    """The arguments, then the options that are not at their default."""
    words = ["onesided", str(ctx.info_name)]
    for each in sorted(_own(ctx), key=lambda each: each.param_type_name != "argument"):
        value = options[each.name]
        default = signature.parameters[each.name].default
        if value == default or value is None or value is False or value in ("", [], ()):
            continue
        option = [] if each.param_type_name == "argument" else [f"--{_typed(each)}"]
        if value is True:
            words += option
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [*option, str(_plain(one))]
    return shlex.join(words)


def print_failure(name: str, problem: str, mend: str) -> None:
    """Print what went wrong as the JSON object that was asked for.

    Parameters
    ----------
    name : of the verb
    problem, mend : the two lines of an error
    """
    failure = Failure(verb=name, version=__version__, error={"problem": problem, "mend": mend})
    typer.echo(as_json(failure))
