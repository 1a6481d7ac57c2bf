// Loads a dataset that `bough dataset` wrote, and proves what its manifest says: node load.mjs <directory>
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory = '.'] = process.argv.slice(2);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const read = ({ path, sha256: expected }) => {
  const bytes = readFileSync(join(directory, path));
  if (sha256(bytes) !== expected) throw new Error(`${path} is not what the manifest says.`);
  return bytes;
};
const linesOf = (bytes) =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');

const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
const data = read(manifest.data);
const records = linesOf(read(manifest.list)).map((line) => JSON.parse(line));
if (manifest.options.format === 'parquet') {
  // Rows in Parquet are for a library, such as hyparquet. What the list says of them holds for the same rows in JSON.
  console.log(`${records.length} records in Parquet, and the file is what the manifest says.`);
} else {
  const lines = linesOf(data);
  for (const [place, record] of records.entries()) {
    if (sha256(lines[place]) !== record.sha256) throw new Error(`Record ${place} is another one.`);
    const row = JSON.parse(lines[place]);
    // ShareGPT tells the same messages in words of its own: there, the row alone is proven.
    const messages = row.prompt ?? row.messages?.slice(0, record.prompt.messages);
    const prompt = messages?.map((message) => `${JSON.stringify(message)}\n`).join('');
    if (prompt !== undefined && sha256(prompt) !== record.prompt.sha256)
      throw new Error(`The prompt of record ${place} is another one.`);
  }
  const what = manifest.options.shape === 'sharegpt' ? 'record' : 'prompt';
  console.log(`${records.length} records, and every ${what} is what the manifest says.`);
}
