import type { Store } from '../store.ts';
import { searchOnDisk } from '../on-disk/search-index/source.ts';
import type { SearchNeeds } from '../search/run.ts';
import { runSearch } from '../search/run.ts';
import { factsOf } from './read/index.ts';
import { readNodes } from './read/nodes.ts';
import type { Base } from './state/base.ts';
import { projectOf } from './state/base.ts';
import { entryOf } from './state/project-state.ts';

type Needs = SearchNeeds;

export function searchMethods(
  base: Base,
  store: Needs,
): Pick<Store, 'search'> & { readonly settled: () => Promise<void> } {
  const source = searchOnDisk(base.searchIndex, {
    list: async () => [...base.projects.values()].map(({ project }) => project),
    open: async (id) => {
      const state = projectOf(base, id);
      return {
        nodes: () => state.nodes.values(),
        find: (node) => state.nodes.get(node),
        read: (nodes) =>
          readNodes(
            base,
            state,
            nodes.map((node) => entryOf(state, node)),
          ),
        branches: () => [...state.branches.values()].map(({ branch }) => branch),
        facts: () => factsOf(state),
      };
    },
    // The structure of every project is in memory.
    stampOf: async () => null,
    blobs: store.blobs,
  });
  return { search: (request) => runSearch(store, source, request), settled: source.close };
}
