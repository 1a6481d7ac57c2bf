// Prints what the changelog says about a version: node scripts/release/notes.mjs v1.2.3. Fails where the tag, the
// packages and the changelog do not name the same one.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { filesToChange } from './versions.mjs';

/** The text below the heading of a version; null if there is none. */
export function notesOf(changelog, version) {
  const start = changelog
    .split('\n')
    .findIndex((line) => line.startsWith(`## ${version}`) && !/[\w.]/.test(line[3 + version.length] ?? ''));
  if (start < 0) return null;
  const rest = changelog.split('\n').slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

if (process.argv[1] === import.meta.filename) {
  const root = resolve(import.meta.dirname, '../..');
  const version = (process.argv[2] ?? '').replace(/^v/, '');
  const wrong = [...filesToChange(root, version).keys()];
  if (wrong.length > 0) {
    console.error(`${wrong.join(', ')}: not of version ${version}. Run npm run set-version -- ${version} first.`);
    process.exit(1);
  }
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === null || notes === '') {
    console.error(`CHANGELOG.md says nothing about ${version}: name its first heading so.`);
    process.exit(1);
  }
  console.log(notes);
}
