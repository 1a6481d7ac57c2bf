import type { Client, ProjectView } from '@bough/api';
import { projectId } from '@bough/core';
import { htmlOf, markdownOf, picturesOf, REASONINGS, writeBundle } from '@bough/transfer';
import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, oneOf, projectOf } from '../connect/names.ts';
import { withStore } from '../connect/store.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, startProgress } from '../terminal/index.ts';
import { wholeHistory } from '../view/history.ts';

const FORMATS = ['bundle', 'markdown', 'html', 'request'] as const;

export const exportCommand: Command = {
  name: 'export',
  summary: 'Export a project without loss, or a branch as Markdown, HTML or the provider’s own JSON.',
  positionals: [{ name: 'project' }],
  options: {
    format: { description: 'what to write (default bundle)', value: 'format', choices: FORMATS },
    out: {
      description: 'the directory or file; a document goes to the terminal without it',
      value: 'path',
      short: 'o',
    },
    branch: { description: 'the branch of a document (default main)', value: 'branch', short: 'b' },
    reasoning: { description: 'reasoning in a document (default folded)', value: 'way', choices: REASONINGS },
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough export "Sky colours" --out ./sky',
    'bough export "Sky colours" --format markdown --reasoning none > sky.md',
    'bough export "Sky colours" --format request --branch main --out request.json',
  ],
  run: async (input, terminal) => {
    const format = input.text('format') ?? 'bundle';
    if (format === 'bundle') return exportBundle(input, terminal);
    const text = await withConnection(
      input,
      terminal,
      format === 'request' ? 'tools' : 'no tools',
      async ({ client }) => {
        const project = await projectOf(client, input.required('project'));
        return documentOf(client, project, format, input);
      },
    );
    return deliver(text, input, terminal);
  },
};

async function exportBundle(input: Input, terminal: Terminal): Promise<ExitCode> {
  const out = input.text('out');
  if (out === undefined) throw new UsageError('A bundle is a directory. Name it with --out.');
  if (input.text('server') !== undefined) {
    throw new UsageError('A bundle is read from the store itself. Use --data and --store instead of --server.');
  }
  return withStore(input, terminal, async (store) => {
    const project = oneOf('project', input.required('project'), await store.listProjects(), ({ name }) => name);
    const progress = startProgress(terminal, 'Exporting', null);
    const report = await writeBundle(store, projectId(project.id), resolve(terminal.cwd, out), (count) =>
      progress.update(count, 'records'),
    ).finally(() => progress.end());
    if (input.flag('json')) printJson(terminal, report);
    else {
      const { node, branch, call } = report.records;
      const attached = report.files > 0 ? `, ${report.files} attached file(s)` : '';
      terminal.write(
        `${report.directory}: ${node} node(s), ${branch} branch(es), ${call} call(s), ${report.rawFiles} raw file(s)${attached}.\n`,
      );
    }
    return 0;
  });
}

async function documentOf(client: Client, project: ProjectView, format: string, input: Input): Promise<string> {
  const branch = await branchOf(client, project.id, input.text('branch') ?? 'main');
  if (format === 'request') {
    const { request } = await client.context(project.id, { ref: branch.id });
    return `${request.body}\n`;
  }
  const { groups } = await wholeHistory(client, project.id, branch.id);
  const title = branch.name === 'main' ? project.name : `${project.name} (${branch.name})`;
  const reasoning = REASONINGS.find((way) => way === input.text('reasoning')) ?? 'folded';
  if (format === 'markdown') return markdownOf({ title, groups, reasoning });
  const addressOf = await picturesOf(groups, async ({ hash }) => {
    const { body } = await client.getBlob(hash, project.id);
    return body ?? undefined;
  });
  return htmlOf({ title, groups, reasoning, addressOf });
}

async function deliver(text: string, input: Input, terminal: Terminal): Promise<ExitCode> {
  const out = input.text('out');
  if (out !== undefined) {
    const path = resolve(terminal.cwd, out);
    await mkdir(dirname(path), { recursive: true });
    await writePrivately(path, text);
    if (input.flag('json')) printJson(terminal, { path, bytes: Buffer.byteLength(text) });
    else terminal.write(`${path}\n`);
  } else if (input.flag('json')) printJson(terminal, { text });
  else terminal.writeExactly(text);
  return 0;
}

/**
 * For its owner alone, even where a file with other modes existed. Anything that is not a file (a terminal, a pipe) is
 * simply written to.
 */
async function writePrivately(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}
