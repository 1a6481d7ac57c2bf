import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * The files that take longest, the longest first. Whatever is started last decides when the suite ends, and by itself
 * vitest starts the shortest texts last: a contract of three hundred tests is a file of twenty lines.
 */
const SLOWEST: readonly string[] = [
  'packages/server/src/soak/soak.test.ts',
  'packages/store/src/postgres/store.test.ts',
  'packages/store/src/postgres/check.test.ts',
  'scripts/docs/commands.test.ts',
  'bench/src/stream/stream.test.ts',
  'packages/server/src/files-wire.test.ts',
  'packages/store/src/git/git.test.ts',
  'packages/store/src/postgres/pooled.test.ts',
  'packages/web/src/hostile-text.browser.test.ts',
  'packages/web/src/reasoning.browser.test.ts',
  'packages/server/src/tool-crash.test.ts',
  'packages/server/src/wire.test.ts',
  'packages/server/src/recovery.test.ts',
  'packages/web/src/streaming.browser.test.ts',
  'packages/web/src/access.browser.test.ts',
  'packages/store/src/git/refs/refs.test.ts',
  'bench/src/files/files.test.ts',
  'packages/web/src/branches.browser.test.ts',
  'packages/server/src/crash.test.ts',
  'packages/web/src/places.browser.test.ts',
  'packages/web/src/files.browser.test.ts',
  'packages/server/src/fuzz.test.ts',
  'packages/web/src/diagrams.browser.test.ts',
  'packages/web/src/library.browser.test.ts',
  'packages/server/src/full-disk.test.ts',
  'packages/web/src/looks.browser.test.ts',
  'packages/server/src/start.test.ts',
  'packages/web/src/messages.browser.test.ts',
  'packages/web/src/settings.browser.test.ts',
  'packages/engine/src/turn/faults.test.ts',
  'packages/store/src/files/files.test.ts',
  'packages/server/src/import-files.test.ts',
  'packages/cli/src/hostile/loom.test.ts',
  'packages/server/src/stop.test.ts',
  'packages/web/src/versions.browser.test.ts',
  'packages/store/src/git/outside.test.ts',
  'packages/store/src/move/between-stores.test.ts',
  'packages/cli/src/hostile/repositories.test.ts',
  'packages/transfer/src/import/repositories.test.ts',
  'packages/store/src/postgres/embedded/index.test.ts',
  'packages/simulator/src/replay.property.test.ts',
];

/** Starts the slowest files first, then the others, browsers before the rest. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const missing = SLOWEST.find((path) => !existsSync(join(root, path)));
    if (missing !== undefined) throw new Error(`scripts/slow-first.ts names ${missing}, which is not there.`);
    const place = ({ moduleId }: TestSpecification): number => {
      const path = relative(root, moduleId);
      const at = SLOWEST.indexOf(path);
      if (at >= 0) return at;
      return SLOWEST.length + (path.includes('.browser.') ? 0 : 1);
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
