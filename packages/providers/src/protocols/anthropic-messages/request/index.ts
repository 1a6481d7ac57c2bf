import { isPlainObject, isTextBlock } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { Front, PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import { preflight } from '../../../rulebook/rule.ts';
import type { RuleContext } from '../rules/index.ts';
import { rules } from '../rules/index.ts';
import { traitsOf } from '../traits.ts';
import type { Body } from '../wire.ts';
import { openLoop, thinkingMode } from '../wire.ts';
import type { BodyText } from './body.ts';
import { buildBody } from './body.ts';
import { ClaudeFront, isIndependent, repeatsText } from './front.ts';
import type { History } from './history.ts';
import { renderHistory } from './history.ts';
import { thinkingParameters } from './thinking.ts';

export function prepare(input: RenderInput): PreparedRequest {
  return finish(input, renderHistory(input, { userFollows: false }), null);
}

/**
 * What the rules judge here is what stands behind the front. It begins with a message of the user, so that no rule looks further back:
 * what the front holds, and how that message follows it, was judged with an earlier request.
 */
export function prepareBehind(input: RenderInput, front: Front): PreparedRequest | null {
  if (!(front instanceof ClaudeFront) || !isIndependent(input, front)) return null;
  const history = renderHistory(input, { userFollows: false });
  if (history.messages[0]?.role !== 'user' || repeatsText(history, front)) return null;
  const request = finish(input, history, front);
  // Where something is wrong, the rules must see all of it, to name the places and to repair.
  return request.violations.length > 0 ? null : request;
}

function finish(input: RenderInput, history: History, front: ClaudeFront | null): PreparedRequest {
  const { model, deployment } = input;
  const { request, notes } = withThinking(input, history);
  const context: RuleContext = {
    model,
    traits: traitsOf(model),
    betas: betasOf(deployment.headers),
    expected: {
      reasoning: history.thoughts.map(({ token }) => token),
      thoughts: unspoken(history, input),
    },
  };
  const checked = preflight(rules, request.body, context, unseenOf(request.body));
  if (checked.violations.length === 0) for (const message of messageList(request.body)) passed.add(message);
  return {
    protocol: 'anthropic-messages',
    issuer: { provider: deployment.id, deployment: deploymentKey(deployment), model: model.id },
    method: 'POST',
    url: messagesUrl(deployment.baseUrl),
    headers: { 'content-type': 'application/json', ...deployment.headers },
    ...(front === null ? { body: request.write(checked.body) } : request.writeBehind(front.written)),
    stream: input.stream,
    notes: [...(front?.notes ?? []), ...history.notes, ...notes],
    violations: checked.violations,
    renderings: history.renderings,
  };
}

/** The thoughts that nobody said aloud. A model may answer with the very words of its thought: then they are text too, and no leak. */
function unspoken({ thoughts }: History, { items }: RenderInput): readonly string[] {
  const texts = new Set(thoughts.map(({ text }) => text));
  for (const { message } of items)
    for (const block of message.content) if (isTextBlock(block)) texts.delete(block.text);
  texts.delete('');
  return [...texts];
}

/** The messages that went through preflight without a finding. Messages never change. */
const passed = new WeakSet<object>();

/** The same object where none was passed: what one rule found out about it serves the others. */
function unseenOf(body: Body): Body {
  const messages = messageList(body);
  return messages.some((message) => passed.has(message))
    ? { ...body, messages: messages.filter((message) => !passed.has(message)) }
    : body;
}

function messageList({ messages }: Body): readonly object[] {
  return Array.isArray(messages) ? messages.filter(isPlainObject) : [];
}

/** Manual thinking wants a thought at the head of a running tool loop. Where there is none, this request goes without thinking. */
function withThinking(input: RenderInput, history: History): { request: BodyText; notes: readonly RenderNote[] } {
  const traits = traitsOf(input.model);
  const request = buildBody(input, history, thinkingParameters(input.thinking, traits, input.maxTokens));
  if (thinkingMode(request.body, traits) !== 'manual') return { request, notes: [] };
  const bare = openLoop(request.body).find(
    ({ blocks: [first] }) => first?.type !== 'thinking' && first?.type !== 'redacted_thinking',
  );
  if (bare === undefined) return { request, notes: [] };
  const nodeId = history.messages[bare.messages[0]?.index ?? 0]?.nodeId;
  return {
    request: buildBody(input, history, thinkingParameters('off', traits, input.maxTokens)),
    notes:
      nodeId === undefined
        ? []
        : [
            {
              nodeId,
              reason: 'repaired',
              detail: 'Thinking is off for this request: the running tool loop began without it.',
            },
          ],
  };
}

export function betasOf(headers: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (headers['anthropic-beta'] ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
}

/** Base URLs are written with and without the version; both mean the same place. */
export function messagesUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`;
}
