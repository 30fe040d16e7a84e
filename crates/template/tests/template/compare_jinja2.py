"""Renders every row of jinja2.json with Jinja2 itself and compares it with the column `jinja2`.

    python compare_jinja2.py            compares; the exit status is 1 when a row differs
    python compare_jinja2.py --write    writes the column anew

The environment is a sandbox in which nothing can be changed, strict about what is undefined, with `do`, `break` and
`continue`. An optional argument without a value, `absent`, is Jinja2's plain undefined.
"""

import copy
import json
import re
import sys
from pathlib import Path

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

TABLE = Path(__file__).with_name("jinja2.json")
EXTENSIONS = ["jinja2.ext.do", "jinja2.ext.loopcontrols"]
# In every row an optional argument without a value.
ABSENT = "absent"
# Where an object happened to be.
ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+")


def outcome(source, values):
    """The text, or why there is none: `refused` before it is rendered, `undefined` and `failed` while it is."""
    environment = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, extensions=EXTENSIONS)
    # A filter may change what it is given: `indent` of a list does.
    values = {**copy.deepcopy(values), ABSENT: jinja2.Undefined(name=ABSENT)}
    try:
        return ADDRESS.sub("0x0", environment.from_string(source).render(values))
    except jinja2.TemplateSyntaxError:
        return {"error": "refused"}
    except jinja2.UndefinedError:
        return {"error": "undefined"}
    except Exception:
        return {"error": "failed"}


def write(table):
    """One row in a line, so that a change of a row is a change of a line."""

    def line(value):
        return json.dumps(value, ensure_ascii=False)

    values = ",\n".join(f"    {line(name)}: {line(value)}" for name, value in table["values"].items())
    sections = []
    for section in table["sections"]:
        rows = ",\n".join(f"        {line(row)}" for row in section["rows"])
        sections.append(f'    {{ "about": {line(section["about"])}, "rows": [\n{rows}\n    ] }}')
    sections = ",\n".join(sections)
    TABLE.write_text(f'{{\n  "values": {{\n{values}\n  }},\n  "sections": [\n{sections}\n  ]\n}}\n', encoding="utf-8")


def main():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    rows = [row for section in table["sections"] for row in section["rows"]]
    wrong = 0
    for row in rows:
        rendered = outcome(row["template"], table["values"])
        if rendered != row.get("jinja2"):
            wrong += 1
            print(f"{row['template']!r}\n    the table has {row.get('jinja2')!r}\n    Jinja2 has    {rendered!r}")
        row["jinja2"] = rendered
    if "--write" in sys.argv[1:]:
        write(table)
        return 0
    print(f"jinja2 {jinja2.__version__}: {len(rows)} templates, {wrong} otherwise than the table has them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
