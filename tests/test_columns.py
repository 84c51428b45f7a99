"""Tables in columns of spaces: rows come with the names of the columns; what only stands in columns is no table."""

from __future__ import annotations

import random

import pytest
from kept_texts import kept
from line_readings import leads_of, needs

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.columns import aligned_tables
from beaver_compat.text.lined_text import read_lines

PODS = """$ kubectl get pods -n mill
NAME                       READY   STATUS             RESTARTS   AGE
sluice-6d9f7c5b8-2xkqp     1/1     Running            0          12d
turbine-7c44d9d6f-zq8sd    0/1     ImagePullBackOff   0          14m
flour-5b6b9f9cbb-p6ntj     1/1     Running            17         2d
flour-5b6b9f9cbb-wm4cz     0/1     CrashLoopBackOff   42         2d

$ kubectl get pvc -n mill
NAME            STATUS    VOLUME         CAPACITY   STORAGECLASS
data-flour-0    Bound     pvc-0a1f9b     50Gi       fast
data-flour-1    Pending                             fast
"""
INVOICE = """Invoice No. 2025-0417

Pos  Description                          Qty   Unit price   Amount
1    Mowing, front and back                 4        65.00   260.00
2    Hedge trimming, 38 m                   1       190.00   190.00
3    Bark mulch, bags of 60 l              14         8.90   124.60
     delivered on Monday

Net amount: 574.60
"""
CONTAINERS = """CONTAINER ID   IMAGE              COMMAND                 CREATED       STATUS       PORTS      NAMES
3f1c9a77d0b2   mill/turbine:4.2   "/usr/bin/turbine -v"   3 weeks ago   Up 3 weeks   8080/tcp   turbine
91aa0c3de7f4   mill/sluice:1.0    "python -m sluice"      2 hours ago   Up 2 hours              sluice
"""
PROCESSES = """USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root           1  0.0  0.1 167744 11520 ?        Ss   May01   0:09 /sbin/init
ida         8871 12.5  3.0 912340 88120 pts/0    Sl+  10:31   1:12 python mill.py  --wheel
"""
DISKS = """Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        50G   20G   28G  42% /
/dev/sdb2       916G  102G  768G  12% /var/lib/mill
tmpfs           3.9G     0  3.9G   0% /dev/shm
"""
MEMORY = """               total        used        free      shared
Mem:            15Gi       9.1Gi       1.2Gi       310Mi
Swap:          2.0Gi       512Mi       1.5Gi
"""
DASHED = """Name       State
----       -----
Sluice     open
Turbine    shut
"""
TABLES = {"pods": PODS, "invoice": INVOICE, "containers": CONTAINERS, "processes": PROCESSES}
TABLES |= {"disks": DISKS, "memory": MEMORY, "dashed": DASHED}


def tables_of(text: str) -> list[tuple[str, int]]:
    lined = read_lines([text])
    return [(lined.line(header).split()[0], end - rows) for header, rows, end in aligned_tables(lined)]


@pytest.mark.parametrize(
    ("kind", "tables"),
    [
        ("pods", [("NAME", 4), ("NAME", 2)]),
        ("invoice", [("Pos", 4)]),
        ("containers", [("CONTAINER", 2)]),
        ("processes", [("USER", 2)]),
        ("disks", [("Filesystem", 3)]),
        ("memory", [("total", 2)]),
        ("dashed", [("Name", 2)]),
    ],
)
def test_tables_in_columns(kind: str, tables: list[tuple[str, int]]) -> None:
    assert tables_of(TABLES[kind]) == tables
    assert tables_of(f"This is what I see.\n\n{TABLES[kind]}\nWhat is wrong?") == tables
    assert tables_of(TABLES[kind].replace("\n", "\r\n")) == tables


@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_rows_in_any_order_are_the_same(kind: str) -> None:
    header, *rows = next(block for block in TABLES[kind].split("\n\n") if tables_of(block)).strip("\n").split("\n")
    if header[0] == "$":
        header = rows.pop(0)
    dashes = [row for row in rows if row.startswith("---")]
    rows = [row for row in rows if row not in dashes and row[:5].strip()]
    for seed in range(6):
        random.Random(seed).shuffle(rows)
        assert tables_of("\n".join([header, *dashes, *rows])) == [(header.split()[0], len(rows))]


@pytest.mark.parametrize(
    "text",
    [
        # two spaces behind a sentence
        "The mill is old.  It stood here in 1870 already.\nThe dam is new.  It dates from 1999.\nNo nets.",
        "It rains.  No one\nIs there.  The end\nNo sun.    It is\nThe end.   4 go",
        # a poem whose halves stand apart
        "It goes round    and round it goes\nThe water falls  and none knows\nNo wheel stops   at 8",
        # code
        "name    = 'ida'\nage     = 31\nheight  = 170\nweight  = 62",
        "char   *name;     // of the miller\nint     age;      // 31 in May\nfloat   height;   // 1.7",
        "mov   eax, ebx\nadd   eax, 1\njmp   done",
        "host:     mill.example   # the server\nport:     8080           # 443 outside\ntimeout:  30             # s",
        "type: mill      name: Upper\nage: 1870       wheels: 2\n",
        # lists of files and the like, without a header
        "-rw-r--r--  1 ida  mill  4096 May  1 10:31 wheel.py\n-rw-r--r--  1 ida  mill   210 May  2 08:15 dam.py",
        "wheel.py    4096  May 1\ndam.py       210  May 2\nsluice.py   1811  May 3",
        "127.0.0.1   localhost   mill\n10.0.0.7    sluice      dam",
        "Introduction           3\nThe wheel             17\nThe dam               29",
        "Monday      closed\nTuesday     10 to 12\nWednesday   14 to 18\nThursday    10 to 12",
        "list     List all mills\nadd      Add a mill\nremove   Remove 1 mill",
        "  -v, --verbose    Say more\n  -n, --number N   Grind 10 sacks\n  -q, --quiet      Say nothing",
        "Name:     Ida Berg\nBorn:     1870\nPlace:    Oban",
        "MILL      DAM\nWHEEL     POND\nSLUICE    WEIR",
        "A MILL  BY THE RIVER\n\nwheel   turns 3 times",
    ],
)
def test_what_only_stands_in_columns_is_no_table(text: str) -> None:
    assert tables_of(text) == []


def test_rows_need_the_names_of_the_columns() -> None:
    header = "NAME                       READY   STATUS             RESTARTS   AGE"
    found = needs(PODS)
    for row in PODS.split("\n")[2:6]:
        assert found[row] == {header}
    assert found["data-flour-1    Pending                             fast"] == {
        "NAME            STATUS    VOLUME         CAPACITY   STORAGECLASS"
    }
    lines, leads = leads_of(DASHED)
    assert leads is not None
    assert [line for line, bare in zip(lines, leads.bare, strict=True) if bare] == lines[:2]


@pytest.mark.parametrize("budget", [70, 90, 130])
def test_a_row_that_is_kept_comes_with_the_names(compressor: BeaverPromptCompressor, budget: int) -> None:
    text = kept(compressor, PODS, "How often was the flour pod in CrashLoopBackOff restarted?", budget)
    assert "RESTARTS   AGE\n" in text
    assert "CrashLoopBackOff   42" in text
    text = kept(compressor, INVOICE, "What did the bark mulch cost in all?", budget)
    assert "Unit price   Amount\n" in text
    assert "8.90   124.60" in text


def test_a_long_row_is_kept_whole_or_not_at_all(compressor: BeaverPromptCompressor) -> None:
    for budget in range(60, 220, 9):
        for line in kept(compressor, CONTAINERS, "Since when is the turbine up?", budget).split("\n"):
            assert line in CONTAINERS.split("\n")


def test_of_tables_with_the_same_rows_the_one_that_has_the_column_is_kept(compressor: BeaverPromptCompressor) -> None:
    names = [f"{name} {number}" for number, name in enumerate(["Gati", "Moru", "Nuni", "Pele", "Tuso", "Lalu"], 210)]
    columns = {
        "Price": [f"${80 + 7 * place}" for place in range(6)],
        "Weight": [f"{3 + place / 10} kg" for place in range(6)],
        "Warranty": [f"{10 + place} months" for place in range(6)],
    }
    text = "\n\n".join(
        f"Model     {column:11}Stock\n"
        + "\n".join(f"{name:10}{cell:11}{at} left" for at, (name, cell) in enumerate(zip(names, cells, strict=True)))
        for column, cells in columns.items()
    )
    for column, cells in columns.items():
        for name, cell in zip(names, cells, strict=True):
            lines = kept(compressor, text, f"What is the {column.lower()} of the {name}?", 70).split("\n")
            assert any(name in line and cell in line for line in lines), (column, name)
            assert f"Model     {column:11}Stock" in lines


@pytest.mark.parametrize("line", ["NAME   AGE", "a  b", "A  b\nc  1  2\n", "NAME" + "  x1" * 5, "A   B   C\n-   -   -"])
def test_many_lines_in_columns_do_no_harm(compressor: BeaverPromptCompressor, line: str) -> None:
    text = f"{line}\n" * 20_000 + "\nThe fee is 24 crowns.\n" + "a  b" * 200_000
    assert "24 crowns" in kept(compressor, text, "How high is the fee in crowns?", 60)


@pytest.mark.parametrize("boxed", [False, True])
def test_rows_of_a_database_need_the_header_over_the_rule(boxed: bool) -> None:
    rows = [("id", "plan", "renews"), ("17", "team", "2024-07-03"), ("23", "big", "2024-07-19"), ("31", "one", "now")]
    edge = "|" if boxed else ""
    lines = [edge + "|".join(f" {cell:<10} " for cell in row) + edge for row in rows]
    rule = ("+" if boxed else "") + "+".join(["-" * 12] * 3) + ("+" if boxed else "")
    text = "\n".join([*([rule] if boxed else []), lines[0], rule, *lines[1:], *([rule] if boxed else []), "(3 rows)"])
    found = needs("The plans:\n\n" + text + "\n")
    for line in lines[1:]:
        assert lines[0].strip() in found[line.strip()]
    assert not found.get("(3 rows)")
