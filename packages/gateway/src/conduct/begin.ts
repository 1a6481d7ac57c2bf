import type { Branch, CallId, Envelope, Exchange, Issuer, NodeId, Project, ProjectId, Rendering } from '@bough/core';
import { freeName, isTextBlock, personsWords, titleFrom, UNTITLED, UnknownIdError } from '@bough/core';
import type { Engine, Ids, RecordedMessage, RecordedTurn } from '@bough/engine';
import type { Store } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { Client } from '../clients/index.ts';
import { storedBlocks } from '../record/files.ts';
import type { Asked, PlannedBranch, Placing } from '../record/place.ts';
import { FIRST_BRANCH, place, placeBeside } from '../record/place.ts';
import type { Said } from '../record/trail.ts';
import type { Whereabouts } from './find.ts';

export interface BeginEnvironment {
  readonly engine: Pick<Engine, 'record'>;
  readonly store: Store;
  readonly ids: Ids;
  readonly now: () => Date;
}

export interface BeginInput {
  readonly asked: Asked;
  readonly found: Whereabouts;
  readonly client: Client;
  readonly envelope: Envelope;
  readonly issuer: Issuer;
  readonly api: Exchange['protocol'];
  readonly requestHash: string;
  /** How the bodies are kept, once it is known with which node. */
  readonly write: (at: { readonly call: CallId; readonly node: NodeId; readonly project: ProjectId }) => {
    readonly exchange: Exchange;
    readonly renderings: readonly Rendering[];
  };
}

export interface BegunCall {
  readonly recorded: RecordedTurn;
  readonly project: ProjectId;
  readonly call: CallId;
  readonly exchange: Exchange;
}

/** How often another place is looked for: somebody else may take each at the same moment. */
const TRIES = 5;

/** Stores what a client said in its place. Whoever loses a race for a place is recorded beside the winner. */
export async function beginRecording(env: BeginEnvironment, input: BeginInput): Promise<BegunCall> {
  const { asked, found } = input;
  const project = found.project ?? env.ids.project();
  // A conversation that goes on has its name, and most of what it says is not read again.
  let known: string | null = null;
  const words = (): string => (known ??= wordsOf(asked.said));
  let placing = place(asked, found);
  if (found.isNewProject) await createProject(env, project, placing, input, words());
  else if (isFirst(placing)) await nameProject(env, project, words());
  let name = isPlanned(placing.branch) ? (placing.branch.name ?? titleFrom(words())) : null;
  for (let tries = 1; ; tries += 1) {
    try {
      return await record(env, input, project, placing, name);
    } catch (error) {
      if (tries === TRIES || !isLostRace(error)) throw error;
      if (!placing.isNewBranch) placing = placeBeside(asked, found);
      const taken = new Set((await env.store.listBranches(project)).map((branch) => branch.name));
      const base = (isPlanned(placing.branch) ? placing.branch.name : null) ?? titleFrom(words());
      name = freeName(base === FIRST_BRANCH ? titleFrom(words()) : base, taken);
    }
  }
}

function isLostRace(error: unknown): boolean {
  if (error instanceof UnknownIdError) return error.kind === 'branch';
  return error instanceof ConflictError && ['turn_running', 'tip_moved', 'name_taken'].includes(error.code);
}

const isPlanned = (branch: Placing['branch']): branch is PlannedBranch => !('id' in branch);

const isFirst = ({ branch }: Placing): boolean => isPlanned(branch) && branch.name === FIRST_BRANCH;

async function record(
  env: BeginEnvironment,
  input: BeginInput,
  projectId: ProjectId,
  placing: Placing,
  name: string | null,
): Promise<BegunCall> {
  const { store, ids } = env;
  const messages: RecordedMessage[] = [];
  for (const { said, toolCallId, turn } of placing.messages) {
    const { role, trail, isError } = said;
    const contentBlocks = await storedBlocks(store.blobs, said);
    messages.push({ id: ids.node(), role, contentBlocks, trail, toolCallId, isError, turn });
  }
  const node = messages.at(-1)?.id ?? placing.parentId;
  if (node === null) throw new Error('A request says something.');
  const call = ids.call();
  const { exchange, renderings } = input.write({ call, node, project: projectId });
  const branch = isPlanned(placing.branch) ? newBranch(env, input, projectId, placing.branch, name) : placing.branch;
  const { isNewBranch, parentId, goesOn } = placing;
  const { issuer, api, requestHash, asked } = input;
  const trail = asked.said.at(-1)?.trail ?? '';
  const recorded = await env.engine.record(
    { projectId, branch, isNewBranch, parentId, goesOn, messages, renderings },
    { id: call, issuer, api, requestHash, trail, exchange },
  );
  return { recorded, project: projectId, call, exchange };
}

function newBranch(
  { ids, now }: BeginEnvironment,
  { client, envelope }: BeginInput,
  projectId: ProjectId,
  { forkedFrom, kind, beside, because }: PlannedBranch,
  name: string | null,
): Branch {
  return {
    id: ids.branch(),
    projectId,
    name: name ?? UNTITLED,
    tipId: forkedFrom,
    forkedFromId: forkedFrom,
    envelope,
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    recorded: { client: client.version, session: client.session, kind, beside, because },
    createdAt: now().toISOString(),
  };
}

async function createProject(
  { store, now }: BeginEnvironment,
  id: ProjectId,
  placing: Placing,
  { client, envelope }: BeginInput,
  words: string,
): Promise<void> {
  const { provider, model } = envelope;
  const project: Project = {
    id,
    // Named by the conversation, should a session begin with something beside it.
    name: isFirst(placing) || client.session === null ? titleFrom(words) : UNTITLED,
    description: null,
    systemPrompt: null,
    defaults: { provider, model },
    archived: false,
    folder: client.label,
    createdAt: now().toISOString(),
  };
  try {
    await store.createProject(project);
    await store.publish({ type: 'changed', projectId: id });
  } catch (error) {
    // Two requests of a new session came at the same moment.
    if (!(error instanceof ConflictError && error.code === 'id_taken')) throw error;
  }
}

async function nameProject({ store }: BeginEnvironment, id: ProjectId, words: string): Promise<void> {
  const { name } = await store.getProject(id);
  if (name !== UNTITLED) return;
  try {
    await store.updateProject(id, { name: titleFrom(words) }, { name });
  } catch (error) {
    // Somebody named it meanwhile.
    if (!(error instanceof ConflictError && error.code === 'project_changed')) throw error;
  }
}

/** The first words of a person; what a client says around them counts only if there is nothing else. */
function wordsOf(said: readonly Said[]): string {
  const texts = said
    .filter(({ role }) => role === 'user')
    .map(({ blocks }) => blocks.filter(isTextBlock).map(({ text }) => text));
  const own = texts.map(personsWords).find((text) => text.trim() !== '');
  return own ?? texts[0]?.join('') ?? '';
}
