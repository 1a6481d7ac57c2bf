import { sha256 } from '@bough/core';
import type { GeminiContent, GeminiPart, GeminiRequest, GeminiTraits } from '@bough/providers';
import { GEMINI_SENTINELS } from '@bough/providers';
import type { World } from '../../world.ts';
import { verify } from './signatures.ts';

/** What is wrong with the history: `rejected` ends the request, `dropped` only loses something. */
export interface HistoryFinding {
  readonly verdict: 'rejected' | 'dropped';
  readonly rule: string;
  readonly message: string;
  readonly withheld?: readonly string[];
}

const INVALID = 'Invalid thought signature.';
const CORRUPTED = 'Corrupted thought signature.';

/**
 * The simulator's own check of the history. Independent of the rulebook on purpose: a mistake in the shared rules,
 * which the builder obeys too, would otherwise go unnoticed.
 */
export function checkHistory(
  { contents: sent }: GeminiRequest,
  model: string,
  traits: GeminiTraits,
  world: World,
): readonly HistoryFinding[] {
  const contents = joined(sent);
  return [
    ...(traits.requiresSignatures ? unsignedCalls(contents) : []),
    ...contents.flatMap((content, index) =>
      content.role === 'model'
        ? content.parts.flatMap((part, at) => checkPart(part, `${index}.${at}`, model, world))
        : [],
    ),
    ...contents.flatMap((content) => lostSignatures(content, model, world)),
  ];
}

/** Neighbouring contents of the model are one: a client may send every chunk of a stream as its own. */
function joined(contents: readonly GeminiContent[]): readonly GeminiContent[] {
  const result: GeminiContent[] = [];
  for (const content of contents) {
    const last = result.at(-1);
    if (last?.role === 'model' && content.role === 'model') {
      result[result.length - 1] = { ...last, parts: [...last.parts, ...content.parts] };
    } else {
      result.push(content);
    }
  }
  return result;
}

/** From the end back to the user's newest words, every step must carry the signature of its first call. */
function unsignedCalls(contents: readonly GeminiContent[]): readonly HistoryFinding[] {
  const findings: HistoryFinding[] = [];
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    const content = contents[index];
    if (content === undefined) break;
    if (content.role !== 'model') {
      if (content.parts.every((part) => part.functionResponse === undefined)) break;
      continue;
    }
    const call = content.parts.find((part) => part.functionCall !== undefined);
    if (call?.functionCall !== undefined && !call.thoughtSignature) {
      findings.unshift({
        verdict: 'rejected',
        rule: 'SIM-GEM-UNSIGNED',
        message:
          'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
          'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
          `\`default_api:${call.functionCall.name ?? ''}\` , position ${index + 1}. Please refer to ` +
          'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
      });
    }
  }
  return findings;
}

function checkPart(part: GeminiPart, where: string, model: string, world: World): readonly HistoryFinding[] {
  const { thoughtSignature: signature } = part;
  if (signature === undefined || signature === '' || GEMINI_SENTINELS.has(signature)) return [];
  switch (verify(world, model, part, signature)) {
    case 'valid':
      return [];
    case 'corrupted':
      return [{ verdict: 'rejected', rule: 'SIM-GEM-CORRUPTED', message: CORRUPTED }];
    case 'other_model':
      return [{ verdict: 'rejected', rule: 'SIM-GEM-FOREIGN', message: INVALID }];
    case 'other_part':
      // On plain text Google validates nothing: the signature is simply not used.
      return part.functionCall !== undefined || part.thought === true || isServerTool(part)
        ? [{ verdict: 'rejected', rule: 'SIM-GEM-MOVED', message: INVALID }]
        : [
            {
              verdict: 'dropped',
              rule: 'SIM-GEM-MOVED',
              message: `The signature at ${where} was given for another part.`,
            },
          ];
  }
}

const isServerTool = (part: GeminiPart): boolean =>
  ['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult'].some((kind) => part[kind] !== undefined);

const MEMORY = 'gemini reply';

/** What a reply says, regardless of its signatures and of where its text was cut. */
function keyOf(parts: readonly GeminiPart[], model: string): string {
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [functionCall.name, functionCall.args],
  );
  const text = parts.flatMap((part) => (part.thought === true || part.text === undefined ? [] : [part.text])).join('');
  return sha256(JSON.stringify([model, text, calls]));
}

/** The same words may have been signed more than once: a regenerated reply has its own signatures. */
const REMEMBERED_REPLIES = 50;

export function rememberReply(parts: readonly GeminiPart[], model: string, world: World): void {
  const signatures = parts.flatMap((part) => (part.thoughtSignature === undefined ? [] : [part.thoughtSignature]));
  const key = keyOf(parts, model);
  world.remember(MEMORY, key, [...issuedFor(key, world).slice(1 - REMEMBERED_REPLIES), signatures]);
}

function issuedFor(key: string, world: World): readonly unknown[] {
  const issued = world.recall(MEMORY, key);
  return Array.isArray(issued) ? issued : [];
}

/** A reply that comes back without a signature that it was sent with is accepted, but its reasoning is lost. */
function lostSignatures({ role, parts }: GeminiContent, model: string, world: World): readonly HistoryFinding[] {
  if (role !== 'model') return [];
  const issued = issuedFor(keyOf(parts, model), world);
  const returned = new Set<unknown>(parts.map((part) => part.thoughtSignature));
  const isWhole = (signatures: unknown): boolean =>
    Array.isArray(signatures) && signatures.every((signature) => returned.has(signature));
  return issued.length === 0 || issued.some(isWhole)
    ? []
    : [
        {
          verdict: 'dropped',
          rule: 'SIM-GEM-LOST',
          message: 'A reply came back without a signature that it went out with.',
          withheld: issued
            .flat()
            .filter((signature) => !returned.has(signature))
            .map(String),
        },
      ];
}
