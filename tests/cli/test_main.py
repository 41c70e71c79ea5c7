"""The command line itself: light to start, one clear line on bad usage, nothing left behind."""

import subprocess
import sys

import pytest

from arcuate.cli import COMMANDS

HEAVY = ("torch", "polars", "sklearn", "plotly", "pandas", "transformers", "scipy", "nilearn", "lightning")


def test_help_lists_every_command_and_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from arcuate.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as stop:\n    assert not stop.code\n"
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout
    for name in COMMANDS:
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_without_heavy_imports(name):
    code = (
        "import sys\nfrom arcuate.cli import main\n"
        f"try:\n    main([{name!r}, '--help'])\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "HEAVY []" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "No such command 'fly'"),
        (["split"], "Missing argument 'table'"),
        (["split", "absent.csv"], "absent.csv does not exist"),
        (["split", "."], "is a folder"),
        (["audit", "absent.csv", "split.csv"], "absent.csv does not exist"),
        (["verdict", "absent.csv", "--control", "b.csv"], "absent.csv"),
        (["simulate", "--out", "x", "--snr", "high"], "Invalid value for '--snr'"),
    ],
)
def test_bad_usage_is_one_line_on_stderr_and_exit_2(arcuate, tmp_path, arguments, message):
    done = arcuate(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_the_traceback(arcuate):
    done = arcuate("--debug", "split", "absent.csv")
    assert "Traceback" in done.stderr


BAD_TABLES = {
    "no subject": b"who,text\na,b\n",
    "no text": b"subject\na\n",
    "empty": b"",
    "header alone": b"subject,text\n",
    "empty subject": b"subject,text\n,b\n",
    "repeated sample": b"sample,subject,text\n1,a,b\n1,a,c\n",
    "negative segment": b"subject,story,segment\na,x,-1\n",
    "fraction of a segment": b"subject,story,segment\na,x,0.5\n",
    "window longer than the run": b"subject,story,n_trs\na,x,3\n",
    "mixed encodings": "subject,text\na,é\n".encode() + b"b,\xe9\n",
}


@pytest.mark.parametrize("command", ["split", "audit"])
@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_exit_2_with_file_and_remedy_and_leave_nothing(arcuate, tmp_path, command, name):
    (tmp_path / "table.csv").write_bytes(BAD_TABLES[name])
    (tmp_path / "split.json").write_text('{"train": ["0"], "test": ["1"]}')
    extra = ["--out", "out.csv"] if command == "split" else ["split.json", "--html", "out.html"]
    done = arcuate(command, "table.csv", *extra, "--window", 10)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "table.csv" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["split.json", "table.csv"]
