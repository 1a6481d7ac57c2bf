export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

export const WHO = 'Bough <bough@localhost>';

/** `seconds` since 1970, in UTC. */
export function serializeCommit(commit: Commit, seconds: number): Buffer {
  const when = `${WHO} ${seconds} +0000`;
  const parents = commit.parents.map((parent) => `parent ${parent}\n`).join('');
  return Buffer.from(`tree ${commit.tree}\n${parents}author ${when}\ncommitter ${when}\n\n${commit.message}\n`);
}

export function parseCommit(content: Buffer): Commit {
  const text = content.toString('utf8');
  const headerEnd = text.indexOf('\n\n');
  const headers = text.slice(0, headerEnd < 0 ? text.length : headerEnd).split('\n');
  const valuesOf = (name: string): string[] =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    message: headerEnd < 0 ? '' : text.slice(headerEnd + 2),
  };
}

const SUBJECT_LENGTH = 72;

/** One line of `git log --oneline`, whatever the text contains: control characters would garble it. */
export function subjectOf(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= SUBJECT_LENGTH ? line : `${characters.slice(0, SUBJECT_LENGTH - 1).join('')}…`;
}
