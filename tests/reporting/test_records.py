"""Reference records on the page: authors, year, and where they can be read."""

import json

import pytest

from command_line import passed

N_AUTHORS = {24: 3, 28: 4, 32: 0, 36: 1}  # of the records that are like the known ones


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    records = []
    for n in range(40):
        authors = "".join(f"AU  - Doe{k}, J. & <b>\n" for k in range(N_AUTHORS.get(n, 2)))
        is_pubmed = n % 8 == 0
        numbers = f"DO  - 10.1000/a;({n})\n" + f"AN  - {n + 1}\nDB  - PubMed\n" * is_pubmed
        words = "zinc copper metal" if n % 4 == 0 else "bread water cheese"
        records.append(
            f"TY  - JOUR\n{authors}TI  - A study of {words} number {n} here\n"
            f"PY  - {2000 + n}\n{numbers}ER  - \n"
        )
    (folder / "all.ris").write_text("".join(records))
    (folder / "in.ris").write_text("".join(records[:24:4]))
    ask = ["rank", "all.ris", "--positive-table", "in.ris", "--method", "logistic"]
    passed(*ask, "--report", "r.html", cwd=folder)
    return folder


def test_authors_year_and_links(ranked, browser):
    found = json.loads((ranked / "r.json").read_text())["candidates"]
    page = browser.new_page()
    page.goto((ranked / "r.html").as_uri())
    seen = set()
    for place in range(4):
        page.locator("#list tr[data-row] button").nth(place).click()
        n = int(found["doi"][place].partition("(")[2].rstrip(")"))
        n_authors, is_pubmed = N_AUTHORS[n], n % 8 == 0
        who = {0: "", 1: "Doe0, J. & <b> ", 4: "Doe0, J. & <b> et al. "}.get(
            n_authors, "; ".join(f"Doe{k}, J. & <b>" for k in range(n_authors)) + " "
        )
        line = page.locator("#why p", has=page.locator("a", has_text="DOI"))
        assert line.inner_text() == f"{who}({2000 + n}) DOI" + " PubMed" * is_pubmed
        links = [each.get_attribute("href") for each in line.locator("a").all()]
        assert links[0] == f"https://doi.org/10.1000/a;({n})"
        assert links[1:] == [f"https://pubmed.ncbi.nlm.nih.gov/{n + 1}"] * is_pubmed
        seen.add(n)
    assert seen == {*N_AUTHORS}
    page.close()


def test_other_tables_have_none(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n0,3\n1,4\n0,5\n" * 9)
    ask = ["rank", "t.csv", "--positive", "a", "--method", "logistic", "--report", "r.html"]
    passed(*ask, cwd=tmp_path)
    assert "doi" not in json.loads((tmp_path / "r.json").read_text())["candidates"]


def test_a_shortened_list_on_paper(tmp_path, browser):
    """It opens at its length, prints titles and addresses whole, and leads to all rows."""
    long = "on the uses of metals in the workshops of towns and of villages by the sea " * 3
    records = [
        f"TY  - JOUR\nAU  - Doe, J.\nTI  - {'zinc copper' if n % 4 == 0 else 'bread water'} "
        f"{long}{n}\nPY  - 2000\nDO  - 10.1000/a{n}\nER  - \n"
        for n in range(80)
    ]
    (tmp_path / "all.ris").write_text("".join(records))
    (tmp_path / "in.ris").write_text("".join(records[:48:4]))
    ask = ["rank", "all.ris", "--positive-table", "in.ris", "--method", "logistic", "--top", "12"]
    passed(*ask, "--out", "list.ris", "--report", "r.html", cwd=tmp_path)
    assert "onesided: rank 12 of 68," in (tmp_path / "list.ris").read_text()
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["curve"][found["suggested"]["place"]]["n_listed"] == 12
    commands = [step["command"] for step in found["next_steps"]]
    assert not any("--top" in command for command in commands)
    first, second = commands[-1].splitlines()
    assert first.startswith("onesided rank all.ris --positive-table in.ris")
    assert second.startswith("onesided audit all-ranking.csv")

    page = browser.new_page()
    page.goto((tmp_path / "r.html").as_uri())
    about = page.locator("#list .about").first
    assert about.inner_text() == "Doe, J. (2000)"
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#list tbody tr[data-row]").count() == 12
    doi = found["candidates"]["doi"][0]
    assert about.inner_text() == f"Doe, J. (2000) https://doi.org/{doi}"
    size = "each => parseFloat(getComputedStyle(each).fontSize)"
    title = page.locator("#list tbody th").first
    assert about.evaluate(size) <= title.evaluate(size)
    button = title.locator("button")
    assert button.evaluate("each => getComputedStyle(each).display") == "contents"  # not cut off
    assert not page.locator("text=choose another length").is_visible()
    page.close()
