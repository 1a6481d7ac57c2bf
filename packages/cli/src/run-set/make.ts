import type { Client, CreateQuestionSetInput, QuestionSetView } from '@bough/api';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { branchOf, projectOption } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';

/** A new set from the file or the branch that the command line names. */
export async function makeSet(client: Client, input: Input, terminal: Terminal): Promise<QuestionSetView> {
  const from = await sourceOf(client, input, terminal);
  return (await client.createQuestionSet({ name: input.required('set'), from })).set;
}

/** The same set with other questions. Rounds that there are keep theirs. */
export async function replaceQuestions(
  client: Client,
  { id }: QuestionSetView,
  input: Input,
  terminal: Terminal,
): Promise<QuestionSetView> {
  return (await client.updateQuestionSet(id, { from: await sourceOf(client, input, terminal) })).set;
}

async function sourceOf(client: Client, input: Input, terminal: Terminal): Promise<CreateQuestionSetInput['from']> {
  const file = input.text('from');
  if (file !== undefined)
    return { file: file === '-' ? await wholeInput(terminal) : await readFile(resolve(terminal.cwd, file), 'utf8') };
  const project = await projectOption(client, input);
  const branch = await branchOf(client, project.id, input.required('branch'));
  return { projectId: project.id, ref: branch.id };
}

async function wholeInput({ input }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part as Uint8Array | string));
  return Buffer.concat(parts).toString('utf8');
}
