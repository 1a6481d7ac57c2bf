import type { Client, QuestionSetView } from '@bough/api';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { branchOf, projectOption } from '../connect/names.ts';
import type { Terminal } from '../terminal/index.ts';

/** A new set from the file or the branch that the command line names. */
export async function makeSet(client: Client, input: Input, terminal: Terminal): Promise<QuestionSetView> {
  const name = input.required('set');
  const file = input.text('from');
  if (file !== undefined) {
    const text = file === '-' ? await wholeInput(terminal) : await readFile(resolve(terminal.cwd, file), 'utf8');
    return (await client.createQuestionSet({ name, from: { file: text } })).set;
  }
  const project = await projectOption(client, input);
  const branch = await branchOf(client, project.id, input.required('branch'));
  return (await client.createQuestionSet({ name, from: { projectId: project.id, ref: branch.id } })).set;
}

async function wholeInput({ input }: Terminal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part as Uint8Array | string));
  return Buffer.concat(parts).toString('utf8');
}
