// Loads a dataset that `bough dataset` wrote as JSONL, and proves its prompts: node load.mjs <directory>
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory = '.'] = process.argv.slice(2);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const read = ({ path, sha256: expected }) => {
  const bytes = readFileSync(join(directory, path));
  if (sha256(bytes) !== expected) throw new Error(`${path} is not what the manifest says.`);
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
const rows = read(manifest.data);
const records = read(manifest.list);
for (const [place, { prompt }] of records.entries()) {
  const row = rows[place];
  const messages = row.prompt ?? row.messages.slice(0, prompt.messages);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  if (sha256(lines) !== prompt.sha256) throw new Error(`The prompt of record ${place} is another one.`);
}
console.log(`${rows.length} records, and every prompt is what the manifest says.`);
