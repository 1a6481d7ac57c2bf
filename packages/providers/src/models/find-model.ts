import type { FoundModel, KeyProblem, Provider } from '../provider.ts';
import { describeModel, isCatalogued } from './describe.ts';
import type { ModelDescription } from './facts.ts';
import { findListed, isMissing, nearMatches } from './list/find.ts';
import type { ListOwner, ModelList, ModelLists, OwnList } from './list/index.ts';

export interface ModelFinderInput extends ListOwner {
  readonly keyProblem: KeyProblem | null;
  /** Without them no vendor is asked. */
  readonly lists?: ModelLists | undefined;
}

/** A list that is older than this is read again before a model is called missing, and a failed attempt is repeated. */
const SOON_MS = 30_000;

/** What a provider knows about its models, and how it learns more. */
export function createModelFinder(input: ModelFinderInput): Pick<Provider, 'modelInfo' | 'findModel'> {
  const { deployment, keyProblem, lists } = input;
  // Only an unlisted model needs the list: for all others not even its name is computed.
  let own: OwnList | undefined;
  const ownList = (): OwnList | undefined => (own ??= lists?.of(input));

  const describe = (model: string): ModelDescription => {
    const list = isCatalogued(deployment.modelInfo(model)) ? null : (ownList()?.now() ?? null);
    return describeModel(deployment, model, list === null ? undefined : findListed(list, model));
  };
  const existenceOf = (list: ModelList, model: string): 'listed' | 'missing' | 'unasked' => {
    if (findListed(list, model) !== undefined) return 'listed';
    return isMissing(list, model) ? 'missing' : 'unasked';
  };
  /** A model that came out after the list was read is not a mistake: for a new branch the list is read again. */
  const askFor = async (asked: OwnList, model: string, isBranching: boolean) => {
    const first = await asked.ask(isBranching ? { retryMs: SOON_MS } : {});
    const isStale = isBranching && first.list !== null && isMissing(first.list, model);
    return isStale ? asked.ask({ retryMs: SOON_MS, notOlderThanMs: SOON_MS }) : first;
  };

  return {
    modelInfo: (model) => describe(model).info,
    findModel: async (model, purpose): Promise<FoundModel> => {
      const found = (existence: FoundModel['existence'], more: Partial<FoundModel> = {}): FoundModel => ({
        description: describe(model),
        existence,
        near: [],
        problem: null,
        ...more,
      });
      if (isCatalogued(deployment.modelInfo(model))) return found('known');
      const isStated = deployment.stated?.has(model) === true;
      const asked = keyProblem === null ? ownList() : undefined;
      if (asked === undefined) return found(isStated ? 'known' : 'unasked', { problem: keyProblem?.message ?? null });
      const { list, problem } = await askFor(asked, model, purpose === 'branching');
      if (isStated) return found('known');
      if (list === null) return found('unasked', { problem });
      const existence = existenceOf(list, model);
      if (existence !== 'missing') return found(existence);
      const names = [...list.models.keys(), ...deployment.models.map(({ id }) => id)];
      return found('missing', { near: nearMatches(names, model) });
    },
  };
}
