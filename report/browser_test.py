"""The pages of all models in a real browser. Pictures of them are in the test's outputs."""

import functools
import os
import pathlib

import pytest

from report.browser import look_at

_EXAMPLES = [f"models/{name}/{name}.html" for name in ("kws", "vww", "ic", "ad", "sww")]
_MODELS = {page.stem: page for page in map(pathlib.Path, [*_EXAMPLES, "tests/memory/branches.html", "tests/floats/mixture.html"])}
_PICTURES = pathlib.Path(os.environ["TEST_UNDECLARED_OUTPUTS_DIR"])

_LOOK = """
const section = document.querySelector("section.core:not([hidden])");
answer({
  height: document.documentElement.scrollHeight,
  sideways: document.documentElement.scrollWidth - innerWidth,
  resources: performance.getEntriesByType("resource").map((entry) => entry.name),
  steps: section.querySelectorAll("table.layers tbody tr").length,
  nodes: section.querySelectorAll(".graph .node[data-step]").length,
  tensors: section.querySelectorAll(".map .tensor").length,
  maps: section.querySelectorAll(".map").length,
  peaks: section.querySelectorAll(".map .peak").length,
});
"""


@functools.cache
def _seen(model: str) -> tuple[dict, list[str]]:
    """What the page looks like, on a window as high as itself."""
    height = look_at(_MODELS[model], _LOOK, _PICTURES / f"{model}.png")[0]["height"]
    return look_at(_MODELS[model], _LOOK, _PICTURES / f"{model}.png", height=height)


@pytest.mark.parametrize("model", _MODELS)
def test_a_page_opens_without_a_word_on_the_console_and_without_fetching_anything(model):
    seen, console = _seen(model)
    assert console == []
    assert seen["resources"] == []
    assert (_PICTURES / f"{model}.png").stat().st_size > 100_000


@pytest.mark.parametrize("model", _MODELS)
def test_everything_is_drawn_and_nothing_stands_out_at_the_side(model):
    seen, _ = _seen(model)
    assert seen["steps"] == seen["nodes"] > 5
    assert seen["tensors"] >= seen["steps"]
    assert seen["peaks"] == seen["maps"] == (3 if model == "branches" else 1)
    assert seen["sideways"] <= 0


def test_a_narrow_window_scrolls_its_tables_and_not_itself():
    seen, _ = look_at(_MODELS["vww"], _LOOK, _PICTURES / "vww_narrow.png", width=600)
    assert seen["sideways"] <= 0


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(tmp_path):
    script = """
    const table = document.querySelector("section.core:not([hidden]) table.layers");
    const column = (name) => [...table.tHead.rows[0].cells].find((cell) => cell.textContent === name);
    const values = (heading) => [...table.tBodies[0].rows].map((row) => row.cells[heading.cellIndex].textContent);
    const click = (name) => { column(name).click(); return values(column(name)); };
    answer({
      down: click("instructions"), up: click("instructions"),
      names: click("layer"), steps: click("step"),
    });
    """
    answer, console = look_at(_MODELS["ic"], script, tmp_path / "sorted.png")
    assert console == []
    counts, turned = ([int(count.replace(",", "")) for count in answer[way]] for way in ("down", "up"))
    assert counts == sorted(counts, reverse=True) and turned == counts[::-1] and len(set(counts)) > 10
    assert answer["names"] == sorted(answer["names"])
    assert [int(step) for step in answer["steps"]] == list(range(len(counts)))


def test_tabs_show_one_core_at_a_time_and_the_button_makes_it_dark():
    script = """
    const shown = () => [...document.querySelectorAll("section.core:not([hidden])")].map((section) => section.dataset.core);
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const before = { shown: shown(), paper: paper() };
    document.querySelector('.tabs [data-show="m0plus"]').click();
    document.getElementById("theme").click();
    addEventListener("hashchange", () => answer({ before, shown: shown(), paper: paper(), hash: location.hash }));
    """
    answer, console = look_at(_MODELS["ic"], script, _PICTURES / "ic_dark.png", height=2600)
    assert console == []
    assert (answer["before"]["shown"], answer["shown"], answer["hash"]) == (["m55"], ["m0plus"], "#m0plus")
    assert answer["before"]["paper"] == "rgb(246, 247, 249)" and answer["paper"] == "rgb(15, 18, 22)"


def test_a_step_under_the_pointer_is_marked_everywhere_with_what_lives_then():
    script = """
    const section = document.querySelector("section.core:not([hidden])");
    const over = (element) => element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    over(section.querySelector('table.layers tr[data-step="3"] td'));
    const marked = [...section.querySelectorAll("[data-step].on")].map((one) => one.dataset.step);
    const tensors = [...section.querySelectorAll(".tensor")];
    const wrong = tensors.filter((one) => one.classList.contains("on") !== (+one.dataset.first <= 3 && 3 <= +one.dataset.last));
    const tensor = tensors.find((one) => one.classList.contains("on"));
    tensor.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 50, clientY: 50 }));
    answer({ marked, wrong: wrong.length, alive: tensors.length, tip: document.getElementById("tip").textContent });
    """
    answer, console = look_at(_MODELS["kws"], script, _PICTURES / "kws_marked.png", height=1700)
    assert console == []
    assert set(answer["marked"]) == {"3"} and len(answer["marked"]) == 3  # row, bar of the map, node of the graph
    assert answer["wrong"] == 0
    assert "bytes" in answer["tip"] and "alive in steps" in answer["tip"]
