import { Buffer } from 'node:buffer';
import { isPlainObject, sha256 } from '@bough/core';
import type { GeminiPart } from '@bough/providers';
import type { World } from '../../world.ts';

const PURPOSE = 'gemini thought';

/** What a signature stands for. Ids are left out: Google's servers do not mind a client that drops them. */
function contentOf(part: GeminiPart): { readonly kind: string; readonly digest: string } {
  const { text, thought, functionCall } = part;
  for (const kind of ['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult']) {
    if (part[kind] !== undefined) return { kind, digest: sha256(stable(part[kind])) };
  }
  if (functionCall !== undefined) {
    const { name = '', args = {} } = functionCall;
    return { kind: 'call', digest: sha256(`${name} ${stable(args)}`) };
  }
  return { kind: thought === true ? 'thought' : 'text', digest: sha256(text ?? '') };
}

/**
 * A signature that carries what it was issued for, so that it can be verified without remembering anything: a
 * conversation that was signed before a restart is accepted after it. `reply` distinguishes equal parts of two replies.
 */
export function sign(world: World, model: string, part: GeminiPart, reply: string): string {
  const { kind, digest } = contentOf(part);
  // Hashed, because it may contain the line breaks of a message.
  const claim = [model, kind, digest, sha256(reply)].join('\n');
  return Buffer.from(`${claim}\n${world.sign(PURPOSE, claim)}`).toString('base64');
}

export type Verdict = 'valid' | 'corrupted' | 'other_model' | 'other_part';

export function verify(world: World, model: string, part: GeminiPart, signature: string): Verdict {
  const lines = Buffer.from(signature, 'base64').toString('utf8').split('\n');
  const [issuer, kind, digest, reply, mac] = lines;
  const claim = [issuer, kind, digest, reply].join('\n');
  if (lines.length !== 5 || mac !== world.sign(PURPOSE, claim)) return 'corrupted';
  if (issuer !== model) return 'other_model';
  const content = contentOf(part);
  return content.kind === kind && content.digest === digest ? 'valid' : 'other_part';
}

/** JSON with sorted keys: a client may write the arguments in another order. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stable(item)}`).join(',')}}`;
}
