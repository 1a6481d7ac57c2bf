import type { Annotation, Branch, NodeId, Project, ProjectId, StoredFile, ToolDefinition, TreeNode } from '@bough/core';
import { isToolChangeBlock } from '@bough/core';
import type { GraphNode, Store } from '@bough/store';
import { createHash } from 'node:crypto';
import type { ChatMessage, Draft } from './messages.ts';
import { draftOf, messagesOf } from './messages.ts';
import type { DatasetOptions, RecordReason, Tally } from './options.ts';
import type { Planned } from './plan.ts';
import { planRecords } from './plan.ts';
import { createPathReader } from './reader.ts';
import { summariesIn } from './summaries.ts';
import { topologyOf } from './topology.ts';

/** What a record is made of, whatever its shape. */
export interface Sample {
  readonly project: ProjectId;
  /** Everything before the reply. */
  readonly prompt: Side;
  readonly reply: Side;
  readonly rejected: Side | null;
  readonly tools: readonly ToolDefinition[];
  readonly models: { readonly reply: string | null; readonly rejected: string | null };
  readonly comparisons: readonly string[];
  readonly files: readonly StoredFile[];
}

export interface Side {
  readonly nodes: readonly NodeId[];
  readonly messages: readonly ChatMessage[];
}

/** The samples of a project, in the order of its tree. */
export async function* samplesOf(
  store: Store,
  project: Project,
  annotations: readonly Annotation[],
  options: DatasetOptions,
  tally: Tally,
): AsyncGenerator<Sample, void> {
  const graph = await store.graph(project.id);
  const topology = topologyOf(graph);
  const reader = createPathReader(store, project.id);
  const summaries = await summariesIn(store, project.id, graph, topology);
  for (const planned of planRecords(topology, summaries, annotations, options, tally)) {
    const [start] = planned.reply;
    const last = planned.reply.at(-1);
    if (start === undefined || last === undefined) continue;
    const path = await reader.read(topology.path(last.id));
    const before = path.slice(0, path.length - planned.reply.length);
    const promptFor = (reply: GraphNode): Prompt => {
      const branch = topology.branchOf(reply.id);
      return promptOf(draftsOf(before, branch), branch, project, options, tally);
    };
    const draftsOf = (nodes: readonly TreeNode[], branch: Branch | undefined): readonly Draft[] =>
      nodes.flatMap((node) => draftOf(node, options, branch?.envelope.choices ?? {}, tally) ?? []);
    const sideOf = (nodes: readonly TreeNode[]): Written => {
      const branch = topology.branchOf(nodes[0]?.id ?? start.id);
      return { nodes: nodes.map(({ id }) => id), ...messagesOf(draftsOf(nodes, branch), options, tally) };
    };
    const reply = sideOf(path.slice(before.length));
    const rejected =
      planned.rejected === undefined ? null : sideOf(await reader.aside(planned.rejected.map(({ id }) => id)));
    const nodes = before.map(({ id }) => id);
    const sample = sampleOf({ planned, nodes, reply, rejected, promptFor }, tally);
    if (sample !== null) yield { project: project.id, ...sample };
  }
}

interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly files: readonly StoredFile[];
  readonly tools: readonly ToolDefinition[];
}
type Written = Side & { readonly files: readonly StoredFile[] };

interface Read {
  readonly planned: Planned;
  /** Before the reply. */
  readonly nodes: readonly NodeId[];
  readonly reply: Written;
  readonly rejected: Written | null;
  readonly promptFor: (reply: GraphNode) => Prompt;
}

function sampleOf({ planned, nodes, reply, rejected, promptFor }: Read, tally: Tally): Omit<Sample, 'project'> | null {
  const [first] = planned.reply;
  const [against] = planned.rejected ?? [];
  if (first === undefined) return null;
  const prompt = promptFor(first);
  // Made on another branch, with another system prompt or other tools, a reply cannot be compared.
  const isOther = against !== undefined && !areSame(prompt, promptFor(against));
  const problem = problemOf(prompt, reply, rejected) ?? (isOther ? 'prefix_differs' : null);
  if (problem !== null) {
    tally.record(problem);
    return null;
  }
  return {
    prompt: { nodes, messages: prompt.messages },
    reply,
    rejected,
    tools: prompt.tools,
    models: { reply: first.modelUsed, rejected: against?.modelUsed ?? null },
    comparisons: planned.comparisons ?? [],
    files: [...prompt.files, ...reply.files, ...(rejected?.files ?? [])],
  };
}

function problemOf(prompt: Prompt, reply: Side, rejected: Side | null): RecordReason | null {
  if (!prompt.messages.some(({ role }) => role === 'user')) return 'no_message_before';
  if (!endsWithReply(reply) || (rejected !== null && !endsWithReply(rejected))) return 'reply_empty';
  const isSame = rejected !== null && JSON.stringify(rejected.messages) === JSON.stringify(reply.messages);
  return isSame ? 'same_reply' : null;
}

const endsWithReply = ({ messages }: Side): boolean => {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.tool_calls === undefined;
};

const areSame = (a: Prompt, b: Prompt): boolean =>
  prefixHash(a.messages) === prefixHash(b.messages) && JSON.stringify(a.tools) === JSON.stringify(b.tools);

/** SHA-256 of the messages, each as one line of JSON: whoever has the data can compute it again. */
export function prefixHash(messages: readonly ChatMessage[]): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(`${JSON.stringify(message)}\n`);
  return hash.digest('hex');
}

function promptOf(
  drafts: readonly Draft[],
  branch: Branch | undefined,
  project: Project,
  options: DatasetOptions,
  tally: Tally,
): Prompt {
  const words = (branch === undefined ? project.systemPrompt : branch.envelope.systemPrompt) ?? '';
  const system: readonly Draft[] =
    words === ''
      ? []
      : [
          {
            node: ROOT,
            role: 'system',
            text: words,
            reasoning: '',
            calls: [],
            callId: null,
            files: [],
            toolChange: [],
          },
        ];
  return { ...messagesOf([...system, ...drafts], options, tally), tools: toolsOf(drafts, branch, options, tally) };
}

/** The system prompt belongs to no node. */
const ROOT = '' as NodeId;

function toolsOf(
  drafts: readonly Draft[],
  branch: Branch | undefined,
  { tools, definitions = new Map() }: DatasetOptions,
  tally: Tally,
): readonly ToolDefinition[] {
  if (!tools) return [];
  const changes = drafts.flatMap(({ node, toolChange }) => toolChange.map((block) => ({ node, block })));
  const last = changes.at(-1)?.block;
  // What a model could call at first has no place beside what it can call in the end.
  for (const { node } of changes) tally.part('tool_changes', node);
  if (last !== undefined && isToolChangeBlock(last)) return last.after;
  return (branch?.envelope.tools ?? []).flatMap((name) => {
    const definition = definitions.get(name);
    if (definition === undefined) tally.part('tools_not_defined_here', name);
    return definition ?? [];
  });
}
