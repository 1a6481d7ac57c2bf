// Two block lists agree when they say the same in the same order. How a text is cut into blocks is a matter of taste;
// what it says, what is signed, which tools are called, and what comes before what is not.

export function differences(ours, theirs, { ignoreThinking, ignoreIds }) {
  const mine = digest(ours, ignoreIds);
  const oracle = digest(theirs, ignoreIds);
  const keys = ignoreThinking ? ['text', 'tools'] : ['text', 'thinking', 'signatures', 'redacted', 'tools', 'order'];
  return keys.flatMap((key) => {
    const [a, b] = [JSON.stringify(mine[key]), JSON.stringify(oracle[key])];
    return a === b ? [] : [`${key}: ours ${short(a)}, the official client's ${short(b)}`];
  });
}

function digest(blocks, ignoreIds) {
  const of = (type) => blocks.filter((block) => block.type === type);
  return {
    text: of('text')
      .map((block) => block.text)
      .join(''),
    thinking: of('thinking')
      .map((block) => block.thinking)
      .join(''),
    signatures: blocks.flatMap((block) => (block.signature ? [block.signature] : [])),
    redacted: of('redacted_thinking').map((block) => block.data),
    tools: of('tool-use').map(({ id, name, parameters }) => [ignoreIds ? '' : id, name, sorted(parameters)]),
    order: blocks
      .filter((block) => block.text !== '')
      .map(({ type }) => type)
      .filter((type) => ['text', 'thinking', 'redacted_thinking', 'tool-use'].includes(type))
      .filter((type, index, all) => type !== all[index - 1]),
  };
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}

function short(text) {
  return text.length > 240 ? `${text.slice(0, 240)}… (${text.length})` : text;
}

/** Fields whose text a reader would miss. Tool arguments are compared parsed, above. */
const CONTENT_FIELDS = new Set([
  'text',
  'thinking',
  'signature',
  'data',
  'encrypted_content',
  'thoughtSignature',
  'reasoning_content',
  'reasoning',
  'refusal',
  'content',
  'delta',
]);
const TOO_SHORT_TO_TELL = 12;

/** Texts of a response that appear nowhere in the blocks made from it. */
export function lostTexts(payloads, blocks) {
  const kept = [];
  collect(blocks, null, (_, text) => kept.push(text));
  const haystack = kept.join('\u0000');
  const lost = new Set();
  for (const payload of payloads) {
    collect(payload, null, (key, text) => {
      if (!CONTENT_FIELDS.has(key) || text.length < TOO_SHORT_TO_TELL) return;
      if (isArguments(payload) || isPassing(payload, key)) return;
      // Thinking inside tags is cut out of the surrounding text.
      for (const piece of text.split(/<\/?think>/)) if (!haystack.includes(piece.trim())) lost.add(short(piece));
    });
  }
  return [...lost];
}

/** Encrypted reasoning comes three times, with different bytes each time; only the item's own last event counts. */
function isPassing(payload, key) {
  return key === 'encrypted_content' && /output_item\.added|response\.(?:completed|incomplete)/.test(payload?.type);
}

function isArguments(payload) {
  return /function_call_arguments|input_json|custom_tool_call|code_interpreter/.test(
    `${payload?.type} ${payload?.delta?.type}`,
  );
}

function collect(value, key, visit) {
  if (typeof value === 'string') visit(key, value);
  else if (Array.isArray(value)) for (const entry of value) collect(entry, key, visit);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) collect(entry, name, visit);
  }
}
