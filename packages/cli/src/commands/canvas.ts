import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CanvasVersionView, Client, MergedCanvasView } from '@bough/api';
import type { MergeChoice } from '@bough/core';
import { MERGE_CHOICES } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, table } from '../terminal/index.ts';
import { shortId } from '../view/short-id.ts';

export const canvas: Command = {
  name: 'canvas',
  summary: "Show a project's document as a branch has it; write it, list its versions, bring it from another branch.",
  positionals: [{ name: 'branch' }],
  options: {
    ...PROJECT_OPTION,
    history: { description: 'list the versions, the newest first' },
    version: { description: 'show this version', value: 'id' },
    write: { description: 'the text of this file becomes the next version', value: 'file' },
    'in-context': { description: 'whether models are told what people write', value: 'on|off' },
    merge: { description: 'bring the document of this branch, three ways', value: 'branch' },
    take: {
      description: 'for the next conflict: ours, theirs or both; may be repeated',
      value: 'side',
      many: true,
      with: ['merge'],
    },
    'dry-run': { description: 'only show what a merge would give', with: ['merge'] },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough canvas main', 'bough canvas main --history', 'bough canvas main --write plan.md --in-context on'],
  run: (input, terminal) =>
    withConnection(input, terminal, 'no tools', async ({ client }) => {
      const chosen = ['history', 'version', 'merge'].filter((name) => input.flag(name) || input.text(name));
      if (input.text('write') !== undefined || input.text('in-context') !== undefined) chosen.push('write');
      if (chosen.length > 1) throw new UsageError('Choose one of --history, --version, --write and --merge.');
      const place = { client, project: (await projectOption(client, input)).id, input, terminal };
      const { id: ref } = await branchOf(client, place.project, input.required('branch'));
      if (chosen[0] === 'history') return history(place, ref);
      if (chosen[0] === 'merge') return merge(place, ref, input.text('merge') ?? '');
      return chosen[0] === 'write' ? write(place, ref) : show(place, ref);
    }),
};

interface Place {
  readonly client: Client;
  readonly project: string;
  readonly input: Input;
  readonly terminal: Terminal;
}

async function show({ client, project, input, terminal }: Place, ref: string): Promise<ExitCode> {
  const named = input.text('version');
  const version = named === undefined ? undefined : await versionOf(client, project, ref, named);
  const { canvas: found } = await client.canvas(project, ref, version);
  if (input.flag('json')) printJson(terminal, found);
  else if (found === null) terminal.write('This branch has no canvas.\n');
  else terminal.writeExactly(withEnd(found.text));
  return 0;
}

/** By the beginning of its id, as the list shows it. */
async function versionOf(client: Client, project: string, ref: string, named: string): Promise<string> {
  const { versions } = await client.canvasHistory(project, ref);
  const found = versions.filter(({ version }) => version.startsWith(named));
  const [only] = found;
  if (found.length > 1) throw new UsageError(`Several versions begin with "${named}".`);
  return only?.version ?? named;
}

async function history({ client, project, input, terminal }: Place, ref: string): Promise<ExitCode> {
  const { versions } = await client.canvasHistory(project, ref);
  if (input.flag('json')) printJson(terminal, versions);
  else if (versions.length === 0) terminal.write('This branch has no canvas.\n');
  else terminal.write(table(['version', 'written', 'by', 'lines', 'characters', 'in context'], versions.map(row)));
  return 0;
}

function row({ version, createdAt, by, added, removed, characters, inContext }: CanvasVersionView): readonly string[] {
  const when = createdAt.slice(0, 16).replace('T', ' ');
  return [shortId(version), when, by, `+${added} -${removed}`, String(characters), inContext ? 'yes' : 'no'];
}

async function write({ client, project, input, terminal }: Place, ref: string): Promise<ExitCode> {
  const [file, asked] = [input.text('write'), input.text('in-context')];
  if (asked !== undefined && asked !== 'on' && asked !== 'off') throw new UsageError('--in-context is on or off.');
  const { canvas: before } = await client.canvas(project, ref);
  const text = file === undefined ? (before?.text ?? '') : await textOf(resolve(terminal.cwd, file));
  const { canvas: written } = await client.writeCanvas(project, {
    ref,
    text,
    expected: before?.version ?? null,
    ...(asked === undefined ? {} : { inContext: asked === 'on' }),
  });
  if (input.flag('json')) printJson(terminal, written);
  else terminal.write(`The canvas has ${written.text.length} characters now; models are ${toldWord(written)}.\n`);
  return 0;
}

const toldWord = ({ inContext }: { readonly inContext: boolean }): string => (inContext ? 'told' : 'not told');

async function textOf(file: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new UsageError(`The file "${file}" cannot be read: ${cause instanceof Error ? cause.message : ''}`);
  }
  // A picture that was named by mistake would be stored as a text that nobody can read.
  if (!isUtf8(bytes) || bytes.includes(0)) throw new UsageError(`The file "${file}" is no text in UTF-8.`);
  return new TextDecoder().decode(bytes);
}

async function merge({ client, project, input, terminal }: Place, ref: string, named: string): Promise<ExitCode> {
  const { id: from } = await branchOf(client, project, named);
  const { canvas: before } = await client.canvas(project, ref);
  const merged = await client.mergeCanvas(project, {
    ref,
    from,
    choices: input.texts('take').map(sideOf),
    preview: input.flag('dry-run'),
  });
  if (input.flag('json')) printJson(terminal, merged);
  else if (merged.text === null) terminal.write(`${partsText(merged)}\n${openText(merged)}`);
  else if (merged.saved === null) terminal.write(withEnd(merged.text));
  else if (merged.saved.version === before?.version)
    terminal.write(`The canvas of "${named}" has nothing new. Nothing was stored.\n`);
  else terminal.write(`The canvas of "${named}" was brought. It has ${merged.text.length} characters now.\n`);
  return merged.text === null ? 1 : 0;
}

function sideOf(word: string): MergeChoice {
  const side = MERGE_CHOICES.find((choice) => choice === word);
  if (side === undefined) throw new UsageError(`--take is one of ${MERGE_CHOICES.join(', ')}, not "${word}".`);
  return side;
}

/** As git shows it: people have learnt to read that. */
function partsText({ parts }: MergedCanvasView): string {
  return parts
    .flatMap((part) =>
      part.kind === 'merged' ? part.lines : ['<<<<<<< ours', ...part.ours, '=======', ...part.theirs, '>>>>>>> theirs'],
    )
    .join('\n');
}

const openText = ({ conflicts }: MergedCanvasView): string =>
  `\nNothing was stored: ${conflicts} ${conflicts === 1 ? 'place' : 'places'} changed on both branches. Say for each ` +
  'which side counts, in this order: --take ours, --take theirs or --take both.\n';

const withEnd = (text: string): string => (text.endsWith('\n') || text === '' ? text : `${text}\n`);
