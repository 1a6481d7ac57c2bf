"""Loads a dataset that `bough dataset` wrote as JSONL, and proves its prompts: python3 load.py <directory>"""

import hashlib
import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def read(file):
    data = (directory / file["path"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != file["sha256"]:
        sys.exit(f"{file['path']} is not what the manifest says.")
    return [json.loads(line) for line in data.decode().split("\n") if line.strip()]


def line(message):
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
rows = read(manifest["data"])
for place, record in enumerate(read(manifest["list"])):
    row, prompt = rows[place], record["prompt"]
    messages = row["prompt"] if "prompt" in row else row["messages"][: prompt["messages"]]
    if hashlib.sha256(b"".join(map(line, messages))).hexdigest() != prompt["sha256"]:
        sys.exit(f"The prompt of record {place} is another one.")
print(f"{len(rows)} records, and every prompt is what the manifest says.")
