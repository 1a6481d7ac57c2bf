import type { Answer } from '../../simulated-protocol.ts';
import type { Vendor } from './vendors.ts';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly path: string;
  readonly errorCode?: string | undefined;
}

/** A refusal in the vendor's own envelope. */
export function refuse(vendor: Vendor, refusal: Refusal, body: unknown): Answer {
  return {
    type: 'body',
    status: refusal.status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(envelope(vendor, refusal, body)),
  };
}

function envelope(vendor: Vendor, refusal: Refusal, body: unknown): unknown {
  const { message, path, errorCode } = refusal;
  const type = 'invalid_request_error';
  switch (vendor.id) {
    case 'deepseek':
      return { error: { message, type, param: null, code: type } };
    case 'moonshot':
      return { error: { message, type } };
    case 'groq':
      return { error: { message, type, ...(errorCode !== undefined && { code: errorCode }) } };
    case 'mistral':
      return mistralEnvelope(refusal);
    case 'xai':
      return { code: 'Client specified an invalid argument', error: message };
    case 'openrouter':
      return {
        error: {
          message: 'Provider returned error',
          code: refusal.status,
          metadata: { raw: JSON.stringify({ error: { message, type } }), provider_name: upstreamOf(body) },
        },
        user_id: 'user_simulated',
      };
    default:
      return { error: { message, type, param: path, code: errorCode ?? null } };
  }
}

function mistralEnvelope({ status, message, path, errorCode }: Refusal): unknown {
  if (status === 422) {
    const loc = ['body', ...path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
    return { detail: [{ type: errorCode ?? 'value_error', loc, msg: message, input: null }] };
  }
  const order = errorCode === '3230';
  const type = order ? 'invalid_request_message_order' : 'invalid_request_error';
  return { object: 'error', message, type, param: null, code: errorCode ?? null };
}

/** The vendor behind the gateway for a model: `anthropic/claude-…` is Anthropic's. */
function upstreamOf(body: unknown): string {
  const model = typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : '';
  const [vendor = 'unknown'] = model.split('/');
  return vendor.charAt(0).toUpperCase() + vendor.slice(1);
}
