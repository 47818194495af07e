"""JSON schemas as grammars."""

from __future__ import annotations

import json

from llama_cpp.llama_grammar import json_schema_to_gbnf

from engine.errors import RequestInvalid


def grammar_of(schema: str) -> str:
    """The GBNF of a JSON schema given as text. Raises RequestInvalid; never fetches a reference."""
    try:
        return str(json_schema_to_gbnf(json.dumps(json.loads(schema), ensure_ascii=False)))
    except Exception as error:  # a converter of another's: whatever it raises, the schema is at fault
        raise RequestInvalid("The JSON schema of this request can't be turned into a grammar.") from error
