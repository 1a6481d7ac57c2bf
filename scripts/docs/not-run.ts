/** Commands of the documents that no test can run, each with the reason that its fence gives. A new one must be put here by hand. */
export const NOT_RUN: readonly { readonly document: string; readonly first: string; readonly reason: string }[] = [
  {
    document: 'README.md',
    first: 'npm ci && npm start   # builds and serves Bough on loopback, prints the address',
    reason: 'these are what runs this test; what npm start starts is started by scripts/docs/start.test.ts',
  },
];
