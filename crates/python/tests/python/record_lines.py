"""Records in cases/broken.txt the line at which this Python reports the error of each source.

A source follows a line `=== line N`; N is written anew, and the version on the first line of the file with it.
Sources are those of files: they end with a newline, unless the header says `no newline`.
"""

import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
table = pathlib.Path(__file__).parent / "cases" / "broken.txt"
head, *cases = table.read_text(encoding="utf-8").split("=== ")
recorded = [f"Recorded with Python 3.{sys.version_info[1]} by record_lines.py\n"]
for case in cases:
    header, source = case.split("\n", 1)
    ended = not header.endswith(" no newline")
    try:
        compile(source if ended else source.removesuffix("\n"), "<source>", "exec", dont_inherit=True)
        sys.exit(f"this is accepted:\n{source}")
    except SyntaxError as error:
        recorded.append(f"=== line {error.lineno}{'' if ended else ' no newline'}\n{source}")
        if "-v" in sys.argv:
            print(f"{error.lineno}:{error.offset} {error.msg}\n{source}")
table.write_text("".join(recorded), encoding="utf-8")
print(f"{len(cases)} sources recorded")
