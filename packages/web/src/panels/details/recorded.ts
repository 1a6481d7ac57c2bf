import type { BranchView } from '@bough/api/client';
import type { Translator } from '../../i18n/later/index.ts';
import { clientLabel } from '../../view/client-label.ts';

type Fact = readonly [name: string, value: string];

/** Where a branch that the gateway recorded comes from. */
export function recordedFacts({ recorded }: BranchView, t: Translator): readonly Fact[] {
  if (recorded === undefined) return [];
  const { client, session, kind, because } = recorded;
  const why = because === null ? null : t(`recorded.because.${because}`);
  const facts: readonly (readonly [string, string | null])[] = [
    [t('recorded.client'), clientLabel(client, t)],
    [t('exchange.session'), session],
    [t('recorded.why'), kind === 'aside' ? t('recorded.kind.aside') : why],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** A branch that goes on from a recorded one is sent with the client's tools, too. */
export function toolsOf(branch: BranchView, branches: readonly BranchView[], t: Translator): string {
  if (branch.tools.length > 0) return branch.tools.join(', ');
  const source = branches.find(({ id }) => id === branch.forkedOn);
  const isOfClient = branch.recorded !== undefined || source?.recorded !== undefined;
  return isOfClient ? t('recorded.tools') : t('branch.none');
}
