import type { ContextItem, Issuer, NodeId, RawResponse, Taken } from '@bough/core';
import { sha256, stableStringify } from '@bough/core';
import type { Deployment, FilesApi } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import type { BodyText } from '../../../render/body-text.ts';
import { joinBody } from '../../../render/body-text.ts';
import { filesInsteadOf, newFiles } from '../../../render/container-files.ts';
import { newlyGone } from '../../../render/gone-containers.ts';
import { preflight } from '../../../rulebook/rule.ts';
import { takesReplyOf } from '../../takes-replies.ts';
import type { FinalReply } from '../response/final-items.ts';
import { finalReply } from '../response/final-items.ts';
import { issuedItems, ruleContext, RULES } from '../rules/index.ts';
import type { ResponsesQuirks } from '../traits.ts';
import { readQuirks, readTraits } from '../traits.ts';
import { needsAnswer } from '../items.ts';
import { objectOf, objectsOf } from '../wire.ts';
import { parseJson } from '../../../render/json-text.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';
import type { CallIds } from './tool-ids.ts';
import { assignCallIds, rewrittenIds } from './tool-ids.ts';
import { findChain } from './chain.ts';
import type { ContainerState } from './containers.ts';
import { containerOf, ranInContainer } from './containers.ts';
import type { RenderedItems } from './message.ts';
import { canonicalItems } from './message.ts';
import { headParameters, tailParameters } from './parameters.ts';
import { replyItems } from './reply.ts';
import { answerable, resultsBehind, SentCalls } from './sent-calls.ts';

/** A context item as bytes: the JSON of its wire items, joined by commas. */
interface RenderedItem {
  readonly nodeId: NodeId;
  readonly key: string;
  readonly bytes: string;
  readonly reused: boolean;
  readonly notes: readonly RenderNote[];
  readonly container: ContainerState;
}

export function prepare(input: RenderInput): PreparedRequest {
  const { deployment, model } = input;
  const quirks = readQuirks(deployment);
  const issuer: Issuer = { provider: deployment.id, deployment: deploymentKey(deployment), model: model.id };
  const replies = new Map<ContextItem, FinalReply>();
  const items = input.items.map((item) => {
    const raw = item.source === 'raw' ? input.rawOf(item.nodeIds[0]) : undefined;
    const taken = raw === undefined ? 'text' : takenOf(raw, input);
    // Preflight requires the reasoning of what is marked as sent with it.
    const sent = taken === 'reply' ? { ...item, reasoning: 'omit' as const } : item;
    if (raw !== undefined && taken !== 'text') replies.set(sent, finalReply(raw));
    return sent;
  });
  const callIds = assignCallIds(items);
  const sentCalls = new SentCalls();
  const fragments = items.map((item, index) =>
    renderItem(input, issuer, quirks, sentCalls, {
      item,
      reply: replies.get(item),
      callIds: callIds[index] ?? new Map(),
      results: resultsBehind(items, index),
      isLessened: item.reasoning !== input.items[index]?.reasoning,
    }),
  );
  // What the provider has stored still holds the containers that it says are gone.
  const isFresh = input.mayUseContainers === false && fragments.some(({ container }) => container === 'gone');
  const chain = findChain({ ...input, items }, quirks, (item) =>
    input.rawOf(item.nodeIds[0])?.model === model.id && !isFresh ? replies.get(item) : undefined,
  );
  const sent = fragments.slice(chain?.firstNewItem ?? 0);

  const keys = renderingKeys(deployment);
  const gone = fragments.findLast(({ container }) => container === 'gone');
  const files = gone === undefined || input.mayBringFiles === false ? [] : filesInsteadOf(gone.nodeId, keys, input);
  const text = bodyText(
    headParameters(input, readTraits(model), quirks, files),
    sent,
    tailParameters(input, readTraits(model), quirks, chain?.responseId),
  );
  const written = joinBody(text);
  const context = { ...ruleContext(model, deployment), issued: issuedItems(replies) };
  const checked = preflight(RULES, objectOf(parseJson(written)) ?? {}, context);
  const namesContainer =
    objectsOf(checked.body['input']).some(ranInContainer) ||
    (chain !== undefined && fragments.slice(0, chain.firstNewItem).some(({ container }) => container !== 'none'));
  // The files of a container that is gone are in the tools of every later request: they must be found again, too.
  const openNodes = sent.flatMap((fragment) =>
    fragment.container === 'named' || (files.length > 0 && fragment === gone) ? [fragment.nodeId] : [],
  );
  const isRepaired = checked.violations.some(({ repaired }) => repaired);
  return {
    protocol: 'openai-responses',
    issuer,
    method: 'POST',
    url: `${deployment.baseUrl.replace(/\/+$/, '')}/responses`,
    headers: {
      'content-type': 'application/json',
      accept: input.stream ? 'text/event-stream' : 'application/json',
      ...deployment.headers,
    },
    body: isRepaired ? JSON.stringify(checked.body) : written,
    text: isRepaired || chain !== undefined ? null : text,
    stream: input.stream,
    ...(namesContainer && { namesContainer }),
    ...(files.length > 0 && { namesFiles: true }),
    ...((input.providerTools ?? []).some(({ tool }) => tool === 'code_execution') && { takesContainerFiles: true }),
    ...(openNodes.length > 0 && { openNodes }),
    notes: sent.flatMap(({ notes }) => notes),
    violations: checked.violations,
    renderings: [
      ...sent.flatMap(({ nodeId, key, bytes, reused, container }) => [
        ...(!reused && bytes !== '' ? [{ nodeId, key, bytes }] : []),
        ...(container === 'gone' ? newlyGone(nodeId, keys, input) : []),
      ]),
      ...(gone === undefined ? [] : newFiles(gone.nodeId, keys, input)),
    ],
  };
}

/**
 * Only the deployment that made a reply knows its items; whether a model reads the reasoning depends on who made it.
 */
function takenOf(raw: RawResponse, { deployment, model }: RenderInput): Taken {
  if (raw.api !== 'openai-responses' || raw.deployment !== deploymentKey(deployment)) return 'text';
  const isOwn = raw.provider === deployment.id && raw.model === model.id;
  return isOwn ? 'all' : takesReplyOf(raw, deployment, model);
}

/** A context item with what it is rendered from. */
interface ItemSource {
  readonly item: ContextItem;
  readonly reply: FinalReply | undefined;
  readonly callIds: CallIds;
  /** The results that follow it directly. */
  readonly results: readonly ContextItem[];
  /** Another model made it, and this one does not read its reasoning. */
  readonly isLessened: boolean;
}

function renderItem(
  input: RenderInput,
  issuer: Issuer,
  quirks: ResponsesQuirks,
  sentCalls: SentCalls,
  source: ItemSource,
): RenderedItem {
  const { item, reply, callIds, results, isLessened } = source;
  const nodeId = item.nodeIds[0];
  const answered = reply === undefined ? item.answeredCalls : answerable(item, reply, results);
  const rawIsGone = item.source === 'raw' && input.rawOf(nodeId) === undefined;
  const keys = renderingKeys(input.deployment);
  const plain = `${keys}${mannerOf(item, answered, issuer, callIds)}${sentCalls.mannerOf(item, reply, callIds)}`;
  const known = rawIsGone ? { sent: input.renderingOf?.(nodeId, plain) } : reply;
  const container = containerOf(nodeId, known, keys, input);
  const key = container === 'gone' ? `${plain}|no container` : plain;
  const stored = input.renderingOf?.(nodeId, key);
  const reused = stored !== undefined && parseJson(`[${stored}]`) !== undefined;
  const notes: RenderNote[] = [];
  const note = (entry: RenderedItems['notes'][number]): void => void notes.push({ nodeId, ...entry });

  // What has been rendered before can be sent again without its raw.
  if (reused && rawIsGone) {
    sentCalls.add(undefined, objectsOf(parseJson(`[${stored}]`)), callIds);
    return { nodeId, key, bytes: stored, reused, notes, container };
  }
  if (rawIsGone)
    note({ reason: 'raw_missing', detail: 'The raw reply was not kept: its text and tool calls are sent.' });
  else if (item.source === 'raw' && (reply === undefined || isLessened)) {
    note({
      reason: 'foreign_issuer',
      detail: 'Another provider, deployment or model made this reply: its reasoning stays out.',
    });
  }
  for (const [original, wire] of rewrittenIds(callIds)) {
    note({ reason: 'tool_id_rewritten', detail: `The call id "${original}" goes out as "${wire}".` });
  }
  const rendered =
    reply !== undefined
      ? replyItems(item, reply, callIds, quirks, {
          answered: new Set(answered),
          lostPrograms: sentCalls.lostPrograms,
          mayUseContainers: container !== 'gone',
        })
      : item.message.role === 'tool'
        ? sentCalls.result(item, callIds)
        : canonicalItems(item, callIds);
  sentCalls.add(reply, rendered.items, callIds);
  rendered.notes.forEach(note);
  const written = rendered.items.map((wire) => wellFormedJson(wire).json);
  if (written.some((json, at) => json !== JSON.stringify(rendered.items[at]))) {
    note({ reason: 'repaired', detail: 'Half of a character (a lone surrogate) goes out as U+FFFD.' });
  }
  const bytes = reused ? stored : written.join(',');
  return { nodeId, key, bytes, reused, notes, container };
}

export function renderingKeys(deployment: Deployment): string {
  return `openai-responses|${deploymentKey(deployment)}|`;
}

/** Everything that the bytes of a node depend on. */
function mannerOf(item: ContextItem, answered: readonly string[], issuer: Issuer, callIds: CallIds): string {
  const calls = stableStringify([answered, rewrittenIds(callIds)]);
  return item.source === 'raw'
    ? `${issuer.model}|raw|${item.reasoning}|${item.partial ? 'partial' : 'whole'}|${sha256(calls).slice(0, 16)}`
    : `canonical|${sha256(stableStringify(item.message) + calls).slice(0, 32)}`;
}

/**
 * Written by hand, so that the items appear byte for byte as they were rendered, after the parts that do not change.
 */
function bodyText(
  head: Readonly<Record<string, unknown>>,
  sent: readonly RenderedItem[],
  tail: Readonly<Record<string, unknown>>,
): BodyText {
  const close = wellFormedJson(tail).json.slice(1);
  return {
    before: `${wellFormedJson(head).json.slice(0, -1)},"input":[`,
    messages: sent.filter(({ bytes }) => bytes !== '').map(({ nodeId, bytes }) => ({ nodeId, json: bytes })),
    behind: `]${close === '}' ? close : `,${close}`}`,
  };
}

export const openaiFiles: FilesApi = {
  url: (baseUrl) => `${baseUrl.replace(/\/+$/, '')}/files`,
  fields: { purpose: 'user_data' },
  headers: {},
};

/** No two items of a request may have the same id, and no two calls. */
export function uniqueIds(item: unknown): readonly string[] {
  const wire = objectOf(item);
  if (wire === undefined) return [];
  return [wire['id'], needsAnswer(wire) ? wire['call_id'] : null].filter((id) => typeof id === 'string');
}
