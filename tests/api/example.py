"""The README's example by the Python client that openapi-python-client makes of /openapi.json.

python example.py ADDRESS TOKEN
"""

import sys
from typing import TypeVar
from uuid import UUID

from interline_client import AuthenticatedClient
from interline_client.api.content import list_content, search_content
from interline_client.api.notes import (
    archive_notes,
    compare_versions_notes,
    create_notes,
    delete_notes,
    list_history_notes,
    list_notes,
    read_notes,
    restore_notes,
    restore_version_notes,
    str_replace_notes,
    track_usage_notes,
    unarchive_notes,
)
from interline_client.api.tokens import create_token
from interline_client.models import (
    ContentMetadata,
    Error,
    ErrorCode,
    HistoryAction,
    ItemType,
    ItemView,
    MatchLevel,
    MatchType,
    NewNote,
    NewToken,
    SearchField,
    SortBy,
    SortOrder,
    StrReplace,
    TokenScope,
)

T = TypeVar("T")

CONTENT = "# Plan\n\n- buy milk\n- call Bob\n"


def done(answer: T | Error | None) -> T:
    """What was asked for; an error ends the test."""
    assert answer is not None and not isinstance(answer, Error), answer
    return answer


def refused(answer: object, code: ErrorCode) -> Error:
    assert isinstance(answer, Error), answer
    assert answer.error is code, answer
    assert answer.message and answer.suggestion, answer
    return answer


def main(address: str, token: str) -> None:
    client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
    note = edit(client)
    find(client, note)
    conflicts(client, note)
    go_back(client, note)
    lifecycle(client, note)
    rights(client)
    print("the Python client runs the example")


def edit(client: AuthenticatedClient) -> UUID:
    new = NewNote(title="Plan", content=CONTENT, tags=["home"])
    note = done(create_notes.sync(client=client, body=new))
    assert note.type_ is ItemType.NOTE and note.version == 1 and note.description is None, note

    change = StrReplace(old_str="- call Bob", new_str="- call Ann")
    edited = done(str_replace_notes.sync(note.id, client=client, body=change, include_content=False))
    assert edited.match_type is MatchType.EXACT and edited.line == 4 and edited.version == 2, edited
    assert edited.content is None and edited.content_preview is not None, edited
    return note.id


def find(client: AuthenticatedClient, note: UUID) -> None:
    found = done(list_content.sync(client=client, q="calling ann", type_=[ItemType.NOTE, ItemType.PROMPT]))
    assert [item.id for item in found.items] == [note] and found.next_cursor is None, found
    snippet = found.items[0].snippet
    assert snippet and snippet.line == 4 and snippet.text == "- call Ann", snippet

    fields = [SearchField.TITLE, SearchField.CONTENT]
    inside = done(search_content.sync(note, client=client, q="plan", fields=fields))
    assert {match.field for match in inside.matches} == set(fields), inside

    lines = done(read_notes.sync(note, client=client, start_line=3, end_line=4))
    assert lines.content == "- buy milk\n- call Ann", lines
    assert isinstance(lines.content_metadata, ContentMetadata) and lines.content_metadata.is_partial, lines


def conflicts(client: AuthenticatedClient, note: UUID) -> None:
    late = StrReplace(old_str="milk", new_str="tea", expected_version=1)
    conflict = refused(str_replace_notes.sync(note, client=client, body=late), ErrorCode.CONFLICT)
    assert conflict["current_version"] == 2, conflict
    absent = StrReplace(old_str="- buy mylk", new_str="", match=MatchLevel.EXACT)
    no_match = refused(str_replace_notes.sync(note, client=client, body=absent), ErrorCode.NO_MATCH)
    assert no_match["nearest"][0]["line"] == 3, no_match
    nobody = AuthenticatedClient(base_url=str(client.get_httpx_client().base_url), token="il_wrong")
    refused(read_notes.sync(note, client=nobody), ErrorCode.UNAUTHORIZED)


def go_back(client: AuthenticatedClient, note: UUID) -> None:
    diff = done(compare_versions_notes.sync(note, 2, client=client))
    assert "-- call Bob\n+- call Ann\n" in diff.diff, diff
    restored = done(restore_version_notes.sync(note, 1, client=client))
    assert restored.content == CONTENT and restored.version == 3, restored
    history = done(list_history_notes.sync(note, client=client))
    assert [record.version for record in history.items] == [3, 2, 1], history
    assert history.items[2].action is HistoryAction.CREATE, history


def lifecycle(client: AuthenticatedClient, note: UUID) -> None:
    """The requests whose bodies may be left out."""
    assert done(archive_notes.sync(note, client=client)).archived_at is not None
    archived = done(
        list_notes.sync(client=client, view=[ItemView.ARCHIVED], sort_by=SortBy.TITLE, sort_order=SortOrder.ASC)
    )
    assert archived.total == 1, archived
    assert done(unarchive_notes.sync(note, client=client)).archived_at is None
    assert done(track_usage_notes.sync(note, client=client)).last_used_at is not None
    assert delete_notes.sync_detailed(note, client=client).status_code == 204
    assert done(restore_notes.sync(note, client=client)).deleted_at is None
    assert delete_notes.sync_detailed(note, client=client, permanent=True).status_code == 204
    refused(read_notes.sync(note, client=client), ErrorCode.NOT_FOUND)


def rights(client: AuthenticatedClient) -> None:
    new = NewToken(name="reader", scopes=[TokenScope.READ], kinds=[ItemType.NOTE])
    made = done(create_token.sync(client=client, body=new))
    assert made.scopes == [TokenScope.READ] and made.expires_at is None, made
    reader = AuthenticatedClient(base_url=str(client.get_httpx_client().base_url), token=made.token)
    refused(create_notes.sync(client=reader, body=NewNote(title="No")), ErrorCode.FORBIDDEN)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
