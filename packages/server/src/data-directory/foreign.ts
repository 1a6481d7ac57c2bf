import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A directory of Loom or of ResearchTree, named where Bough's own data directory is meant: the store whose layout it
 * has, which is then opened in place. Null for any other directory.
 */
export function foreignStoreOf(directory: string): 'files' | 'git' | null {
  if (existsSync(join(directory, 'files')) || existsSync(join(directory, 'projects'))) return null;
  if (existsSync(join(directory, 'roots.json'))) return 'files';
  return namesIn(directory).some((name) => existsSync(join(directory, name, '.git'))) ? 'git' : null;
}

/** Where a store keeps its data. */
export function storeDirectoryOf(dataDir: string, store: 'files' | 'git'): string {
  if (foreignStoreOf(dataDir) === store) return dataDir;
  return join(dataDir, store === 'git' ? 'projects' : 'files');
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // What cannot be read is reported by whoever opens it.
    return [];
  }
}
