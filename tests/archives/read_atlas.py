#!/usr/bin/env python3
"""Reads an atlas file with nothing but the standard library, from docs/formats/atlas.md alone.

    read_atlas.py FILE            the content as JSON
    read_atlas.py --summary FILE  one line

As a module: `header, elites, proposals = read(file)`.
"""
import json
import math
import struct
import sys
import zlib

SIGNATURE = b"\x89katlas"
MAJOR = 1
BLOCK_HEADER = struct.Struct("<4sIIII")
MAX_BLOCK = 16 << 20
KNOWN = (b"HEAD", b"NUMS", b"BLOB", b"ELIT", b"PROP", b"END ")


class BadAtlas(Exception):
    pass


def unpack(data):
    """The one msgpack value that `data` holds."""
    value, at = unpack_at(data, 0)
    if at != len(data):
        raise BadAtlas("bytes follow the value")
    return value


def unpack_at(data, at):
    first = data[at]
    at += 1
    if first < 0x80:
        return first, at
    if first >= 0xE0:
        return first - 256, at
    if first < 0x90:
        return unpack_map(data, at, first & 0x0F)
    if first < 0xA0:
        return unpack_array(data, at, first & 0x0F)
    if first < 0xC0:
        size = first & 0x1F
        return data[at : at + size].decode(errors="replace"), at + size
    if first in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[first], at
    scalars = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
               0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    if first in scalars:
        size = struct.calcsize(scalars[first])
        return struct.unpack_from(scalars[first], data, at)[0], at + size
    lengths = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
               0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}
    if first not in lengths:
        raise BadAtlas("no value begins with %02x" % first)
    size = struct.unpack_from(lengths[first], data, at)[0]
    at += struct.calcsize(lengths[first])
    if first >= 0xDE:
        return unpack_map(data, at, size)
    if first >= 0xDC:
        return unpack_array(data, at, size)
    if first >= 0xD9:
        return data[at : at + size].decode(errors="replace"), at + size
    return bytes(data[at : at + size]), at + size


def unpack_array(data, at, size):
    values = []
    for _ in range(size):
        value, at = unpack_at(data, at)
        values.append(value)
    return values, at


def unpack_map(data, at, size):
    values = {}
    for _ in range(size):
        key, at = unpack_at(data, at)
        values[key], at = unpack_at(data, at)
    return values, at


def blocks(stream):
    """(tag, content) of each block, checked; the signature first."""
    start = stream.read(8)
    if start[:7] != SIGNATURE:
        raise BadAtlas("no atlas file")
    if len(start) < 8 or not 1 <= start[7] <= MAJOR:
        raise BadAtlas("another version")
    while True:
        header = stream.read(BLOCK_HEADER.size)
        if not header:
            return
        if len(header) < BLOCK_HEADER.size:
            raise BadAtlas("cut off within a block's header")
        tag, encoding, stored, raw, crc = BLOCK_HEADER.unpack(header)
        if max(stored, raw) > MAX_BLOCK or encoding > 1:
            raise BadAtlas("an impossible block")
        content = stream.read(stored)
        if len(content) < stored:
            raise BadAtlas("cut off within a block")
        if zlib.crc32(content, zlib.crc32(header[:16])) != crc:
            raise BadAtlas("damaged: the checksum of %r is wrong" % tag)
        if encoding == 1:
            content = zlib.decompress(content)
        if len(content) != raw:
            raise BadAtlas("a block of another length than it says")
        yield tag, content


def read(file):
    header, numbers, blobs, elites, proposals = None, {}, [], [], []
    count, ended = 0, False

    def payload(packed):
        return {key: blobs[value] if isinstance(value, int) else value
                for key, value in packed.items()}

    def records(content, fields):
        for values in unpack(content):
            record = dict(zip(fields, values))
            record["payload"] = payload(record["payload"])
            yield record

    with open(file, "rb") as stream:
        for tag, content in blocks(stream):
            if ended or (count == 0) != (tag == b"HEAD"):
                raise BadAtlas("blocks out of order")
            if tag == b"HEAD":
                header = unpack(content)
            elif tag == b"NUMS":
                part = unpack(content)
                numbers.setdefault(part["name"], []).extend(part["values"])
            elif tag == b"BLOB":
                blobs.extend(unpack(content))
            elif tag == b"ELIT":
                elites.extend(records(content, header["elite"]))
            elif tag == b"PROP":
                proposals.extend(records(content, header["proposal"]))
            elif tag == b"END ":
                ended = True
                if unpack(content) != {"blobs": len(blobs), "elites": len(elites),
                                       "proposals": len(proposals), "blocks": count}:
                    raise BadAtlas("blocks are missing")
            elif not 97 <= tag[0] <= 122:
                raise BadAtlas("a block this reader must know: %r" % tag)
            count += 1
    if not ended:
        raise BadAtlas("cut off: the last block is missing")
    header["numbers"] = numbers
    return header, elites, proposals


def plain(value):
    """For JSON: bytes as text, numbers that JSON lacks as null."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def main(arguments):
    summary = "--summary" in arguments
    files = [each for each in arguments if not each.startswith("--")]
    try:
        header, elites, proposals = read(files[0])
    except (BadAtlas, IndexError, zlib.error, struct.error, OSError) as problem:
        print("read_atlas: %s" % (problem or "usage: read_atlas.py [--summary] FILE"), file=sys.stderr)
        return 1
    if summary:
        print("%s: %d elites, %d proposals, best %r" % (
            header["subject"], len(elites), len(proposals),
            max((each["objective"] for each in elites), default=None)))
    else:
        print(json.dumps(plain({"header": header, "elites": elites, "proposals": proposals})))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
