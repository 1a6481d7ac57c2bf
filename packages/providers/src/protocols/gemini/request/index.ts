import type { NodeId } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote, ToolChoice } from '../../../protocol.ts';
import type { BodyText } from '../../../render/body-text.ts';
import { joinBody } from '../../../render/body-text.ts';
import type { Violation } from '../../../rulebook/rule.ts';
import { preflight } from '../../../rulebook/rule.ts';
import type { RuleContext } from '../rules/index.ts';
import { GEMINI_RULES } from '../rules/index.ts';
import { readRequest } from '../schema.ts';
import { thinkingConfig } from './thinking.ts';
import { traitsOf } from '../traits.ts';
import type { ContentDraft } from './contents.ts';
import { contentJson, groupContents, nodeIdsOf } from './contents.ts';
import { endpointOf } from './endpoint.ts';
import type { Rendered } from './fragments.ts';
import { renderItems } from './fragments.ts';
import { hostedTools } from './provider-tools.ts';
import { wireTools } from './tools.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';

export function prepare(input: RenderInput): PreparedRequest {
  const { model, deployment, stream } = input;
  const rendered = renderItems(input);
  const contents = groupContents(rendered.fragments);
  const text = bodyText(input, contents, rendered);
  const draft = joinBody(text);
  const context: RuleContext = {
    model,
    traits: traitsOf(model),
    replayed: { signed: rendered.signed, thoughts: rendered.thoughts },
  };
  const { body, violations } = preflight(GEMINI_RULES, readRequest(JSON.parse(draft)), context);
  const isRepaired = violations.some(({ repaired }) => repaired);
  return {
    protocol: 'gemini',
    issuer: { provider: deployment.id, deployment: deploymentKey(deployment), model: model.id },
    method: 'POST',
    url: endpointOf(deployment, model.id, stream),
    headers: { 'content-type': 'application/json', ...deployment.headers },
    // The drafted bytes, unless a rule had to change something: equal values written again need not be equal bytes.
    body: isRepaired ? JSON.stringify(body.request) : draft,
    text: isRepaired || rendered.hasServerTools || rendered.continuationToken !== null ? null : text,
    stream,
    notes: [...rendered.notes, ...repairNotes(violations, contents)],
    violations,
    renderings: rendered.fragments.flatMap(({ nodeIds: [nodeId], key, bytes }) =>
      key === undefined ? [] : [{ nodeId, key, bytes }],
    ),
  };
}

/**
 * What stays the same from request to request comes first, what changes follows the conversation: the prefix is stable.
 */
function bodyText(
  input: RenderInput,
  contents: readonly ContentDraft[],
  { hasServerTools, continuationToken }: Rendered,
): BodyText {
  const { systemPrompt, toolChoice, maxTokens } = input;
  const { providerTools = [] } = input;
  const tools = [...wireTools(input.tools, input.deployment), ...hostedTools(providerTools)];
  const { combinesTools } = traitsOf(input.model);
  const thinking = thinkingConfig(input.thinking, traitsOf(input.model));
  const before = {
    ...(systemPrompt !== null &&
      systemPrompt.trim() !== '' && { systemInstruction: { parts: [{ text: systemPrompt }] } }),
    ...(tools.length > 0 && { tools }),
    contents: [],
  };
  const toolConfig = {
    ...(input.tools.length > 0 && toolChoice !== 'auto' && { functionCallingConfig: callingConfig(toolChoice) }),
    // Every request of a conversation in which Google ran tools has to say so; a model that can show what it ran is
    // asked to, because only that can be sent back.
    ...((hasServerTools || (providerTools.length > 0 && combinesTools)) && { includeServerSideToolInvocations: true }),
  };
  const behind = {
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    ...(continuationToken !== null && { continuationToken }),
    generationConfig: { maxOutputTokens: maxTokens, ...(thinking && { thinkingConfig: thinking }) },
  };
  return {
    before: wellFormedJson(before).json.slice(0, -']}'.length),
    messages: contents.map(contentJson),
    behind: `],${JSON.stringify(behind).slice(1)}`,
  };
}

function callingConfig(choice: Exclude<ToolChoice, 'auto'>): Readonly<Record<string, unknown>> {
  if (choice === 'none') return { mode: 'NONE' };
  return { mode: 'ANY', ...(choice !== 'required' && { allowedFunctionNames: [choice.name] }) };
}

/** Says which node a repair touched, as far as the path of the finding shows it. */
function repairNotes(violations: readonly Violation[], contents: readonly ContentDraft[]): readonly RenderNote[] {
  const fallback: NodeId | undefined = contents.at(-1)?.fragments.at(-1)?.nodeIds[0];
  return violations.flatMap(({ repaired, path, rule, message }): RenderNote[] => {
    const index = /^contents\[(\d+)\]/.exec(path)?.[1];
    const content = index === undefined ? undefined : contents[Number(index)];
    const nodeId = (content === undefined ? undefined : nodeIdsOf(content)[0]) ?? fallback;
    return repaired && nodeId !== undefined
      ? [{ nodeId, reason: 'repaired', detail: `${rule}: ${message.trim()}` }]
      : [];
  });
}
