import type { Store } from '../../store.ts';
import type { SearchIndex } from '../../on-disk/search-index/index.ts';
import type { SearchedProject } from '../../on-disk/search-index/source.ts';
import { searchOnDisk } from '../../on-disk/search-index/source.ts';
import type { SearchNeeds } from '../../search/run.ts';
import { runSearch } from '../../search/run.ts';
import type { OpenProject } from '../project/open-project.ts';
import { branchesInOrder, branchOf, factsOf } from '../project/state.ts';
import type { Registry } from '../registry/registry.ts';

type Needs = SearchNeeds;

export function searchOperations(
  registry: Registry,
  index: SearchIndex,
  store: Needs,
): Pick<Store, 'search'> & { readonly settled: () => Promise<void> } {
  const source = searchOnDisk(index, {
    list: registry.list,
    open: async (id) => searched(await registry.open(id)),
    stampOf: registry.stampOf,
    blobs: store.blobs,
  });
  return { search: (request) => runSearch(store, source, request), settled: source.close };
}

/** Always of the state as it is now: a write may replace it. */
function searched(project: OpenProject): SearchedProject {
  return {
    nodes: () => project.state().index.all(),
    find: (id) => project.state().index.find(id),
    read: (ids) => project.nodes.read(ids.map((id) => project.state().index.get(id))),
    branches: () => branchesInOrder(project.state()).map((record) => branchOf(project.state(), record)),
    facts: () => factsOf(project.state()),
  };
}
