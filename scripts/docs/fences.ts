/** A fenced block of a document. */
export interface Fence {
  readonly document: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What follows the language: `file=NAME`, or `not-run: REASON`. */
  readonly info: string;
  readonly body: string;
}

export function fencesOf(document: string, text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: {
    readonly line: number;
    readonly language: string;
    readonly info: string;
    readonly body: string[];
  } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('```')) {
      open?.body.push(line);
      continue;
    }
    if (open === null) {
      const [language = '', ...info] = line.slice(3).trim().split(' ');
      open = { line: index + 1, language, info: info.join(' '), body: [] };
      continue;
    }
    fences.push({ document, ...open, body: open.body.join('\n') });
    open = null;
  }
  if (open !== null) throw new Error(`${document}:${open.line}: this fence is never closed.`);
  return fences;
}

/** The file whose content the fence is. */
export function fileOf({ info }: Fence): string | null {
  return /^file=(\S+)$/.exec(info)?.[1] ?? null;
}

/** Why the tests do not run a command; null if they do. */
export function notRunReason({ info }: Fence): string | null {
  return /^not-run: (.+)$/.exec(info)?.[1] ?? null;
}
