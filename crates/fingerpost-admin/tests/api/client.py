"""Registers, reads, changes and deletes a level with a client that a tool generated from the description."""

import os

from fingerpost_client import AuthenticatedClient
from fingerpost_client.api.history import read_history
from fingerpost_client.api.levels import (
    delete_level,
    draw_label,
    list_levels,
    put_level,
    read_level,
)
from fingerpost_client.models import (
    ChangeStatus,
    DrawLabelBeside,
    DrawLabelFormat,
    LinearSymbol,
    Link,
    Problem,
    Record,
)

PRODUCT = "01/09506000134352"
KEY = f"{PRODUCT}/10/A%2FB"


def record(title: str, key: str = KEY) -> Record:
    href = "https://example.com/p"
    links = [
        Link(link_type="gs1:defaultLink", href=href, title=title),
        Link(link_type="gs1:pip", href=href, title=title),
    ]
    return Record(anchor=f"/{key}", links=links)


def main() -> None:
    client = AuthenticatedClient(base_url=os.environ["API_URL"], token=os.environ["API_TOKEN"])
    absent = read_level.sync_detailed(KEY, client=client)
    assert absent.status_code == 404 and isinstance(absent.parsed, Problem), absent
    assert absent.parsed.code == "not-found" and absent.parsed.request_id, absent

    missing = draw_label.sync_detailed(client=client, key=PRODUCT, format_=DrawLabelFormat.JSON)
    assert missing.status_code == 404 and isinstance(missing.parsed, Problem), missing

    # A lot needs a default link at its product (RES-2.5.9-1).
    product = put_level.sync_detailed(PRODUCT, client=client, body=record("Product", PRODUCT))
    assert product.status_code == 201, product
    label = draw_label.sync_detailed(
        client=client, key=PRODUCT, format_=DrawLabelFormat.JSON, beside=DrawLabelBeside.EAN_13
    )
    assert label.status_code == 200 and label.parsed.beside == LinearSymbol.EAN_13, label
    created = put_level.sync_detailed(KEY, client=client, body=record("First"), if_none_match="*")
    assert created.status_code == 201 and created.parsed.status == ChangeStatus.CREATED, created
    assert created.headers["Location"] == f"/v1/levels/{KEY}", created

    read = read_level.sync_detailed(KEY, client=client)
    assert read.status_code == 200 and read.parsed.record.links[0].title == "First", read
    tag = read.headers["ETag"]
    assert tag == f'"{read.parsed.revision}"', read
    current = read_level.sync_detailed(KEY, client=client, if_none_match=tag)
    assert current.status_code == 304, current

    changed = put_level.sync_detailed(KEY, client=client, body=record("Second"), if_match=tag)
    assert changed.status_code == 200 and changed.parsed.status == ChangeStatus.REPLACED, changed
    stale = put_level.sync_detailed(KEY, client=client, body=record("Third"), if_match=tag)
    assert stale.status_code == 412 and stale.parsed.code == "precondition-failed", stale
    assert stale.headers["ETag"] == changed.headers["ETag"], stale

    listed = list_levels.sync(client=client, under=KEY, limit=1)
    assert [level.key for level in listed.levels] == [KEY], listed
    refused = list_levels.sync_detailed(client=client, limit=0)
    assert refused.status_code == 400, refused

    deleted = delete_level.sync_detailed(KEY, client=client, if_match=changed.headers["ETag"])
    assert deleted.status_code == 204, deleted
    history = read_history.sync(KEY, client=client)
    assert [state.deleted for state in history.states] == [True, False, False], history
    assert history.states[0].by.actor.startswith("key:"), history
    print("a generated client created, read, changed and deleted a level, and read its history")


main()
