type Json = Readonly<Record<string, unknown>>;

/** How many characters a delta carries. */
const PIECE = 24;

export function frame(event: string, data: Json): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A message as the events of a stream: start, blocks with their deltas, one message delta, stop. */
export function framesOf(message: Json, content: readonly Json[]): readonly string[] {
  const { stop_reason, stop_sequence, stop_details, usage, container, ...head } = message;
  const counters = asObject(usage);
  const start = { ...head, content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  return [
    frame('message_start', { type: 'message_start', message: { ...start, usage: { ...counters, output_tokens: 1 } } }),
    ...content.flatMap((block, index) => {
      const [open, ...rest] = blockFrames(block, index);
      return index === 0 && open !== undefined
        ? [open, frame('ping', { type: 'ping' }), ...rest]
        : [open ?? '', ...rest];
    }),
    frame('message_delta', {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, stop_details, ...(container !== undefined && { container }) },
      usage: counters,
    }),
    frame('message_stop', { type: 'message_stop' }),
  ];
}

function blockFrames(block: Json, index: number): readonly string[] {
  const { opened, deltas } = unrolled(block);
  return [
    frame('content_block_start', { type: 'content_block_start', index, content_block: opened }),
    ...deltas.map((delta) => frame('content_block_delta', { type: 'content_block_delta', index, delta })),
    frame('content_block_stop', { type: 'content_block_stop', index }),
  ];
}

/** The block as it opens, and the deltas that it grows by. Redacted thinking and unknown blocks open whole. */
function unrolled(block: Json): { readonly opened: Json; readonly deltas: readonly Json[] } {
  switch (block['type']) {
    case 'text':
      return {
        opened: { ...block, text: '', ...(Array.isArray(block['citations']) && { citations: [] }) },
        deltas: [
          ...citationsOf(block).map((citation) => ({ type: 'citations_delta', citation })),
          ...pieces(String(block['text'])).map((text) => ({ type: 'text_delta', text })),
        ],
      };
    case 'thinking':
      return {
        opened: { ...block, thinking: '', signature: '' },
        deltas: [
          ...pieces(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block['signature'] },
        ],
      };
    case 'compaction':
      return {
        opened: { ...block, content: null, encrypted_content: null },
        deltas: [
          { type: 'compaction_delta', content: block['content'], encrypted_content: block['encrypted_content'] },
        ],
      };
    case 'server_tool_use':
    case 'mcp_tool_use':
    case 'tool_use':
      return {
        opened: { ...block, input: {} },
        deltas: ['', ...pieces(inputText(block['input']))].map((json) => ({
          type: 'input_json_delta',
          partial_json: json,
        })),
      };
    default:
      return { opened: block, deltas: [] };
  }
}

function citationsOf({ citations }: Json): readonly unknown[] {
  return Array.isArray(citations) ? citations : [];
}

/** A call without input has nothing after its first, empty piece. */
function inputText(input: unknown): string {
  const text = JSON.stringify(input);
  return text === '{}' ? '' : text;
}

/** Cut between characters, never inside one. */
function pieces(text: string): readonly string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, at) =>
    characters.slice(at * PIECE, (at + 1) * PIECE).join(''),
  );
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
