// Reports each finding once, with the pictures that show it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Prints the findings and returns the exit code. */
export async function tellFindings(pictures, found, out) {
  const all = [...found, ...sharedTitles(pictures)];
  const byText = new Map();
  for (const { picture, check, what } of all) {
    const text = `${check}: ${what}`;
    byText.set(text, [...(byText.get(text) ?? []), picture]);
  }
  const lines = [...byText].map(([text, seen]) => `${placesOf(seen)}  ${text}`);
  await writeFile(join(out, 'findings.txt'), lines.map((line) => `${line}\n`).join(''));
  for (const line of lines) console.log(line);
  console.log(`${pictures.length} pictures, ${lines.length} findings: ${join(out, 'sheet.png')}`);
  return lines.length === 0 ? 0 : 1;
}

function placesOf(seen) {
  const names = [...new Set(seen.flatMap((picture) => (picture == null ? [] : [picture.file.replace('.png', '')])))];
  return names.length > 3 ? `${names.slice(0, 3).join(' ')} and ${names.length - 3} more` : names.join(' ');
}

/** Two addresses with one title cannot be told apart in a row of tabs. */
function sharedTitles(pictures) {
  const firstBy = new Map();
  return pictures.flatMap((picture) => {
    const first = firstBy.get(picture.title) ?? picture;
    firstBy.set(picture.title, first);
    // Addresses in different programs differ only in their projects' ids.
    const isSame = kindOf(first.path) === kindOf(picture.path);
    return isSame ? [] : [{ picture, check: 'title', what: `“${picture.title}” is also the title of ${first.path}` }];
  });
}

function kindOf(path) {
  return path
    .split('/')
    .filter((part) => !/^[0-9a-f-]{16,}$/.test(part))
    .join('/');
}
