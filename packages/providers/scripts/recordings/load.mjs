import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names that the recordings use for the protocols that Bough speaks. */
const PROTOCOL_OF_API = {
  'anthropic-messages': 'anthropic-messages',
  'openai-responses': 'openai-responses',
  'openai-chat': 'openai-chat',
  'gemini-generate-content': 'gemini',
};

/** Every recording: its metadata, its request, its response as text, and the protocol that it speaks (or null). */
export function loadRecordings(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((provider) =>
      readdirSync(join(folder, provider.name)).map((name) => loadRecording(join(folder, provider.name, name))),
    );
}

function loadRecording(folder) {
  const meta = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'));
  const protocol = PROTOCOL_OF_API[meta.api] ?? null;
  const { request, response } = meta.files;
  return {
    meta,
    protocol,
    request: request ? JSON.parse(readFileSync(join(folder, request), 'utf8')) : null,
    response: protocol === null ? '' : asServed(readFileSync(join(folder, response), 'utf8'), meta, protocol),
    isStream: /sse|jsonl/.test(meta.response_format),
  };
}

/** Payloads whose source kept no framing get their provider's framing. */
function asServed(text, meta, protocol) {
  if (!meta.response_format.startsWith('jsonl')) return text;
  const named = protocol === 'anthropic-messages' || protocol === 'openai-responses';
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (named ? `event: ${JSON.parse(line).type}\ndata: ${line}\n\n` : `data: ${line}\n\n`))
    .join('');
}
