import { BoughError, isPlainObject } from '@bough/core';
import type { Deployment, Violation } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, preflightBody } from '@bough/providers';

/** What the rulebook found in one request. */
export interface WireReport {
  readonly provider: string;
  readonly model: string;
  /** Rules that were broken. Those with `repaired` were repaired before the request was sent. */
  readonly violations: readonly Violation[];
}

export interface WireOptions {
  /** Called for each request in which a rule was broken. */
  readonly onReport?: (report: WireReport) => void;
  /**
   * What to do with a request that breaks a rule and cannot be repaired. By default it is sent, and the provider
   * decides.
   */
  readonly unrepaired?: 'send' | 'refuse';
  /** Whose rules apply, if it is not the provider's own server. */
  readonly deployment?: Deployment;
  readonly fetch?: typeof globalThis.fetch;
}

export class RequestBreaksRulesError extends BoughError {
  constructor({ provider, model, violations }: WireReport) {
    const broken = violations.map(({ rule, message }) => `${rule}: ${message.trim()}`).join(' ');
    super('request_breaks_rules', `The request to ${provider} (${model}) would be refused and was not sent. ${broken}`);
  }
}

/** A field that the rulebook does not know may be newer than the rulebook: it is left alone. */
const LEFT_ALONE = ['GEM-SHAPE-1'];

/**
 * The last step before the wire: `createAnthropic({ fetch: boughFetch() })`. The finished body is checked against the
 * provider's rulebook and repaired; a body that obeys it is sent byte for byte as the AI SDK wrote it.
 */
export function boughFetch(options: WireOptions = {}): typeof globalThis.fetch {
  const send = options.fetch ?? globalThis.fetch;
  return async (input, init) => {
    const request = readRequest(input, init, options.deployment);
    if (request === null) return send(input, init);
    const { deployment, model, body, headers } = request;
    const checked = preflightBody(body, { deployment, model, headers, except: LEFT_ALONE });
    const report: WireReport = {
      provider: deployment.id,
      model,
      violations: checked.violations.filter(({ kind }) => kind === 'rejection'),
    };
    if (report.violations.length === 0) return send(input, init);
    options.onReport?.(report);
    const unrepaired = report.violations.filter(({ repaired }) => !repaired);
    if (unrepaired.length > 0 && options.unrepaired === 'refuse') {
      throw new RequestBreaksRulesError({ ...report, violations: unrepaired });
    }
    return checked.body === body ? send(input, init) : send(input, { ...init, body: JSON.stringify(checked.body) });
  };
}

interface WireRequest {
  readonly deployment: Deployment;
  readonly model: string;
  readonly body: Record<string, unknown>;
  /** As the AI SDK sends them: the version and the betas decide how the body is read. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where each protocol is served. Any other request passes through. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/messages$/, 'anthropic'],
  [/\/responses$/, 'openai_responses'],
  [/\/chat\/completions$/, 'openai'],
  [/\/models\/([^/]+):(?:stream)?[gG]enerateContent$/, 'gemini'],
];

function readRequest(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
  given: Deployment | undefined,
): WireRequest | null {
  if (typeof init?.body !== 'string') return null;
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const served = PATHS.find(([path]) => path.test(pathname));
  const deployment = given ?? BUILT_IN_DEPLOYMENTS.find(({ id }) => id === served?.[1]);
  const body = parse(init.body);
  if (served === undefined || deployment === undefined || body === null) return null;
  const model = served[0].exec(pathname)?.[1] ?? body['model'];
  if (typeof model !== 'string') return null;
  const headers = Object.fromEntries(new Headers(init.headers));
  return { deployment, model: decodeURIComponent(model), body, headers };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
