"""Loads a dataset that `bough dataset` wrote, and proves what its manifest says: python3 load.py <directory>"""

import hashlib
import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def read(file):
    data = (directory / file["path"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != file["sha256"]:
        sys.exit(f"{file['path']} is not what the manifest says.")
    return data


def lines_of(data):
    return [line for line in data.split(b"\n") if line]


def line(message):
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
data = read(manifest["data"])
records = [json.loads(each) for each in lines_of(read(manifest["list"]))]
if manifest["options"]["format"] == "parquet":
    # Rows in Parquet are for a library, such as pyarrow. What the list says of them holds for the same rows in JSON.
    print(f"{len(records)} records in Parquet, and the file is what the manifest says.")
    sys.exit()
lines = lines_of(data)
for place, record in enumerate(records):
    if hashlib.sha256(lines[place]).hexdigest() != record["sha256"]:
        sys.exit(f"Record {place} is another one.")
    row, prompt = json.loads(lines[place]), record["prompt"]
    # ShareGPT tells the same messages in words of its own: there, the row alone is proven.
    if "conversations" in row:
        continue
    messages = row["prompt"] if "prompt" in row else row["messages"][: prompt["messages"]]
    if hashlib.sha256(b"".join(map(line, messages))).hexdigest() != prompt["sha256"]:
        sys.exit(f"The prompt of record {place} is another one.")
what = "record" if manifest["options"]["shape"] == "sharegpt" else "prompt"
print(f"{len(records)} records, and every {what} is what the manifest says.")
