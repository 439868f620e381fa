"""What type checkers see. A wrong call is marked: mypy and pyright fail if they find nothing there."""

from typing import Optional, Union

from typing_extensions import assert_type

import fingerpost
from fingerpost import Check, DigitalLink, Epc, FingerpostError, Item, Label

found = assert_type(fingerpost.check("9520123456788", accept=["labels"], today="2026-11-27"), Check)
assert_type(found.item, Optional[Item])
assert_type(found.faults[0].span, tuple[int, int])
assert_type(fingerpost.convert("9520123456788", to="hri"), str)
assert_type(fingerpost.convert_many(["9520123456788"], to="hri"), list[Optional[str]])
assert_type(fingerpost.convert_many(["x"], to="hri", errors="return"), list[Union[str, FingerpostError, None]])
assert_type(fingerpost.label("9520123456788", symbol="ean-13", format="png"), Label)
assert_type(DigitalLink("9520123456788").canonical, Optional[str])
assert_type(Epc("3066c4409047e14000001a85", gcp_length=7).scheme, str)


def wrong() -> None:
    fingerpost.convert("9520123456788", to="digital_link")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    fingerpost.check("9520123456788", accept=["label"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    fingerpost.check("9520123456788", gcp_length=7)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    found.valid = True  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    found.item.elements  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
