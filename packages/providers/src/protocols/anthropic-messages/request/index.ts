import { isPlainObject, isTextBlock } from '@bough/core';
import type { FilesApi } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import { joinBody } from '../../../render/body-text.ts';
import { preflight } from '../../../rulebook/rule.ts';
import type { RuleContext } from '../rules/index.ts';
import { headerContext, missingBetas, rules } from '../rules/index.ts';
import { traitsOf } from '../traits.ts';
import { blocksOf, listOf, openLoop, textOf, thinkingMode } from '../wire.ts';
import type { Body } from '../wire.ts';
import type { BuiltBody } from './body.ts';
import { buildBody, writeRepaired } from './body.ts';
import type { History } from './history.ts';
import { renderHistory } from './history.ts';
import { thinkingParameters } from './thinking.ts';

/** Its name was demanded while uploading files was new; the API still takes it. */
const FILES_BETA = 'files-api-2025-04-14';

export function prepare(input: RenderInput): PreparedRequest {
  const { model, deployment } = input;
  const history = renderHistory(input);
  const { built, notes } = withThinking(input, history);
  const asked = withInterleaving(input, built);
  const named = headerContext(asked);
  const missing = missingBetas(withHead(built.body, input), named.betas);
  const needsFiles = history.uploads.any && !named.betas.includes(FILES_BETA);
  const needed = needsFiles ? [...missing, FILES_BETA] : missing;
  const context: RuleContext = {
    model,
    traits: traitsOf(model),
    ...named,
    betas: [...named.betas, ...needed],
    expected: {
      reasoning: history.thoughts.map(({ token }) => token),
      thoughts: unspoken(history, input),
    },
  };
  const checked = preflight(rules, built.body, context);
  const isRepaired = checked.body !== built.body;
  return {
    protocol: 'anthropic-messages',
    issuer: { provider: deployment.id, deployment: deploymentKey(deployment), model: model.id },
    method: 'POST',
    url: messagesUrl(deployment.baseUrl),
    headers: { 'content-type': 'application/json', ...withBetas(asked, context.betas, needed) },
    body: isRepaired ? writeRepaired(checked.body) : joinBody(built.text),
    text: isRepaired || history.isEntangled ? null : built.text,
    stream: input.stream,
    ...(history.container !== null && { namesContainer: true }),
    ...(built.markedNode !== null && { openNodes: [built.markedNode] }),
    ...(history.uploads.any && { namesFiles: true }),
    ...(history.uploads.possible && { takesContainerFiles: true }),
    ...(history.uploads.withReply !== undefined && { withReply: history.uploads.withReply }),
    notes: [...history.notes, ...notes],
    violations: checked.violations,
    renderings: history.renderings,
  };
}

/** The body with the messages before it that are not rendered again: they need their betas, too. */
function withHead(body: Body, { head }: RenderInput): Body {
  if (head === undefined) return body;
  const messages: readonly unknown[] = [...listOf(JSON.parse(head)), ...listOf(body['messages'])];
  return { ...body, messages };
}

/** What a beta brought is refused without its name: a history that holds such parts brings the name along. */
function withBetas(
  headers: Readonly<Record<string, string>>,
  betas: readonly string[],
  needed: readonly string[],
): Readonly<Record<string, string>> {
  if (needed.length === 0) return headers;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'anthropic-beta');
  return { ...Object.fromEntries(others), 'anthropic-beta': betas.join(',') };
}

/** No two calls of a request may have the same id. */
export function uniqueIds(message: unknown): readonly string[] {
  const content = isPlainObject(message) ? message['content'] : null;
  return blocksOf(content, '').flatMap((block) => (block.type === 'tool_use' ? [textOf(block, 'id')] : []));
}

/**
 * The thoughts that were not also said. A model may answer with the very words of its thought: then they are text too,
 * and not a leak.
 */
function unspoken({ thoughts }: History, { items }: RenderInput): readonly string[] {
  const texts = new Set(thoughts.map(({ text }) => text));
  for (const { message } of items)
    for (const block of message.content) if (isTextBlock(block)) texts.delete(block.text);
  texts.delete('');
  return [...texts];
}

/**
 * Manual thinking requires a thought at the start of a running tool loop. If there is none, this request goes without
 * thinking.
 */
function withThinking(input: RenderInput, history: History): { built: BuiltBody; notes: readonly RenderNote[] } {
  const traits = traitsOf(input.model);
  const built = buildBody(input, history, thinkingParameters(input.thinking, traits, input.maxTokens));
  if (thinkingMode(built.body, traits) !== 'manual') return { built, notes: [] };
  const bare = openLoop(built.body).find(
    ({ blocks: [first] }) => first?.type !== 'thinking' && first?.type !== 'redacted_thinking',
  );
  if (bare === undefined) return { built, notes: [] };
  const nodeId = history.messages[bare.messages[0]?.index ?? 0]?.nodeId;
  return {
    built: buildBody(input, history, thinkingParameters('off', traits, input.maxTokens)),
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

const INTERLEAVED = 'interleaved-thinking-2025-05-14';

/**
 * Between Claude 4 and 4.5 a model thinks between tools only if a header asks for it. Other servers of this protocol
 * may refuse a header that they do not know, so only a deployment that declares it gets it.
 */
function withInterleaving(
  { deployment: { headers, quirks }, model, tools }: RenderInput,
  { body }: BuiltBody,
): Readonly<Record<string, string>> {
  const traits = traitsOf(model);
  const asks =
    quirks['interleavedThinking'] === true &&
    traits.interleaves === 'by_header' &&
    tools.length > 0 &&
    thinkingMode(body, traits) === 'manual';
  const { betas } = headerContext(headers);
  if (!asks || betas.includes(INTERLEAVED)) return headers;
  return { ...headers, 'anthropic-beta': [...betas, INTERLEAVED].join(',') };
}

/** Base URLs are written with and without the version; both mean the same place. */
export function messagesUrl(baseUrl: string): string {
  return `${versionedUrl(baseUrl)}/messages`;
}

export function modelsUrl(baseUrl: string): string {
  return `${versionedUrl(baseUrl)}/models`;
}

export const anthropicFiles: FilesApi = {
  url: (baseUrl) => `${versionedUrl(baseUrl)}/files`,
  fields: {},
  headers: { 'anthropic-beta': FILES_BETA },
};

function versionedUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}
