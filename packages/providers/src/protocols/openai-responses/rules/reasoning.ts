import { isReasoning, itemId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { listOf, stringOf, typeOf, without } from '../wire.ts';
import { dropItems } from './atoms.ts';
import type { Placed, ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { isOpenAi, mapItems, placedItems, rejection } from './context.ts';

const reasoningOf = (body: ResponsesBody): readonly Placed[] =>
  placedItems(body).filter(({ item }) => isReasoning(item));

const encryptedOf = (item: WireItem): string | undefined => {
  const encrypted = stringOf(item['encrypted_content']);
  return encrypted === '' ? undefined : encrypted;
};

/** What the reasoning item itself contains: encrypted content, or plain text where that is read. */
function hasPayload(item: WireItem, context: RuleContext): boolean {
  return encryptedOf(item) !== undefined || (!isOpenAi(context) && listOf(item['content']).length > 0);
}

export const noStatusOnReasoning: ResponsesRule = {
  id: 'OAR-REASON-1',
  title: 'Reasoning goes back without the fields that only an output has.',
  reference: 'https://github.com/lidge-jun/opencodex/pull/2248',
  kind: 'rejection',
  check: (body, context) =>
    isOpenAi(context)
      ? reasoningOf(body)
          .filter(({ item }) => item['status'] != null)
          .map(({ at }) =>
            rejection(`input[${at}].status`, `Unknown parameter: 'input[${at}].status'.`, 'unknown_parameter'),
          )
      : [],
  repair: (body) => mapItems(body, (item) => (isReasoning(item) ? without(item, 'status') : item)),
};

export const noPlainReasoning: ResponsesRule = {
  id: 'OAR-REASON-2',
  title: 'Reasoning goes back without plain text: OpenAI reads the encrypted form alone.',
  reference: 'https://github.com/musistudio/claude-code-router/issues/1783',
  kind: 'rejection',
  check: (body, context) =>
    isOpenAi(context)
      ? reasoningOf(body).flatMap(({ item, at }) => {
          const { length } = listOf(item['content']);
          if (length === 0) return [];
          return [
            rejection(
              `input[${at}].content`,
              `Invalid 'input[${at}].content': array too long. Expected an array with maximum length 0, but got an array with length ${length} instead.`,
              'array_above_max_length',
            ),
          ];
        })
      : [],
  repair: (body) => mapItems(body, (item) => (isReasoning(item) ? without(item, 'content') : item)),
};

export const summaryIsThere: ResponsesRule = {
  id: 'OAR-REASON-3',
  title: 'Reasoning has a list of summaries, if only an empty one.',
  reference: 'https://github.com/AAswordman/Operit/issues/797',
  kind: 'rejection',
  check: (body) =>
    reasoningOf(body)
      .filter(({ item }) => item['summary'] === undefined)
      .map(({ at }) =>
        rejection(
          `input[${at}].summary`,
          `Missing required parameter: 'input[${at}].summary'.`,
          'missing_required_parameter',
        ),
      ),
  repair: (body) =>
    mapItems(body, (item) => (isReasoning(item) && item['summary'] === undefined ? { ...item, summary: [] } : item)),
};

export const nothingByReference: ResponsesRule = {
  id: 'OAR-REASON-4',
  title: 'Where nothing is stored, no item is named by its id alone.',
  reference: 'https://github.com/anomalyco/opencode/issues/8987',
  kind: 'rejection',
  check: (body, context) =>
    references(body, context).map(({ item, at }) => ({
      path: `input[${at}]`,
      message: `Item with id '${itemId(item)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      status: 404,
    })),
  repair: (body, context) => dropItems(body, references(body, context)),
};

function references(body: ResponsesBody, context: RuleContext): readonly Placed[] {
  if (body['store'] !== false || !isOpenAi(context)) return [];
  return placedItems(body).filter(({ item }) => {
    if (typeOf(item) === 'item_reference' || isIdAlone(item)) return true;
    return isReasoning(item) && itemId(item) !== undefined && !hasPayload(item, context);
  });
}

/** An item of one of the provider's own tools that was reduced to its id. */
function isIdAlone(item: WireItem): boolean {
  if (!HOSTED.has(typeOf(item)) || itemId(item) === undefined) return false;
  return Object.keys(item).every((key) => key === 'type' || key === 'id' || key === 'status');
}

const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
]);

const isCompaction = (item: WireItem): boolean => typeOf(item) === 'compaction';

/** Base64, in either alphabet. Plain text or half a token can never be decrypted. */
const ENCRYPTED = /^[A-Za-z0-9_+/-]+={0,2}$/;

export const encryptedContentIsEncrypted: ResponsesRule = {
  id: 'OAR-REASON-5',
  title: 'Encrypted content goes back as it came.',
  reference: 'https://github.com/openai/codex/issues/8145',
  kind: 'rejection',
  check: (body, context) =>
    unreadable(body, context).map(({ item, at }) =>
      rejection(
        `input[${at}].encrypted_content`,
        `The encrypted content for item ${itemId(item) ?? `input[${at}]`} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        'invalid_encrypted_content',
      ),
    ),
  repair: (body, context) => dropItems(body, unreadable(body, context)),
};

function unreadable(body: ResponsesBody, context: RuleContext): readonly Placed[] {
  if (!isOpenAi(context)) return [];
  return placedItems(body).filter(({ item }) => {
    const encrypted = isReasoning(item) || isCompaction(item) ? stringOf(item['encrypted_content']) : undefined;
    return encrypted !== undefined && !ENCRYPTED.test(encrypted);
  });
}

export const reasoningSaysSomething: ResponsesRule = {
  id: 'OAR-REASON-6',
  title: 'Reasoning that has neither an id nor a content is read as nothing.',
  reference: 'https://developers.openai.com/api/docs/guides/reasoning#keeping-reasoning-items-in-context',
  kind: 'silent',
  check: (body, context) =>
    reasoningOf(body)
      .filter(({ item }) => itemId(item) === undefined && !hasPayload(item, context))
      .map(({ at }) => ({
        path: `input[${at}]`,
        message: 'The reasoning is empty: the model does not see it.',
        status: 200,
      })),
};
