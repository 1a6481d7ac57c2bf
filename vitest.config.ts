import { defineConfig } from 'vitest/config';

// Tests run from source: packages resolve each other by the `bough-source` export condition. (A plain `source` is used
// by other packages too, for code that Node cannot run.)
const conditions = { resolve: { conditions: ['bough-source'] }, ssr: { resolve: { conditions: ['bough-source'] } } };

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    // Tests of running programs wait more than they work: one worker per core would leave the machine idle.
    maxWorkers: 3,
    projects: [
      {
        ...conditions,
        // Pure code shares nothing: loading every module once per worker instead of once per file saves most of the
        // time.
        test: {
          name: 'pure',
          include: [
            'packages/{core,testkit,providers,simulator,api,ai-sdk}/src/**/*.test.ts',
            'bench/src/{frame,fold,context}/**/*.test.ts',
          ],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        ...conditions,
        test: {
          name: 'live',
          include: [
            'packages/{store,engine,transfer,server,cli,web}/src/**/*.test.{ts,tsx}',
            'bench/src/{store,start,stream,memory}/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
