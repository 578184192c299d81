#!/usr/bin/env python3
"""The rules of slots and hand-over a second time, in another language, from their text alone (docs/explanation/slots.md).

Python 3, standard library only. Nothing here is shared with the TypeScript: owners are a list with one entry a slot.

    slots.py check test/vectors     compares every published vector; exit 1 at the first difference
    slots.py answer                 one JSON request a line on stdin, one JSON answer a line on stdout:
                                    {"salt": s, "names": [...]}              -> [slot, ...]
                                    {"path": [[[revision, share], ...], ...]} -> ["a*5000 b*5000", ...]
"""
import hashlib
import json
import pathlib
import re
import sys

SLOTS = 10_000


def slot(salt, name):
    digest = hashlib.sha256(salt.encode() + b"\x00" + name.encode()).digest()
    return int.from_bytes(digest[:4], "big") % SLOTS


def age(revision):
    """A key that sorts older revisions first; strings of Python compare by code point."""
    return [int(digits) for digits in re.findall("[0-9]+", revision)], revision


def lay_out(shares):
    return [revision for revision, share in sorted(shares, key=lambda pair: age(pair[0])) for _ in range(share)]


def hand_over(owners, shares):
    """`owners` names the revision of each unit; the result does so after the shares changed."""
    shares = dict(shares)
    revisions = sorted(set(owners) | set(shares), key=age)
    missing = {revision: shares.get(revision, 0) - owners.count(revision) for revision in revisions}
    after = list(owners)
    for loser in revisions:
        if missing[loser] >= 0:
            continue
        newer = [one for one in reversed(revisions) if age(one) > age(loser)]
        older = [one for one in revisions if age(one) < age(loser)]
        for taker in newer + older:
            while missing[taker] > 0 and missing[loser] < 0:
                units = [unit for unit, owner in enumerate(after) if owner == loser and owners[unit] == loser]
                count = min(missing[taker], -missing[loser])
                for unit in units[-count:] if taker in newer else units[:count]:
                    after[unit] = taker
                missing[taker] -= count
                missing[loser] += count
    return after


def run_lengths(owners):
    runs = []
    for owner in owners:
        if runs and runs[-1][0] == owner:
            runs[-1][1] += 1
        else:
            runs.append([owner, 1])
    return " ".join(f"{owner}*{count}" for owner, count in runs)


def walk(path):
    """Run lengths after each step of a path of shares."""
    owners = lay_out(path[0])
    texts = [run_lengths(owners)]
    for shares in path[1:]:
        owners = hand_over(owners, shares)
        texts.append(run_lengths(owners))
    return texts


def quota(shares, count):
    """Largest remainder; of equal remainders the older revision's counts first."""
    rows = sorted(shares, key=lambda pair: age(pair[0]))
    sizes = {revision: share * count // SLOTS for revision, share in rows}
    left = count - sum(sizes.values())
    for revision, _ in sorted(rows, key=lambda pair: -(pair[1] * count % SLOTS))[:left]:
        sizes[revision] += 1
    return sizes


def hand_over_names(salt, names, shares):
    """Names of an exact bucket: the units are the names by slot, then by code point."""
    names = dict(names)
    ranked = sorted(names, key=lambda name: (slot(salt, name), name))
    owners = hand_over([names[name] for name in ranked], quota(shares, len(ranked)).items())
    return sorted([name, owner] for name, owner in zip(ranked, owners))


def check(folder):
    assignments = json.loads((folder / "assignment.json").read_text(encoding="utf-8"))
    for row in assignments:
        own = slot(row["salt"], row["name"])
        expect(row, (own, lay_out(row["shares"])[own]), (row["slot"], row["revision"]))
    handovers = json.loads((folder / "handover.json").read_text(encoding="utf-8"))
    for row in handovers["slots"]:
        expect(row, walk(row["path"]), row["locks"])
    for row in handovers["names"]:
        expect(row, hand_over_names(row["salt"], row["before"], row["shares"]), row["after"])
    for row in handovers["order"]:
        expect(row, sorted(row, key=age), row)
    print(f"{len(assignments)} assignments, {sum(map(len, handovers.values()))} hand-overs agree")


def expect(row, own, published):
    if own != published:
        sys.exit(f"differs: {json.dumps(row)[:400]}\nhere: {own!r:.400}")


def answer(request):
    if "path" in request:
        return walk(request["path"])
    return [slot(request["salt"], name) for name in request["names"]]


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:] == ["answer"]:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
    else:
        sys.exit(__doc__)
