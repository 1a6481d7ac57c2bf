import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';

/** Settings under which a server may be fuzzed: it reaches nobody, and no rate limit hides what comes after it. */
export const FUZZ_CONFIG = {
  limits: { requestsPerMinute: 1_000_000_000 },
  tools: { approval: { calculator: 'ask' } },
} as const;

/** Puts every provider at an address of this machine where nothing listens, and lets no request start a program. */
export function fuzzEnvironment(): Readonly<Record<string, string>> {
  const nowhere = BUILT_IN_DEPLOYMENTS.flatMap(({ baseUrlEnv }) =>
    baseUrlEnv.map((name) => [name, 'http://127.0.0.1:9'] as const),
  );
  return { ...Object.fromEntries(nowhere), BOUGH_PAGE_SETTINGS: 'locked' };
}
