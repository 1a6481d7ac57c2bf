/**
 * Commands in the documents that no test can run, each with the reason given by its fence. A new one must be added here
 * by hand.
 */
export const NOT_RUN: readonly { readonly document: string; readonly first: string; readonly reason: string }[] = [
  {
    document: 'README.md',
    first: 'npm ci && npm start   # builds and serves Bough on loopback, prints the address',
    reason:
      'npm test is what runs the commands of this page, and scripts/docs/start.test.ts starts what npm start starts',
  },
  {
    document: 'CONTRIBUTING.md',
    first:
      'npm run build                                        # programs and page; browser tests look at the built page',
    reason: 'these are the tests themselves',
  },
  {
    document: 'CONTRIBUTING.md',
    first:
      'npm run tour                          # every page, panel, menu, dialog and state, in four widths, dark and in Chinese',
    reason:
      'it takes minutes and a browser; packages/web/src/looks.browser.test.ts runs its checks on a handful of states',
  },
  {
    document: 'docs/add-a-provider.md',
    first: 'npm run build',
    reason: 'it changes the repository; scripts/docs/provider.test.ts runs the file',
  },
  {
    document: 'docs/clients.md',
    first: 'npx vitest run scripts/clients -u',
    reason: 'it changes the repository; scripts/clients/clients.test.ts compares the file',
  },
  {
    document: 'docs/command-line.md',
    first: 'bough import ~/.claude/projects           # Claude Code, with sub-agents, forks and compactions',
    reason: 'other programs make these directories; the tests in packages/transfer/src/import/formats/ make such',
  },
  {
    document: 'docs/command-line.md',
    first: 'bough import ~/.codex/sessions --follow',
    reason: 'it goes on until somebody ends it; packages/cli/src/follow.test.ts does',
  },
  {
    document: 'docs/data-model.md',
    first: `psql "$DATABASE_URL" -c "SELECT date_trunc('day', started_at), model, sum((usage ->> 'outputTokens')::int)`,
    reason: 'it needs the client program of your PostgreSQL',
  },
  {
    document: 'docs/gateway.md',
    first: 'bough run -- claude',
    reason: 'the client is another program; packages/cli/src/commands/run.test.ts runs one in its place',
  },
  {
    document: 'docs/operations.md',
    first: 'npm ci && npm run pack:cli',
    reason: 'it builds and installs for the whole system',
  },
  {
    document: 'docs/operations.md',
    first: 'useradd --system --home-dir /var/lib/bough --shell /usr/sbin/nologin bough',
    reason: 'it needs root and systemd',
  },
  {
    document: 'docs/operations.md',
    first: 'cd deploy',
    reason: 'it needs Docker',
  },
  {
    document: 'docs/operations.md',
    first: 'pg_dump --format=custom --file=bough.dump "$DATABASE_URL"',
    reason: 'it needs the client programs of your PostgreSQL',
  },
  {
    document: 'docs/packages.md',
    first: 'npm run pack -- /tmp/bough-packages        # the six tarballs',
    reason:
      'it builds the tarballs and installs them with npm; packages/cli/src/packaging/ checks the same without the registry',
  },
  {
    document: 'docs/reliability.md',
    first: 'npm run soak -- all --rounds 300',
    reason: 'it takes an hour or two; packages/server/src/soak/soak.test.ts runs a few rounds of each',
  },
];
