"""`dragoman model back-translate`, `forward-translate`, `distill`: pairs that a model makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.console import echo
from dragoman.cli.corpus import shard_executor
from dragoman.cli.model.options import PairOption, languages, option_a_field
from dragoman.cli.progress import speed_bar
from dragoman.config import Limits
from dragoman.corpus.run import CorpusProgress
from dragoman.corpus.shards import Decoding, Model, model_digest
from dragoman.errors import InvalidRequestError
from dragoman.models.synthesis.selection import Selection
from dragoman.native.bundles import choose_bundle, read_manifest
from dragoman.native.ensembles import ensemble_manifest
from dragoman.types import Sampling

if TYPE_CHECKING:
    from dragoman.models.data.recipe import Recipe
    from dragoman.models.synthesis.selection import Text
    from dragoman.models.synthesis.synthesize import Synthesis

app = typer.Typer(add_completion=False, rich_markup_mode=None)


# Label smoothing gives every piece a little: of all of them, a small model draws mere noise.
TOP_K = 10


@dataclass(frozen=True)
class DecodingOptions:
    """How the model translates; it is searched greedily where nothing is said.

    Raises:
        InvalidRequestError: a figure is out of its range, or two do not go together.
    """

    beam: Annotated[int, "Hypotheses that the search follows at a time; 1: greedy search."] = 1
    sample: Annotated[bool, "Draw pieces by their probability, from --seed."] = False
    temperature: Annotated[float, "Of sampling; below 1 it draws the probable more often."] = 1.0
    top_k: Annotated[int, "Draw among so many of the most probable pieces only; 0: all."] = TOP_K

    def decoding(self, seed: int) -> Decoding:
        most = Limits().beam
        if not 1 <= self.beam <= most:
            message = f"the beam is {self.beam:,}, not 1 to {most}"
            raise InvalidRequestError(message, requested=self.beam, allowed=most)
        if not self.sample:
            if (self.temperature, self.top_k) != (1.0, TOP_K):
                raise InvalidRequestError("--temperature and --top-k are of --sample")
            return Decoding(beam=self.beam)
        if self.beam > 1:
            raise InvalidRequestError(f"--sample follows one hypothesis, --beam {self.beam} more")
        return Decoding(sampling=Sampling(seed, self.temperature, self.top_k))


RecipeArgument = Annotated[
    Path, typer.Argument(metavar="RECIPE", help="The recipe that the pairs are for.")
]
Data = Annotated[Path, typer.Option(help="Data folder, as that of `prepare`.")]
Output = Annotated[Path, typer.Option(help="Folder of the pairs, of files.toml and of the work.")]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="NAME[=SENTENCES]",
        help="Only this source, and at most so many sentences of it; may be repeated.",
    ),
]
Models = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="A bundle, or a folder of them; repeated, it is an ensemble: their probabilities are "
        "averaged.",
    ),
]
Workers = Annotated[int, typer.Option(min=0, help="Processes; 0: one a core.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No bar.")]


def _of_one_language(purpose: str) -> Callable[..., None]:
    """A command that translates text in one language, for a `Purpose` of that value."""

    @option_a_field
    def translate(
        recipe: RecipeArgument,
        data: Data,
        pair: PairOption,
        output: Output,
        selection: Selection,
        search: DecodingOptions,
        source: Sources = None,
        models: Models = None,
        least_score: Annotated[
            float, typer.Option(help="Drop translations that the model is less sure of; 0 to 1.")
        ] = 0.0,
        workers: Workers = 0,
        quiet: Quiet = False,
    ) -> None:
        from dragoman.models.data.recipe import read_recipe
        from dragoman.models.synthesis.selection import monolingual, named
        from dragoman.models.synthesis.synthesize import Purpose, Synthesis

        read = read_recipe(recipe)
        model = _model(pair, models, search.decoding(selection.seed))
        texts, most = named(monolingual(data, read, model.source), source or ())
        wish = Synthesis(
            Purpose(purpose), read, data, output, model, selection, most, least_score=least_score
        )
        _run(wish, texts, workers, quiet)

    return translate


app.command(
    "back-translate",
    help="""Make sources for a model of the other direction, of text in one language (DATA/mono).

    The same command goes on where it was stopped. OUTPUT/files.toml goes to the end of the recipe.

    Example: dragoman model back-translate recipes/en-de.toml --data ../data --pair en-de
    --source wikinews_en --source openstax_textbooks=100000 --beam 2 --least-score 0.54
    --output ../data/made/back
    """,
)(_of_one_language("back"))
app.command(
    "forward-translate",
    help="""Make targets for a model of the same direction, of text in one language (DATA/mono).

    The same command goes on where it was stopped. OUTPUT/files.toml goes to the end of the recipe.

    Example: dragoman model forward-translate recipes/en-de.toml --data ../data --pair de-en
    --models big/de-en --beam 4 --sentences 200000 --output ../data/made/forward
    """,
)(_of_one_language("forward"))


@app.command()
@option_a_field
def distill(
    recipe: RecipeArgument,
    data: Data,
    pair: PairOption,
    output: Output,
    selection: Selection,
    search: DecodingOptions,
    source: Sources = None,
    models: Models = None,
    closest: Annotated[
        bool,
        typer.Option(
            "--closest/--best",
            help="With a beam: of what it found, take what is closest to the reference (chrF).",
        ),
    ] = True,
    workers: Workers = 0,
    quiet: Quiet = False,
) -> None:
    """Make targets of the recipe's own pairs, for a student to learn from its teachers.

    The same command goes on where it was stopped. OUTPUT/files.toml goes to the end of the recipe.

    Example: dragoman model distill recipes/en-de.toml --data ../data --pair de-en
    --models big/de-en --models other/de-en --beam 8 --sentences 500000 --output ../data/made/taught
    """
    from dragoman.models.data.recipe import read_recipe
    from dragoman.models.synthesis.pairs import parallel
    from dragoman.models.synthesis.selection import named
    from dragoman.models.synthesis.synthesize import Purpose, Synthesis

    read = read_recipe(recipe)
    model = _model(pair, models, search.decoding(selection.seed))
    texts, most = named(parallel(data, read, model.source), source or ())
    wish = Synthesis(
        Purpose.DISTILLED, read, data, output, model, selection, read.caps | most,
        _weights(read, texts), closest and search.beam > 1,
    )  # fmt: skip
    _run(wish, texts, workers, quiet)


def _weights(recipe: Recipe, texts: Sequence[Text]) -> dict[str, float]:
    return {text.name: recipe.weight(text.name) for text in texts}


def _model(pair: str, folders: Sequence[Path] | None, decoding: Decoding) -> Model:
    source, target = languages(pair)
    places = tuple(folder.resolve() for folder in folders or ())
    first, others = places[:1] or None, places[1:]
    manifests = [
        read_manifest(choose_bundle(source, target, place))
        for place in (first, *((other,) for other in others))
    ]
    digest = model_digest(ensemble_manifest(manifests))
    return Model(source, target, first, digest, others, decoding)


def _run(wish: Synthesis, texts: Sequence[Text], workers: int, quiet: bool) -> None:
    """With a bar on standard error; what was kept and dropped, one line of JSON on the other."""
    from dragoman.models.synthesis.synthesize import FRAGMENT, synthesize

    with shard_executor(workers, None) as executor, speed_bar(not quiet) as bar:

        def show(progress: CorpusProgress) -> None:
            bar.show(progress.done, progress.total, progress.words_a_second, progress.seconds_left)

        def say(line: str) -> None:
            if not quiet:
                echo(line, err=True)

        try:
            made = synthesize(wish, texts, executor, show, say)
        except KeyboardInterrupt:
            echo("dragoman: the same command goes on from here", err=True)
            raise
    if not quiet:
        echo(f"for the end of the recipe: {wish.output / FRAGMENT}", err=True)
    typer.echo(json.dumps([asdict(one) for one in made]))
