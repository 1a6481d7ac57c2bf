import { EMPTY_BLOB, EMPTY_TEXT, type PathText, pathTextOf } from '../objects/path-text.ts';
import type { Repository } from '../repository/repository.ts';

/** The texts of path files, by blob: the most recently used stay in memory. */
export interface Texts {
  readonly get: (blob: string) => Promise<PathText>;
  readonly keep: (blob: string, text: PathText) => void;
}

/** Texts of all projects together: the same bytes have the same id everywhere. */
export interface TextMemory {
  readonly of: (repository: Repository) => Texts;
}

const BUDGET_BYTES = 96 * 1024 * 1024;

export function createTextMemory(): TextMemory {
  const kept = new Map<string, PathText>();
  const reading = new Map<string, Promise<PathText>>();
  let bytes = 0;

  const drop = (blob: string): void => {
    bytes -= kept.get(blob)?.length ?? 0;
    kept.delete(blob);
  };
  const keep = (blob: string, text: PathText): void => {
    drop(blob);
    kept.set(blob, text);
    bytes += text.length;
    for (const oldest of kept.keys()) {
      if (bytes <= BUDGET_BYTES || oldest === blob) break;
      drop(oldest);
    }
  };
  const read = async (repository: Repository, blob: string): Promise<PathText> => {
    try {
      const text = pathTextOf(await repository.readBlob(blob));
      keep(blob, text);
      return text;
    } finally {
      reading.delete(blob);
    }
  };

  return {
    of: (repository) => ({
      keep,
      get: async (blob) => {
        // A commit from elsewhere may lack the file, and its repository then lacks the object.
        if (blob === EMPTY_BLOB) return EMPTY_TEXT;
        const text = kept.get(blob);
        if (text) {
          keep(blob, text);
          return text;
        }
        const under = reading.get(blob) ?? read(repository, blob);
        reading.set(blob, under);
        return under;
      },
    }),
  };
}
