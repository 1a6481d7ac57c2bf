import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests run from source: packages resolve each other by the `source` export condition.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    testTimeout: 30_000,
  },
});
