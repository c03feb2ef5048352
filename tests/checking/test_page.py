"""The page that checks rows, in a real browser."""

import csv
import io

import pytest

from browsers import RULES
from checking.example import ODD_IDS, check_data
from onesided._text import MISSING_MARKS
from onesided.tables._verdicts import is_written, read_verdicts

MEANING = {"y": True, "n": False, "?": None}
WORDS = {"y": "yes", "n": "no", "?": "?"}
TOLD = {True: "yes", False: "no", None: "?", "": ""}
HEAD = ["gene", "rank", "stands_for", "verdict", "note"]


def saved(tab):
    """The sheet that the page saves, as lines of cells, the first of which names the columns."""
    with tab.expect_download() as found:
        tab.get_by_role("button", name="Save sheet").click()
    assert found.value.suggested_filename == "check.csv"
    text = found.value.path().read_bytes().decode("utf-8")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    assert lines[0] == HEAD
    return text, lines[1:]


def verdicts(tab):
    return [line[3] for line in saved(tab)[1]]


def read_back(tab, content, name="check.csv"):
    content = content if isinstance(content, bytes) else content.encode()
    tab.locator("#sheet-file").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )
    said = tab.locator("#sheet-said")
    said.filter(has_text=name).wait_for()
    return said.text_content()


def press(tab, keys):
    for key in keys:
        tab.keyboard.press(key)


def chosen(tab):
    return tab.locator("#name").text_content()


def test_500_verdicts_survive_a_closed_tab_and_a_sheet(context, folder, rng):
    """None is lost and none doubled, in this browser, in the sheet, and in another page."""
    data, _ = check_data(500, ids=ODD_IDS)
    address = folder.write(data)
    keys = rng.choice(["y", "n", "?"], 500).tolist()
    tab = context.new_page()
    tab.goto(address)
    for number, key in enumerate(keys):
        if number in (1, 120, 333):
            tab.close()
            tab = context.new_page()
            tab.goto(address)
        assert chosen(tab) == data["rows"][number]["id"]
        tab.keyboard.press(key)
    assert tab.locator("#progress strong").text_content() == "500 of 500 checked"
    text, lines = saved(tab)
    assert [line[0] for line in lines] == [row["id"] for row in data["rows"]]
    assert [int(line[1]) for line in lines] == [row["rank"] for row in data["rows"]]
    assert [float(line[2]) for line in lines] == [12.5] * 500
    assert [line[3] for line in lines] == [WORDS[key] for key in keys]

    (folder.path / "check.csv").write_text(text, encoding="utf-8", newline="")
    read = read_verdicts(folder.path / "check.csv", "gene")
    assert read.ids == [row["id"].strip() for row in data["rows"]]
    assert read.ranks.tolist() == [row["rank"] for row in data["rows"]]
    assert read.found == [MEANING[key] for key in keys]

    other = context.new_page()
    other.goto(folder.write(data | {"audit": "another computer"}, "other.html"))
    assert other.locator("#progress strong").text_content() == "0 of 500 checked"
    assert read_back(other, text) == "500 rows of check.csv fitted, and 500 rows changed."
    assert saved(other)[0] == text
    assert read_back(other, text) == "500 rows of check.csv fitted, and 0 rows changed."


def test_keys(tab, folder):
    data, _ = check_data(6)
    tab.goto(folder.write(data))
    ids = [row["id"] for row in data["rows"]]
    steps = [  # a key, the row that is then chosen, and the verdicts where they change
        ("y", 1, "yes"),
        ("N", 2, "yes no"),
        ("Backspace", 1, None),
        ("?", 2, "yes ?"),  # and on to the next open row
        ("ArrowRight", 3, None),
        ("y", 4, "yes ?  yes"),
        ("ArrowLeft", 3, None),
        ("u", 3, "yes ?"),
        ("u", 1, "yes no"),
        ("Control+y", 1, None),
        ("End", 1, "yes no"),
    ]
    for key, place, expected in steps:
        tab.keyboard.press(key)
        assert chosen(tab) == ids[place], key
        assert expected is None or " ".join(verdicts(tab)).rstrip() == expected, key


def test_the_last_row_leads_to_the_open_ones(tab, folder):
    data, _ = check_data(4)
    tab.goto(folder.write(data))
    press(tab, ["y", "ArrowRight", "n", "n"])
    assert chosen(tab) == data["rows"][1]["id"]
    press(tab, ["y"])
    assert "All rows are checked: save the sheet." in tab.locator("#progress").text_content()
    press(tab, "uuuuu")
    assert "nothing to undo" in tab.locator("#progress").text_content()
    assert verdicts(tab) == [""] * 4


def test_a_key_that_is_held_down_is_one_verdict(tab, folder):
    tab.goto(folder.write(check_data(5)[0]))
    for _ in range(4):
        tab.keyboard.down("y")
    assert verdicts(tab) == ["yes", "", "", "", ""]


def test_a_keyboard_of_another_script_has_the_same_keys(tab, folder):
    tab.goto(folder.write(check_data(2)[0]))
    tab.evaluate(
        """document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: "н", code: "KeyY", bubbles: true }))"""
    )
    assert verdicts(tab) == ["yes", ""]


def test_the_keys_can_be_turned_off(tab, folder):
    tab.goto(folder.write(check_data(2)[0]))
    tab.get_by_label("These keys work").uncheck()
    press(tab, "yn")
    assert verdicts(tab) == ["", ""]
    tab.locator("#bar").get_by_role("button", name="Yes").click()
    assert verdicts(tab) == ["yes", ""]


def test_a_note_is_text(context, tab, folder):
    """Its letters are no keys, and it is kept."""
    data, _ = check_data(3)
    address = folder.write(data)
    tab.goto(address)
    note = 'yes, "no"?\nu'
    tab.get_by_label("Note").focus()
    tab.keyboard.insert_text('yes, "no"?')
    press(tab, ["Enter", "u"])
    assert chosen(tab) == data["rows"][0]["id"]
    press(tab, ["Escape", "y"])
    tab.wait_for_timeout(500)  # the browser keeps what a page stores a moment later
    tab.close()
    again = context.new_page()
    again.goto(address)
    assert [line[3:] for line in saved(again)[1]] == [["yes", note], ["", ""], ["", ""]]
    press(again, ["ArrowLeft"])
    assert again.get_by_label("Note").input_value() == note


def test_in_two_tabs_the_later_verdict_counts(context, folder):
    address = folder.write(check_data(4)[0])
    first, second = context.new_page(), context.new_page()
    for each in (first, second):
        each.goto(address)
    press(first, "yy")
    second.locator("#progress strong", has_text="2 of 4").wait_for()
    press(second, "n?")  # of the first row, which the other tab judged, and of the next open one
    first.locator("#progress strong", has_text="3 of 4").wait_for()
    assert verdicts(first) == verdicts(second) == ["no", "yes", "?", ""]


def test_a_tab_that_slept_overwrites_nothing(context, folder):
    """A verdict here leaves the note that another tab has written meanwhile."""
    address = folder.write(check_data(2)[0])
    first, second = context.new_page(), context.new_page()
    second.add_init_script("addEventListener('storage', each => each.stopImmediatePropagation())")
    for each in (first, second):
        each.goto(address)
    first.get_by_label("Note").fill("seen")
    # The browser hands what one tab stores to the process of the other tab a moment later.
    second.wait_for_function("() => Object.values(localStorage).join().includes('seen')")
    press(second, "y")
    assert saved(second)[1][0][3:] == ["yes", "seen"]


@pytest.mark.parametrize(
    "block",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })",
        "Storage.prototype.setItem = () => { throw new Error('full'); }",
    ],
)
def test_a_browser_that_keeps_nothing_is_told(context, folder, block):
    context.add_init_script(block)
    address = folder.write(check_data(3)[0])
    tab = context.new_page()
    tab.goto(address)
    press(tab, "yn")
    assert "does not keep" in tab.locator("#kept").text_content()
    assert verdicts(tab) == ["yes", "no", ""]


def test_a_browser_that_is_full_later_is_told(tab, folder):
    tab.goto(folder.write(check_data(3)[0]))
    press(tab, "y")
    assert tab.locator("#kept").text_content() == ""
    tab.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); } }")
    press(tab, "n")
    assert "does not keep" in tab.locator("#kept").text_content()
    assert verdicts(tab) == ["yes", "no", ""]


FILL = """() => {
    let [text, key] = ["x".repeat(1_000_000), 0];
    while (text) {
        try { localStorage.setItem(`other page ${key += 1}`, text); }
        catch { text = text.slice(text.length / 2 + 1); }
    }
}"""
EMPTY = """() => {
    for (const key of Object.keys(localStorage)) {
        if (key.startsWith("other")) localStorage.removeItem(key);
    }
}"""


def test_a_full_storage_still_gives_what_it_kept(context, folder):
    """And it keeps what was given meanwhile, as soon as there is room again."""
    address = folder.write(check_data(5)[0])
    tab = context.new_page()
    tab.goto(address)
    press(tab, "y?")
    tab.wait_for_timeout(500)
    tab.evaluate(FILL)
    for _ in range(2):  # a new page, and the page once more
        tab.reload()
        assert verdicts(tab) == ["yes", "?", "", "", ""]
        assert "is full: it does not keep what you enter" in tab.locator("#kept").text_content()
    press(tab, "n")
    press(tab, ["ArrowLeft", "ArrowLeft", "n"])  # of the second row, which is kept as "?"
    press(tab, ["ArrowLeft"] * 4)
    tab.get_by_label("Note").fill("written while the storage was full")
    press(tab, ["Escape"])
    expected = ["yes", "no", "no", "", ""]
    assert verdicts(tab) == expected
    assert "does not keep" in tab.locator("#kept").text_content()
    tab.evaluate(EMPTY)
    press(tab, ["End", "ArrowRight", "ArrowRight", "ArrowRight", "y"])
    assert tab.locator("#kept").text_content() == ""
    kept = saved(tab)[1]
    assert kept[0][4] == "written while the storage was full"
    tab.wait_for_timeout(500)
    tab.reload()
    assert saved(tab)[1] == kept


def test_it_says_when_the_sheet_was_saved(context, folder):
    address = folder.write(check_data(3)[0])
    tab = context.new_page()
    tab.goto(address)
    said = tab.locator("#saved")
    assert said.text_content() == "The sheet was not saved yet."
    press(tab, "y")
    saved(tab)
    assert said.text_content().endswith("; 0 rows changed since.")
    tab.wait_for_timeout(5)
    press(tab, "n")
    again = context.new_page()
    again.goto(address)
    said = again.locator("#saved")
    for _ in range(40):  # what a tab stores comes to the process of another one a moment later
        if said.text_content().endswith("; 1 row changed since."):
            break
        again.wait_for_timeout(250)
        again.reload()
    assert said.text_content().endswith("; 1 row changed since.")


def test_a_page_made_again_has_the_later_verdict(context, folder):
    """The command read a sheet that was changed after the browser kept its verdicts."""
    data, _ = check_data(3)
    tab = context.new_page()
    tab.goto(folder.write(data))
    press(tab, "yyy")
    data["rows"][0]["verdict"], data["rows"][1]["verdict"] = "yes", "no"
    tab.goto(folder.write(data))
    assert verdicts(tab) == ["yes", "no", "yes"]
    told = tab.locator("#kept").text_content()
    assert data["rows"][1]["id"] in told
    assert data["rows"][0]["id"] not in told
    press(tab, ["ArrowRight", "?"])
    tab.reload()
    assert verdicts(tab) == ["yes", "?", "yes"]


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(",", "utf-8"), (",", "utf-8-sig"), (";", "windows-1252"), ("\t", "utf-16"), (";", "utf-8")],
)
def test_a_sheet_as_spreadsheets_write_it(tab, folder, delimiter, encoding):
    ids = ["Zürich; a", 'say "x",\ty', "two\nlines", "=1+1"]
    tab.goto(folder.write(check_data(4, ids=ids)[0]))
    lines = saved(tab)[1]
    for line, word in zip(lines, ["Yes", "0", "cannot tell", "TRUE"], strict=True):
        line[3:] = [word, "checked by ö"]
    lines[3][0] = "'=1+1"
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows([HEAD, *lines])
    said = read_back(tab, text.getvalue().encode(encoding))
    assert said == "4 rows of check.csv fitted, and 4 rows changed."
    assert [line[3:] for line in saved(tab)[1]] == [
        [word, "checked by ö"] for word in ("yes", "no", "?", "yes")
    ]
    press(tab, "u")
    assert verdicts(tab) == [""] * 4


def test_rows_that_do_not_belong_are_named(tab, folder):
    data, _ = check_data(5, ids=["a", "b", "c", "d", "e"])
    tab.goto(folder.write(data))
    press(tab, "yyyyy")
    a, b, c, d, e = (row["rank"] for row in data["rows"])
    sheet = (
        f"rank,verdict,gene,more\n{a},no,a,x\n{b},,b,x\n{c},perhaps,c,x\n{d},no,d,x\n{d},yes,d,x\n"
        f"{e + 1},no,e,x\n{e},no,E,x\n\n"
    )
    said = read_back(tab, sheet)
    assert said == (
        "2 rows of check.csv fitted, and 1 row changed. "
        f"2 rows did not belong to this page: e (rank {e + 1}), E (rank {e}). "
        "2 rows had a verdict that is not yes, no or ?, or two that differ, and did not count: "
        "c, d."
    )
    assert verdicts(tab) == ["no", "yes", "yes", "yes", "yes"]


LOST = [  # identifier, what a spreadsheet made of it, whether it can be that
    ("0224", "224", True),
    ("0224", "0224", True),
    ("000", "0", True),
    ("=1+1", "'=1+1", True),
    ("0224", "'224", True),
    ("224", "0224", False),
    ("0224", "2240", False),
    ("0a", "a", False),
    ("0224", "", False),
    ("", "0", False),
]


@pytest.mark.parametrize(("identifier", "written", "may"), LOST)
def test_page_and_command_know_the_same_identifiers(tab, folder, identifier, written, may):
    assert is_written(identifier, written) == may
    data, _ = check_data(2, ids=[identifier, "other"])
    tab.goto(folder.write(data))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([HEAD, [written, data["rows"][0]["rank"], 1, "yes", ""]])
    said = read_back(tab, text.getvalue())
    assert ("did not belong" in said) != may
    assert verdicts(tab) == ["yes" * may, ""]


def test_page_and_command_read_the_same_cells(tab, folder, tmp_path):
    words = [*MISSING_MARKS, "na", "Null", "yes", "N", "Unsure", "maybe", "perhaps", "2"]
    data, _ = check_data(len(words), ids=[f"g{n}" for n in range(len(words))])
    tab.goto(folder.write(data))
    lines = [
        [row["id"], row["rank"], 1, word, ""] for row, word in zip(data["rows"], words, strict=True)
    ]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([HEAD, *lines])
    said = read_back(tab, text.getvalue())
    assert f"{len(words) - 2} rows of check.csv fitted" in said
    assert f"did not count: g{len(words) - 2}, g{len(words) - 1}." in said
    text = io.StringIO(newline="")
    csv.writer(text).writerows([HEAD, *lines[:-2]])
    (tmp_path / "check.csv").write_text(text.getvalue())
    read = read_verdicts(tmp_path / "check.csv", "gene")
    word_of = {int(rank): shown for rank, shown in zip(read.ranks, read.found, strict=True)}
    assert verdicts(tab)[:-2] == [TOLD[word_of.get(row["rank"], "")] for row in data["rows"][:-2]]


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "gene,rank\na,1\n", "\0\1\2"])
def test_another_file_is_refused(tab, folder, content):
    tab.goto(folder.write(check_data(3)[0]))
    press(tab, "y")
    assert read_back(tab, content, "other.csv").startswith("Nothing was read: other.csv lacks")
    assert verdicts(tab) == ["yes", "", ""]


def test_a_column_of_identifiers_may_have_any_name(tab, folder):
    for name in ("rank", "verdict", "note", 'a "b", c'):
        data, _ = check_data(3)
        tab.goto(folder.write(data | {"id_name": name, "audit": name}))
        press(tab, "yn")
        with tab.expect_download() as found:
            tab.get_by_role("button", name="Save sheet").click()
        text = found.value.path().read_text(encoding="utf-8")
        press(tab, "uu")
        assert read_back(tab, text) == "3 rows of check.csv fitted, and 2 rows changed."


def test_all_text_is_text(tab, folder):
    data, _ = check_data(len(ODD_IDS), ids=ODD_IDS)
    nasty = "</script><img src=x onerror=alert(1)>{{7*7}}"
    row = data["rows"][0]
    row |= {
        "fields": [[nasty, nasty], *([f"column {i}", "x" * i] for i in range(200))],
        "text": nasty + "word " * 4000,
        "drivers": [[nasty, 1.0, nasty]],
        "note": nasty,
    }
    names = ("title", "audit", "sheet", "id_name", "so_far", "unit")
    tab.goto(folder.write(data | dict.fromkeys(names, nasty)))
    record = tab.locator("#record")
    assert record.locator(".fields tr").count() == 201
    assert record.locator("blockquote").text_content() == row["text"]
    assert nasty in record.locator(".effects").text_content()
    assert record.get_by_label("Note").input_value() == nasty
    assert nasty in tab.title()
    shown = [chosen(tab)]
    for _ in ODD_IDS[1:]:
        press(tab, ["ArrowRight"])
        shown.append(chosen(tab))
    tab.get_by_role("button", name="Table").click()
    listed = tab.locator("#all .open").all_text_contents()
    assert shown == listed == list(ODD_IDS)
    assert tab.locator("img").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_table_by_keyboard_and_mouse(tab, folder):
    data, _ = check_data(8)
    tab.goto(folder.write(data))
    press(tab, "yn")
    tab.get_by_role("button", name="Table").click()
    lines = tab.locator("#all tbody tr")
    assert lines.count() == 8
    lines.nth(5).get_by_role("button", name="No", exact=True).click()
    lines.nth(4).get_by_label("Note").fill("by y and n")
    lines.nth(6).locator(".open").focus()
    press(tab, "?")
    assert lines.nth(7).locator(".open").evaluate("each => each === document.activeElement")
    expected = ["yes", "no", "", "", "", "no", "?", ""]
    assert verdicts(tab) == expected
    assert saved(tab)[1][4][4] == "by y and n"
    pressed = tab.locator("#all [aria-pressed='true']").all_text_contents()
    assert pressed == ["Yes", "No", "No", "Cannot tell"]
    tab.get_by_role("button", name="Unchecked rows").click()
    assert lines.count() == 4
    lines.first.get_by_role("button", name="Yes").click()
    assert lines.count() == 4  # nothing moves below the mouse
    lines.nth(1).locator(".open").click()
    assert chosen(tab) == data["rows"][3]["id"]
    press(tab, "yyy")
    tab.get_by_role("button", name="Unchecked rows").click()
    assert tab.locator("#nothing").is_visible()
    press(tab, "y")
    assert verdicts(tab) == ["yes", "no", "yes", "yes", "yes", "no", "?", "yes"]
    press(tab, "u")


def test_a_planned_audit_is_not_looked_at(tab, folder):
    data, _ = check_data(5, mode="planned")
    tab.goto(folder.write(data))
    press(tab, "yyn")
    assert "holds only at its end" in tab.locator("#known").text_content()
    assert tab.locator("#point").count() == 0


def test_without_rows(tab, folder):
    data, _ = check_data(0)
    tab.goto(folder.write(data))
    press(tab, ["y", "ArrowRight", "u"])
    assert tab.locator("#nothing").text_content() == "There is no row to check."
    assert verdicts(tab) == []


@pytest.mark.parametrize("width", [1000, 380])
@pytest.mark.parametrize(
    ("view", "mode"), [("One record", "anytime"), ("Table", "anytime"), ("One record", "planned")]
)
def test_accessible(tab, folder, width, view, mode):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    tab.set_viewport_size({"width": width, "height": 900})
    data, _ = check_data(len(ODD_IDS), ids=ODD_IDS, mode=mode)
    tab.goto(folder.write(data))
    press(tab, "ynn?")
    tab.get_by_role("button", name=view).click()
    found = axe.Axe().run(tab, options=RULES)
    assert found.violations_count == 0, found.generate_report()
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_all_is_reached_by_keyboard_and_seen(tab, folder):
    """Each control in turn has a visible focus that the bar of verdicts does not cover."""
    tab.goto(folder.write(check_data(3)[0]))
    tab.locator("#as-record").focus()
    reached = set()
    for _ in range(16):
        press(tab, ["Tab"])
        reached.add(
            tab.evaluate("document.activeElement.id || document.activeElement.dataset.wish")
        )
        assert tab.evaluate(
            """() => {
            const each = document.activeElement;
            const { x, y, width, height } = each.getBoundingClientRect();
            const above = document.elementFromPoint(x + width / 2, y + height / 2);
            return each === document.body
                || getComputedStyle(each).outlineStyle !== "none" && each.contains(above);
        }"""
        )
    wanted = {"as-table", "every", "open", "note", "save", "read", "keys"}
    assert wanted | {"back", "yes", "no", "?", "forward", "undo"} <= reached


def test_it_prints_one_table_with_boxes(tab, folder):
    data, _ = check_data(6)
    tab.goto(folder.write(data))
    press(tab, "yn")
    assert len(tab.pdf()) > 10_000
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    tab.emulate_media(media="print")
    assert tab.locator("#all tbody tr").count() == 6
    assert tab.locator("#all").is_visible()
    for hidden in ("#bar", "#record", "#save", ".views"):
        assert not tab.locator(hidden).is_visible()
    boxes = tab.locator("#all [data-wish]").evaluate_all(
        "all => all.map(each => getComputedStyle(each, '::before').content)"
    )
    assert [("☒" in box) for box in boxes] == [True, False, False, False, True, *[False] * 13]
    assert all("☐" in box or "☒" in box for box in boxes)


def test_2000_records_open_with_one_in_the_page(tab, folder):
    data, _ = check_data(2000, n_rows=10_000)
    for row in data["rows"]:
        row["text"] = "Some words of a text. " * 50
    tab.goto(folder.write(data))
    press(tab, "y")
    assert tab.locator("#progress strong").text_content() == "1 of 2,000 checked"
    assert tab.evaluate("document.getElementsByTagName('*').length") < 300
    tab.get_by_role("button", name="Table").click()
    assert tab.locator("#all tbody tr").count() == 2000


def test_two_pages_of_one_browser_are_apart(context, folder):
    first, _ = check_data(3)
    second = first | {"audit": "genes-ranking.csv, batch 2"}
    one, two = context.new_page(), context.new_page()
    one.goto(folder.write(first))
    press(one, "yyy")
    two.goto(folder.write(second, "second.html"))
    assert verdicts(two) == [""] * 3
    press(two, "nnn")
    assert verdicts(one) == ["yes"] * 3
