/**
 * The reply that the bench's vendor gives to every request, known to the client beforehand: half of its deltas are
 * thinking, half are text.
 */
const PIECES = ['The tree grows ', 'where nobody looks, ', 'one ring a year, ', 'and keeps them all. '] as const;
const SIGNATURE = 'c2lnbmF0dXJlIG9mIHRoZSBiZW5jaCdzIG93biB2ZW5kb3I=';

/** What a request asks of the vendor; the words stand in its last message. */
export interface Wish {
  readonly deltas: number;
  /** 0: as fast as it goes. */
  readonly everyMs: number;
}

export const wishText = ({ deltas, everyMs }: Wish): string => `deltas ${deltas} every ${everyMs} ms`;

export function wishIn(body: Buffer): Wish {
  const at = body.lastIndexOf('deltas ');
  const [, deltas, everyMs] = /^deltas (\d+) every (\d+) ms/.exec(body.toString('latin1', at, at + 60)) ?? [];
  if (at < 0 || deltas === undefined) throw new Error('A request without a wish.');
  return { deltas: Number(deltas), everyMs: Number(everyMs) };
}

const piece = (at: number): string => PIECES[at % PIECES.length] ?? '';
const said = (deltas: number): string => Array.from({ length: deltas }, (_, at) => piece(at)).join('');

export function replyText(deltas: number): { readonly thinking: string; readonly text: string } {
  const half = Math.floor(deltas / 2);
  return { thinking: said(half), text: said(deltas - half) };
}

/** The reply as a client sends it back. */
export function replyBlocks(deltas: number): readonly object[] {
  const { thinking, text } = replyText(deltas);
  return [
    { type: 'thinking', thinking, signature: SIGNATURE },
    { type: 'text', text },
  ];
}

/** Every event of the reply, as it stands in the stream. */
export function replyEvents(deltas: number): readonly string[] {
  const half = Math.floor(deltas / 2);
  const events: string[] = [];
  const send = (type: string, data: object): void => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [] };
  send('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } });
  send('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } });
  for (let at = 0; at < half; at += 1)
    send('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: piece(at) } });
  send('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } });
  send('content_block_stop', { index: 0 });
  send('content_block_start', { index: 1, content_block: { type: 'text', text: '' } });
  for (let at = 0; at < deltas - half; at += 1)
    send('content_block_delta', { index: 1, delta: { type: 'text_delta', text: piece(at) } });
  send('content_block_stop', { index: 1 });
  send('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: deltas } });
  send('message_stop', {});
  return events;
}

/** Throws unless these bytes say exactly what the vendor said, and say that it is all. */
export function checkReply(bytes: Buffer, deltas: number): void {
  const expected = replyText(deltas);
  let [thinking, text, signature, isWhole] = ['', '', '', false];
  for (const line of bytes.toString().split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const { type, delta } = JSON.parse(line.slice('data: '.length));
    if (type === 'message_stop') isWhole = true;
    if (type !== 'content_block_delta') continue;
    thinking += delta.thinking ?? '';
    text += delta.text ?? '';
    signature += delta.signature ?? '';
  }
  if (!isWhole) throw new Error(`A reply ended before its end: ${bytes.toString('utf8', 0, 300)}`);
  if (thinking !== expected.thinking || text !== expected.text || signature !== SIGNATURE)
    throw new Error('A client was told other words than the vendor said.');
}
