"""Says of each source on a line of JSON whether this Python compiles it.

A line is {"path": …} or {"source": …}; the answer is {"accepted": …, "why": …, "line": …}, with the text that was compiled
beside it when it was read from a file.
"""

import json
import sys
import tokenize
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    asked = json.loads(line)
    answer = {}
    source = asked.get("source")
    if source is None:
        try:
            with tokenize.open(asked["path"]) as file:
                source = file.buffer.read().decode(file.encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError):
            # Not text: the store never sees it.
            print(json.dumps({"accepted": None}), flush=True)
            continue
        answer["source"] = source
    try:
        # A byte order mark belongs to a file, not to text.
        compile(source.removeprefix("\ufeff") if hasattr(str, "removeprefix") else source, "<source>", "exec", dont_inherit=True)
        answer["accepted"] = True
    except (SyntaxError, ValueError, OverflowError) as error:
        answer["accepted"] = False
        answer["why"] = str(error)
        answer["line"] = getattr(error, "lineno", None)
    except (RecursionError, MemoryError):
        # It gave up: no verdict.
        answer["accepted"] = None
    print(json.dumps(answer), flush=True)
